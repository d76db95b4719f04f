// Resumes an earlier link's state on a new one. First the peripheral's attributes are compared with those that the app
// knows; then the subscriptions are made again, which a server forgets with the link (Vol 3, Part G, 3.3.3.3). All
// steps are queued on the bearer before any request of the app on this link.

import BluetoothHost
import BluetoothTypes
import NIOCore

extension PeripheralConnection {
    /// The link was established.
    func resume() {
        guard !self.attributes.isEmpty, let link = self.link else { return }
        self.resumption.begin()
        if case .unknown = self.peer.server.identity { self.session.core.peers.validate(self.peer, on: link) }
        self.compareServices(on: link)
        for service in self.attributes.services {
            self.compareCharacteristics(of: service, on: link)
            for characteristic in service.characteristics ?? [] {
                self.compareDescriptors(of: characteristic, on: link)
            }
        }
        self.inTurn(on: link) { () -> DiscoverPrimaryServices? in
            if self.resumption.finishComparison() { self.note { _ in } }
            return nil
        } completion: { _ in
        }
        for characteristic in self.attributes.notifying { self.begin(SubscriptionRenewal(characteristic), on: link) }
    }

    /// The server's database was identified.
    func databaseValidated() {
        // The app's attributes that remain after a change are part of the new database.
        if !self.resumption.isUnderWay, !self.attributes.isEmpty { self.note { _ in } }
    }

    private func inTurn<Procedure: GATTProcedure>(
        on link: LinkID,
        make: @escaping () -> Procedure?,
        completion: @escaping (Procedure.Output?) -> Void
    ) {
        self.host.perform(on: link, whenItsTurnComes: make) { result in
            guard !result.isDisconnection else { return }
            completion(try? result.get())
        }
    }

    private func compareServices(on link: LinkID) {
        let known = self.attributes.services.filter { $0.isListed && $0.record.isPrimary }.map(\.record)
        self.inTurn(on: link) { () -> DiscoverPrimaryServices? in
            switch self.resumption.identified(
                known: self.attributes.databaseHash(at: self.peer.server.level),
                present: self.peer.server.cachedDatabase?.databaseHash
            ) {
            case .unknown: return DiscoverPrimaryServices(uuids: known.map(\.uuid))
            case .changed: self.loseAttributes()
            case .unchanged, nil: break
            }
            return nil
        } completion: { found in
            self.compared(isUnchanged: known.allSatisfy { found?.contains($0) ?? false })
        }
    }

    private func compareCharacteristics(of service: DiscoveredAttributes.Service, on link: LinkID) {
        guard let known = service.characteristics else { return }
        self.inTurn(on: link) { () -> DiscoverCharacteristics? in
            self.resumption.isComparing ? DiscoverCharacteristics(of: service.record.handles) : nil
        } completion: { found in
            self.compared(isUnchanged: known.allSatisfy { found?.contains($0.record) ?? false })
        }
    }

    private func compareDescriptors(of characteristic: DiscoveredAttributes.Characteristic, on link: LinkID) {
        guard let known = characteristic.descriptors else { return }
        self.inTurn(on: link) { () -> DiscoverDescriptors? in
            self.resumption.isComparing ? DiscoverDescriptors(of: characteristic.record) : nil
        } completion: { found in
            self.compared(isUnchanged: known.allSatisfy { found?.contains($0) ?? false })
        }
    }

    private func compared(isUnchanged: Bool) {
        if self.resumption.compared(isUnchanged: isUnchanged) { self.loseAttributes() }
    }

    /// The peripheral has changed: the app must discover it again.
    private func loseAttributes() { self.invalidate(0x0001...0xFFFF) }
}

extension Result where Failure == GATTError {
    /// Whether the link ended first.
    ///
    /// Not reported itself; the disconnection is.
    var isDisconnection: Bool {
        switch self {
        case .failure(.disconnected), .failure(.notConnected): true
        case .success, .failure: false
        }
    }
}
