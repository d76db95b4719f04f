// The LE credit-based channels of a host's links (Vol 3, Part A, 3.4 and 10.1), and the actions of the links'
// signalling channels. `CreditBasedChannel` decides; this object carries it out. A channel has one frame at a time in
// the link's queue, so that ATT and other channels can interleave.

import BluetoothHCI
import NIOCore

/// The channels of a host.
package final class HostChannels {
    @exclusivity(unchecked) unowned var host: LEHost!
    private let loop: HostLoop
    @exclusivity(unchecked) private var table = ChannelTable()
    @exclusivity(unchecked) private var spareActions: [LESignalling.Action] = []

    /// Decides on a peer's request in place of the delegate, immediately or later.
    package var decide: ((L2CAPChannelRequest, @escaping (L2CAPConnectionResult) -> Void) -> Void)?
    /// Called when ``listeners`` has changed.
    package var onListenersChange: (() -> Void)?

    init(_ loop: HostLoop) { self.loop = loop }

    /// The SPSMs with a listener, and the security that each requires.
    package var listeners: [SPSM: SecurityRequirement] { self.table.listeners.mapValues(\.security) }

    /// Whether there is no channel.
    var isEmpty: Bool { self.table.isEmpty }

    /// An open channel; `nil` after its end.
    subscript(_ id: L2CAPChannelID) -> L2CAPChannelInformation? { self.table[id]?.information }

    // MARK: Calls of the user

    /// Adds a listener on an SPSM; `nil` for a free dynamic one.
    func listen(
        on spsm: SPSM?,
        from first: SPSM,
        _ listener: CreditBasedChannels.Listener
    ) throws(L2CAPListenError) -> SPSM {
        let spsm = try self.table.listen(on: spsm, from: first, listener)
        self.listenersChanged()
        return spsm
    }

    /// Removes a listener.
    func stopListening(on spsm: SPSM) {
        self.table.stopListening(on: spsm)
        self.listenersChanged()
    }

    private func listenersChanged() {
        for link in self.host.openLinks.all { self.prepare(link) }
        self.onListenersChange?()
    }

    /// Gives a link the current listeners.
    func prepare(_ link: HostLink) { link.signalling.channels.listeners = self.table.listeners }

    /// Requests a channel from the peer of a link.
    func open(
        on link: HostLink,
        to spsm: SPSM,
        _ configuration: L2CAPChannelConfiguration,
        _ completion: @escaping (Result<L2CAPChannelInformation, L2CAPChannelOpenError>) -> Void
    ) {
        let id = self.table.makeID()
        self.table.insert(id, opening: completion)
        link.requestedChannels[id] = HostLink.RequestedChannel(
            spsm: spsm,
            configuration: configuration,
            level: link.bearer.security.level,
            refusal: link.isHeld ? .refused(.insufficientEncryption) : nil
        )
        // The peer has not proved yet that it is the bonded one (CVE-2020-9770).
        guard !link.isHeld else { return self.host.security.secure(link, .encrypted) }
        self.request(id, on: link)
    }

    /// Sends or repeats the request for a channel.
    func request(_ id: L2CAPChannelID, on link: HostLink) {
        guard let request = link.requestedChannels[id] else { return }
        link.requestedChannels[id]?.level = link.bearer.security.level
        link.signalling.openChannel(
            id,
            to: request.spsm,
            request.configuration,
            now: self.loop.now,
            into: &link.signallingActions
        )
        self.host.noteWork(link)
    }

    /// Performs a call of the user on an open channel; returns `nil` if there is none.
    @discardableResult
    func update<Result>(
        _ channel: L2CAPChannelID,
        _ body: (inout CreditBasedChannel, inout CreditBasedChannel.Context) -> Result
    ) -> Result? {
        guard let link = self.table[channel]?.link else { return nil }
        let result = link.signalling.update(channel, now: self.loop.now, into: &link.signallingActions, body)
        if !link.signallingActions.isEmpty { self.host.noteWork(link) }
        return result
    }

    // MARK: Actions

    /// Carries out the actions of a link's signalling channel and its credit-based channels.
    func drain(_ link: HostLink) {
        while !link.signallingActions.isEmpty {
            // The arrays swap, as those of the bearer's actions.
            var actions = self.spareActions
            self.spareActions = []
            swap(&actions, &link.signallingActions)
            for index in actions.indices { self.perform(actions[index].take(), of: link) }
            actions.removeAll(keepingCapacity: true)
            self.spareActions = actions
        }
    }

    private func perform(_ action: consuming LESignalling.Action, of link: HostLink) {
        switch consume action {
        case .send(let pdu):
            self.host.enqueue(pdu, on: .signalling, of: link)
        case .updateConnection(let request):
            let command = LEConnectionUpdate(handle: link.handle, parameters: request.connectionParameters)
            self.host.controller.send(command)
        case .parameterRequestEnded(_, let outcome):
            self.host.log.debug("\(link.id): the request for connection parameters ended: \(outcome)")
        case .channel(let action):
            self.perform(action, of: link)
        }
    }

    private func perform(_ action: consuming CreditBasedChannel.Action, of link: HostLink) {
        let host = self.host!
        switch consume action {
        case .send(let frame, let remoteCID, let id):
            host.enqueue(frame, on: remoteCID, of: link, tag: .channel(id))
        case .received(let id, let octets):
            host.delegate?.host(host, channel: id, didReceive: octets)
        case .writable(let id):
            self.table.writable.append(id)
        case .requested(let cid, let spsm):
            let request = L2CAPChannelRequest(link: link.id, spsm: spsm)
            guard let decide = self.decide else {
                let result = host.delegate?.host(host, shouldAcceptChannel: request) ?? .success
                return self.answer(result, cid, of: link)
            }
            decide(request) { [weak self] result in
                // A link that has ended takes no answer.
                guard let self, let link = self.host?.openLinks[request.link] else { return }
                self.answer(result, cid, of: link)
                self.host.noteWork(link)
            }
        case .opened(let id, let spsm, let isIncoming, let peerMTU):
            let information = L2CAPChannelInformation(
                id: id,
                link: link.id,
                spsm: spsm,
                isIncoming: isIncoming,
                peerMTU: peerMTU
            )
            link.requestedChannels[id] = nil
            if let completion = self.table.open(information, on: link) {
                completion(.success(information))
            } else {
                host.delegate?.host(host, didOpenChannel: information)
            }
        case .failed(let id, let error):
            if host.security.awaitSecurity(for: id, on: link, after: error) { return }
            link.requestedChannels[id] = nil
            guard case .opening(let completion)? = self.table.remove(id) else { return }
            host.log.debug("\(link.id): \(id) was not opened: \(error)")
            completion(.failure(error))
        case .closed(let id, let reason):
            host.log.debug("\(link.id): \(id) has ended: \(reason)")
            _ = self.table.remove(id)
            host.delegate?.host(host, channel: id, didCloseBecause: reason)
        }
    }

    private func answer(_ result: L2CAPConnectionResult, _ cid: CID, of link: HostLink) {
        let id = result == .success ? self.table.makeID() : nil
        link.signalling.update(cid, now: self.loop.now, into: &link.signallingActions) { channel, context in
            if let id { channel.accept(as: id, &context) } else { channel.refuse(result, &context) }
        }
    }

    /// A channel's frame has left; its next one goes to the end of the link's queue.
    func frameSent(_ id: L2CAPChannelID, on link: HostLink) {
        link.signalling.update(id, now: self.loop.now, into: &link.signallingActions) { $0.frameSent(&$1) }
        self.drain(link)
    }

    /// Reports the channels that have capacity again.
    func reportWritability() {
        guard !self.table.writable.isEmpty else { return }
        let writable = self.table.writable
        self.table.writable = []
        for channel in writable where self.table[channel] != nil {
            self.host.delegate?.host(self.host, channelIsReadyToSend: channel)
        }
    }
}
