// The connection to one device, from our host's wish to a link on the private air and back. BlueZ says yes too early:
// Connect ends before the services are known, and once more for a device that is being disconnected, so only the
// properties Connected and ServicesResolved count.
//
//     idle ── wanted ──▶ absent ◀──────────────┐ object gone
//      ▲                  │ object             │
//      │                  ▼                    │
//      │              connecting ── failed ──▶ waiting ── delay over ──▶ connecting
//      │                  │ Connected          ▲
//      │                  ▼                    │ lost
//      │              resolving ───────────────┤
//      │                  │ ServicesResolved   │
//      │                  ▼                    │
//      │              exploring ── answer ─▶ offered ── link ──▶ linked ── lost, or ended ──▶ idle
//      └── not wanted for a while, from every state before linked: Disconnect
//
// idle: our host does not want the device. absent: BlueZ has no object for it, so devices are searched. connecting:
// Connect is on its way. waiting: it failed, and is called again. resolving: BlueZ is connected and looks at the
// services. exploring: BlueZ is asked something, since a property may overtake objects, and its answer does not.
// offered: the mirror advertises. linked: our host has its link. leaving: the device is wanted again while BlueZ still
// disconnects it, which takes two seconds.
//
// A device can connect and get lost at any moment, which costs a call with a growing delay. A wish that ends for a
// moment, as when the host changes its accept list, is kept. No timers: delays go out as actions.

import BluetoothTypes
import NIOCore

/// The state of the connection to a device.
struct MirroredConnection {
    enum Action: Equatable {
        /// Device1.Connect is to be called; its end goes to ``connectEnded(_:)``.
        case connect
        /// Device1.Disconnect is to be called.
        case disconnect
        /// BlueZ is to be asked something; then comes ``explored()``.
        case explore
        /// The mirror is to take connections.
        case offer
        /// The mirror is to go, and the link with it.
        case withdraw
        /// ``delayElapsed()`` is to be called after the delay, in place of an earlier one.
        case schedule(TimeAmount)
    }

    private enum State: Equatable {
        case idle
        case absent
        case connecting
        case waiting
        case resolving
        case exploring
        case offered
        case linked
        case leaving
    }

    /// How long a wish that has ended is kept.
    static let grace = TimeAmount.milliseconds(500)
    /// The delay before Connect is called again, and the limit of its doubling.
    static let retryDelays: ClosedRange<TimeAmount> = .milliseconds(250)...TimeAmount.seconds(4)
    /// How long the end of a connection is waited for.
    static let endLimit = TimeAmount.seconds(4)

    private var state = State.idle
    private var isWanted = false
    private var isPresent: Bool
    private var isConnected: Bool
    private var isResolved: Bool
    /// Whether the connection is ours to end: it was not there when it was wanted.
    private var isOurs = false
    /// Whether Disconnect was called for a connection that is still there.
    private var isEnding = false
    private var failureCount = 0

    init(isPresent: Bool, isConnected: Bool, isResolved: Bool) {
        self.isPresent = isPresent
        self.isConnected = isConnected
        self.isResolved = isResolved
    }

    /// Whether devices are to be searched for it.
    var needsDiscovery: Bool { self.isWanted && self.state == .absent }
    /// Whether nothing is known of it that would be missed.
    var isForgettable: Bool { self.state == .idle && !self.isEnding }

    // MARK: Events

    /// The host wants to connect, or no longer.
    mutating func setWanted(_ isWanted: Bool) -> [Action] {
        guard isWanted != self.isWanted else { return [] }
        self.isWanted = isWanted
        switch self.state {
        case .idle: return isWanted ? self.begin() : []
        case .linked: return []
        case .absent, .connecting, .waiting, .resolving, .exploring, .offered, .leaving:
            // A wish that comes back keeps the delay of a retry.
            return isWanted ? [] : [.schedule(Self.grace)]
        }
    }

    /// BlueZ's properties of the device have changed.
    mutating func update(isPresent: Bool, isConnected: Bool, isResolved: Bool) -> [Action] {
        self.isPresent = isPresent
        self.isConnected = isPresent && isConnected
        self.isResolved = self.isConnected && isResolved
        if !self.isConnected { self.isEnding = false }
        switch self.state {
        case .idle, .waiting: return []
        case .leaving: return self.isEnding ? [] : self.begin()
        case .absent: return self.isPresent ? self.begin() : []
        case .connecting:
            guard !self.isConnected else { return self.connected() }
            if !self.isPresent { self.state = .absent }
            return []
        case .resolving:
            guard self.isConnected else { return self.lost() }
            return self.isResolved ? self.explore() : []
        case .exploring: return self.isConnected ? [] : self.lost()
        case .offered: return self.isConnected ? [] : [.withdraw] + self.lost()
        case .linked:
            guard !self.isConnected else { return [] }
            self.state = .idle
            return [.withdraw] + (self.isWanted ? self.begin() : [])
        }
    }

    /// Connect has ended, with an error or without.
    mutating func connectEnded(_ outcome: BusFailure.ConnectOutcome?) -> [Action] {
        guard self.state == .connecting else { return [] }
        // Success without a link is none. Another program's attempt goes on.
        switch outcome {
        case nil where self.isConnected: return self.connected()
        case .unknownDevice?:
            self.isPresent = false
            self.state = .absent
            return []
        case nil, .failed?, .inProgress?, .classic?: return self.lost()
        }
    }

    /// BlueZ has answered, after all signals about the device's objects.
    mutating func explored() -> [Action] {
        guard self.state == .exploring else { return [] }
        self.state = .offered
        return [.offer]
    }

    /// Our host has its link to the mirror.
    mutating func linked() -> [Action] {
        guard self.state == .offered else { return [] }
        self.state = .linked
        self.failureCount = 0
        return []
    }

    /// Our host has ended its link, or lost it.
    mutating func linkEnded() -> [Action] {
        guard self.state == .linked else { return [] }
        return self.leave([.withdraw]) + (self.isWanted ? self.begin() : [])
    }

    /// The delay of ``Action/schedule(_:)`` is over.
    mutating func delayElapsed() -> [Action] {
        guard self.isWanted else {
            switch self.state {
            case .idle, .linked: return []
            case .offered: return self.leave([.withdraw])
            case .absent, .connecting, .waiting, .resolving, .exploring, .leaving: return self.leave([])
            }
        }
        guard self.state == .waiting || self.state == .leaving else { return [] }
        self.isEnding = false
        return self.begin()
    }

    // MARK: Steps

    private mutating func begin() -> [Action] {
        guard self.isPresent else {
            self.state = .absent
            return []
        }
        guard !self.isEnding else {
            self.state = .leaving
            return [.schedule(Self.endLimit)]
        }
        guard !self.isConnected else {
            return self.connected()
        }
        self.isOurs = true
        self.state = .connecting
        return [.connect]
    }

    private mutating func connected() -> [Action] {
        self.state = .resolving
        return self.isResolved ? self.explore() : []
    }

    private mutating func explore() -> [Action] {
        self.state = .exploring
        return [.explore]
    }

    private mutating func lost() -> [Action] {
        self.state = .waiting
        // Another program may connect before the next attempt.
        self.isOurs = false
        defer { self.failureCount += 1 }
        return [.schedule(Self.retryDelays.retryDelay(afterFailure: self.failureCount))]
    }

    /// Lets the device go; Disconnect also cancels a call of Connect.
    private mutating func leave(_ actions: [Action]) -> [Action] {
        let mustEnd = self.isOurs && (self.isConnected || self.state == .connecting)
        self.isEnding = mustEnd && self.isConnected || self.isEnding
        self.state = .idle
        self.isOurs = false
        self.failureCount = 0
        return actions + (mustEnd ? [.disconnect] : [])
    }
}
