// What goes through the open channels of a link: octets of the user, frames of the peer, and the credits for both
// (Vol 3, Part A, 3.4, 4.24 and 10.1). A channel has one frame on its way through this host at a time and the next one
// when that has left, so that others of the link come in between.

import BluetoothTypes
import NIOCore

extension LESignalling {
    // MARK: The user

    /// Queues octets on a channel; how many were taken.
    mutating func write(
        _ octets: ByteBuffer,
        on tag: ChannelTag,
        now: NIODeadline,
        into actions: inout [Action]
    ) -> Int {
        let taken: Int? = self.channels.update(tag.name) { channel, isDraining in
            // What is closed takes no more.
            channel.id == tag.id && !isDraining ? channel.write(octets) : nil
        }
        guard let taken else { return 0 }
        self.pump(tag.name, now: now, into: &actions)
        return taken
    }

    /// The user has done with octets that came on a channel.
    mutating func consume(_ count: Int, on tag: ChannelTag, into actions: inout [Action]) {
        let credits: UInt16? = self.channels.update(tag.name) { channel, _ in
            guard channel.id == tag.id else { return nil }
            channel.consume(count)
            return channel.takeGrant()
        }
        if let credits { self.grant(credits, tag.name, into: &actions) }
    }

    /// The K-frame that a channel had on its way has left.
    mutating func frameLeft(_ tag: ChannelTag, now: NIODeadline, into actions: inout [Action]) {
        self.pump(tag.name, leaving: tag.id, now: now, into: &actions)
    }

    // MARK: The peer

    /// Takes the payload of a frame on a channel of the dynamic range. Where no channel is, it means nothing.
    mutating func receiveFrame(
        _ payload: ByteBuffer,
        on name: L2CAPChannelID,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        typealias Outcome = (id: ChannelID, reception: CreditBasedChannel.Reception, credits: UInt16?)
        let outcome: Outcome? = self.channels.update(name) { channel, isDraining in
            var reception = channel.receive(payload)
            // Nobody reads what comes on a closed channel.
            if isDraining, case .sdu = reception {
                channel.consume(.max)
                reception = .incomplete
            }
            return (channel.id, reception, channel.takeGrant())
        }
        guard let outcome else { return }
        switch outcome.reception {
        case .sdu(let sdu):
            actions.append(.channel(.received(outcome.id, sdu)))
        case .incomplete:
            break
        case .violation(let violation):
            return self.end(name, violation, now: now, into: &actions)
        }
        if let credits = outcome.credits { self.grant(credits, name, into: &actions) }
    }

    /// A frame came that is longer than any channel takes, and was dropped.
    mutating func receiveOverlongFrame(on name: L2CAPChannelID, now: NIODeadline, into actions: inout [Action]) {
        self.end(name, .frameTooLong, now: now, into: &actions)
    }

    /// The peer takes more frames.
    mutating func creditsReceived(
        _ count: Int,
        peer: L2CAPChannelID,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        guard count > 0, let name = self.channels.name(sendingTo: peer) else { return }
        let isAllowed: Bool? = self.channels.update(name) { channel, _ in channel.addCredits(count) }
        guard isAllowed != false else { return self.end(name, .creditOverflow, now: now, into: &actions) }
        self.pump(name, now: now, into: &actions)
    }

    // MARK: Steps

    /// Lets a channel's next frame go, and its user know of the room that it leaves.
    /// - Parameter leaving: The channel whose last frame has left, which may have had the name before this one.
    private mutating func pump(
        _ name: L2CAPChannelID,
        leaving id: ChannelID? = nil,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        typealias Step = (frame: ByteBuffer?, ends: CreditBasedChannels.Ends, isReady: Bool, isDraining: Bool)
        let step: Step? = self.channels.update(name) { channel, isDraining in
            if let id {
                guard channel.id == id else { return nil }
                channel.frameLeft()
            }
            let frame = channel.nextFrame()
            let isReady = !isDraining && channel.takeReadiness()
            let ends = CreditBasedChannels.Ends(id: channel.id, peer: channel.peer.channel)
            return (frame, ends, isReady, isDraining)
        }
        guard let (frame, ends, isReady, isDraining) = step else { return }
        let tag = ChannelTag(id: ends.id, name: name)
        let hasMoved = frame != nil
        if let frame { actions.append(.channel(.send(frame, to: ends.peer, tag))) }
        if isReady { actions.append(.channel(.ready(ends.id))) }
        guard isDraining else { return }
        // A closed channel that has nothing left to send ends; one that gets on has time.
        if self.channels.flow(name)?.isDrained == true {
            self.disconnect(tag, peer: ends.peer, isTold: false, now: now, into: &actions)
        } else if hasMoved {
            self.channels[name] = .draining(ends, deadline: now + Self.channelTimeout)
        }
    }

    /// Gives the peer credits on the channel that has this name on our side.
    private mutating func grant(_ credits: UInt16, _ name: L2CAPChannelID, into actions: inout [Action]) {
        self.send(.flowControlCredit(channel: name, credits: credits), self.makeIdentifier(), into: &actions)
    }
}
