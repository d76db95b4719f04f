// Brings the controller's legacy advertising to what the user wants, one command at a time (Vol 4, Part E, 7.8.5 to
// 7.8.9). A controller stops advertising when a central connects, and when directed advertising has lasted as long as it
// may; the advertiser then enables it again, and where the controller cannot (all its links are taken), waits for a link
// to end.
//
//     off ── wanted ──▶ configuring ── last answer ──▶ configured ──▶ enabling ── accepted ──▶ on
//                           └── refused ──▶ off            ▲   ▲         │                      │
//                                                          │   └─────────│──── stopped by itself ─┘
//                                                          │             └── refused, links are open ──▶ waitingForLink
//                                                          └───────────────── a link ends ──────────────────┘
//     on ── another request, none, or held ──▶ disabling ──▶ off
//     configured, waitingForLink ── held ──▶ off
//
// off: the controller does not advertise. configuring: parameters and data are being set, one command at a time.
// configured: the controller has the data and does not advertise. enabling, disabling: the command is not answered yet.
// on: it advertises. waitingForLink: it refused to advertise while links are open. While it is held, it goes to off and
// stays there: the controller's addresses are being changed, and what was configured holds no longer.
//
// What a controller can do: refuse each command; the user hears of the first refusal of a request. A refusal to disable
// leaves open whether the controller advertises, so disabling is repeated, three times in all: a controller that refuses
// each time because it no longer advertises is then rightly taken for off. Advertising that has ended by itself, with a
// link or without one, is enabled again. No timers.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The advertising state of one controller, compared with what is wanted.
struct Advertiser {
    /// A command to send; its end goes to ``completed(_:)``.
    enum Step: Equatable {
        case setParameters(AdvertisingParameters)
        case setData(ByteBuffer)
        case setScanResponse(ByteBuffer)
        case enable
        case disable
    }

    /// What came of a step.
    enum Outcome: Equatable {
        /// Advertising as the request with this number asked.
        case started(Int)
        /// The request with this number was refused.
        case refused(Int, LEHostError)
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
        /// The command was sent this many times.
        case disabling(count: Int)
        /// The controller refused to enable while links are open.
        case waitingForLink(Wanted)
    }

    /// How often the controller is told to stop before it is taken for off.
    private static let disableLimit = 3

    private var wanted: Wanted?
    private var state: State = .off
    private var nextNumber = 1
    /// Whether the start of the wanted request was reported.
    private var isReported = false
    /// Whether links are open, so that a refusal to enable may be for want of a free one.
    private var hasLinks = false
    /// Whether the controller has to stop advertising until its addresses are changed.
    var isHeld = false

    /// Whether advertising is asked for.
    var isWanted: Bool { self.wanted != nil }

    /// Whether the controller does not advertise, is not about to, and holds nothing that is to be advertised again.
    var isOff: Bool { if case .off = self.state { true } else { false } }

    /// Asks for advertising; the number comes back in an ``Outcome``.
    mutating func start(_ parameters: AdvertisingParameters) -> Int {
        let number = self.nextNumber
        self.nextNumber += 1
        self.wanted = Wanted(parameters: parameters, number: number)
        self.isReported = false
        return number
    }

    /// Asks for silence.
    mutating func stop() { self.wanted = nil }

    /// The controller made a link; with a central, that has ended advertising.
    mutating func connected(asPeripheral: Bool) {
        self.hasLinks = true
        if asPeripheral { self.ended() }
    }

    /// The controller has stopped advertising by itself.
    mutating func ended() {
        switch self.state {
        case .on(let wanted), .enabling(let wanted): self.state = .configured(wanted)
        case .off, .configuring, .configured, .disabling, .waitingForLink: break
        }
    }

    /// A link ended: the controller may be able to advertise again.
    mutating func disconnected(linksLeft: Int) {
        self.hasLinks = linksLeft > 0
        if case .waitingForLink(let wanted) = self.state { self.state = .configured(wanted) }
    }

    /// The next command, where one is due and none is on its way.
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
        case .waitingForLink(let current):
            guard let wanted = self.wanted, !self.isHeld else {
                self.state = .off
                return nil
            }
            return wanted.parameters == current.parameters ? nil : self.configure(wanted)
        case .on(let current):
            if let wanted = self.wanted, wanted.number == current.number, !self.isHeld { return nil }
            self.state = .disabling(count: 1)
            return .disable
        }
    }

    private mutating func configure(_ wanted: Wanted) -> Step {
        let step = Step.setParameters(wanted.parameters)
        self.state = .configuring(wanted, step)
        return step
    }

    /// Takes the end of the last step, `nil` for success; where the outcome is to be reported, returns it. `next()`
    /// follows.
    mutating func completed(_ failure: LEHostError?) -> (outcome: Outcome?, step: Step?) {
        switch self.state {
        case .configuring(let current, let step):
            if let failure { return self.refuse(current, failure) }
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
            guard self.hasLinks else { return self.refuse(current, failure) }
            self.state = .waitingForLink(current)
            guard !self.isReported, self.wanted?.number == current.number else { return (nil, nil) }
            self.isReported = true
            return (.started(current.number), nil)
        case .disabling(let count):
            guard failure == nil || count == Self.disableLimit else {
                self.state = .disabling(count: count + 1)
                return (nil, .disable)
            }
            self.state = .off
        case .off, .configured, .on, .waitingForLink:
            break
        }
        return (nil, nil)
    }

    private mutating func refuse(_ current: Wanted, _ failure: LEHostError) -> (outcome: Outcome?, step: Step?) {
        self.state = .off
        guard self.wanted?.number == current.number else { return (nil, nil) }
        self.wanted = nil
        return (.refused(current.number, failure), nil)
    }

    /// The controller was reset or lost.
    mutating func reset() { self = Advertiser() }
}
