// LE credit-based channels of a link, from the request to the end (Vol 3, Part A, 4.6, 4.7, 4.22, 4.23). What goes
// through an open one is in LESignalling+ChannelFlow.swift.
//
// What a peer may not do ends the channel with a Disconnection Request. A channel that the user closes first sends what
// he has written. All requests of this side have 30 s to be answered; the link is reliable, so none is sent twice.

import BluetoothTypes
import NIOCore

extension LESignalling {
    /// What the driver has to do for a credit-based channel.
    enum ChannelAction: Hashable, Sendable {
        /// The peer asks for a channel; answer with ``LESignalling/acceptChannel(_:as:into:)`` or
        /// ``LESignalling/refuseChannel(_:_:into:)``.
        case requested(L2CAPChannelID, spsm: UInt16)
        /// A channel is open.
        case opened(OpenChannel)
        /// A channel that this side asked for is not opened.
        case failed(ChannelID, ChannelOpenError)
        /// An SDU came; it may be empty.
        case received(ChannelID, ByteBuffer)
        /// Send this K-frame to the peer's channel, and say when it has left.
        case send(ByteBuffer, to: L2CAPChannelID, ChannelTag)
        /// There is room again for a user who had written more than was taken.
        case ready(ChannelID)
        /// A channel has ended.
        case closed(ChannelID, ChannelCloseReason)
    }

    /// Which channel a frame on its way belongs to.
    struct ChannelTag: Hashable, Sendable {
        /// The channel.
        var id: ChannelID
        /// Its name on this side, which may be another channel's by now.
        var name: L2CAPChannelID
    }

    /// A channel that was opened.
    struct OpenChannel: Hashable, Sendable {
        /// The channel.
        var tag: ChannelTag
        /// What it is for.
        var spsm: UInt16
        /// Whether the peer asked for it.
        var isIncoming: Bool
        /// The longest SDU that the peer takes.
        var peerMTU: Int
    }

    /// How long the peer may take to answer, and a closed channel to send what was written (RTX, Vol 3, Part A, 6.2.1).
    static let channelTimeout = TimeAmount.seconds(30)

    // MARK: This side asks

    /// Asks the peer for a channel.
    mutating func openChannel(
        _ id: ChannelID,
        spsm: UInt16,
        configuration: ChannelConfiguration,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        guard !self.isClosed else { return actions.append(.channel(.failed(id, .notConnected))) }
        guard let name = self.channels.freeName() else { return actions.append(.channel(.failed(id, .noResources))) }
        let identifier = self.makeIdentifier()
        self.channels[name] = .connecting(
            CreditBasedChannels.Connecting(
                id: id,
                identifier: identifier,
                spsm: spsm,
                configuration: configuration,
                deadline: now + Self.channelTimeout
            )
        )
        let request = LECreditBasedConnectionRequest(
            spsm: spsm,
            source: name,
            mtu: UInt16(truncatingIfNeeded: configuration.mtu),
            mps: UInt16(truncatingIfNeeded: configuration.mps),
            initialCredits: UInt16(truncatingIfNeeded: configuration.window)
        )
        self.send(.leCreditBasedConnectionRequest(request), identifier, into: &actions)
    }

    /// Grants the request for the channel that has this name.
    mutating func acceptChannel(_ name: L2CAPChannelID, as id: ChannelID, into actions: inout [Action]) {
        guard case .requested(let requested) = self.channels[name] else { return }
        let request = requested.request
        let peer = CreditBasedChannel.Peer(
            channel: request.source,
            mtu: Int(request.mtu),
            mps: Int(request.mps),
            credits: Int(request.initialCredits)
        )
        let configuration = requested.configuration
        self.channels.open(CreditBasedChannel(id: id, peer: peer, configuration: configuration), as: name)
        let response = LECreditBasedConnectionResponse(
            destination: name,
            mtu: UInt16(truncatingIfNeeded: configuration.mtu),
            mps: UInt16(truncatingIfNeeded: configuration.mps),
            initialCredits: UInt16(truncatingIfNeeded: configuration.window),
            result: .success
        )
        let answer = LESignallingCommand.leCreditBasedConnectionResponse(response)
            .encoded(identifier: requested.identifier)
        self.lastGranted = (requested.identifier, request, answer)
        actions.append(.send(answer))
        let tag = ChannelTag(id: id, name: name)
        actions.append(
            .channel(.opened(OpenChannel(tag: tag, spsm: request.spsm, isIncoming: true, peerMTU: peer.mtu)))
        )
    }

    /// Refuses the request for the channel that has this name.
    mutating func refuseChannel(
        _ name: L2CAPChannelID,
        _ result: CreditBasedConnectionResult,
        into actions: inout [Action]
    ) {
        guard case .requested(let requested) = self.channels[name] else { return }
        self.channels[name] = .free
        self.refuse(result, requested.identifier, into: &actions)
    }

    /// Closes a channel when what was written has left.
    mutating func closeChannel(_ tag: ChannelTag, now: NIODeadline, into actions: inout [Action]) {
        guard case .open(let ends) = self.channels[tag.name], ends.id == tag.id else { return }
        guard self.channels.flow(tag.name)?.isDrained == false else {
            return self.disconnect(tag, peer: ends.peer, isTold: false, now: now, into: &actions)
        }
        self.channels[tag.name] = .draining(ends, deadline: now + Self.channelTimeout)
        // Nobody reads any more; the peer need not wait for him.
        self.consume(.max, on: tag, into: &actions)
    }

    // MARK: The peer speaks

    /// The peer asks for a channel.
    mutating func channelRequested(
        _ request: LECreditBasedConnectionRequest,
        identifier: UInt8,
        into actions: inout [Action]
    ) {
        // A repeated request gets the same answer (4).
        if let last = self.lastGranted, last.identifier == identifier, last.request == request,
            self.channels.name(ofPeer: request.source) != nil
        {
            return actions.append(.send(last.answer))
        }
        guard let listener = self.channels.listeners[request.spsm] else {
            return self.refuse(.spsmNotSupported, identifier, into: &actions)
        }
        if let result = self.obstacle(to: listener.security) {
            return self.refuse(result, identifier, into: &actions)
        }
        guard request.source.isDynamic else {
            return self.refuse(.invalidSourceChannel, identifier, into: &actions)
        }
        guard self.channels.name(ofPeer: request.source) == nil else {
            return self.refuse(.sourceChannelAllocated, identifier, into: &actions)
        }
        guard Self.areAllowed(mtu: request.mtu, mps: request.mps) else {
            return self.refuse(.unacceptableParameters, identifier, into: &actions)
        }
        guard let name = self.channels.freeName() else {
            return self.refuse(.noResources, identifier, into: &actions)
        }
        self.channels[name] = .requested(
            CreditBasedChannels.Request(
                identifier: identifier,
                request: request,
                configuration: listener.configuration
            )
        )
        actions.append(.channel(.requested(name, spsm: request.spsm)))
    }

    /// What the link lacks.
    private func obstacle(to security: ChannelSecurity) -> CreditBasedConnectionResult? {
        let error = self.security.error(
            encryption: security.needsEncryption,
            authentication: security.needsAuthentication,
            minimumKeySize: security.minimumKeySize
        )
        guard let error else { return nil }
        return switch error {
        case .insufficientEncryption: .insufficientEncryption
        case .encryptionKeySizeTooShort: .encryptionKeySizeTooShort
        default: .insufficientAuthentication
        }
    }

    private static func areAllowed(mtu: UInt16, mps: UInt16) -> Bool {
        Int(mtu) >= CreditBasedChannel.minimumSize
            && CreditBasedChannel.minimumSize...CreditBasedChannel.maximumMPS ~= Int(mps)
    }

    /// The peer answers a request for a channel.
    mutating func channelAnswered(
        _ response: LECreditBasedConnectionResponse,
        identifier: UInt8,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        guard let name = self.channels.name(ofRequest: identifier) else { return }
        switch self.channels[name] {
        case .free, .requested, .open, .draining, .disconnecting:
            break
        case .forsaken(let id, _):
            self.channels[name] = .free
            guard response.result == .success, response.destination.isDynamic else { return }
            // Nobody waits for it any more.
            let tag = ChannelTag(id: id, name: name)
            self.disconnect(tag, peer: response.destination, isTold: true, now: now, into: &actions)
        case .connecting(let connecting):
            self.channels[name] = .free
            guard response.result == .success else {
                return actions.append(.channel(.failed(connecting.id, .refused(response.result))))
            }
            self.establish(connecting, name, response, now: now, into: &actions)
        }
    }

    private mutating func establish(
        _ connecting: CreditBasedChannels.Connecting,
        _ name: L2CAPChannelID,
        _ response: LECreditBasedConnectionResponse,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        let tag = ChannelTag(id: connecting.id, name: name)
        guard response.destination.isDynamic else {
            return actions.append(.channel(.failed(tag.id, .invalidAnswer)))
        }
        let namesake = self.channels.name(ofPeer: response.destination)
        guard namesake == nil, Self.areAllowed(mtu: response.mtu, mps: response.mps) else {
            actions.append(.channel(.failed(tag.id, .invalidAnswer)))
            self.disconnect(tag, peer: response.destination, isTold: true, now: now, into: &actions)
            // What the peer calls by one name cannot be told apart, so the older channel ends, too.
            if let namesake { self.end(namesake, .nameGivenTwice, now: now, into: &actions) }
            return
        }
        let peer = CreditBasedChannel.Peer(
            channel: response.destination,
            mtu: Int(response.mtu),
            mps: Int(response.mps),
            credits: Int(response.initialCredits)
        )
        self.channels.open(
            CreditBasedChannel(id: tag.id, peer: peer, configuration: connecting.configuration),
            as: name
        )
        actions.append(
            .channel(.opened(OpenChannel(tag: tag, spsm: connecting.spsm, isIncoming: false, peerMTU: peer.mtu)))
        )
    }

    /// The peer does not know a request, or not the channel that it is about.
    mutating func requestRejected(_ identifier: UInt8, into actions: inout [Action]) {
        guard let name = self.channels.name(ofRequest: identifier) else { return }
        switch self.channels[name] {
        case .free, .requested, .open, .draining:
            break
        case .forsaken:
            self.channels[name] = .free
        case .connecting(let connecting):
            self.channels[name] = .free
            actions.append(.channel(.failed(connecting.id, .notSupported)))
        case .disconnecting(let disconnecting):
            self.finish(name, disconnecting, .closedHere, into: &actions)
        }
    }

    /// The peer wants a channel closed; false where there is no such channel.
    mutating func disconnectionRequested(
        _ name: L2CAPChannelID,
        peer: L2CAPChannelID,
        identifier: UInt8,
        into actions: inout [Action]
    ) -> Bool {
        let slot = self.channels[name]
        let id: ChannelID
        let reason: ChannelCloseReason
        var isTold = false
        switch slot {
        case .free, .requested, .connecting, .forsaken:
            return false
        case .open(let ends), .draining(let ends, _):
            (id, reason) = (ends.id, .closedByPeer)
        case .disconnecting(let disconnecting):
            // Both ask at once: each answers, and no answer is waited for.
            (id, reason, isTold) = (disconnecting.id, .closedHere, disconnecting.isTold)
        }
        // A source that does not fit is passed over in silence (4.6).
        guard slot.peer == peer else { return true }
        self.channels[name] = .free
        self.send(.disconnectionResponse(destination: name, source: peer), identifier, into: &actions)
        if !isTold { actions.append(.channel(.closed(id, reason))) }
        return true
    }

    /// The peer has closed a channel as it was asked to.
    mutating func disconnectionAnswered(
        _ name: L2CAPChannelID,
        peer: L2CAPChannelID,
        identifier: UInt8,
        into actions: inout [Action]
    ) {
        guard case .disconnecting(let disconnecting) = self.channels[name], disconnecting.peer == peer,
            disconnecting.identifier == identifier
        else { return }
        self.finish(name, disconnecting, .closedHere, into: &actions)
    }

    // MARK: Time and end

    /// Ends what has lasted too long.
    mutating func advanceChannels(to now: NIODeadline, into actions: inout [Action]) {
        guard let deadline = self.channels.nextDeadline, deadline <= now else { return }
        for name in self.channels.taken {
            let slot = self.channels[name]
            guard let deadline = slot.deadline, deadline <= now else { continue }
            switch slot {
            case .free, .requested, .forsaken, .open:
                break
            case .connecting(let connecting):
                self.channels[name] = .forsaken(connecting.id, identifier: connecting.identifier)
                actions.append(.channel(.failed(connecting.id, .timedOut)))
            case .draining(let ends, _):
                let tag = ChannelTag(id: ends.id, name: name)
                self.disconnect(tag, peer: ends.peer, isTold: false, now: now, into: &actions)
            case .disconnecting(let disconnecting):
                self.finish(name, disconnecting, .unconfirmed, into: &actions)
            }
        }
        self.channels.refreshDeadline()
    }

    /// The link has ended, and with it every channel.
    mutating func closeChannels(into actions: inout [Action]) {
        for name in self.channels.taken {
            switch self.channels[name] {
            case .free, .requested, .forsaken:
                break
            case .connecting(let connecting):
                actions.append(.channel(.failed(connecting.id, .notConnected)))
            case .open(let ends), .draining(let ends, _):
                actions.append(.channel(.closed(ends.id, .linkEnded)))
            case .disconnecting(let disconnecting):
                if !disconnecting.isTold { actions.append(.channel(.closed(disconnecting.id, .linkEnded))) }
            }
        }
        self.channels.removeAll()
    }

    // MARK: Steps

    /// Ends a channel on which the peer broke a rule.
    mutating func end(
        _ name: L2CAPChannelID,
        _ violation: ChannelViolation,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        switch self.channels[name] {
        case .free, .requested, .connecting, .forsaken, .disconnecting:
            break
        case .open(let ends), .draining(let ends, _):
            let tag = ChannelTag(id: ends.id, name: name)
            self.disconnect(tag, peer: ends.peer, isTold: true, now: now, into: &actions)
            actions.append(.channel(.closed(ends.id, .violation(violation))))
        }
    }

    /// Asks the peer to end a channel.
    mutating func disconnect(
        _ tag: ChannelTag,
        peer: L2CAPChannelID,
        isTold: Bool,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        let identifier = self.makeIdentifier()
        self.channels[tag.name] = .disconnecting(
            CreditBasedChannels.Disconnecting(
                id: tag.id,
                peer: peer,
                identifier: identifier,
                isTold: isTold,
                deadline: now + Self.channelTimeout
            )
        )
        self.send(.disconnectionRequest(destination: peer, source: tag.name), identifier, into: &actions)
    }

    private mutating func finish(
        _ name: L2CAPChannelID,
        _ disconnecting: CreditBasedChannels.Disconnecting,
        _ reason: ChannelCloseReason,
        into actions: inout [Action]
    ) {
        self.channels[name] = .free
        if !disconnecting.isTold { actions.append(.channel(.closed(disconnecting.id, reason))) }
    }

    private mutating func refuse(
        _ result: CreditBasedConnectionResult,
        _ identifier: UInt8,
        into actions: inout [Action]
    ) {
        self.send(
            .leCreditBasedConnectionResponse(LECreditBasedConnectionResponse(refusing: result)),
            identifier,
            into: &actions
        )
    }

    func send(_ command: LESignallingCommand, _ identifier: UInt8, into actions: inout [Action]) {
        actions.append(.send(command.encoded(identifier: identifier)))
    }
}
