// Makes the controller's scanning follow the requests of the user and the initiator (Vol 4, Part E, 7.8.10 and 7.8.11).
// A new request always passes through "off", so that the controller's duplicate filter starts empty.
//
//     off ── wanted ──▶ settingParameters ──▶ enabling ──▶ on ── another request, none, or held ──▶ disabling ──▶ off
//                            └──── refused ──────┴──▶ refused ── another request, or a link comes or goes ──▶ off
//
// off: the controller does not scan. settingParameters, enabling, disabling: one command is not answered yet. on: it
// scans for the request with this number. refused: the controller refused this request, and nothing is tried until the
// request or the links change. While it is held, it stays off: another role has the radio, or the controller's
// addresses are being changed.
//
// Besides the user, the initiator may have to hear devices: those whose private addresses only the host can resolve,
// and all if the controller cannot initiate beside its other roles.
//
// A controller can refuse each command. Beside other roles that leads to `off`, and the arbiter holds the scanner while
// they have the radio; otherwise to `refused`. Disabling is tried three times in all, since the controller may or may
// not be scanning after a refusal. Peers cannot affect it. No timers.

import BluetoothHCI
import NIOCore

/// The scanning state of one controller, and the wanted one.
struct Scanner {
    /// A command to send; its status goes to ``completed(_:)``.
    enum Step: Equatable {
        case setParameters(ScanParameters)
        case enable(ScanParameters)
        case disable
    }

    private enum State {
        case off
        case settingParameters(ScanParameters, Int)
        case enabling(ScanParameters, Int)
        case on(ScanParameters, Int)
        /// The number of times that the command was sent.
        case disabling(ScanParameters, count: Int)
        /// The controller refused request `number`; nothing is tried until the next request.
        case refused(Int)
    }

    private var wanted: ScanParameters?
    private var number = 0
    private var state: State = .off
    /// Whether the controller has to stop scanning.
    var isHeld = false
    /// Whether the initiator has to hear all devices around, one after the other.
    private(set) var isNeededByInitiator = false

    /// Whether the user wants reports now.
    var isWanted: Bool { self.wanted != nil }

    /// Whether the user or the initiator wants the controller to scan.
    var isNeeded: Bool { self.request != nil }

    /// The parameters of the scan for the user and the initiator.
    private var request: ScanParameters? {
        guard self.isNeededByInitiator else { return self.wanted }
        // The initiator has to hear devices that have already been reported.
        var request = self.wanted ?? ScanParameters(isActive: false)
        request.filtersDuplicates = false
        return request
    }

    /// Whether the controller does not scan and is not about to.
    var isOff: Bool {
        switch self.state {
        case .off, .refused: true
        case .settingParameters, .enabling, .on, .disabling: false
        }
    }

    /// The role that the user and the initiator need.
    var wantedRole: RadioRoles { self.request.map(Self.role(of:)) ?? [] }

    /// The role that the user needs.
    var userRole: RadioRoles { self.wanted.map(Self.role(of:)) ?? [] }

    /// The role that the controller has, or may have.
    var usedRole: RadioRoles {
        switch self.state {
        case .off, .refused, .settingParameters: []
        case .enabling(let parameters, _), .on(let parameters, _), .disabling(let parameters, _):
            Self.role(of: parameters)
        }
    }

    /// The role for a request.
    static func role(of parameters: ScanParameters) -> RadioRoles {
        parameters.isActive ? .activeScanning : .passiveScanning
    }

    /// A link has begun or ended: a refused scan may be possible now.
    mutating func linksChanged() {
        if case .refused = self.state { self.state = .off }
    }

    /// The initiator has to hear the devices around, or no longer has to.
    mutating func setNeededByInitiator(_ isNeeded: Bool) {
        guard self.isNeededByInitiator != isNeeded else { return }
        let before = self.request
        self.isNeededByInitiator = isNeeded
        if self.request != before { self.number += 1 }
    }

    /// Requests scanning, with an empty duplicate filter.
    mutating func start(_ parameters: ScanParameters) {
        self.wanted = parameters
        self.number += 1
    }

    /// Restarts the scan with the same parameters.
    mutating func restart() { self.number += 1 }

    /// Stops scanning.
    mutating func stop() { self.wanted = nil }

    /// The next command if one is due and none is pending.
    mutating func next() -> Step? {
        switch self.state {
        case .settingParameters, .enabling, .disabling:
            return nil
        case .refused(let number):
            guard number != self.number else { return nil }
            self.state = .off
            return self.next()
        case .off:
            guard let request = self.request, !self.isHeld else { return nil }
            self.state = .settingParameters(request, self.number)
            return .setParameters(request)
        case .on(let parameters, let number):
            if self.request != nil, number == self.number, !self.isHeld { return nil }
            self.state = .disabling(parameters, count: 1)
            return .disable
        }
    }

    /// Takes the status of the last step. Call `next()` afterwards.
    /// - Parameter isExcluded: Whether it was refused because of the other roles of the radio, which the arbiter has
    ///   noted.
    mutating func completed(_ status: HCIErrorCode, isExcluded: Bool = false) -> Step? {
        switch self.state {
        case .settingParameters(let parameters, let number):
            guard status == .success else {
                self.state = isExcluded ? .off : .refused(number)
                return nil
            }
            self.state = .enabling(parameters, number)
            return .enable(parameters)
        case .enabling(let parameters, let number):
            self.state = status == .success ? .on(parameters, number) : isExcluded ? .off : .refused(number)
        case .disabling(let parameters, let count):
            guard status == .success || count == RadioRoles.disableLimit else {
                self.state = .disabling(parameters, count: count + 1)
                return .disable
            }
            self.state = .off
        case .off, .on, .refused:
            break
        }
        return nil
    }

    /// The controller was reset or lost.
    mutating func reset() { self = Scanner() }
}
