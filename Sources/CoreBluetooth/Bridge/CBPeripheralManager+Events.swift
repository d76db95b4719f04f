// Events from the event loop, on the manager's queue: observable state changes first, then the delegate is called.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOConcurrencyHelpers
import NIOCore

extension CBPeripheralManager {
    /// Whether an update can be sent.
    enum Capacity {
        /// No central is to get it.
        case nobody
        case full
        /// The window may have memory for the value.
        case reserved(AttributeHandle, UpdateTargets, TransmitWindow?)
    }

    /// Finds the centrals that get an update and counts it for each, if all can take it.
    ///
    /// Under the lock.
    func reserveCapacity(for characteristic: CBMutableCharacteristic, _ centrals: [CBCentral]?) -> Capacity {
        let (handle, subscribed) = characteristic.lock.withLock {
            (characteristic.publishedHandle, characteristic.subscribedStorage)
        }
        guard let handle, self.database.characteristic(handle) === characteristic else { return .nobody }
        if subscribed.count == 1, let central = subscribed.first {
            guard centrals == nil || centrals?.contains(where: { $0 === central }) == true else { return .nobody }
            switch central.lock.withLock({ central.reserve() }) {
            case .reserved(let link, let window): return .reserved(handle, .one(link), window)
            case .gone: return .nobody
            case .full:
                self.mustReportReadiness = true
                return .full
            }
        }
        let targets = subscribed.filter { central in centrals?.contains { $0 === central } ?? true }
        // Only full windows report that they are free again: the others have no updates on their way that could cause
        // it.
        let full = targets.filter { central in central.lock.withLock { !central.window.canSend } }
        guard full.isEmpty else {
            for central in full { central.lock.withLock { central.window.refuse() } }
            self.mustReportReadiness = true
            return .full
        }
        let links = targets.compactMap { central in
            central.lock.withLock { () -> LinkID? in
                guard let link = central.link else { return nil }
                central.window.add()
                return link
            }
        }
        return links.isEmpty ? .nobody : .reserved(handle, .many(links), nil)
    }

    /// Takes events, in order.
    func receive(_ events: inout [PeripheralEvent]) {
        if events.isEmpty { return self.propertyObservation.deliverChanges() }
        let observer = self.observer
        var taken = TakenEvents<LinkID>()
        var requests: [CBATTRequest] = []
        for index in events.indices {
            observer?.callsDelegate(events[index].callback(in: self))
            switch events[index].take() {
            case .command(let link, let handle, let value, let window):
                self.received(value, for: handle, link, &requests)
                self.resumeReceiving(taken.add(value.readableBytes, in: window, of: link))
            case let event:
                let counted = event.counted
                self.receive(event)
                guard let counted else { continue }
                self.resumeReceiving(taken.add(counted.octets, in: counted.window, of: counted.link))
            }
        }
        self.resumeReceiving(taken.flush())
    }

    private func resumeReceiving(_ link: LinkID?) {
        if let link { self.commands.send(.resumeReceiving(link)) }
    }

    /// A write without response, as most events are. The object of the last one is used again if the app has kept
    /// neither it nor the array.
    private func received(
        _ value: ByteBuffer,
        for handle: AttributeHandle,
        _ link: LinkID,
        _ requests: inout [CBATTRequest]
    ) {
        let (central, characteristic) = self.lock.withLock {
            (self.centrals[link], self.database.characteristic(handle))
        }
        guard let central, let characteristic, let delegate = self.informedDelegate else { return }
        if requests.count == 1, isKnownUniquelyReferenced(&requests[0]) {
            requests[0].renew(central: central, characteristic: characteristic, value: value)
        } else {
            requests = [
                CBATTRequest(
                    transaction: .unawaited,
                    central: central,
                    characteristic: characteristic,
                    offset: 0,
                    value: Data(octetsOf: value)
                )
            ]
        }
        delegate.peripheralManager(self, didReceiveWrite: requests)
    }

    private func receive(_ event: consuming PeripheralEvent) {
        switch consume event {
        case .canSend(let link): if self.central(link) != nil { self.reportReadiness() }
        case .read(let request): self.received(request)
        case .write(let request, _): self.received(request)
        case .command: preconditionFailure("handled by the caller")
        case .subscribed(let link, let handle, let isSubscribed, _): self.subscribed(isSubscribed, link, handle)
        case .central(let link, let peer, let mtu, let window):
            let central = self.lock.withLock { self.centrals.insert(link, peer) }
            central.lock.withLock {
                central.link = link
                central.mtu = mtu
                central.window = window
            }
            self.lock.withLock({ self.centralObserver })?(central, true)
        case .centralChangedMTU(let link, let mtu, _):
            guard let central = self.central(link) else { return }
            central.lock.withLock { central.mtu = mtu }
        case .centralLeft(let link):
            guard let central = self.lock.withLock({ self.centrals.remove(link) }) else { return }
            self.left(central)
            self.reportReadiness()
        case .restored(let restoration): self.restore(restoration)
        case .republished(let token, let handles):
            self.lock.withLock { self.database.published(token, handles) }
        case .state(let state): self.changed(to: state)
        case .added(let token, let result): self.added(token, result)
        case .startedAdvertising(let error):
            if let error {
                // Advertising that was restored counted as going on.
                if error.code != .alreadyAdvertising { self.endedAdvertising() }
            } else {
                self.startedAdvertising()
            }
            self.informedDelegate?.peripheralManagerDidStartAdvertising(self, error: error)
        case .channelPublished(let psm, let error):
            self.informedDelegate?.peripheralManager(self, didPublishL2CAPChannel: psm, error: error)
        case .channelUnpublished(let psm, let error):
            self.informedDelegate?.peripheralManager(self, didUnpublishL2CAPChannel: psm, error: error)
        case .channelOpened(let link, let psm, let handle):
            guard let central = self.central(link) else { return }
            let channel = CBL2CAPChannel(handle, peer: central, psm: psm)
            self.informedDelegate?.peripheralManager(self, didOpen: channel, error: nil)
        case .unknownChannelEnded(let link, let psm):
            guard let central = self.central(link) else { return }
            LogLines.logUnknownChannel(central, psm)
        }
    }

    private func central(_ link: LinkID) -> CBCentral? { self.lock.withLock { self.centrals[link] } }

    private func characteristic(_ handle: AttributeHandle) -> CBMutableCharacteristic? {
        self.lock.withLock { self.database.characteristic(handle) }
    }

    // MARK: State

    private func changed(to state: CBManagerState) {
        self.setState(state)
        if state != .poweredOn { self.commands.send(.stopSeen) }
        if state == .poweredOn { self.resumedAdvertising() }
        if state < .poweredOn {
            // Apple's rule (CBPeripheralManagerDelegate): paused below poweredOn, over below poweredOff.
            if state < .poweredOff { self.endedAdvertising() } else { self.pausedAdvertising() }
            let gone = self.lock.withLock {
                self.mustReportReadiness = false
                self.awaitedAdds.removeAll()
                return self.centrals.removeAll()
            }
            for central in gone { self.left(central) }
            if state < .poweredOff {
                self.withdraw { $0.removeAll() }
            } else {
                self.unsubscribeAll()
            }
        }
        self.informedDelegate?.peripheralManagerDidUpdateState(self)
    }

    private func unsubscribeAll() {
        for characteristic in self.lock.withLock({ self.database.allCharacteristics }) {
            characteristic.lock.withLock { characteristic.subscribedStorage = [] }
        }
    }

    private func left(_ central: CBCentral) {
        central.lock.withLock {
            central.link = nil
            central.window = TransmitWindow()
        }
        self.lock.withLock({ self.centralObserver })?(central, false)
    }

    // MARK: Services

    private func added(_ token: LocalServiceToken, _ result: Result<GATTServiceHandles, CBError>) {
        let (service, isThere) = self.lock.withLock {
            let known = self.database.service(token)
            guard let index = self.awaitedAdds.firstIndex(where: { $0.token == token }) else {
                return (known, known != nil)
            }
            let service = self.awaitedAdds[index].service
            // Services are reported in order: those before it were removed while the app could not publish anything.
            self.awaitedAdds.removeFirst(index + 1)
            return (service, known != nil)
        }
        guard let service else { return }
        guard isThere else { return self.informedDelegate?.peripheralManager(self, didAdd: service, error: nil) ?? () }
        switch result {
        case .success(let handles):
            self.lock.withLock { self.database.published(token, handles) }
            self.informedDelegate?.peripheralManager(self, didAdd: service, error: nil)
        case .failure(let error):
            self.withdraw { $0.remove(token) }
            self.informedDelegate?.peripheralManager(self, didAdd: service, error: error)
        }
    }

    // MARK: Requests

    private func received(_ request: GATTReadRequest) {
        let transaction = CBATTRequest.Transaction(.read(request.id))
        guard let central = self.central(request.link), let characteristic = self.characteristic(request.handle),
            let delegate = self.informedDelegate
        else { return self.commands.send(.answerRead(request.id, .failure(.requestNotSupported))) }
        delegate.peripheralManager(
            self,
            didReceiveRead: CBATTRequest(
                transaction: transaction,
                central: central,
                characteristic: characteristic,
                offset: request.offset,
                value: nil
            )
        )
    }

    private func received(_ request: GATTWriteRequest) {
        let transaction = request.id.map { CBATTRequest.Transaction(.write($0)) } ?? .unawaited
        let requests = self.lock.withLock {
            let central = self.centrals[request.link]
            return request.parts.compactMap { part -> CBATTRequest? in
                guard let central, let characteristic = self.database.characteristic(part.handle) else { return nil }
                return CBATTRequest(
                    transaction: transaction,
                    central: central,
                    characteristic: characteristic,
                    offset: part.offset,
                    value: Data(octetsOf: part.value)
                )
            }
        }
        guard let delegate = self.informedDelegate, requests.count == request.parts.count else {
            if let id = request.id { self.commands.send(.answerWrite(id, .requestNotSupported)) }
            return
        }
        delegate.peripheralManager(self, didReceiveWrite: requests)
    }

    // MARK: Subscriptions

    private func subscribed(_ isSubscribed: Bool, _ link: LinkID, _ handle: AttributeHandle) {
        guard let central = self.central(link), let characteristic = self.characteristic(handle) else { return }
        let isNews = characteristic.lock.withLock { () -> Bool in
            let index = characteristic.subscribedStorage.firstIndex { $0 === central }
            switch (index, isSubscribed) {
            case (nil, true): characteristic.subscribedStorage.append(central)
            case (let index?, false): characteristic.subscribedStorage.remove(at: index)
            case (nil, false), (_?, true): return false
            }
            return true
        }
        guard isNews else { return }
        if isSubscribed {
            self.informedDelegate?.peripheralManager(self, central: central, didSubscribeTo: characteristic)
        } else {
            self.informedDelegate?.peripheralManager(self, central: central, didUnsubscribeFrom: characteristic)
        }
    }

    // MARK: Updates

    private func reportReadiness() {
        let isOwed = self.lock.withLock {
            defer { self.mustReportReadiness = false }
            return self.mustReportReadiness
        }
        guard isOwed else { return }
        self.observer?.callsDelegate("peripheralManagerIsReady(toUpdateSubscribers:)")
        self.informedDelegate?.peripheralManagerIsReady(toUpdateSubscribers: self)
    }
}

extension CBCentral {
    /// Whether an update can be sent to the central.
    fileprivate enum Capacity {
        case gone
        case full
        case reserved(LinkID, TransmitWindow)
    }

    /// Counts an update on its way, if it can be sent. Under the lock.
    fileprivate func reserve() -> Capacity {
        guard let link = self.link else { return .gone }
        return self.window.addIfWritable() ? .reserved(link, self.window) : .full
    }
}
