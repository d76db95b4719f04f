// All commands of the controller and what each does, by chapters of Vol 4, Part E, 7.

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
        .silent(Reset.self) { controller, _ in controller.reset() },
        .plain(SetEventMask.self) { controller, command in controller.settings.eventMask = command.mask },
        .plain(SetEventMaskPage2.self) { controller, command in controller.settings.eventMaskPage2 = command.mask },
        .plain(LESetEventMask.self) { controller, command in controller.settings.leEventMask = command.mask },
        .plain(SetControllerToHostFlowControl.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setFlowControl(command)
        },
        .plain(HostBufferSize.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setHostBufferSize(command)
        },
        .silent(HostNumberOfCompletedPackets.self) { (controller, command) throws(HCIErrorCode) in
            try controller.hostCompleted(command)
        },
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
        .plain(LEWriteRFPathCompensation.self) { (controller, command) throws(HCIErrorCode) in
            // In tenths of a decibel, at most 128 dB (7.8.76).
            let range: ClosedRange<Int16> = -1_280...1_280
            guard range.contains(command.transmitCompensation), range.contains(command.receiveCompensation) else {
                throw .invalidParameters
            }
            controller.settings.transmitCompensation = command.transmitCompensation
            controller.settings.receiveCompensation = command.receiveCompensation
        },
        .plain(LESetHostFeature.self) { (_, command) throws(HCIErrorCode) in
            // None of the features that wait for a host is there (7.8.115).
            throw command.bit <= 63 ? .unsupportedFeature : .invalidParameters
        },
    ]

    // MARK: Link Control (7.1), Status Parameters (7.5)

    private static let linkControl: [CommandHandler] = [
        .status(Disconnect.self) { (controller, command) throws(HCIErrorCode) in
            try controller.disconnect(command)
        },
        .status(ReadRemoteVersionInformation.self) { (controller, command) throws(HCIErrorCode) in
            try controller.readRemoteVersion(command.handle)
        },
        .status(LEReadRemoteFeatures.self) { (controller, command) throws(HCIErrorCode) in
            try controller.readRemoteFeatures(command.handle)
        },
        .complete(ReadRSSI.self) { (controller, command) throws(HCIErrorCode) in
            ReadRSSI.ReturnParameters(handle: command.handle, rssi: try controller.readRSSI(command.handle))
        },
    ]

    // MARK: Advertising (7.8.4 to 7.8.9, 7.8.52 to 7.8.60)

    private static let advertising: [CommandHandler] = [
        .plain(LESetRandomAddress.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setRandomAddress(command.address)
        },
        .plain(LESetAdvertisingParameters.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setAdvertisingParameters(command)
        },
        .complete(LEReadAdvertisingChannelTxPower.self) { _, _ in
            LEReadAdvertisingChannelTxPower.ReturnParameters(level: 0)
        },
        .plain(LESetAdvertisingData.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setAdvertisingData(command.data)
        },
        .plain(LESetScanResponseData.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setScanResponseData(command.data)
        },
        .plain(LESetAdvertisingEnable.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setAdvertisingEnable(command.isEnabled)
        },
        .plain(LESetAdvertisingSetRandomAddress.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setRandomAddress(command)
        },
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
        .plain(LESetExtendedAdvertisingData.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setExtendedAdvertisingData(command)
        },
        .plain(LESetExtendedScanResponseData.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setExtendedScanResponseData(command)
        },
        .plain(LESetExtendedAdvertisingEnable.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setExtendedAdvertisingEnable(command)
        },
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
        .plain(LERemoveAdvertisingSet.self) { (controller, command) throws(HCIErrorCode) in
            try controller.removeAdvertisingSet(command.advertisingHandle)
        },
        .plain(LEClearAdvertisingSets.self) { (controller, _) throws(HCIErrorCode) in
            try controller.clearAdvertisingSets()
        },
    ]

    // MARK: Scanning and initiating (7.8.10 to 7.8.13, 7.8.64 to 7.8.66)

    private static let scanningAndInitiating: [CommandHandler] = [
        .plain(LESetScanParameters.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setScanParameters(command)
        },
        .plain(LESetScanEnable.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setScanEnable(command)
        },
        .plain(LESetExtendedScanParameters.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setExtendedScanParameters(command)
        },
        .plain(LESetExtendedScanEnable.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setExtendedScanEnable(command)
        },
        .status(LECreateConnection.self) { (controller, command) throws(HCIErrorCode) in
            try controller.createConnection(command)
            return {}
        },
        .status(LEExtendedCreateConnection.self) { (controller, command) throws(HCIErrorCode) in
            try controller.extendedCreateConnection(command)
            return {}
        },
        .procedure(
            LECreateConnectionCancel.self,
            answer: { _ in StatusReturnParameters() },
            begin: { (controller, _) throws(HCIErrorCode) in try controller.cancelConnection() }
        ),
    ]

    // MARK: Timing, channels, lengths, PHYs of links

    private static let timingAndPHYs: [CommandHandler] = [
        .status(LEConnectionUpdate.self) { (controller, command) throws(HCIErrorCode) in
            try controller.updateConnection(command)
        },
        .procedure(
            LERemoteConnectionParameterRequestReply.self,
            answer: { LERemoteConnectionParameterRequestReply.ReturnParameters(handle: $0.handle) },
            begin: { (controller, command) throws(HCIErrorCode) in try controller.acceptParameters(command) }
        ),
        .procedure(
            LERemoteConnectionParameterRequestNegativeReply.self,
            answer: { LERemoteConnectionParameterRequestNegativeReply.ReturnParameters(handle: $0.handle) },
            begin: { (controller, command) throws(HCIErrorCode) in try controller.refuseParameters(command) }
        ),
        .procedure(
            LESetHostChannelClassification.self,
            answer: { _ in StatusReturnParameters() },
            begin: { (controller, command) throws(HCIErrorCode) in
                try controller.setChannelClassification(command.channels)
            }
        ),
        .complete(LEReadChannelMap.self) { (controller, command) throws(HCIErrorCode) in
            let link = try controller.link(command.handle).link
            return LEReadChannelMap.ReturnParameters(handle: command.handle, channels: link.channels)
        },
        .procedure(
            LESetDataLength.self,
            answer: { LESetDataLength.ReturnParameters(handle: $0.handle) },
            begin: { (controller, command) throws(HCIErrorCode) in try controller.setDataLength(command) }
        ),
        .complete(LEReadSuggestedDefaultDataLength.self) { controller, _ in
            LEReadSuggestedDefaultDataLength.ReturnParameters(
                transmitOctets: controller.settings.suggestedTransmitOctets,
                transmitTime: controller.settings.suggestedTransmitTime
            )
        },
        .plain(LEWriteSuggestedDefaultDataLength.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setSuggestedDataLength(command)
        },
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
        .plain(LESetDefaultPHY.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setDefaultPHY(command.preference)
        },
        .status(LESetPHY.self) { (controller, command) throws(HCIErrorCode) in try controller.setPHY(command) },
    ]

    // MARK: Keys and encryption

    private static let security: [CommandHandler] = [
        .complete(LEEncrypt.self) { _, command in
            LEEncrypt.ReturnParameters(ciphertext: BlockCipher.encrypt(command.plaintext, key: command.key))
        },
        .complete(LERand.self) { controller, _ in
            LERand.ReturnParameters(number: controller.generator.next())
        },
        .status(LEEnableEncryption.self) { (controller, command) throws(HCIErrorCode) in
            try controller.enableEncryption(command)
        },
        .procedure(
            LELongTermKeyRequestReply.self,
            answer: { LELongTermKeyRequestReply.ReturnParameters(handle: $0.handle) },
            begin: { (controller, command) throws(HCIErrorCode) in try controller.provideKey(command) }
        ),
        .procedure(
            LELongTermKeyRequestNegativeReply.self,
            answer: { LELongTermKeyRequestNegativeReply.ReturnParameters(handle: $0.handle) },
            begin: { (controller, command) throws(HCIErrorCode) in try controller.refuseKey(command.handle) }
        ),
        .status(LEReadLocalP256PublicKey.self) { controller, _ in controller.makeKeyPair() },
        .status(LEGenerateDHKey.self) { (controller, command) throws(HCIErrorCode) in
            try controller.makeSharedSecret(x: command.x, y: command.y, type: .generated)
        },
        .status(LEGenerateDHKeyV2.self) { (controller, command) throws(HCIErrorCode) in
            try controller.makeSharedSecret(x: command.x, y: command.y, type: command.keyType)
        },
    ]

    // MARK: Filter accept list and resolving list

    private static let lists: [CommandHandler] = [
        .complete(LEReadFilterAcceptListSize.self) { controller, _ in
            LEReadFilterAcceptListSize.ReturnParameters(size: UInt8(controller.model.filterAcceptListSize))
        },
        .plain(LEClearFilterAcceptList.self) { (controller, _) throws(HCIErrorCode) in
            try controller.clearAcceptList()
        },
        .plain(LEAddDeviceToFilterAcceptList.self) { (controller, command) throws(HCIErrorCode) in
            try controller.addToAcceptList(command.entry)
        },
        .plain(LERemoveDeviceFromFilterAcceptList.self) { (controller, command) throws(HCIErrorCode) in
            try controller.removeFromAcceptList(command.entry)
        },
        .plain(LEAddDeviceToResolvingList.self) { (controller, command) throws(HCIErrorCode) in
            try controller.addToResolvingList(command)
        },
        .plain(LERemoveDeviceFromResolvingList.self) { (controller, command) throws(HCIErrorCode) in
            try controller.removeFromResolvingList(command.peer)
        },
        .plain(LEClearResolvingList.self) { (controller, _) throws(HCIErrorCode) in
            try controller.clearResolvingList()
        },
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
        .plain(LESetAddressResolutionEnable.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setAddressResolution(command.isEnabled)
        },
        .plain(LESetResolvablePrivateAddressTimeout.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setResolvableAddressTimeout(command.timeout)
        },
        .plain(LESetPrivacyMode.self) { (controller, command) throws(HCIErrorCode) in
            try controller.setPrivacyMode(command)
        },
    ]
}
