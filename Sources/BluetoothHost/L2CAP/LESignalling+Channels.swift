// The credit-based channels of a link: finds the channel of a call or a command, and decides whether the user is asked
// about a request of the peer (Vol 3, Part A, 4.22). The channel itself is in CreditBasedChannel.swift.

import BluetoothTypes
import NIOCore

// MARK: This side

extension LESignalling {
    /// Requests a channel from the peer.
    mutating func openChannel(
        _ id: L2CAPChannelID,
        to spsm: SPSM,
        _ configuration: L2CAPChannelConfiguration,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        guard !self.isClosed else { return actions.append(.channel(.failed(id, .notConnected))) }
        guard let cid = self.channels.takeCID() else { return actions.append(.channel(.failed(id, .noResources))) }
        let channel = self.withContext(now, into: &actions) { _, context in
            CreditBasedChannel(requesting: id, to: spsm, configuration, localCID: cid, &context)
        }
        self.channels.insert(channel)
    }

    /// Performs a call of the user on a channel; returns `nil` if it has ended.
    @discardableResult
    mutating func update<Result>(
        _ id: L2CAPChannelID,
        now: NIODeadline,
        into actions: inout [Action],
        _ body: (inout CreditBasedChannel, inout CreditBasedChannel.Context) -> Result
    ) -> Result? {
        self.update(self.channels.localCID(of: id), now: now, into: &actions, body)
    }

    /// Performs one step of the channel with this CID; returns `nil` if there is none.
    @discardableResult
    @inline(__always)
    mutating func update<Result>(
        _ cid: CID?,
        now: NIODeadline,
        into actions: inout [Action],
        _ body: (inout CreditBasedChannel, inout CreditBasedChannel.Context) -> Result
    ) -> Result? {
        guard let cid else { return nil }
        return self.withContext(now, into: &actions) { signalling, context in
            signalling.channels.update(cid) { body(&$0, &context) }
        }
    }

    /// Gives a channel the time and an identifier, and notes whether it has used the identifier.
    @inline(__always)
    private mutating func withContext<Result>(
        _ now: NIODeadline,
        into actions: inout [Action],
        _ body: (inout LESignalling, inout CreditBasedChannel.Context) -> Result
    ) -> Result {
        let identifier = self.nextIdentifier
        var context = CreditBasedChannel.Context(now: now, identifier: identifier)
        swap(&context.actions, &actions)
        let result = body(&self, &context)
        swap(&context.actions, &actions)
        if context.hasStartedCommand { self.lastIdentifier = identifier }
        return result
    }
}

// MARK: The peer

extension LESignalling {
    /// The peer requests a channel.
    mutating func receive(
        _ request: LECreditBasedConnectionRequest,
        identifier: UInt8,
        _ security: LinkSecurity,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        let peerRequest = CreditBasedChannel.PeerRequest(identifier: identifier, request: request)
        let known = self.channels.localCID(forRemote: request.source)
        if self.update(known, now: now, into: &actions, { $0.respondAgain(to: peerRequest, &$1) }) == true { return }
        do throws(L2CAPRefusal) {
            let configuration = try self.offer(for: request, security)
            guard let cid = self.channels.takeCID() else { throw L2CAPRefusal(.noResources) }
            let channel = self.withContext(now, into: &actions) { _, context in
                CreditBasedChannel(requestedBy: peerRequest, configuration, localCID: cid, &context)
            }
            self.channels.insert(channel)
        } catch {
            let response = LECreditBasedConnectionResponse(refusing: error.result)
            self.send(.leCreditBasedConnectionResponse(response), identifier, into: &actions)
        }
    }

    /// The configuration for a request, before the user is asked; throws the reason to refuse it.
    private func offer(
        for request: LECreditBasedConnectionRequest,
        _ security: LinkSecurity
    ) throws(L2CAPRefusal) -> L2CAPChannelConfiguration {
        guard let listener = self.channels.listeners[request.spsm] else { throw L2CAPRefusal(.spsmNotSupported) }
        let requirement = listener.security.combined(with: self.channels.requirement)
        if let shortfall = security.shortfall(of: requirement) { throw L2CAPRefusal(shortfall.connectionResult) }
        guard request.source.isDynamic else { throw L2CAPRefusal(.invalidSourceCID) }
        guard self.channels.localCID(forRemote: request.source) == nil else { throw L2CAPRefusal(.sourceCIDAllocated) }
        guard request.parameters.isAcceptable else { throw L2CAPRefusal(.unacceptableParameters) }
        return listener.configuration
    }

    /// The peer responds to a request for a channel.
    mutating func receive(
        _ response: LECreditBasedConnectionResponse,
        identifier: UInt8,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        let duplicate = self.channels.localCID(forRemote: response.destination)
        let isSecond = self.update(self.channels.localCID(awaiting: identifier), now: now, into: &actions) {
            $0.receive(response, isDuplicate: duplicate != nil, &$1)
        }
        // Frames to one CID of the peer cannot be distinguished, so the older channel ends, too.
        if isSecond == true {
            self.update(duplicate, now: now, into: &actions) { $0.end(.duplicateRemoteCID, &$1) }
        }
    }

    /// Takes the payload of a frame on a channel of the dynamic range. Ignored if there is no such channel.
    mutating func receiveFrame(
        _ payload: ByteBuffer,
        on cid: CID,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        self.update(cid, now: now, into: &actions) { $0.receive(payload, &$1) }
    }

    /// A frame was dropped because it is longer than any channel accepts.
    mutating func receiveOverlongFrame(on cid: CID, now: NIODeadline, into actions: inout [Action]) {
        self.update(cid, now: now, into: &actions) { $0.end(.frameTooLong, &$1) }
    }
}

// MARK: Time and end

extension LESignalling {
    /// Handles expired deadlines.
    mutating func advanceChannels(to now: NIODeadline, into actions: inout [Action]) {
        for cid in self.channels.localCIDs(dueAt: now) {
            self.update(cid, now: now, into: &actions) { $0.advance(&$1) }
        }
    }

    /// The link has ended, and all channels with it.
    mutating func closeChannels(into actions: inout [Action]) {
        for cid in self.channels.localCIDs { self.update(cid, now: .distantPast, into: &actions) { $0.linkEnded(&$1) } }
    }
}

/// A request that is refused before the user is asked.
private struct L2CAPRefusal: Error {
    /// The result in the response.
    let result: L2CAPConnectionResult

    init(_ result: L2CAPConnectionResult) { self.result = result }
}
