// Hands the reports of the host to the peers, sessions and channels that they concern.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import NIOCore

extension AdapterCore: LEHostDelegate {
    func host(_ host: LEHost, didChange state: LEHostState) { self.hostChanged(to: state) }

    func host(_ host: LEHost, didReceiveAdvertisement report: AdvertisingReport) { self.received(report) }

    func host(_ host: LEHost, didStopAdvertisingBecauseOf error: LEHostError) { self.advertising.ended(error) }

    func host(_ host: LEHost, didConnect link: LinkInformation) {
        guard self.isReady else { return }
        self.peers.connected(link)
        self.updateSystemSecurity(of: link)
        for session in self.peripheralSessions { session.connected(link) }
    }

    func host(_ host: LEHost, didFailToConnectTo address: DeviceAddress, error: HCIErrorCode) {
        self.peers.failed(address, error)
    }

    func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
        self.pausedLinks.forget(link.id)
        self.forgetPairing(on: link.id)
        // With the controller gone, the state that follows says everything.
        guard self.isReady, case .ready = host.state else { return }
        self.peers.disconnected(link, reason)
        for session in self.peripheralSessions { session.disconnected(link.id) }
    }

    func host(_ host: LEHost, link: LinkID, didChangeMTU mtu: Int) {
        self.peers.changedMTU(link, mtu)
        for session in self.peripheralSessions { session.changedMTU(link, mtu) }
    }

    func host(_ host: LEHost, link: LinkID, didReceiveValue value: ByteBuffer, for handle: AttributeHandle) {
        self.peers.received(value, for: handle, on: link)
    }

    func host(_ host: LEHost, link: LinkID, didInvalidateServicesIn range: AttributeHandleRange) {
        self.peers.invalidated(link, range)
    }

    func host(_ host: LEHost, cachedDatabaseAt link: LinkInformation) -> GATTCachedDatabase? {
        self.peers.cachedDatabase(of: link)
    }

    func host(_ host: LEHost, link: LinkID, didValidateDatabaseCache validation: GATTDatabaseValidation) {
        self.peers.validated(link, validation)
    }

    func host(_ host: LEHost, didFindDatabaseOutOfSyncOn link: LinkID) { self.peers.databaseOutOfSync(link) }

    func host(_ host: LEHost, didReceiveReadRequest request: GATTReadRequest) {
        guard let session = self.owner(of: request.handle) else {
            return host.respond(to: request.id, with: .failure(.unlikelyError))
        }
        session.received(request)
    }

    func host(_ host: LEHost, didReceiveWriteRequest request: GATTWriteRequest) {
        // Prepared writes to several apps at once cannot be all or none.
        guard let first = request.parts.first, let session = self.owner(of: first.handle),
            request.parts.allSatisfy({ session.owns($0.handle) })
        else {
            if let id = request.id { host.respond(to: id, error: .unlikelyError) }
            return
        }
        session.received(request)
    }

    func host(_ host: LEHost, link: LinkID, didReceiveWriteCommand value: ByteBuffer, to handle: AttributeHandle) {
        self.owner(of: handle)?.received(value, for: handle, on: link)
    }

    func host(_ host: LEHost, link: LinkID, didSubscribe isSubscribed: Bool, toCharacteristic handle: AttributeHandle) {
        self.owner(of: handle)?.subscribed(isSubscribed, link, handle)
    }

    func host(_ host: LEHost, bondedClientAt link: LinkInformation) -> BondedClient? {
        self.bondedClients.client(at: link.peer)
    }

    func host(_ host: LEHost, link: LinkInformation, didChangeBondedClient client: BondedClient) {
        self.bondedClients.store(client, at: link.peer)
    }

    func host(_ host: LEHost, link: LinkID, didTransmit count: Int, for token: TransmitToken) {
        if let session = self.peripheralSessions.first(where: { $0.token == token }) {
            session.transmitted(count, on: link)
        } else {
            self.peers.transmitted(count, for: token, on: link)
        }
    }

    func host(_ host: LEHost, shouldAcceptChannel request: L2CAPChannelRequest) -> L2CAPConnectionResult {
        self.channels.answer(request)
    }

    func host(_ host: LEHost, didOpenChannel channel: L2CAPChannelInformation) { self.channels.opened(channel) }

    func host(_ host: LEHost, channel: L2CAPChannelID, didReceive octets: ByteBuffer) {
        self.channels.received(octets, on: channel)
    }

    func host(_ host: LEHost, channelIsReadyToSend channel: L2CAPChannelID) { self.channels.ready(channel) }

    func host(_ host: LEHost, channel: L2CAPChannelID, didCloseBecause reason: L2CAPChannelCloseReason) {
        self.channels.closed(channel)
    }

    func hostDidFinishTurn(_ host: LEHost) {
        self.updateExtendedAdvertising()
        self.flush()
    }

    private func owner(of handle: AttributeHandle) -> PeripheralSession? {
        self.peripheralSessions.first { $0.owns(handle) }
    }
}
