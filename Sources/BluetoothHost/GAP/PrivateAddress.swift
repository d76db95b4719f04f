// The private address of a device with privacy (Vol 3, Part C, 10.7): generated from its own identity resolving key,
// set as the controller's random address, and replaced when it has been used long enough.
//
//     none ── next ──▶ setting ── accepted ──▶ inUse ── too old, or used too often, and next ──▶ setting
//                         └── refused ──▶ refused ── the interval is over, and next ──▶ setting
//     inUse, refused ── another key ──▶ none
//
// none: the controller has no private address of this key yet. setting: Set Random Address is not answered yet; events
// until then belong to the previous address. inUse: peers see this address. refused: the controller has kept the
// previous address, if any; the command is repeated when that would be replaced.
//
// A controller accepts a random address only while it neither advertises nor scans nor initiates (Vol 4, Part E,
// 7.8.4): the host stops all three for the step. Peers can only cause links, which count. Deadlines are passed in as
// `now`.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The private address of one controller.
struct PrivateAddress {
    private struct Use {
        let address: DeviceAddress
        let deadline: NIODeadline
        var linkCount = 0
    }

    private enum State {
        case none
        case setting(DeviceAddress, before: Use?)
        case inUse(Use)
        case refused(Use?, until: NIODeadline)
    }

    private var state = State.none

    /// The address that peers see; `nil` if the controller has none yet.
    var address: DeviceAddress? {
        switch self.state {
        case .none: nil
        case .setting(_, let before): before?.address
        case .inUse(let use): use.address
        case .refused(let use, until: _): use?.address
        }
    }

    /// When to replace the address; `nil` if there is none, or a command is pending.
    var deadline: NIODeadline? {
        switch self.state {
        case .none, .setting: nil
        case .inUse(let use): use.deadline
        case .refused(_, let end): end
        }
    }

    /// Whether the controller needs another address before the radio is used.
    func isDue(_ configuration: PrivacyConfiguration, now: NIODeadline) -> Bool {
        switch self.state {
        case .none, .setting: true
        case .inUse(let use):
            use.deadline <= now || configuration.connectionsPerAddress.map { use.linkCount >= max($0, 1) } ?? false
        case .refused(_, let end): end <= now
        }
    }

    /// The address to set if one is due and no command is pending.
    mutating func next(
        _ configuration: PrivacyConfiguration,
        key: Octets16,
        now: NIODeadline,
        using generator: inout some RandomNumberGenerator
    ) -> DeviceAddress? {
        guard self.isDue(configuration, now: now) else { return nil }
        let before: Use?
        switch self.state {
        case .setting: return nil
        case .none: before = nil
        case .inUse(let use): before = use
        case .refused(let use, until: _): before = use
        }
        let address = ResolvablePrivateAddress.make(key, using: &generator)
        self.state = .setting(address, before: before)
        return address
    }

    /// Takes the status of Set Random Address.
    mutating func completed(_ status: HCIErrorCode, _ configuration: PrivacyConfiguration, now: NIODeadline) {
        guard case .setting(let address, let before) = self.state else { return }
        let deadline = now + configuration.rotationInterval
        self.state =
            status == .success
            ? .inUse(Use(address: address, deadline: deadline)) : .refused(before, until: deadline)
    }

    /// A link was established with the address.
    mutating func countLink() {
        guard case .inUse(var use) = self.state else { return }
        use.linkCount += 1
        self.state = .inUse(use)
    }

    /// The device has another key, or another controller.
    mutating func reset() { self = PrivateAddress() }
}
