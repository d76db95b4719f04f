// All commands of the controller and their handlers, by sections of Vol 4, Part E, 7.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension Controller {
    /// The handlers by opcode.
    static let handlers: [HCIOpcode: CommandHandler] = Dictionary(
        uniqueKeysWithValues: [
            Controller.basics, Controller.information, Controller.linkControl, Controller.advertising,
            Controller.scanningAndInitiating,
            Controller.timingAndPHYs, Controller.security, Controller.lists,
        ].joined().map { ($0.opcode, $0) }
    )

    /// All features of the link layer (Vol 6, Part B, 4.6).
    static let features: LEFeatures = [
        .encryption, .connectionParametersRequest, .extendedRejectIndication, .peripheralInitiatedFeaturesExchange,
        .ping, .dataPacketLengthExtension, .privacy, .extendedScannerFilterPolicies, .phy2M, .phyCoded,
        .extendedAdvertising, .channelSelectionAlgorithm2,
    ]

    // MARK: Controller & Baseband (7.3), vendor specific

    private static let basics: [CommandHandler] = [
        .silent(Reset.self, Controller.reset),
        .plain(SetEventMask.self) { controller, command in controller.settings.eventMask = command.mask },
        .plain(SetEventMaskPage2.self) { controller, command in controller.settings.eventMaskPage2 = command.mask },
        .plain(LESetEventMask.self) { controller, command in controller.settings.leEventMask = command.mask },
        .plain(SetControllerToHostFlowControl.self, Controller.setFlowControl),
        .plain(HostBufferSize.self, Controller.setHostBufferSize),
        .silent(HostNumberOfCompletedPackets.self, Controller.hostCompleted),
        .complete(ReadLEHostSupport.self) { controller, _ in
            ReadLEHostSupport.ReturnParameters(isLESupported: controller.settings.isLESupportedByHost)
        },
        .plain(WriteLEHostSupport.self) { controller, command in
            controller.settings.isLESupportedByHost = command.isLESupported
        },
        .complete(ReadTransmitPowerLevel.self) { (controller, command) throws(HCIErrorCode) in
            _ = try controller.link(command.handle)
            guard command.type.rawValue <= 1 else { throw .invalidParameters }
            let level = command.type == .maximum ? Controller.txPowerRange.upperBound : 0
            return ReadTransmitPowerLevel.ReturnParameters(handle: command.handle, level: level)
        },
        .complete(ReadAuthenticatedPayloadTimeout.self) { (controller, command) throws(HCIErrorCode) in
            let end = try controller.link(command.handle).end
            return ReadAuthenticatedPayloadTimeout.ReturnParameters(
                handle: command.handle,
                timeout: end.authenticatedPayloadTimeout
            )
        },
        .complete(WriteAuthenticatedPayloadTimeout.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setAuthenticatedPayloadTimeout(command)
            return WriteAuthenticatedPayloadTimeout.ReturnParameters(handle: command.handle)
        },
        .plain(AirSetDistance.self) { controller, command in
            controller.move(to: .distance(Distance(command)))
        },
        .plain(AirSetPosition.self) { controller, command in
            controller.move(to: .position(AirPosition(command)))
        },
    ]

    // MARK: Informational Parameters (7.4), LE Controller

    private static let information: [CommandHandler] = [
        .complete(ReadLocalVersionInformation.self) { controller, _ in
            ReadLocalVersionInformation.ReturnParameters(
                hciVersion: controller.model.version,
                hciSubversion: controller.model.revision,
                linkLayerVersion: controller.model.version,
                company: controller.model.company,
                linkLayerSubversion: controller.model.subversion
            )
        },
        .complete(ReadLocalSupportedCommands.self) { controller, _ in
            ReadLocalSupportedCommands.ReturnParameters(commands: controller.model.commands)
        },
        .complete(ReadLocalSupportedFeatures.self) { controller, _ in
            ReadLocalSupportedFeatures.ReturnParameters(
                features: controller.model.isDualMode ? .leSupported : [.bredrNotSupported, .leSupported]
            )
        },
        .complete(ReadBufferSize.self) { controller, _ in
            ReadBufferSize.ReturnParameters(
                aclDataPacketLength: UInt16(controller.model.aclDataPacketLength),
                aclDataPacketCount: UInt16(controller.model.aclDataPacketCount)
            )
        },
        .complete(ReadBDADDR.self) { controller, _ in
            ReadBDADDR.ReturnParameters(address: controller.publicAddress)
        },
        .complete(LEReadBufferSize.self) { controller, _ in
            let buffers = controller.model.leBuffers
            return LEReadBufferSize.ReturnParameters(
                aclDataPacketLength: buffers.length,
                aclDataPacketCount: buffers.count
            )
        },
        .complete(LEReadBufferSizeV2.self) { controller, _ in
            let buffers = controller.model.leBuffers
            return LEReadBufferSizeV2.ReturnParameters(
                aclDataPacketLength: buffers.length,
                aclDataPacketCount: buffers.count
            )
        },
        .complete(LEReadLocalSupportedFeatures.self) { controller, _ in
            LEReadLocalSupportedFeatures.ReturnParameters(features: controller.model.features)
        },
        .complete(LEReadSupportedStates.self) { controller, _ in
            LEReadSupportedStates.ReturnParameters(states: controller.model.states)
        },
        .complete(LEReadTransmitPower.self) { _, _ in
            LEReadTransmitPower.ReturnParameters(
                minimum: Controller.txPowerRange.lowerBound,
                maximum: Controller.txPowerRange.upperBound
            )
        },
        .complete(LEReadRFPathCompensation.self) { controller, _ in
            LEReadRFPathCompensation.ReturnParameters(
                transmitCompensation: controller.settings.transmitCompensation,
                receiveCompensation: controller.settings.receiveCompensation
            )
        },
        .plain(LEWriteRFPathCompensation.self, Controller.setPathCompensation),
        .plain(LESetHostFeature.self, Controller.setHostFeature),
    ]

    // MARK: Link Control (7.1), Status Parameters (7.5)

    private static let linkControl: [CommandHandler] = [
        .status(Disconnect.self, Controller.disconnect),
        .status(ReadRemoteVersionInformation.self, Controller.readRemoteVersion),
        .status(LEReadRemoteFeatures.self, Controller.readRemoteFeatures),
        .complete(ReadRSSI.self) { (controller, command) throws(HCIErrorCode) in
            ReadRSSI.ReturnParameters(handle: command.handle, rssi: try controller.readRSSI(command.handle))
        },
    ]

    // MARK: Advertising (7.8.4 to 7.8.9, 7.8.52 to 7.8.60)

    private static let advertising: [CommandHandler] = [
        .plain(LESetRandomAddress.self, Controller.setRandomAddress),
        .plain(LESetAdvertisingParameters.self, Controller.setAdvertisingParameters),
        .complete(LEReadAdvertisingChannelTxPower.self) { _, _ in
            LEReadAdvertisingChannelTxPower.ReturnParameters(level: 0)
        },
        .plain(LESetAdvertisingData.self, Controller.setAdvertisingData),
        .plain(LESetScanResponseData.self, Controller.setScanResponseData),
        .plain(LESetAdvertisingEnable.self, Controller.setAdvertisingEnable),
        .plain(LESetAdvertisingSetRandomAddress.self, Controller.setRandomAddress),
        .complete(LESetExtendedAdvertisingParameters.self) { (controller, command) throws(HCIErrorCode) in
            let power = try controller.setExtendedAdvertisingParameters(command)
            return LESetExtendedAdvertisingParameters.ReturnParameters(selectedTxPower: power)
        },
        .complete(LESetExtendedAdvertisingParametersV2.self) { (controller, command) throws(HCIErrorCode) in
            guard command.primaryPHYOptions.rawValue <= 4, command.secondaryPHYOptions.rawValue <= 4 else {
                throw .invalidParameters
            }
            let power = try controller.setExtendedAdvertisingParameters(command.parameters)
            return LESetExtendedAdvertisingParametersV2.ReturnParameters(selectedTxPower: power)
        },
        .plain(LESetExtendedAdvertisingData.self, Controller.setExtendedAdvertisingData),
        .plain(LESetExtendedScanResponseData.self, Controller.setExtendedScanResponseData),
        .plain(LESetExtendedAdvertisingEnable.self, Controller.setExtendedAdvertisingEnable),
        .complete(LEReadMaximumAdvertisingDataLength.self) { controller, _ in
            LEReadMaximumAdvertisingDataLength.ReturnParameters(
                length: UInt16(controller.model.maximumAdvertisingDataLength)
            )
        },
        .complete(LEReadNumberOfSupportedAdvertisingSets.self) { controller, _ in
            LEReadNumberOfSupportedAdvertisingSets.ReturnParameters(
                count: UInt8(controller.model.advertisingSetCount)
            )
        },
        .plain(LERemoveAdvertisingSet.self, Controller.removeAdvertisingSet),
        .plain(LEClearAdvertisingSets.self, Controller.clearAdvertisingSets),
    ]

    // MARK: Scanning and initiating (7.8.10 to 7.8.13, 7.8.64 to 7.8.66)

    private static let scanningAndInitiating: [CommandHandler] = [
        .plain(LESetScanParameters.self, Controller.setScanParameters),
        .plain(LESetScanEnable.self, Controller.setScanEnable),
        .plain(LESetExtendedScanParameters.self, Controller.setExtendedScanParameters),
        .plain(LESetExtendedScanEnable.self, Controller.setExtendedScanEnable),
        .status(LECreateConnection.self, Controller.createConnection),
        .status(LEExtendedCreateConnection.self, Controller.extendedCreateConnection),
        .procedure(LECreateConnectionCancel.self, Controller.cancelConnection) { _ in .init() },
    ]

    // MARK: Timing, channels, lengths, PHYs of links

    private static let timingAndPHYs: [CommandHandler] = [
        .status(LEConnectionUpdate.self, Controller.updateConnection),
        .procedure(LERemoteConnectionParameterRequestReply.self, Controller.acceptParameters) {
            .init(handle: $0.handle)
        },
        .procedure(LERemoteConnectionParameterRequestNegativeReply.self, Controller.refuseParameters) {
            .init(handle: $0.handle)
        },
        .procedure(LESetHostChannelClassification.self, Controller.setChannelClassification) { _ in .init() },
        .complete(LEReadChannelMap.self) { (controller, command) throws(HCIErrorCode) in
            let link = try controller.link(command.handle).link
            return LEReadChannelMap.ReturnParameters(handle: command.handle, channels: link.channels)
        },
        .procedure(LESetDataLength.self, Controller.setDataLength) { .init(handle: $0.handle) },
        .complete(LEReadSuggestedDefaultDataLength.self) { controller, _ in
            LEReadSuggestedDefaultDataLength.ReturnParameters(
                transmitOctets: controller.settings.suggestedTransmitOctets,
                transmitTime: controller.settings.suggestedTransmitTime
            )
        },
        .plain(LEWriteSuggestedDefaultDataLength.self, Controller.setSuggestedDataLength),
        .complete(LEReadMaximumDataLength.self) { controller, _ in
            let maximum = controller.model.maximumDataLength
            return LEReadMaximumDataLength.ReturnParameters(
                transmitOctets: maximum.octets,
                transmitTime: maximum.time,
                receiveOctets: maximum.octets,
                receiveTime: maximum.time
            )
        },
        .complete(LEReadPHY.self) { (controller, command) throws(HCIErrorCode) in
            let entry = try controller.link(command.handle)
            return LEReadPHY.ReturnParameters(
                handle: command.handle,
                transmitter: entry.link.transmitterPHY(of: entry.end),
                receiver: entry.link.transmitterPHY(of: entry.link.peer(of: entry.end))
            )
        },
        .plain(LESetDefaultPHY.self, Controller.setDefaultPHY),
        .status(LESetPHY.self, Controller.setPHY),
    ]

    // MARK: Keys and encryption

    private static let security: [CommandHandler] = [
        .complete(LEEncrypt.self) { _, command in
            LEEncrypt.ReturnParameters(ciphertext: BlockCipher.encrypt(command.plaintext, key: command.key))
        },
        .complete(LERand.self) { controller, _ in
            LERand.ReturnParameters(number: controller.generator.next())
        },
        .status(LEEnableEncryption.self, Controller.enableEncryption),
        .procedure(LELongTermKeyRequestReply.self, Controller.provideKey) { .init(handle: $0.handle) },
        .procedure(LELongTermKeyRequestNegativeReply.self, Controller.refuseKey) { .init(handle: $0.handle) },
        .status(LEReadLocalP256PublicKey.self, Controller.makeKeyPair),
        .status(LEGenerateDHKey.self, Controller.makeSharedSecret),
        .status(LEGenerateDHKeyV2.self, Controller.makeSharedSecret),
    ]

    // MARK: Filter accept list and resolving list

    private static let lists: [CommandHandler] = [
        .complete(LEReadFilterAcceptListSize.self) { controller, _ in
            LEReadFilterAcceptListSize.ReturnParameters(size: UInt8(controller.model.filterAcceptListSize))
        },
        .plain(LEClearFilterAcceptList.self, Controller.clearAcceptList),
        .plain(LEAddDeviceToFilterAcceptList.self, Controller.addToAcceptList),
        .plain(LERemoveDeviceFromFilterAcceptList.self, Controller.removeFromAcceptList),
        .plain(LEAddDeviceToResolvingList.self, Controller.addToResolvingList),
        .plain(LERemoveDeviceFromResolvingList.self, Controller.removeFromResolvingList),
        .plain(LEClearResolvingList.self, Controller.clearResolvingList),
        .complete(LEReadResolvingListSize.self) { controller, _ in
            LEReadResolvingListSize.ReturnParameters(size: UInt8(controller.model.resolvingListSize))
        },
        .complete(LEReadPeerResolvableAddress.self) { (controller, command) throws(HCIErrorCode) in
            LEReadPeerResolvableAddress.ReturnParameters(
                address: try controller.peerResolvableAddress(command.peer)
            )
        },
        .complete(LEReadLocalResolvableAddress.self) { (controller, command) throws(HCIErrorCode) in
            LEReadLocalResolvableAddress.ReturnParameters(
                address: try controller.localResolvableAddress(command.peer)
            )
        },
        .plain(LESetAddressResolutionEnable.self, Controller.setAddressResolution),
        .plain(LESetResolvablePrivateAddressTimeout.self, Controller.setResolvableAddressTimeout),
        .plain(LESetPrivacyMode.self, Controller.setPrivacyMode),
    ]
}

// MARK: Small commands

extension Controller {
    /// HCI_LE_Write_RF_Path_Compensation: tenths of a decibel, at most 128 dB (7.8.76).
    private func setPathCompensation(_ command: LEWriteRFPathCompensation) throws(HCIErrorCode) {
        let range: ClosedRange<Int16> = -1_280...1_280
        guard range.contains(command.transmitCompensation), range.contains(command.receiveCompensation) else {
            throw .invalidParameters
        }
        self.settings.transmitCompensation = command.transmitCompensation
        self.settings.receiveCompensation = command.receiveCompensation
    }

    /// HCI_LE_Set_Host_Feature: this controller has none of the features that depend on the host (7.8.115).
    private func setHostFeature(_ command: LESetHostFeature) throws(HCIErrorCode) {
        throw command.bit <= 63 ? .unsupportedFeature : .invalidParameters
    }
}
