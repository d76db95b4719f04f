// All commands of this module, with their bits in the bitmap of supported commands (Vol 4, Part E, 6.27). The bitmap,
// the one-line descriptions of captures, and the round-trip tests use this table, so that no command is forgotten.

/// The commands that this module declares.
public enum HCICommandTable {
    /// A command and its bit in the bitmap of supported commands; `nil` if it has none.
    package struct Entry: Sendable {
        package let command: any HCICommand.Type
        package let bit: SupportedCommands.Bit?

        init(_ command: any HCICommand.Type, _ octet: Int, _ bit: Int) {
            self.command = command
            self.bit = SupportedCommands.Bit(octet: octet, bit: bit)
        }

        init(_ command: any HCICommand.Type) {
            self.command = command
            self.bit = nil
        }
    }

    /// All commands, in the order of the bitmap.
    package static let entries: [Entry] = [
        Entry(Disconnect.self, 0, 5),
        Entry(ReadRemoteVersionInformation.self, 2, 7),
        Entry(SetEventMask.self, 5, 6),
        Entry(Reset.self, 5, 7),
        Entry(ReadTransmitPowerLevel.self, 10, 2),
        Entry(SetControllerToHostFlowControl.self, 10, 5),
        Entry(HostBufferSize.self, 10, 6),
        Entry(HostNumberOfCompletedPackets.self, 10, 7),
        Entry(ReadLocalVersionInformation.self, 14, 3),
        Entry(ReadLocalSupportedFeatures.self, 14, 5),
        Entry(ReadBufferSize.self, 14, 7),
        Entry(ReadBDADDR.self, 15, 1),
        Entry(ReadRSSI.self, 15, 5),
        Entry(SetEventMaskPage2.self, 22, 2),
        Entry(ReadLEHostSupport.self, 24, 5),
        Entry(WriteLEHostSupport.self, 24, 6),
        Entry(LESetEventMask.self, 25, 0),
        Entry(LEReadBufferSize.self, 25, 1),
        Entry(LEReadLocalSupportedFeatures.self, 25, 2),
        Entry(LESetRandomAddress.self, 25, 4),
        Entry(LESetAdvertisingParameters.self, 25, 5),
        Entry(LEReadAdvertisingChannelTxPower.self, 25, 6),
        Entry(LESetAdvertisingData.self, 25, 7),
        Entry(LESetScanResponseData.self, 26, 0),
        Entry(LESetAdvertisingEnable.self, 26, 1),
        Entry(LESetScanParameters.self, 26, 2),
        Entry(LESetScanEnable.self, 26, 3),
        Entry(LECreateConnection.self, 26, 4),
        Entry(LECreateConnectionCancel.self, 26, 5),
        Entry(LEReadFilterAcceptListSize.self, 26, 6),
        Entry(LEClearFilterAcceptList.self, 26, 7),
        Entry(LEAddDeviceToFilterAcceptList.self, 27, 0),
        Entry(LERemoveDeviceFromFilterAcceptList.self, 27, 1),
        Entry(LEConnectionUpdate.self, 27, 2),
        Entry(LESetHostChannelClassification.self, 27, 3),
        Entry(LEReadChannelMap.self, 27, 4),
        Entry(LEReadRemoteFeatures.self, 27, 5),
        Entry(LEEncrypt.self, 27, 6),
        Entry(LERand.self, 27, 7),
        Entry(LEEnableEncryption.self, 28, 0),
        Entry(LELongTermKeyRequestReply.self, 28, 1),
        Entry(LELongTermKeyRequestNegativeReply.self, 28, 2),
        Entry(LEReadSupportedStates.self, 28, 3),
        Entry(ReadAuthenticatedPayloadTimeout.self, 32, 4),
        Entry(WriteAuthenticatedPayloadTimeout.self, 32, 5),
        Entry(LERemoteConnectionParameterRequestReply.self, 33, 4),
        Entry(LERemoteConnectionParameterRequestNegativeReply.self, 33, 5),
        Entry(LESetDataLength.self, 33, 6),
        Entry(LEReadSuggestedDefaultDataLength.self, 33, 7),
        Entry(LEWriteSuggestedDefaultDataLength.self, 34, 0),
        Entry(LEReadLocalP256PublicKey.self, 34, 1),
        Entry(LEGenerateDHKey.self, 34, 2),
        Entry(LEAddDeviceToResolvingList.self, 34, 3),
        Entry(LERemoveDeviceFromResolvingList.self, 34, 4),
        Entry(LEClearResolvingList.self, 34, 5),
        Entry(LEReadResolvingListSize.self, 34, 6),
        Entry(LEReadPeerResolvableAddress.self, 34, 7),
        Entry(LEReadLocalResolvableAddress.self, 35, 0),
        Entry(LESetAddressResolutionEnable.self, 35, 1),
        Entry(LESetResolvablePrivateAddressTimeout.self, 35, 2),
        Entry(LEReadMaximumDataLength.self, 35, 3),
        Entry(LEReadPHY.self, 35, 4),
        Entry(LESetDefaultPHY.self, 35, 5),
        Entry(LESetPHY.self, 35, 6),
        Entry(LESetAdvertisingSetRandomAddress.self, 36, 1),
        Entry(LESetExtendedAdvertisingParameters.self, 36, 2),
        Entry(LESetExtendedAdvertisingData.self, 36, 3),
        Entry(LESetExtendedScanResponseData.self, 36, 4),
        Entry(LESetExtendedAdvertisingEnable.self, 36, 5),
        Entry(LEReadMaximumAdvertisingDataLength.self, 36, 6),
        Entry(LEReadNumberOfSupportedAdvertisingSets.self, 36, 7),
        Entry(LERemoveAdvertisingSet.self, 37, 0),
        Entry(LEClearAdvertisingSets.self, 37, 1),
        Entry(LESetExtendedScanParameters.self, 37, 5),
        Entry(LESetExtendedScanEnable.self, 37, 6),
        Entry(LEExtendedCreateConnection.self, 37, 7),
        Entry(LEReadTransmitPower.self, 38, 7),
        Entry(LEReadRFPathCompensation.self, 39, 0),
        Entry(LEWriteRFPathCompensation.self, 39, 1),
        Entry(LESetPrivacyMode.self, 39, 2),
        Entry(LEGenerateDHKeyV2.self, 41, 2),
        Entry(LEReadBufferSizeV2.self, 41, 5),
        Entry(LESetHostFeature.self, 44, 1),
        Entry(LESetExtendedAdvertisingParametersV2.self, 46, 2),
        Entry(ReadLocalSupportedCommands.self),
        Entry(AirSetDistance.self),
        Entry(AirSetPosition.self),
    ]

    private static let byOpcode: [HCIOpcode: Entry] = Dictionary(
        uniqueKeysWithValues: Self.entries.map { ($0.command.opcode, $0) }
    )

    /// The command with an opcode; `nil` if it is not declared here.
    package static func command(_ opcode: HCIOpcode) -> (any HCICommand.Type)? { self.byOpcode[opcode]?.command }

    /// The position of a command in the bitmap.
    package static func bit(of opcode: HCIOpcode) -> SupportedCommands.Bit? { self.byOpcode[opcode]?.bit }
}
