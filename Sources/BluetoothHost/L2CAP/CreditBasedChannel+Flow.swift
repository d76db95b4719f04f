// The traffic of an open or closing channel: octets of the user, frames of the peer, and the credits for both (Vol 3,
// Part A, 3.4, 4.24 and 10.1).

import NIOCore

extension CreditBasedChannel {
    /// Both directions of an open channel.
    struct Connection: Sendable {
        let id: L2CAPChannelID
        /// The peer's CID.
        let remoteCID: CID
        /// The request of the peer that this side accepted, and its offer; `nil` if this side sent the request.
        let accepted: (request: PeerRequest, offer: CreditBasedParameters)?
        var sender: CreditBasedSender
        var receiver: CreditBasedReceiver

        /// Sends the next frame, and reports the capacity that it frees.
        mutating func sendFrame(_ context: inout Context) {
            if let frame = self.sender.nextFrame() { context.report(.send(frame, to: self.remoteCID, self.id)) }
            if self.sender.takeWritability() { context.report(.writable(self.id)) }
        }

        /// Gives the peer the credits that are due, with this side's CID (4.24).
        mutating func grant(_ localCID: CID, _ context: inout Context) {
            guard let credits = self.receiver.takeGrant() else { return }
            context.start(.flowControlCredit(channel: localCID, credits: credits))
        }
    }

    /// The user writes; returns the number of accepted octets.
    mutating func write(_ octets: ByteBuffer, _ context: inout Context) -> Int {
        self.update(&context) { connection, isClosing, context in
            guard !isClosing else { return 0 }
            let taken = connection.sender.write(octets)
            connection.sendFrame(&context)
            return taken
        } ?? 0
    }

    /// The user has consumed received octets, the oldest first.
    mutating func consume(_ count: Int, _ context: inout Context) {
        let localCID = self.localCID
        self.update(&context) { connection, _, context in
            connection.receiver.consume(count)
            connection.grant(localCID, &context)
        }
    }

    /// The K-frame in the link's queue has left.
    mutating func frameSent(_ context: inout Context) {
        self.update(&context) { connection, _, context in
            connection.sender.frameSent()
            connection.sendFrame(&context)
        }
    }

    /// The peer gives credits.
    mutating func receiveCredits(_ count: Int, _ context: inout Context) {
        guard count > 0 else { return }
        let isAllowed = self.update(&context) { connection, _, context in
            guard connection.sender.addCredits(count) else { return false }
            connection.sendFrame(&context)
            return true
        }
        if isAllowed == false { self.end(.creditOverflow, &context) }
    }

    /// Takes the payload of a K-frame of the peer.
    mutating func receive(_ payload: ByteBuffer, _ context: inout Context) {
        let localCID = self.localCID
        let violation = self.update(&context) { connection, isClosing, context -> L2CAPChannelViolation? in
            switch connection.receiver.receive(payload) {
            case .sdu(let sdu):
                if isClosing {
                    // SDUs after the user's close are dropped.
                    connection.receiver.consume(.max)
                } else {
                    context.report(.received(connection.id, sdu))
                }
            case .incomplete: break
            case .violation(let violation): return violation
            }
            connection.grant(localCID, &context)
            return nil
        }
        if case .some(let violation?) = violation { self.end(violation, &context) }
    }
}
