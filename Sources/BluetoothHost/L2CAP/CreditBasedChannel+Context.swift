// The input of a channel's step from its link, and the actions for the link and the host.

import NIOCore

extension CreditBasedChannel {
    /// An action for the link or the host.
    enum Action: Hashable, Sendable {
        /// The peer requests a channel: accept or refuse the one with this CID.
        case requested(CID, SPSM)
        /// A channel is open.
        case opened(L2CAPChannelID, SPSM, isIncoming: Bool, peerMTU: Int)
        /// A channel that this side requested could not be opened.
        case failed(L2CAPChannelID, L2CAPChannelOpenError)
        /// An SDU was received; it may be empty.
        case received(L2CAPChannelID, ByteBuffer)
        /// Send this K-frame to the peer's channel, and call ``frameSent(_:)`` when it has left.
        case send(ByteBuffer, to: CID, L2CAPChannelID)
        /// There is capacity again for a user whose last write was not accepted completely.
        case writable(L2CAPChannelID)
        /// A channel has ended.
        case closed(L2CAPChannelID, L2CAPChannelCloseReason)
    }

    /// The input of one step of a channel from its link, and the resulting actions.
    struct Context {
        /// The current time.
        let now: NIODeadline
        /// The identifier for a command of this side: a step starts one at most.
        let identifier: UInt8
        /// Whether ``identifier`` was used.
        private(set) var hasStartedCommand = false
        /// The resulting actions.
        var actions: [LESignalling.Action] = []

        init(now: NIODeadline, identifier: UInt8) {
            self.now = now
            self.identifier = identifier
        }

        mutating func report(_ action: Action) { self.actions.append(.channel(action)) }

        /// Sends a command of this side; returns its identifier.
        @discardableResult
        mutating func start(_ command: LESignallingCommand) -> UInt8 {
            assert(!self.hasStartedCommand, "a step starts one command")
            self.hasStartedCommand = true
            self.actions.append(.send(command.encoded(identifier: self.identifier)))
            return self.identifier
        }

        mutating func respond(_ command: LESignallingCommand, to identifier: UInt8) {
            self.actions.append(.send(command.encoded(identifier: identifier)))
        }
    }

    /// A request of the peer.
    struct PeerRequest: Hashable, Sendable {
        /// The identifier that the response needs.
        var identifier: UInt8
        /// The requested channel.
        var request: LECreditBasedConnectionRequest
    }
}
