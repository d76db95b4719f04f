// The host's Generic Attribute Profile: the client's procedures and the server's database for the user, and what the
// two machines want done.

import BluetoothHCI
public import BluetoothTypes
public import NIOCore

extension LEHost {
    // MARK: Client

    /// The ATT MTU of a link; 23 until it was exchanged.
    public func mtu(of link: LinkID) -> Int { self.linksByID[link]?.client.mtu ?? 23 }

    /// Discovers primary services: all of them, or each of `uuids` with Find By Type Value.
    public func discoverServices(
        on link: LinkID,
        uuids: [BluetoothUUID]?,
        completion: @escaping (Result<[GATTRemoteService], GATTError>) -> Void
    ) {
        self.start(.discoverServices(uuids: uuids), on: link, .services(completion))
    }

    /// Finds the services that a service includes.
    public func discoverIncludedServices(
        on link: LinkID,
        of service: AttributeHandleRange,
        completion: @escaping (Result<[GATTRemoteService], GATTError>) -> Void
    ) {
        self.start(.discoverIncludedServices(service), on: link, .services(completion))
    }

    /// Discovers the characteristics of a service; `uuids` leaves out the others.
    public func discoverCharacteristics(
        on link: LinkID,
        of service: AttributeHandleRange,
        uuids: [BluetoothUUID]?,
        completion: @escaping (Result<[GATTRemoteCharacteristic], GATTError>) -> Void
    ) {
        self.start(.discoverCharacteristics(service, uuids: uuids), on: link, .characteristics(completion))
    }

    /// Discovers the descriptors of a characteristic.
    public func discoverDescriptors(
        on link: LinkID,
        of characteristic: GATTRemoteCharacteristic,
        completion: @escaping (Result<[GATTRemoteDescriptor], GATTError>) -> Void
    ) {
        self.start(.discoverDescriptors(characteristic), on: link, .descriptors(completion))
    }

    /// Reads a value or descriptor, with Read Blob for what one answer cannot carry.
    public func read(
        _ handle: AttributeHandle,
        on link: LinkID,
        completion: @escaping (Result<ByteBuffer, GATTError>) -> Void
    ) {
        self.start(.read(handle), on: link, .value(completion))
    }

    /// Reads the peer's GAP Device Name (Vol 3, Part C, 12.1) with one request, and with more where one answer cannot
    /// carry it.
    public func readDeviceName(
        on link: LinkID,
        completion: @escaping (Result<ByteBuffer, GATTError>) -> Void
    ) {
        self.start(
            .readByType(BluetoothUUID(GATTAttributeType.deviceName), 0x0001...0xFFFF),
            on: link,
            .values { [weak self] result in
                switch result {
                case .success(let values):
                    guard let self, let first = values.first else { return completion(.failure(.malformedResponse)) }
                    // An answer has two octets of header and two of the handle, and a value in it 253 at most.
                    let limit = min(self.mtu(of: link) - 4, 253)
                    guard first.value.readableBytes >= limit else { return completion(.success(first.value)) }
                    self.read(first.handle, on: link, completion: completion)
                case .failure(let error):
                    completion(.failure(error))
                }
            }
        )
    }

    /// Writes a value or descriptor and waits for the answer, with prepared writes where one request cannot carry it.
    public func write(
        _ value: ByteBuffer,
        to handle: AttributeHandle,
        on link: LinkID,
        completion: @escaping (Result<Void, GATTError>) -> Void
    ) {
        self.start(.write(handle, value), on: link, .done(completion))
    }

    /// Writes several values at once after each was read back unaltered (Vol 3, Part G, 4.9.5).
    public func writeReliably(
        _ values: [(handle: AttributeHandle, value: ByteBuffer)],
        on link: LinkID,
        completion: @escaping (Result<Void, GATTError>) -> Void
    ) {
        self.start(
            .writeReliably(values.map { .init(handle: $0.handle, value: $0.value) }),
            on: link,
            .done(completion)
        )
    }

    /// Queues a Write Command of at most MTU - 3 octets; `host(_:link:didTransmit:of:)` tells when it left.
    public func writeWithoutResponse(_ value: ByteBuffer, to handle: AttributeHandle, on link: LinkID) {
        guard let link = self.linksByID[link] else { return }
        link.client.writeCommand(handle, value, into: &link.clientActions)
        self.noteWork(link)
    }

    /// Finds out again which server is at the other end and how it tells of changes, as on a new link, after what was
    /// known has turned out wrong; `host(_:link:didIdentify:isUnchanged:)` tells.
    public func identifyServer(on link: LinkID) {
        guard let link = self.linksByID[link] else { return }
        self.identifyServer(on: link)
    }

    /// Makes acquaintance with the server of a new link, or asks an old acquaintance whether all is as it was.
    func meetServer(on link: HostLink) {
        guard let known = self.delegate?.host(self, knownServerAt: link.information.peer) else {
            return self.identifyServer(on: link)
        }
        let waiter: (Result<ByteBuffer, GATTError>) -> Void = { [weak self, weak link] result in
            guard let self, let link, self.linksByID[link.id] === link else { return }
            guard case .success(known.databaseHash) = result else { return self.identifyServer(on: link) }
            self.start(.resumeCaching(known), on: link, .nobody)
            self.delegate?.host(self, link: link.id, didIdentify: known, isUnchanged: true)
        }
        self.start(.readDatabaseHash, on: link, .value(waiter))
    }

    private func identifyServer(on link: HostLink) {
        let waiter: (Result<GATTClient.ServerCaching, GATTError>) -> Void = { [weak self, weak link] result in
            guard let self, let link, self.linksByID[link.id] === link else { return }
            let server = (try? result.get())?.knownServer
            self.delegate?.host(self, link: link.id, didIdentify: server, isUnchanged: false)
        }
        self.start(.subscribeToServiceChanged, on: link, .caching(waiter))
    }

    private func start(_ procedure: GATTClient.Procedure, on link: LinkID, _ completion: ProcedureCompletion) {
        guard let link = self.linksByID[link] else {
            return self.afterwards { Self.complete(completion, with: .failure(.notConnected)) }
        }
        self.start(procedure, on: link, completion)
    }

    func start(_ procedure: GATTClient.Procedure, on link: HostLink, _ completion: ProcedureCompletion) {
        let id = GATTClient.ProcedureID(rawValue: self.nextProcedureNumber)
        self.nextProcedureNumber &+= 1
        link.completions.append((id, completion))
        link.client.start(procedure, id: id, now: self.eventLoop.now, into: &link.clientActions)
        self.noteWork(link)
    }

    func drainClient(_ link: HostLink) {
        while !link.clientActions.isEmpty {
            // The arrays trade places, so that actions which arise meanwhile wait their turn and no storage is lost.
            var actions = self.spareClientActions
            self.spareClientActions = []
            swap(&actions, &link.clientActions)
            for index in actions.indices { self.perform(actions[index].take(), of: link) }
            actions.removeAll(keepingCapacity: true)
            self.spareClientActions = actions
        }
    }

    private func perform(_ action: consuming GATTClient.Action, of link: HostLink) {
        switch consume action {
        case .send(let pdu):
            self.enqueue(pdu, on: .attributeProtocol, of: link)
        case .sendCommand(let pdu):
            self.enqueue(pdu, on: .attributeProtocol, of: link, tag: .writeCommand)
        case .complete(let id, let result):
            if let completion = link.takeCompletion(id) { Self.complete(completion, with: result) }
        case .notification(let handle, let value):
            self.delegate?.host(self, link: link.id, didReceiveNotificationFor: handle, value: value)
        case .servicesChanged(let range):
            self.delegate?.host(self, link: link.id, didInvalidateServicesIn: range)
        case .mtuChanged(let mtu):
            self.server.setMTU(mtu, of: link.id, into: &self.serverActions)
            self.delegate?.host(self, didChangeMTUOf: link.id, to: mtu)
        case .databaseOutOfSync:
            self.delegate?.host(self, didFindDatabaseOutOfSyncOn: link.id)
        case .bearerFailed:
            self.disconnect(link, reason: .remoteUserTerminated)
        }
    }

    private static func complete(
        _ completion: ProcedureCompletion,
        with result: Result<GATTClient.Output, GATTError>
    ) {
        switch completion {
        case .services(let waiter): waiter(result.map { if case .services(let found) = $0 { found } else { [] } })
        case .characteristics(let waiter):
            waiter(result.map { if case .characteristics(let found) = $0 { found } else { [] } })
        case .descriptors(let waiter):
            waiter(result.map { if case .descriptors(let found) = $0 { found } else { [] } })
        case .value(let waiter): waiter(result.map { if case .value(let value) = $0 { value } else { ByteBuffer() } })
        case .values(let waiter): waiter(result.map { if case .values(let found) = $0 { found } else { [] } })
        case .done(let waiter): waiter(result.map { _ in })
        case .caching(let waiter):
            waiter(result.map { if case .caching(let found) = $0 { found } else { GATTClient.ServerCaching() } })
        case .nobody: break
        }
    }

    // MARK: Server

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
    /// `host(_:link:didTransmit:of:)`, for an indication when it is confirmed.
    public func notify(_ value: ByteBuffer, characteristic handle: AttributeHandle, to link: LinkID) {
        let isQueued = self.server.notify(
            value,
            characteristic: handle,
            on: link,
            now: self.eventLoop.now,
            into: &self.serverActions
        )
        if !isQueued, let link = self.linksByID[link] { self.count(.notifications(1), on: link) }
        self.scheduleTurn()
    }

    static func serverConfiguration(_ configuration: HostConfiguration) -> GATTServer.Configuration {
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
        case .send(let id, let pdu, let notifications):
            guard let link = self.linksByID[id] else { return }
            let tag = notifications > 0 ? FrameTag.notifications(notifications) : .none
            self.enqueue(pdu, on: .attributeProtocol, of: link, tag: tag)
        case .read(let request):
            self.delegate?.host(self, didReceive: request)
        case .write(let request):
            self.delegate?.host(self, didReceive: request)
        case .subscriptionChanged(let id, let handle, let isSubscribed):
            self.delegate?.host(self, link: id, didSubscribe: isSubscribed, toCharacteristic: handle)
        case .mtuChanged(let id, let mtu):
            self.linksByID[id]?.client.setMTU(mtu)
            self.delegate?.host(self, didChangeMTUOf: id, to: mtu)
        case .indicationConfirmed(let id, _):
            if let link = self.linksByID[id] { self.count(.notifications(1), on: link) }
        case .notificationsDropped(let id, let count):
            // The link may be on its way out; its user still waits for the count.
            if let link = self.linksByID[id] ?? self.closingLink { self.count(.notifications(count), on: link) }
        case .bearerFailed(let id, _):
            if let link = self.linksByID[id] { self.disconnect(link, reason: .remoteUserTerminated) }
        }
    }
}
