// Makes the controller's legacy advertising follow the user's request, one command at a time (Vol 4, Part E, 7.8.5 to
// 7.8.9). A controller stops advertising when a central connects, and when directed advertising times out. The
// advertiser then enables it again; if the controller cannot (all its links are in use), it waits for a link to end.
//
//     off ── wanted ──▶ configuring ── last answer ──▶ configured ──▶ enabling ── accepted ──▶ on
//      ▲                    │                            │    ▲          │                      │
//      └────── refused ─────┴────── held ────────────────┘    └──────────│─ stopped by itself ──┘
//      ├────── refused ──────────────────────────────────────────────────┘
//      └────── disabling ◀── another request, none, or held ── on
//
// off: the controller does not advertise. configuring: parameters and data are being set, one command at a time.
// configured: the controller has the data and does not advertise. enabling, disabling: the command is not answered yet.
// on: it advertises. While it is held, it goes to off and stays there: another role has the radio, or the controller's
// addresses are being changed, which invalidates the configuration.
//
// A controller can refuse each command. If other roles or links use the radio, the arbiter then holds the advertiser
// while they do; otherwise the request fails and the user is told. After a refusal to disable, the controller may or
// may not be advertising, so disabling is tried three times in all: a controller that refuses each time is no longer
// advertising. Advertising that has ended by itself, with a link or without one, is enabled again. A request that waits
// for the end of a link counts as started: the user need not act. No timers.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The advertising state of one controller, and the wanted one.
struct Advertiser {
    /// A command to send; its outcome goes to ``completed(_:)``.
    enum Step: Equatable {
        case setParameters(AdvertisingParameters)
        case setData(ByteBuffer)
        case setScanResponse(ByteBuffer)
        case enable
        case disable
    }

    /// The outcome of a step.
    enum Outcome: Equatable {
        /// Advertising for the request with this number has started.
        case started(Int)
        /// The request with this number was refused.
        case refused(Int, LEHostError)
        /// Advertising that had started cannot continue.
        case ended(LEHostError)
    }

    private struct Wanted {
        var parameters: AdvertisingParameters
        var number: Int
    }

    private enum State {
        case off
        /// Parameters and data of request `number` are being set.
        case configuring(Wanted, Step)
        /// The controller holds the data of this request and does not advertise.
        case configured(Wanted)
        case enabling(Wanted)
        case on(Wanted)
        /// The number of times that the command was sent.
        case disabling(Wanted, count: Int)
    }

    private var wanted: Wanted?
    private var state: State = .off
    private var nextNumber = 1
    /// Whether the start of the wanted request was reported.
    private var isReported = false
    /// Whether the controller has to stop advertising.
    var isHeld = false

    /// Whether advertising is requested.
    var isWanted: Bool { self.wanted != nil }

    /// Whether the controller does not advertise, is not about to, and has no configuration to advertise again.
    var isOff: Bool { if case .off = self.state { true } else { false } }

    /// Requests advertising; the number comes back in an ``Outcome``.
    mutating func start(_ parameters: AdvertisingParameters) -> Int {
        let number = self.nextNumber
        self.nextNumber += 1
        self.wanted = Wanted(parameters: parameters, number: number)
        self.isReported = false
        return number
    }

    /// Requests no advertising.
    mutating func stop() { self.wanted = nil }

    /// The role that the user wants.
    var wantedRole: RadioRoles { self.wanted.map { Self.role($0.parameters) } ?? [] }

    /// The role that the controller has, or may have.
    var usedRole: RadioRoles {
        switch self.state {
        case .off, .configuring, .configured: []
        case .enabling(let current), .on(let current), .disabling(let current, _): Self.role(current.parameters)
        }
    }

    /// The role that a pending command enables or prepares.
    var triedRole: RadioRoles {
        switch self.state {
        case .configuring(let current, _), .enabling(let current): Self.role(current.parameters)
        case .off, .configured, .on, .disabling: []
        }
    }

    /// Whether the PDUs that are being configured have a scan response.
    var hasScanResponse: Bool {
        guard case .configuring(let current, _) = self.state, current.parameters.pdus == .legacy else { return false }
        return [.connectableUndirected, .scannableUndirected].contains(current.parameters.type)
    }

    private static func role(_ parameters: AdvertisingParameters) -> RadioRoles {
        switch parameters.type {
        case .connectableDirectedLowDutyCycle: .directedAdvertising
        case .scannableUndirected: .scannableAdvertising
        case .nonConnectableUndirected: .nonConnectableAdvertising
        default: .connectableAdvertising
        }
    }

    /// The controller has stopped advertising by itself: a central has connected, or it timed out.
    mutating func ended() {
        switch self.state {
        case .on(let wanted), .enabling(let wanted): self.state = .configured(wanted)
        case .off, .configuring, .configured, .disabling: break
        }
    }

    /// The request waits for the end of a link. Returns its number if its start has not been reported yet.
    mutating func waitForLink() -> Int? {
        guard let wanted = self.wanted, !self.isReported else { return nil }
        self.isReported = true
        return wanted.number
    }

    /// The next command if one is due and none is pending.
    mutating func next() -> Step? {
        switch self.state {
        case .configuring, .enabling, .disabling:
            return nil
        case .off:
            guard let wanted = self.wanted, !self.isHeld else { return nil }
            return self.configure(wanted)
        case .configured(let current):
            guard let wanted = self.wanted, !self.isHeld else {
                self.state = .off
                return nil
            }
            guard wanted.parameters == current.parameters else { return self.configure(wanted) }
            self.state = .enabling(wanted)
            return .enable
        case .on(let current):
            if let wanted = self.wanted, wanted.number == current.number, !self.isHeld { return nil }
            self.state = .disabling(current, count: 1)
            return .disable
        }
    }

    private mutating func configure(_ wanted: Wanted) -> Step {
        let step = Step.setParameters(wanted.parameters)
        self.state = .configuring(wanted, step)
        return step
    }

    /// Takes the outcome of the last step, `nil` for success, and returns the outcome to report, if any. Call `next()`
    /// afterwards.
    /// - Parameter isExcluded: Whether it was refused because of the other roles of the radio, which the arbiter has
    ///   noted.
    mutating func completed(_ failure: LEHostError?, isExcluded: Bool = false) -> (outcome: Outcome?, step: Step?) {
        switch self.state {
        case .configuring(let current, let step):
            if let failure { return self.refuse(current, failure, isExcluded) }
            let following: Step? =
                switch step {
                case .setParameters: .setData(current.parameters.data)
                case .setData: .setScanResponse(current.parameters.scanResponse)
                case .setScanResponse, .enable, .disable: nil
                }
            if let following {
                self.state = .configuring(current, following)
                return (nil, following)
            }
            self.state = .configured(current)
        case .enabling(let current):
            guard let failure else {
                self.state = .on(current)
                guard !self.isReported, self.wanted?.number == current.number else { return (nil, nil) }
                self.isReported = true
                return (.started(current.number), nil)
            }
            return self.refuse(current, failure, isExcluded)
        case .disabling(let current, let count):
            guard failure == nil || count == RadioRoles.disableLimit else {
                self.state = .disabling(current, count: count + 1)
                return (nil, .disable)
            }
            self.state = .off
        case .off, .configured, .on:
            break
        }
        return (nil, nil)
    }

    private mutating func refuse(
        _ current: Wanted,
        _ failure: LEHostError,
        _ isExcluded: Bool
    ) -> (outcome: Outcome?, step: Step?) {
        self.state = .off
        guard !isExcluded, self.wanted?.number == current.number else { return (nil, nil) }
        self.wanted = nil
        return (self.isReported ? .ended(failure) : .refused(current.number, failure), nil)
    }

    /// The controller was reset or lost.
    mutating func reset() { self = Advertiser() }
}
