// The subscriptions to one characteristic of a peer: one Client Characteristic Configuration, which this device has
// once, however many managers are subscribed (Vol 3, Part G, 3.3.3.3). Without I/O: each change is decided when its
// procedure has its turn on the link's ATT bearer, so at most one write of the descriptor is under way.
//
//     off ── first subscriber ──▶ enabling ── written ──▶ on ── last unsubscribes ──▶ disabling ── written ──▶ off
//      ▲                             │ refused             ▲                              │ refused
//      └─────────────────────────────┘                     └──────────────────────────────┘
//
// - off: the descriptor is 0, as on each new link: the server resets it with the link unless there is a bond.
// - enabling: notifications are being turned on for one subscriber, which gets values already: the first one may
//   overtake the answer to the write. The subscriber is missing if it has left meanwhile.
// - on: the peer sends values to all subscribers. There is none if the last one has left without a turn, since its
//   connection was cancelled; then the next release turns notifications off.
// - disabling: notifications are being turned off for the last subscriber, which gets no more values; none if the write
//   is a release.
// - listening: the characteristic has no descriptor. Its subscribers get an error, and any values that the peer sends.
//
// A second manager that subscribes while the first one's write is under way has its turn after the answer: if the peer
// has refused, it asks again and gets the answer to its own write. A peer can send values at any time and answer a
// write as it likes; values without a subscriber are dropped. No timers: the limit for an answer is the procedure's.

import BluetoothHost

/// One characteristic's subscribers on one link.
struct Subscription<Subscriber: Equatable> {
    private enum State {
        case off
        case enabling(Subscriber?)
        case on(ContiguousArray<Subscriber>)
        case disabling(Subscriber?)
        case listening(ContiguousArray<Subscriber>)
    }

    /// The next step of a subscription's change.
    enum Step: Equatable {
        /// Write the descriptor; the answer goes to ``Subscription/written(isAccepted:)``.
        case write(Bool)
        /// Nothing: the subscriber has what it asked for.
        case nothing
    }

    let characteristic: GATTRemoteCharacteristic
    private var state = State.off

    /// A characteristic without subscribers.
    init(to characteristic: GATTRemoteCharacteristic) { self.characteristic = characteristic }

    /// Whether there are no subscribers and the peer sends nothing.
    var isOff: Bool {
        switch self.state {
        case .off: true
        case .enabling, .on, .disabling, .listening: false
        }
    }

    /// Whether the peer sends values although there are no subscribers.
    var needsRelease: Bool {
        switch self.state {
        case .on(let subscribers): subscribers.isEmpty
        case .off, .enabling, .disabling, .listening: false
        }
    }

    /// Whether a subscriber gets values.
    func isSubscribed(_ subscriber: Subscriber) -> Bool {
        switch self.state {
        case .off, .disabling: false
        case .enabling(let only): only == subscriber
        case .on(let subscribers), .listening(let subscribers): subscribers.contains(subscriber)
        }
    }

    /// Calls `body` for each that gets values.
    @inline(__always)
    func forEachSubscriber(_ body: (Subscriber) -> Void) {
        switch self.state {
        case .off, .disabling: break
        case .enabling(let only): if let only { body(only) }
        case .on(let subscribers), .listening(let subscribers): for subscriber in subscribers { body(subscriber) }
        }
    }

    // MARK: Turns on the bearer

    /// A subscriber wants values, or no longer wants them.
    mutating func set(_ isSubscribed: Bool, for subscriber: Subscriber) -> Step {
        switch (self.state, isSubscribed) {
        case (.off, false): return .nothing
        case (.off, true):
            self.state = .enabling(subscriber)
            return .write(true)
        case (.listening, let isSubscribed):
            // The descriptor is searched again.
            return .write(isSubscribed)
        case (.on(var subscribers), true):
            if !subscribers.contains(subscriber) { subscribers.append(subscriber) }
            self.state = .on(subscribers)
            return .nothing
        case (.on(var subscribers), false):
            guard subscribers.contains(subscriber) else { return .nothing }
            subscribers.removeAll { $0 == subscriber }
            guard subscribers.isEmpty else {
                self.state = .on(subscribers)
                return .nothing
            }
            self.state = .disabling(subscriber)
            return .write(false)
        case (.enabling, _), (.disabling, _):
            preconditionFailure("two writes of a Client Characteristic Configuration at a time")
        }
    }

    /// Turns notifications off if there are no subscribers.
    mutating func release() -> Step {
        guard self.needsRelease else { return .nothing }
        self.state = .disabling(nil)
        return .write(false)
    }

    /// The peer has answered the write.
    mutating func written(isAccepted: Bool) {
        switch self.state {
        case .enabling(let subscriber):
            self.state = isAccepted ? .on(subscriber.map { [$0] } ?? []) : .off
        case .disabling(let subscriber):
            self.state = isAccepted ? .off : .on(subscriber.map { [$0] } ?? [])
        case .off, .on, .listening: break
        }
    }

    /// A subscriber wants values of a characteristic without the descriptor, or no longer wants them.
    mutating func listen(_ isSubscribed: Bool, _ subscriber: Subscriber) {
        self.remove(subscriber)
        guard case .on = self.state else {
            var subscribers: ContiguousArray<Subscriber> = []
            if case .listening(let others) = self.state { subscribers = others }
            if isSubscribed { subscribers.append(subscriber) }
            self.state = subscribers.isEmpty ? .off : .listening(subscribers)
            return
        }
    }

    // MARK: Without a turn

    /// A subscriber's connection has ended.
    mutating func remove(_ subscriber: Subscriber) {
        switch self.state {
        case .off: break
        case .enabling(let only): if only == subscriber { self.state = .enabling(nil) }
        case .on(var subscribers):
            subscribers.removeAll { $0 == subscriber }
            self.state = .on(subscribers)
        case .disabling(let only): if only == subscriber { self.state = .disabling(nil) }
        case .listening(var subscribers):
            subscribers.removeAll { $0 == subscriber }
            self.state = subscribers.isEmpty ? .off : .listening(subscribers)
        }
    }
}
