// Brings the controller's scanning to what the user wants (Vol 4, Part E, 7.8.10 and 7.8.11). A new request always
// passes through "off", so that the controller's duplicate filter starts empty.
//
//     off ── wanted ──▶ settingParameters ──▶ enabling ──▶ on ── another request, none, or held ──▶ disabling ──▶ off
//                            └──── refused ──────┴──▶ refused ── another request, or a link comes or goes ──▶ off
//
// off: the controller does not scan. settingParameters, enabling, disabling: one command is not answered yet. on: it
// scans as the request with this number asked. refused: the controller refused this request, and nothing is tried until
// another one comes, or the links are others. While it is held, it stays off: the radio is another role's, or the
// controller's addresses are being changed.
//
// Beside the user the initiator may want to hear devices: those whose private addresses only the host can resolve, and
// all where the controller cannot initiate beside what it does.
//
// What a controller can do: refuse each command. Beside other roles that ends in `off`, and the arbiter holds the
// scanner while they have the radio; alone, in `refused`. Disabling is repeated, three times in all, since a refusal
// leaves open whether the controller scans. Peers have no part in it. No timers.

import BluetoothHCI
import NIOCore

/// The scanning state of one controller, compared with what is wanted.
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
        /// The command was sent this many times.
        case disabling(ScanParameters, count: Int)
        /// The controller refused request `number`; nothing is tried until another one comes.
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

    /// Whether anybody wants the controller to scan.
    var isNeeded: Bool { self.request != nil }

    /// How the controller is to scan, for the user and the initiator.
    private var request: ScanParameters? {
        guard self.isNeededByInitiator else { return self.wanted }
        // A device that was reported once is to be heard again.
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

    /// The role that the user, and the initiator, want.
    var wantedRole: RadioRoles { self.request.map(Self.role(of:)) ?? [] }

    /// The role that the user alone wants.
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

    /// A link has begun or ended: what was refused before may be possible now.
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

    /// Asks for scanning, with an empty duplicate filter.
    mutating func start(_ parameters: ScanParameters) {
        self.wanted = parameters
        self.number += 1
    }

    /// Scans anew, as it was asked for.
    mutating func restart() { self.number += 1 }

    /// Stops scanning.
    mutating func stop() { self.wanted = nil }

    /// The next command, where one is due and none is on its way.
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

    /// Takes the status of the last step. `next()` follows.
    /// - Parameter isExcluded: Whether it was refused for the other roles of the radio, which the arbiter knows by now.
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
