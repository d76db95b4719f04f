// A link after which the app goes on with what it knew before: one that came back by itself, or that the process before
// this one had. First it is seen whether the peripheral's attributes are still what the app knows, by the Database Hash or,
// where there is none, by looking; then the subscriptions are made again, which a server forgets with the link
// (Vol 3, Part G, 3.3.3.3). The app's own procedures wait meanwhile.

import BluetoothHost
import BluetoothTypes
import NIOCore

extension PeripheralConnection {
    /// The link is there.
    func beginResuming() {
        guard !self.attributes.isEmpty, let link = self.peer.link else { return }
        self.resumption = .awaitingServer
        switch self.peer.server {
        case .unasked:
            self.peer.server = .identifying
            self.host.validateDatabaseCache(on: link)
        case .identifying, .checking: break
        case .known, .nameless: self.compare(on: link)
        }
    }

    /// It is known which server is there.
    func serverIdentified() {
        switch self.resumption {
        case .awaitingServer:
            if let link = self.peer.link { self.compare(on: link) }
        case .nothing:
            // What is left of the app's attributes after a change is true of the new database.
            if !self.attributes.isEmpty { self.note { _ in } }
            self.startWaiting()
        case .underWay: break
        }
    }

    /// Compares the server with the one that the app knows.
    private func compare(on link: LinkID) {
        self.resumption = .underWay
        let hash = self.peer.cache?.databaseHash
        if hash != nil, self.attributes.databaseHash == hash {
            self.subscribe(on: link)
        } else if self.attributes.databaseHash == nil {
            self.compareServices(on: link)
        } else {
            self.loseAttributes()
        }
    }

    // MARK: Without a hash

    private func compareServices(on link: LinkID) {
        let known = self.attributes.services.filter { $0.isListed && $0.record.isPrimary }.map(\.record)
        var uuids: [BluetoothUUID] = []
        for service in known where !uuids.contains(service.uuid) { uuids.append(service.uuid) }
        self.host.perform(DiscoverPrimaryServices(uuids: uuids), on: link) { [weak self] result in
            guard let self, self.goesOn(result) else { return }
            guard case .success(let found) = result, known.allSatisfy(found.contains) else {
                return self.loseAttributes()
            }
            self.compareCharacteristics(of: self.attributes.services[...], on: link)
        }
    }

    private func compareCharacteristics(of services: ArraySlice<AttributeTree.Service>, on link: LinkID) {
        guard let service = services.first else {
            self.note { _ in }
            return self.subscribe(on: link)
        }
        guard let known = service.characteristics else {
            return self.compareCharacteristics(of: services.dropFirst(), on: link)
        }
        self.host.perform(DiscoverCharacteristics(of: service.record.handles), on: link) { [weak self] result in
            guard let self, self.goesOn(result) else { return }
            guard case .success(let found) = result, known.allSatisfy({ found.contains($0.record) }) else {
                return self.loseAttributes()
            }
            self.compareCharacteristics(of: services.dropFirst(), on: link)
        }
    }

    /// Whether the link is still the one on which this was asked.
    private func goesOn<Output>(_ result: Result<Output, GATTError>) -> Bool {
        guard case .established = self.phase, case .underWay = self.resumption else { return false }
        return !result.isDisconnection
    }

    /// The peripheral is not what it was: the app has to discover anew.
    private func loseAttributes() {
        self.invalidate(0x0001...0xFFFF)
        self.endResuming()
    }

    private func endResuming() {
        self.resumption = .nothing
        self.startWaiting()
    }

    // MARK: Subscriptions

    /// Makes the next of the app's subscriptions.
    private func subscribe(on link: LinkID) {
        let next = self.attributes.notifying.first { !self.notifying.contains($0.valueHandle) }
        guard let next else { return self.endResuming() }
        let handle = next.valueHandle
        switch self.peer.configurationHandle(of: next) {
        case .known(let configuration):
            let others = self.othersWantNotifications(handle)
            // The first notification may overtake the answer to the write.
            self.notifying.append(handle)
            if others { return self.subscribe(on: link) }
            let value = Self.configuration(true, next)
            self.host.perform(WriteValue(value, to: configuration), on: link) { [weak self] result in
                guard let self, self.goesOn(result) else { return }
                if case .failure(let error) = result { self.loseSubscription(handle, error) }
                self.subscribe(on: link)
            }
        case .absent:
            self.loseSubscription(handle, .att(.attributeNotFound, handle: handle))
            self.subscribe(on: link)
        case .unknown:
            self.host.perform(DiscoverDescriptors(of: next), on: link) { [weak self] result in
                guard let self, self.goesOn(result) else { return }
                switch result {
                case .success(let descriptors):
                    self.peer.learn(descriptors, of: next)
                    self.session.core.connections.learn(of: self.peer) { $0.learn(descriptors, of: next) }
                case .failure(let error): self.loseSubscription(handle, error)
                }
                self.subscribe(on: link)
            }
        }
    }

    /// The peripheral no longer lets the app subscribe.
    private func loseSubscription(_ handle: AttributeHandle, _ error: GATTError) {
        self.notifying.removeAll { $0 == handle }
        self.note { $0.setNotifying(false, handle) }
        // A tree that is not noted must not be tried again and again.
        self.attributes.setNotifying(false, handle)
        self.tell(.notifying(self.name, handle, false, error))
    }
}
