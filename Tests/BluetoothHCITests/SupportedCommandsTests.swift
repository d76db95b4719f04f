// The bit of each command in the bitmap of supported commands, and of each feature in its mask, as the specification
// lists them: a wrong bit would confuse the capabilities of a controller.

import NIOCore
import Testing

@testable import BluetoothHCI

@Suite("Supported commands and features")
struct SupportedCommandsTests {
    /// The commands by octet and bit (Vol 4, Part E, 6.27).
    private static let places: [Int: [Int: any HCICommand.Type]] = [
        0: [5: Disconnect.self],
        2: [7: ReadRemoteVersionInformation.self],
        5: [6: SetEventMask.self, 7: Reset.self],
        10: [
            2: ReadTransmitPowerLevel.self, 5: SetControllerToHostFlowControl.self, 6: HostBufferSize.self,
            7: HostNumberOfCompletedPackets.self,
        ],
        14: [3: ReadLocalVersionInformation.self, 5: ReadLocalSupportedFeatures.self, 7: ReadBufferSize.self],
        15: [1: ReadBDADDR.self, 5: ReadRSSI.self],
        22: [2: SetEventMaskPage2.self],
        24: [5: ReadLEHostSupport.self, 6: WriteLEHostSupport.self],
        25: [
            0: LESetEventMask.self, 1: LEReadBufferSize.self, 2: LEReadLocalSupportedFeatures.self,
            4: LESetRandomAddress.self, 5: LESetAdvertisingParameters.self, 6: LEReadAdvertisingChannelTxPower.self,
            7: LESetAdvertisingData.self,
        ],
        26: [
            0: LESetScanResponseData.self, 1: LESetAdvertisingEnable.self, 2: LESetScanParameters.self,
            3: LESetScanEnable.self, 4: LECreateConnection.self, 5: LECreateConnectionCancel.self,
            6: LEReadFilterAcceptListSize.self, 7: LEClearFilterAcceptList.self,
        ],
        27: [
            0: LEAddDeviceToFilterAcceptList.self, 1: LERemoveDeviceFromFilterAcceptList.self,
            2: LEConnectionUpdate.self, 3: LESetHostChannelClassification.self, 4: LEReadChannelMap.self,
            5: LEReadRemoteFeatures.self, 6: LEEncrypt.self, 7: LERand.self,
        ],
        28: [
            0: LEEnableEncryption.self, 1: LELongTermKeyRequestReply.self, 2: LELongTermKeyRequestNegativeReply.self,
            3: LEReadSupportedStates.self,
        ],
        32: [4: ReadAuthenticatedPayloadTimeout.self, 5: WriteAuthenticatedPayloadTimeout.self],
        33: [
            4: LERemoteConnectionParameterRequestReply.self, 5: LERemoteConnectionParameterRequestNegativeReply.self,
            6: LESetDataLength.self, 7: LEReadSuggestedDefaultDataLength.self,
        ],
        34: [
            0: LEWriteSuggestedDefaultDataLength.self, 1: LEReadLocalP256PublicKey.self, 2: LEGenerateDHKey.self,
            3: LEAddDeviceToResolvingList.self, 4: LERemoveDeviceFromResolvingList.self, 5: LEClearResolvingList.self,
            6: LEReadResolvingListSize.self, 7: LEReadPeerResolvableAddress.self,
        ],
        35: [
            0: LEReadLocalResolvableAddress.self, 1: LESetAddressResolutionEnable.self,
            2: LESetResolvablePrivateAddressTimeout.self, 3: LEReadMaximumDataLength.self, 4: LEReadPHY.self,
            5: LESetDefaultPHY.self, 6: LESetPHY.self,
        ],
        36: [
            1: LESetAdvertisingSetRandomAddress.self, 2: LESetExtendedAdvertisingParameters.self,
            3: LESetExtendedAdvertisingData.self, 4: LESetExtendedScanResponseData.self,
            5: LESetExtendedAdvertisingEnable.self, 6: LEReadMaximumAdvertisingDataLength.self,
            7: LEReadNumberOfSupportedAdvertisingSets.self,
        ],
        37: [
            0: LERemoveAdvertisingSet.self, 1: LEClearAdvertisingSets.self, 5: LESetExtendedScanParameters.self,
            6: LESetExtendedScanEnable.self, 7: LEExtendedCreateConnection.self,
        ],
        38: [7: LEReadTransmitPower.self],
        39: [0: LEReadRFPathCompensation.self, 1: LEWriteRFPathCompensation.self, 2: LESetPrivacyMode.self],
        41: [2: LEGenerateDHKeyV2.self, 5: LEReadBufferSizeV2.self],
        44: [1: LESetHostFeature.self],
        46: [2: LESetExtendedAdvertisingParametersV2.self],
    ]

    @Test("each command has its octet and bit in the bitmap")
    func commands() {
        for (octet, commands) in Self.places {
            for (bit, command) in commands {
                var bytes = ByteBuffer()
                SupportedCommands([command]).write(into: &bytes)
                var expected = [UInt8](repeating: 0, count: 64)
                expected[octet] = 1 << bit
                #expect(Array(bytes.readableBytesView) == expected, "\(command)")
            }
        }
        #expect(Self.places.values.reduce(0) { $0 + $1.count } == HCICommandTable.entries.count { $0.bit != nil })
    }

    /// The LE features in the order of their bits (Vol 6, Part B, 4.6).
    private static let features: [LEFeatures] = [
        .encryption, .connectionParametersRequest, .extendedRejectIndication, .peripheralInitiatedFeaturesExchange,
        .ping, .dataPacketLengthExtension, .privacy, .extendedScannerFilterPolicies, .phy2M,
        .stableModulationIndexTransmitter, .stableModulationIndexReceiver, .phyCoded, .extendedAdvertising,
        .periodicAdvertising, .channelSelectionAlgorithm2, .powerClass1, .minimumUsedChannels, .connectionCTERequest,
        .connectionCTEResponse, .connectionlessCTETransmitter, .connectionlessCTEReceiver,
        .antennaSwitchingDuringTransmission, .antennaSwitchingDuringReception, .receivingConstantToneExtensions,
        .periodicAdvertisingSyncTransferSender, .periodicAdvertisingSyncTransferRecipient, .sleepClockAccuracyUpdates,
        .remotePublicKeyValidation, .connectedIsochronousStreamCentral, .connectedIsochronousStreamPeripheral,
        .isochronousBroadcaster, .synchronizedReceiver, .connectedIsochronousStreamHostSupport, .powerControlRequest,
        .powerControlRequestSecondBit, .pathLossMonitoring, .periodicAdvertisingADI, .connectionSubrating,
        .connectionSubratingHostSupport, .channelClassification, .advertisingCodingSelection,
        .advertisingCodingSelectionHostSupport, .decisionBasedAdvertisingFiltering,
        .periodicAdvertisingWithResponsesAdvertiser, .periodicAdvertisingWithResponsesScanner, .unsegmentedFramedMode,
        .channelSounding, .channelSoundingHostSupport,
    ]

    @Test("each feature has its bit")
    func features() {
        for (bit, feature) in Self.features.enumerated() { #expect(feature.rawValue == 1 << bit, "bit \(bit)") }
        // (Vol 2, Part C, 3.3; Vol 4, Part E, 7.8.27.)
        #expect(LMPFeatures.bredrNotSupported.rawValue == 1 << 37)
        #expect(LMPFeatures.leSupported.rawValue == 1 << 38)
        #expect(LMPFeatures.simultaneousLEAndBREDR.rawValue == 1 << 49)
        let states: [LEStates] = [
            .nonConnectableAdvertising, .scannableAdvertising, .connectableAdvertising,
            .highDutyCycleDirectedAdvertising, .passiveScanning, .activeScanning, .initiating, .peripheral,
        ]
        for (bit, state) in states.enumerated() { #expect(state.rawValue == 1 << bit, "bit \(bit)") }
    }
}
