// The credit-based channels of one link: which names are given out on this side, and how far each channel is. The
// procedures of the signalling channel that change it are in LESignalling+Channels.swift.

import NIOCore

/// All channels of a link, by the names that this side gave them.
struct CreditBasedChannels: Sendable {
    /// What a request for a channel finds on an SPSM.
    struct Listener: Hashable, Sendable {
        /// What this side offers.
        var configuration: ChannelConfiguration
        /// What the link must offer.
        var security: ChannelSecurity
    }

    /// A peer's request that waits for the user's word.
    struct Request: Sendable {
        var identifier: UInt8
        var request: LECreditBasedConnectionRequest
        var configuration: ChannelConfiguration
    }

    /// A request of this side.
    struct Connecting: Sendable {
        var id: ChannelID
        var identifier: UInt8
        var spsm: UInt16
        var configuration: ChannelConfiguration
        var deadline: NIODeadline
    }

    /// Who is at the ends of an open channel.
    struct Ends: Hashable, Sendable {
        var id: ChannelID
        var peer: L2CAPChannelID
    }

    /// A channel that this side asked to be ended.
    struct Disconnecting: Sendable {
        var id: ChannelID
        var peer: L2CAPChannelID
        var identifier: UInt8
        /// Whether the user was told of the end before.
        var isTold: Bool
        var deadline: NIODeadline
    }

    /// How far a channel is.
    enum Slot: Sendable {
        /// The name is free.
        case free
        /// The peer asked for a channel; the user has not answered.
        case requested(Request)
        /// This side asked for a channel; the peer has not answered.
        case connecting(Connecting)
        /// The peer did not answer in time. The name stays taken, since the peer may hold a channel by it yet.
        case forsaken(ChannelID, identifier: UInt8)
        /// Both sides send and receive.
        case open(Ends)
        /// The user has closed the channel, and what he had sent is still on its way.
        case draining(Ends, deadline: NIODeadline)
        /// The end is asked for.
        case disconnecting(Disconnecting)

        /// The peer's name for the channel, where both sides know of it.
        var peer: L2CAPChannelID? {
            switch self {
            case .free, .connecting, .forsaken: nil
            case .requested(let request): request.request.source
            case .open(let ends), .draining(let ends, _): ends.peer
            case .disconnecting(let disconnecting): disconnecting.peer
            }
        }

        /// Whether frames may leave.
        var sends: Bool {
            switch self {
            case .free, .requested, .connecting, .forsaken, .disconnecting: false
            case .open, .draining: true
            }
        }

        /// Whether the user has closed the channel.
        var isDraining: Bool {
            switch self {
            case .free, .requested, .connecting, .forsaken, .open, .disconnecting: false
            case .draining: true
            }
        }

        /// The identifier of a request that waits for its answer.
        var identifier: UInt8? {
            switch self {
            case .free, .requested, .open, .draining: nil
            case .connecting(let connecting): connecting.identifier
            case .forsaken(_, let identifier): identifier
            case .disconnecting(let disconnecting): disconnecting.identifier
            }
        }

        /// When something is to be done if nothing happens.
        var deadline: NIODeadline? {
            switch self {
            case .free, .requested, .forsaken, .open: nil
            case .connecting(let connecting): connecting.deadline
            case .draining(_, let deadline): deadline
            case .disconnecting(let disconnecting): disconnecting.deadline
            }
        }
    }

    /// How many channels a link has at most.
    static let maximumCount = 16

    /// Who listens, by SPSM.
    var listeners: [UInt16: Listener] = [:]
    /// A slot for each name; empty until the first channel is wanted.
    private var slots: [Slot] = []
    /// What the open channels carry, beside their slots, so that a frame is worked on in its place.
    private var flows: [CreditBasedChannel?] = []
    private var count = 0
    private var lastIndex = -1
    /// Not later than the first deadline of a slot.
    private(set) var nextDeadline: NIODeadline?

    /// The names that are taken, in order.
    var taken: [L2CAPChannelID] {
        guard self.count > 0 else { return [] }
        return self.slots.indices.filter { if case .free = self.slots[$0] { false } else { true } }.map(Self.name)
    }

    /// How far the channel of a name is; ``open(_:as:)`` opens it.
    subscript(_ name: L2CAPChannelID) -> Slot {
        get { self.index(of: name).map { self.slots[$0] } ?? .free }
        set {
            guard let index = self.index(of: name) else { return }
            if case .free = self.slots[index] { self.count += 1 }
            if case .free = newValue { self.count -= 1 }
            if let deadline = newValue.deadline { self.nextDeadline = min(self.nextDeadline ?? deadline, deadline) }
            if !newValue.sends { self.flows[index] = nil }
            self.slots[index] = newValue
        }
    }

    /// Opens a channel.
    mutating func open(_ channel: CreditBasedChannel, as name: L2CAPChannelID) {
        guard let index = self.index(of: name) else { return }
        self[name] = .open(Ends(id: channel.id, peer: channel.peer.channel))
        self.flows[index] = channel
    }

    /// What an open channel carries.
    func flow(_ name: L2CAPChannelID) -> CreditBasedChannel? { self.index(of: name).flatMap { self.flows[$0] } }

    /// A name that nobody has, the one that was given back last coming last; `nil` where there are enough channels.
    mutating func freeName() -> L2CAPChannelID? {
        guard self.count < Self.maximumCount else { return nil }
        let total = L2CAPChannelID.dynamicRange.count
        if self.slots.isEmpty {
            self.slots = Array(repeating: .free, count: total)
            self.flows = Array(repeating: nil, count: total)
        }
        // There are more names than channels.
        repeat { self.lastIndex = (self.lastIndex + 1) % total } while self.isTaken(self.lastIndex)
        return Self.name(self.lastIndex)
    }

    /// The channel that the peer knows by this name.
    func name(ofPeer peer: L2CAPChannelID) -> L2CAPChannelID? {
        self.slots.firstIndex { $0.peer == peer }.map(Self.name)
    }

    /// The channel that sends to what the peer knows by this name.
    func name(sendingTo peer: L2CAPChannelID) -> L2CAPChannelID? {
        self.slots.firstIndex { $0.sends && $0.peer == peer }.map(Self.name)
    }

    /// The channel whose request has this identifier.
    func name(ofRequest identifier: UInt8) -> L2CAPChannelID? {
        self.slots.firstIndex { $0.identifier == identifier }.map(Self.name)
    }

    /// Works on an open channel in its place; `nil` where there is none. `work` is told whether it is draining.
    mutating func update<Result>(
        _ name: L2CAPChannelID,
        _ work: (inout CreditBasedChannel, _ isDraining: Bool) -> Result?
    ) -> Result? {
        guard let index = self.index(of: name) else { return nil }
        let isDraining = self.slots[index].isDraining
        return self.flows[index]?.update { work(&$0, isDraining) } ?? nil
    }

    /// Looks again for the first deadline.
    mutating func refreshDeadline() {
        self.nextDeadline = self.slots.lazy.compactMap(\.deadline).min()
    }

    /// Forgets every channel.
    mutating func removeAll() {
        self.slots = []
        self.flows = []
        self.count = 0
        self.nextDeadline = nil
    }

    private func isTaken(_ index: Int) -> Bool {
        if case .free = self.slots[index] { false } else { true }
    }

    private func index(of name: L2CAPChannelID) -> Int? {
        let index = Int(name.rawValue) - Int(L2CAPChannelID.dynamicRange.lowerBound)
        return self.slots.indices.contains(index) ? index : nil
    }

    private static func name(_ index: Int) -> L2CAPChannelID {
        L2CAPChannelID(rawValue: L2CAPChannelID.dynamicRange.lowerBound + UInt16(truncatingIfNeeded: index))
    }
}

extension CreditBasedChannel {
    /// Works on the channel in its place.
    @inline(__always)
    fileprivate mutating func update<Result>(_ work: (inout CreditBasedChannel) -> Result) -> Result { work(&self) }
}
