// The host's GATT server for the user: the database, answers to requests, notifications and indications; and how the
// server's actions are carried out.

import BluetoothHCI
import BluetoothTypes
public import NIOCore

extension LEHost {
    /// Adds a service to the database and tells the connected clients.
    public func addService(_ service: GATTServiceDefinition) throws(GATTDatabaseError) -> GATTServiceHandles {
        let handles = try self.server.add(service, now: self.eventLoop.now, into: &self.serverActions)
        self.scheduleTurn()
        return handles
    }

    /// Removes the service whose declaration has `handle`, and tells the connected clients.
    public func removeService(_ handle: AttributeHandle) {
        self.server.remove(handle, now: self.eventLoop.now, into: &self.serverActions)
        self.scheduleTurn()
    }

    /// Answers a read with the octets from the request's offset on.
    public func respond(to request: GATTRequestID, with result: Result<ByteBuffer, ATTErrorCode>) {
        self.server.respond(to: request, with: result, into: &self.serverActions)
        self.scheduleTurn()
    }

    /// Answers a write; `nil` accepts it.
    public func respond(to request: GATTRequestID, error: ATTErrorCode?) {
        self.server.respond(to: request, error: error, into: &self.serverActions)
        self.scheduleTurn()
    }

    /// Queues a notification, or an indication where the client asked for that alone, cut to MTU - 3 octets. Nothing
    /// is sent where the client is not subscribed. While the link is there each call ends in one count of
    /// ``LEHostDelegate/host(_:link:didTransmit:for:)`` for its token, for an indication when it is confirmed.
    public func notify(
        _ value: ByteBuffer,
        characteristic handle: AttributeHandle,
        to link: LinkID,
        token: TransmitToken = .standard
    ) {
        let isQueued = self.server.notify(
            value,
            characteristic: handle,
            on: link,
            token: token,
            now: self.eventLoop.now,
            into: &self.serverActions
        )
        if !isQueued, let link = self.linksByID[link] { self.count(Transmission(token: token, count: 1), on: link) }
        self.scheduleTurn()
    }

    static func serverConfiguration(_ configuration: LEHostConfiguration) -> GATTServer.Configuration {
        GATTServer.Configuration(
            deviceName: configuration.deviceName,
            appearance: configuration.appearance,
            mtu: max(23, min(configuration.preferredMTU, 517))
        )
    }

    func drainServer() {
        while !self.serverActions.isEmpty {
            var actions = self.spareServerActions
            self.spareServerActions = []
            swap(&actions, &self.serverActions)
            for index in actions.indices { self.perform(actions[index].take()) }
            actions.removeAll(keepingCapacity: true)
            self.spareServerActions = actions
        }
    }

    private func perform(_ action: consuming GATTServer.Action) {
        switch consume action {
        case .send(let id, let pdu, let transmission):
            guard let link = self.link(id) else { return }
            self.enqueue(
                pdu,
                on: .attributeProtocol,
                of: link,
                tag: transmission.map(FrameTag.transmission) ?? .none
            )
        case .read(let request):
            self.delegate?.host(self, didReceiveReadRequest: request)
        case .write(let request):
            self.delegate?.host(self, didReceiveWriteRequest: request)
        case .subscriptionChanged(let id, let handle, let isSubscribed):
            self.delegate?.host(self, link: id, didSubscribe: isSubscribed, toCharacteristic: handle)
        case .mtuChanged(let id, let mtu):
            self.linksByID[id]?.client.setMTU(mtu)
            self.delegate?.host(self, link: id, didChangeMTU: mtu)
        case .indicationConfirmed(let id, _, let token):
            if let link = self.link(id) { self.count(Transmission(token: token, count: 1), on: link) }
        case .notificationsDropped(let id, let transmission):
            if let link = self.link(id) { self.count(transmission, on: link) }
        case .bearerFailed(let id, _):
            if let link = self.linksByID[id] { self.disconnect(link, reason: .remoteUserTerminated) }
        }
    }

    /// A link that is open, or whose end is being reported: its user still waits for the counts.
    private func link(_ id: LinkID) -> HostLink? {
        self.linksByID[id] ?? (self.closingLink?.id == id ? self.closingLink : nil)
    }
}
