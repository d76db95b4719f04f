// Initiating connections (Vol 4, Part E, 7.8.12, 7.8.13 and 7.8.66). The initiating state lasts until the device is
// heard or the host cancels; it never expires.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension Controller {
    // MARK: Commands

    /// HCI_LE_Create_Connection.
    func createConnection(_ command: LECreateConnection) throws(HCIErrorCode) -> () -> Void {
        try self.use(.legacy)
        guard command.scanInterval.isInRange, command.scanWindow.isInRange,
            command.scanWindow <= command.scanInterval
        else { throw .invalidParameters }
        let channel = InitiationState.Channel(
            plan: ListeningPlan(
                interval: command.scanInterval.timeAmount,
                window: command.scanWindow.timeAmount
            ),
            parameters: command.parameters
        )
        return try self.initiate(
            le1M: channel,
            le2M: nil,
            leCoded: nil,
            policy: command.filterPolicy,
            peer: command.peer,
            ownAddressType: command.ownAddressType,
            isExtended: false
        )
    }

    /// HCI_LE_Extended_Create_Connection.
    func extendedCreateConnection(_ command: LEExtendedCreateConnection) throws(HCIErrorCode) -> () -> Void {
        try self.use(.extended)
        func channel(
            _ parameters: LEExtendedCreateConnection.PHYParameters?,
            listens: Bool
        ) throws(HCIErrorCode) -> InitiationState.Channel? {
            guard let parameters else { return nil }
            // Nothing is scanned on 2M, so its interval and window are ignored.
            if listens {
                guard parameters.scanInterval.isInRange, parameters.scanWindow.isInRange,
                    parameters.scanWindow <= parameters.scanInterval
                else { throw .invalidParameters }
            }
            return InitiationState.Channel(
                plan: ListeningPlan(
                    interval: parameters.scanInterval.timeAmount,
                    window: parameters.scanWindow.timeAmount
                ),
                parameters: parameters.parameters
            )
        }
        // At least one PHY must be a primary advertising PHY.
        guard command.le1M != nil || command.leCoded != nil else { throw .invalidParameters }
        guard !self.model.quirks.contains(.ignoresExtendedCommands) else { return {} }
        return try self.initiate(
            le1M: try channel(command.le1M, listens: true),
            le2M: try channel(command.le2M, listens: false),
            leCoded: try channel(command.leCoded, listens: true),
            policy: command.filterPolicy,
            peer: command.peer,
            ownAddressType: command.ownAddressType,
            isExtended: true
        )
    }

    private func initiate(
        le1M: InitiationState.Channel?,
        le2M: InitiationState.Channel?,
        leCoded: InitiationState.Channel?,
        policy: InitiatorFilterPolicy,
        peer: DeviceAddress,
        ownAddressType: OwnAddressType,
        isExtended: Bool
    ) throws(HCIErrorCode) -> () -> Void {
        guard self.initiation == nil else { throw .commandDisallowed }
        try self.requireRole(.initiating)
        guard policy.rawValue <= 1, ownAddressType.rawValue <= 3 else { throw .invalidParameters }
        for channel in [le1M, le2M, leCoded] {
            if let channel, !channel.parameters.isValid { throw .invalidParameters }
        }
        let address = try self.ownAddress(ownAddressType, random: self.settings.randomAddress, peer: peer)
        guard !self.links.isFull else { throw .connectionLimitExceeded }
        if policy == .peer, self.isConnected(to: peer) { throw .connectionAlreadyExists }
        self.initiation = InitiationState(
            le1M: le1M,
            le2M: le2M,
            leCoded: leCoded,
            peer: policy == .peer ? peer : nil,
            ownAddressType: ownAddressType,
            address: address,
            isExtended: isExtended,
            startTime: self.now
        )
        return { self.hearingChanged() }
    }

    /// HCI_LE_Create_Connection_Cancel; a connection event with status 0x02 follows.
    func cancelConnection(_: LECreateConnectionCancel) throws(HCIErrorCode) -> () -> Void {
        guard self.initiation != nil else { throw .commandDisallowed }
        self.stopInitiating()
        return { self.reportFailedConnection(.unknownConnectionIdentifier, role: .central) }
    }

    func stopInitiating() {
        self.initiation = nil
        self.hearingChanged()
    }

    // MARK: Hearing

    /// Whether the initiator answers a PDU with a connection request.
    func wantsToConnect(to pdu: AdvertisingPDU) -> Bool {
        guard let initiation = self.initiation, pdu.properties.contains(.connectable), let address = pdu.address,
            initiation.channel(for: pdu) != nil, !self.links.isFull
        else { return false }
        if self.air.settings.hasAirTime, !initiation.listens(for: pdu, at: self.now) { return false }
        if let target = pdu.target, !self.isOwn(target) { return false }
        let advertiser = self.identity(of: address)
        guard self.admitsPrivacy(of: advertiser), !self.isConnected(to: advertiser) else { return false }
        guard let peer = initiation.peer else { return self.acceptListContains(advertiser) }
        return peer.withoutIdentity == advertiser.withoutIdentity || peer == address
    }

    /// Whether there is a link to a device.
    func isConnected(to device: DeviceAddress) -> Bool {
        let device = device.withoutIdentity
        return self.links.entries.contains { $0.end.peerAddress.withoutIdentity == device }
    }

    // MARK: Events

    /// Reports a new link to the host.
    func reportConnection(
        _ link: AirLink,
        at end: LinkEnd,
        addresses: (own: DeviceAddress, peer: DeviceAddress),
        advertisingHandle: AdvertisingHandle
    ) {
        let isResolved = end.peerAddress.kind == .publicIdentity || end.peerAddress.kind == .randomIdentity
        self.emitConnection(
            LEEnhancedConnectionComplete(
                handle: end.handle,
                role: end.role,
                peer: end.peerAddress,
                localResolvableAddress: self.isGenerated(addresses.own) ? addresses.own : nil,
                peerResolvableAddress: isResolved ? addresses.peer : nil,
                interval: link.timing.interval,
                latency: link.timing.latency,
                supervisionTimeout: link.timing.supervisionTimeout,
                centralClockAccuracy: end.role == .central ? .ppm500 : .ppm50
            ),
            advertisingHandle: advertisingHandle
        )
        guard self.model.features.contains(.channelSelectionAlgorithm2) else { return }
        self.emit(LEChannelSelectionAlgorithm(handle: end.handle, algorithm: .algorithm2))
    }

    /// Reports a failed connection to the host.
    func reportFailedConnection(_ status: HCIErrorCode, role: ConnectionRole) {
        self.emitConnection(
            LEEnhancedConnectionComplete(
                status: status,
                handle: ConnectionHandle(rawValue: 0),
                role: role,
                peer: .none,
                interval: ConnectionInterval(rawValue: 0),
                latency: 0,
                supervisionTimeout: SupervisionTimeout(rawValue: 0)
            ),
            advertisingHandle: nil
        )
    }

    /// Sends the latest of the three forms of the event that the host wants and this model knows (7.7.65.1, 7.7.65.10).
    private func emitConnection(_ event: LEEnhancedConnectionComplete, advertisingHandle: AdvertisingHandle?) {
        let isEnhanced = !self.model.features.isDisjoint(with: [.privacy, .extendedAdvertising])
        if isEnhanced, self.model.version.rawValue >= CoreVersion.v5_4.rawValue,
            self.wants(.enhancedConnectionCompleteV2)
        {
            self.emit(LEEnhancedConnectionCompleteV2(connection: event, advertisingHandle: advertisingHandle))
        } else if isEnhanced, self.wants(.enhancedConnectionComplete) {
            self.emit(event)
        } else {
            self.emit(
                LEConnectionComplete(
                    status: event.status,
                    handle: event.handle,
                    role: event.role,
                    peer: event.peer.withoutIdentity,
                    interval: event.interval,
                    latency: event.latency,
                    supervisionTimeout: event.supervisionTimeout,
                    centralClockAccuracy: event.centralClockAccuracy
                )
            )
        }
    }
}
