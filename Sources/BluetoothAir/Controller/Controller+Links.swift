// Commands about a link (Vol 4, Part E, 7.1, 7.3, 7.5 and 7.8): disconnection, timing, lengths, PHYs, version,
// features, RSSI.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension Controller {
    /// The link with a handle. Throws Unknown Connection Identifier if there is none.
    func link(_ handle: ConnectionHandle) throws(HCIErrorCode) -> AirLinkTable.Entry {
        guard let entry = self.links[handle] else { throw .unknownConnectionIdentifier }
        return entry
    }

    // MARK: End

    /// The reasons that a host may give (7.1.6).
    private static let disconnectReasons: [HCIErrorCode] = [
        .authenticationFailure, .remoteUserTerminated, .remoteLowResources, .remotePowerOff,
        .unsupportedRemoteFeature, .pairingWithUnitKeyNotSupported, .unacceptableConnectionParameters,
    ]

    /// HCI_Disconnect.
    func disconnect(_ command: Disconnect) throws(HCIErrorCode) -> () -> Void {
        let entry = try self.link(command.handle)
        guard Self.disconnectReasons.contains(command.reason) else { throw .invalidParameters }
        guard !entry.end.isTerminating else { throw .commandDisallowed }
        return { entry.link.terminate(from: entry.end, reason: command.reason) }
    }

    // MARK: Timing

    /// HCI_LE_Connection_Update.
    func updateConnection(_ command: LEConnectionUpdate) throws(HCIErrorCode) -> () -> Void {
        let entry = try self.link(command.handle)
        guard command.parameters.isValid else { throw .invalidParameters }
        guard entry.end.role == .central || self.model.features.contains(.connectionParametersRequest) else {
            throw .unsupportedFeature
        }
        guard case .none = entry.end.parameterUpdate, entry.link.pendingChange == nil, !entry.end.isTerminating else {
            throw .commandDisallowed
        }
        return { entry.link.update(command.parameters, from: entry.end) }
    }

    private func awaitingParameters(_ handle: ConnectionHandle) throws(HCIErrorCode) -> AirLink {
        let entry = try self.link(handle)
        guard case .awaitsHost = entry.end.parameterUpdate else { throw .commandDisallowed }
        return entry.link
    }

    /// HCI_LE_Remote_Connection_Parameter_Request_Reply.
    func acceptParameters(_ command: LERemoteConnectionParameterRequestReply) throws(HCIErrorCode) -> () -> Void {
        let link = try self.awaitingParameters(command.handle)
        guard command.parameters.isValid else { throw .invalidParameters }
        return { link.accept(command.parameters) }
    }

    /// HCI_LE_Remote_Connection_Parameter_Request_Negative_Reply.
    func refuseParameters(
        _ command: LERemoteConnectionParameterRequestNegativeReply
    ) throws(HCIErrorCode) -> () -> Void {
        let link = try self.awaitingParameters(command.handle)
        return { link.refuseParameters(command.reason) }
    }

    // MARK: Channels

    /// HCI_LE_Set_Host_Channel_Classification.
    func setChannelClassification(_ command: LESetHostChannelClassification) throws(HCIErrorCode) -> () -> Void {
        guard command.channels.count > 0 else { throw .invalidParameters }
        self.settings.channelClassification = command.channels
        return {
            let channels = command.channels
            for entry in self.links.entries where entry.end.role == .central && entry.link.channels != channels {
                entry.link.send(.channelMap(channels), from: entry.end)
            }
        }
    }

    // MARK: What the peer is

    /// HCI_LE_Read_Remote_Features_Page_0.
    func readRemoteFeatures(_ command: LEReadRemoteFeatures) throws(HCIErrorCode) -> () -> Void {
        let entry = try self.link(command.handle)
        guard !entry.end.awaited.contains(.features) else { throw .commandDisallowed }
        return {
            entry.end.awaited.insert(.features)
            entry.link.send(.featureRequest, from: entry.end)
        }
    }

    /// HCI_Read_Remote_Version_Information.
    func readRemoteVersion(_ command: ReadRemoteVersionInformation) throws(HCIErrorCode) -> () -> Void {
        let entry = try self.link(command.handle)
        if case .requested = entry.end.versionExchange { throw .commandDisallowed }
        return { entry.link.readVersion(from: entry.end) }
    }

    /// HCI_Read_RSSI.
    func readRSSI(_ handle: ConnectionHandle) throws(HCIErrorCode) -> RSSI {
        let entry = try self.link(handle)
        let peer = entry.link.peer(of: entry.end)
        // A peer that is gone or out of range has the weakest signal.
        guard peer.isPresent else { return PathLoss.sensitivity }
        return self.air.strength(from: peer.controller, to: self).map(self.air.fadedStrength) ?? PathLoss.sensitivity
    }

    // MARK: Lengths

    private func checkLength(_ octets: UInt16, _ time: UInt16) throws(HCIErrorCode) {
        guard DataPacketLimits.octets.contains(octets), DataPacketLimits.times.contains(time) else {
            throw .invalidParameters
        }
    }

    /// HCI_LE_Set_Data_Length.
    func setDataLength(_ command: LESetDataLength) throws(HCIErrorCode) -> () -> Void {
        let entry = try self.link(command.handle)
        try self.checkLength(command.transmitOctets, command.transmitTime)
        return {
            entry.end.preferredLength = DataLength(octets: command.transmitOctets, time: command.transmitTime)
            entry.link.updateLengths(from: entry.end)
        }
    }

    /// HCI_LE_Write_Suggested_Default_Data_Length.
    func setSuggestedDataLength(_ command: LEWriteSuggestedDefaultDataLength) throws(HCIErrorCode) {
        try self.checkLength(command.transmitOctets, command.transmitTime)
        self.settings.suggestedTransmitOctets = command.transmitOctets
        self.settings.suggestedTransmitTime = command.transmitTime
    }

    // MARK: PHYs

    /// The PHYs that a preference allows; `nil` allows all (7.8.48).
    private func phys(_ preferred: PHYSet?) throws(HCIErrorCode) -> PHYSet {
        guard let preferred else { return self.model.phys }
        guard !preferred.isEmpty else { throw .invalidParameters }
        guard self.model.phys.isSuperset(of: preferred) else { throw .unsupportedFeature }
        return preferred
    }

    /// HCI_LE_Set_Default_PHY.
    func setDefaultPHY(_ command: LESetDefaultPHY) throws(HCIErrorCode) {
        let transmitter = try self.phys(command.preference.transmitter)
        let receiver = try self.phys(command.preference.receiver)
        self.settings.preferredTransmitterPHYs = transmitter
        self.settings.preferredReceiverPHYs = receiver
    }

    /// HCI_LE_Set_PHY.
    func setPHY(_ command: LESetPHY) throws(HCIErrorCode) -> () -> Void {
        let entry = try self.link(command.handle)
        let transmitter = try self.phys(command.preference.transmitter)
        let receiver = try self.phys(command.preference.receiver)
        guard !entry.end.awaited.contains(.phyUpdate) else { throw .commandDisallowed }
        return {
            entry.end.transmitterPHYs = transmitter
            entry.end.receiverPHYs = receiver
            entry.link.updatePHYs(from: entry.end)
        }
    }

    // MARK: Encryption

    /// HCI_LE_Enable_Encryption.
    func enableEncryption(_ command: LEEnableEncryption) throws(HCIErrorCode) -> () -> Void {
        let entry = try self.link(command.handle)
        // Only a central starts encryption, and not twice at once (7.8.24).
        guard entry.end.role == .central, !entry.end.isPaused, !entry.end.isTerminating else {
            throw .commandDisallowed
        }
        return { entry.link.encrypt(command) }
    }

    private func awaitingKey(_ handle: ConnectionHandle) throws(HCIErrorCode) -> AirLink {
        let entry = try self.link(handle)
        guard entry.end.role == .peripheral, entry.link.awaitsKey else { throw .commandDisallowed }
        return entry.link
    }

    /// HCI_LE_Long_Term_Key_Request_Reply.
    func provideKey(_ command: LELongTermKeyRequestReply) throws(HCIErrorCode) -> () -> Void {
        let link = try self.awaitingKey(command.handle)
        return { link.provide(command.longTermKey) }
    }

    /// HCI_LE_Long_Term_Key_Request_Negative_Reply.
    func refuseKey(_ command: LELongTermKeyRequestNegativeReply) throws(HCIErrorCode) -> () -> Void {
        let link = try self.awaitingKey(command.handle)
        return { link.refuseKey() }
    }

    // MARK: Authenticated payloads

    /// HCI_Write_Authenticated_Payload_Timeout.
    func setAuthenticatedPayloadTimeout(_ command: WriteAuthenticatedPayloadTimeout) throws(HCIErrorCode) {
        let entry = try self.link(command.handle)
        let timing = entry.link.timing
        // A peripheral with latency needs time to answer (7.3.94).
        guard command.timeout.isInRange,
            command.timeout.timeAmount >= timing.interval.timeAmount * (1 + Int(timing.latency))
        else { throw .invalidParameters }
        entry.end.authenticatedPayloadTimeout = command.timeout
        entry.link.startPayloadTimer(at: entry.end)
    }
}
