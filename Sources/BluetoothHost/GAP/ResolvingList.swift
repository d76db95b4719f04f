// Makes the controller's resolving list follow the host's, one command at a time (Vol 4, Part E, 7.8.38 to 7.8.45 and
// 7.8.77). With it the controller resolves the private addresses of bonded peers, and generates those of a device with
// privacy for them.
//
//     idle ── another list is wanted ──▶ performing ── answer ──▶ idle
//                                            └── refused as unknown, or too often ──▶ unusable
//
// idle: no command is pending. performing: one command is not answered yet. unusable: the controller has no working
// list; the host resolves addresses itself.
//
// The order: the list is cleared once, since its contents are unknown; the timeout of own addresses is set; peers that
// are no longer wanted are removed and others added, each with its privacy mode; then resolution is enabled. None of it
// is allowed while the controller advertises, scans or initiates with resolution enabled: the host stops all three.
//
// A controller can refuse each command. If the list is full, the host resolves the remaining peers. Peers cannot affect
// it. No timers.

import BluetoothHCI
import BluetoothTypes

/// The resolving list of one controller, and the wanted one.
struct ResolvingList {
    /// A peer's entry.
    struct Entry: Hashable {
        /// The identity address of the peer.
        var peer: DeviceAddress
        var peerKey: Octets16
        /// The key of this device; zero without privacy.
        var localKey: Octets16
        var mode: PrivacyMode

        /// Whether another entry differs at most in its mode, which can be changed.
        fileprivate func hasKeys(of other: Entry) -> Bool {
            self.peer == other.peer && self.peerKey == other.peerKey && self.localKey == other.localKey
        }
    }

    /// A command to send; its status goes to ``completed(_:)``.
    enum Step: Hashable {
        case clear
        case setTimeout(ResolvablePrivateAddressTimeout)
        case remove(DeviceAddress)
        case add(Entry)
        case setMode(DeviceAddress, PrivacyMode)
        case enable(Bool)
    }

    private enum State {
        case idle
        case performing(Step)
        case unusable
    }

    /// The number of refused commands after which the list is no longer used.
    private static let refusalLimit = 3

    /// The wanted entries; the first ones if there are more than fit.
    private var wanted: [Entry] = []
    /// The time for which the controller uses each address that it generates; `nil` if it generates none.
    private var timeout: ResolvablePrivateAddressTimeout?
    /// The capacity of the list.
    var capacity = 0
    /// Whether the controller supports LE Set Privacy Mode; otherwise it is in network privacy mode.
    var knowsPrivacyMode = true

    private var state = State.idle
    /// The entries of the list; `nil` until it has been cleared.
    private var entries: [Entry]?
    private var timeoutInUse: ResolvablePrivateAddressTimeout?
    private var isEnabled = false
    private var refusals = 0

    /// Whether the controller resolves addresses, and generates own ones for peers of the list.
    var isResolving: Bool {
        switch self.state {
        case .idle, .performing: self.isEnabled
        case .unusable: false
        }
    }

    /// Whether the controller can resolve and generate addresses, now or once there are peers.
    var isUsable: Bool {
        switch self.state {
        case .idle, .performing: self.capacity > 0
        case .unusable: false
        }
    }

    /// Whether the controller resolves the addresses of a peer.
    func resolves(_ peer: DeviceAddress) -> Bool {
        self.isResolving && self.entries?.contains { $0.peer == peer } ?? false
    }

    /// Whether the list differs from the wanted one, or a command is pending. Stored, since every turn asks.
    private(set) var isDue = false

    private mutating func updateIsDue() {
        self.isDue =
            switch self.state {
            case .performing: true
            case .idle: self.following != nil
            case .unusable: false
            }
    }

    /// Sets the wanted peers; the first ones are listed if not all fit.
    mutating func want(_ entries: [Entry], timeout: ResolvablePrivateAddressTimeout?) {
        self.wanted = entries
        self.timeout = timeout
        self.updateIsDue()
    }

    /// Makes the controller generate new own addresses, by replacing the entries.
    mutating func renewAddresses() {
        guard self.entries?.contains(where: { $0.localKey != .zero }) ?? false else { return }
        self.entries = nil
        self.updateIsDue()
    }

    /// The next command if one is due and none is pending.
    mutating func next() -> Step? {
        guard case .idle = self.state, let step = self.following else { return nil }
        self.state = .performing(step)
        self.updateIsDue()
        return step
    }

    private var following: Step? {
        let targets = Array(self.wanted.prefix(max(self.capacity, 0)))
        guard let entries = self.entries else { return targets.isEmpty && !self.isEnabled ? nil : .clear }
        if let timeout = self.timeout, timeout != self.timeoutInUse, !targets.isEmpty { return .setTimeout(timeout) }
        if let stale = entries.first(where: { entry in !targets.contains { $0.hasKeys(of: entry) } }) {
            return .remove(stale.peer)
        }
        for target in targets {
            guard let entry = entries.first(where: { $0.peer == target.peer }) else { return .add(target) }
            let mode = self.knowsPrivacyMode ? target.mode : .network
            if entry.mode != mode { return .setMode(target.peer, mode) }
        }
        return self.isEnabled == !targets.isEmpty ? nil : .enable(!targets.isEmpty)
    }

    /// Takes the status of the last step. Call `next()` afterwards.
    mutating func completed(_ status: HCIErrorCode) {
        guard case .performing(let step) = self.state else { return }
        self.state = .idle
        defer { self.updateIsDue() }
        guard status == .success else { return self.refused(step, status) }
        switch step {
        case .clear: self.entries = []
        case .setTimeout(let timeout): self.timeoutInUse = timeout
        case .remove(let peer): self.entries?.removeAll { $0.peer == peer }
        case .add(var entry):
            entry.mode = .network
            self.entries?.append(entry)
        case .setMode(let peer, let mode): self.setMode(mode, of: peer)
        case .enable(let isEnabled): self.isEnabled = isEnabled
        }
    }

    private mutating func setMode(_ mode: PrivacyMode, of peer: DeviceAddress) {
        guard let index = self.entries?.firstIndex(where: { $0.peer == peer }) else { return }
        self.entries?[index].mode = mode
    }

    private mutating func refused(_ step: Step, _ status: HCIErrorCode) {
        switch step {
        case .add where status == .memoryCapacityExceeded && self.entries?.isEmpty == false:
            self.capacity = self.entries?.count ?? 0
            return
        // The entries stay in network privacy mode.
        case .setMode where status == .unknownCommand:
            self.knowsPrivacyMode = false
            return
        case .remove(let peer) where status == .unknownConnectionIdentifier:
            self.entries?.removeAll { $0.peer == peer }
            return
        // The controller keeps its own timeout.
        case .setTimeout(let timeout):
            self.timeoutInUse = timeout
            return
        case .clear, .remove, .add, .setMode, .enable: break
        }
        self.refusals += 1
        self.entries = nil
        if status == .unknownCommand || self.refusals >= Self.refusalLimit { self.state = .unusable }
    }

    /// The controller was reset or lost.
    mutating func reset() { self = ResolvingList() }
}
