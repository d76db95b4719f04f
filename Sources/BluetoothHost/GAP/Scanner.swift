// Brings the controller's scanning to what the user wants (Vol 4, Part E, 7.8.10 and 7.8.11). A new request always
// passes through "off", so that the controller's duplicate filter starts empty.
//
//     off ── wanted ──▶ settingParameters ──▶ enabling ──▶ on ── another request, none, or held ──▶ disabling ──▶ off
//                            └──── refused ──────┴──▶ refused ── another request, or a link comes or goes ──▶ off
//
// off: the controller does not scan. settingParameters, enabling, disabling: one command is not answered yet. on: it
// scans as the request with this number asked. refused: the controller refused this request, and nothing is tried until
// another one comes or the circumstances change. While it is held, it stays off: the controller's addresses are being
// changed.
//
// Beside the user the initiator may want to hear devices: those whose private addresses only the host can resolve.
//
// What a controller can do: refuse each command, which ends in `refused`; but disabling is repeated, three times in all,
// since a refusal leaves open whether the controller scans. Peers have no part in it. No timers.

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
        case on(Int)
        /// The command was sent this many times.
        case disabling(count: Int)
        /// The controller refused request `number`; nothing is tried until another one comes.
        case refused(Int)
    }

    /// How often the controller is told to stop before it is taken for off.
    private static let disableLimit = 3

    private var wanted: ScanParameters?
    private var number = 0
    private var state: State = .off
    /// Whether scanning is stopped for the initiator, on a controller that cannot do both.
    private(set) var isPaused = false
    /// Whether the controller has to stop scanning until its addresses are changed.
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

    /// Stops scanning for as long as the initiator needs the radio.
    mutating func pause() { self.isPaused = true }

    /// Scans again.
    mutating func resume() { self.isPaused = false }

    /// A link or an attempt to make one has begun or ended: what was refused before may be possible now.
    mutating func circumstancesChanged() {
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
            guard let request = self.request, !self.isPaused, !self.isHeld else { return nil }
            self.state = .settingParameters(request, self.number)
            return .setParameters(request)
        case .on(let number):
            if self.request != nil, number == self.number, !self.isPaused, !self.isHeld { return nil }
            self.state = .disabling(count: 1)
            return .disable
        }
    }

    /// Takes the status of the last step. `next()` follows.
    mutating func completed(_ status: HCIErrorCode) -> Step? {
        switch self.state {
        case .settingParameters(let parameters, let number):
            guard status == .success else {
                self.state = .refused(number)
                return nil
            }
            self.state = .enabling(parameters, number)
            return .enable(parameters)
        case .enabling(_, let number):
            self.state = status == .success ? .on(number) : .refused(number)
        case .disabling(let count):
            guard status == .success || count == Self.disableLimit else {
                self.state = .disabling(count: count + 1)
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
