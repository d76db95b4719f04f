// Every command: octets as the specification lays them out, read back to the same value, and the answer likewise. The
// octets were written by hand from the tables of Vol 4, Part E, 7.1 to 7.8.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHCI

private enum Sample {
    static let connectionParameters = ConnectionParameters(
        minimumInterval: ConnectionInterval(.milliseconds(30)),
        maximumInterval: ConnectionInterval(.milliseconds(50)),
        latency: 4,
        supervisionTimeout: SupervisionTimeout(.seconds(5)),
        minimumEventLength: ConnectionEventLength(rawValue: 2),
        maximumEventLength: ConnectionEventLength(rawValue: 3)
    )

    static let advertising = LESetExtendedAdvertisingParameters(
        advertisingHandle: AdvertisingHandle(rawValue: 0x05),
        properties: [.connectable, .includeTxPower],
        minimumInterval: ExtendedAdvertisingInterval(rawValue: 0x012345),
        maximumInterval: ExtendedAdvertisingInterval(rawValue: 0x0ABCDE),
        channels: [.channel38],
        ownAddressType: .random,
        peer: DeviceAddress(0xC0FF_EE12_3456, kind: .random),
        filterPolicy: .scanFromAcceptList,
        txPower: -3,
        primaryPHY: .leCoded,
        secondaryMaximumSkip: 7,
        secondaryPHY: .le2M,
        setIdentifier: 0x0C,
        notifiesScanRequests: true
    )

    static func initiating(_ interval: UInt16) -> LEExtendedCreateConnection.PHYParameters {
        .init(
            scanInterval: ExtendedScanInterval(rawValue: interval),
            scanWindow: ExtendedScanInterval(rawValue: 0x0030),
            parameters: Self.connectionParameters
        )
    }
}

extension CommandExample {
    static let all = Self.general + Self.leSmall + Self.leLarge

    private static let general: [CommandExample] = [
        CommandExample(
            status: 0x0406,
            Disconnect(handle: ConnectionHandle(rawValue: 0x0123), reason: .remoteUserTerminated),
            "23 01 13"
        ),
        CommandExample(
            status: 0x041D,
            ReadRemoteVersionInformation(handle: ConnectionHandle(rawValue: 0x0123)),
            "23 01"
        ),
        CommandExample(
            0x0C01,
            SetEventMask(mask: EventMask([.disconnectionComplete, .encryptionChange, .hardwareError, .leMeta])),
            "90 80 00 00 00 00 00 20",
            returns: .init(),
            "00"
        ),
        CommandExample(0x0C03, Reset(), "", returns: .init(), "00"),
        CommandExample(
            0x0C2D,
            ReadTransmitPowerLevel(handle: ConnectionHandle(rawValue: 0x0123), type: .maximum),
            "23 01 01",
            returns: .init(handle: ConnectionHandle(rawValue: 0x0123), level: -7),
            "00 23 01 F9"
        ),
        CommandExample(0x0C31, SetControllerToHostFlowControl(mode: .acl), "01", returns: .init(), "00"),
        CommandExample(
            0x0C33,
            HostBufferSize(
                aclDataPacketLength: 0x0200,
                synchronousDataPacketLength: 0x40,
                aclDataPacketCount: 0x0010,
                synchronousDataPacketCount: 0x0003
            ),
            "00 02 40 10 00 03 00",
            returns: .init(),
            "00"
        ),
        CommandExample(
            0x0C35,
            HostNumberOfCompletedPackets(
                completed: CompletedPackets([
                    .init(handle: ConnectionHandle(rawValue: 0x0123), count: 2),
                    .init(handle: ConnectionHandle(rawValue: 0x0EFF), count: 0x0102),
                ])
            ),
            "02 23 01 02 00 FF 0E 02 01",
            returns: .init(),
            "00"
        ),
        CommandExample(
            0x0C63,
            SetEventMaskPage2(mask: EventMaskPage2([.authenticatedPayloadTimeoutExpired, .encryptionChangeV2])),
            "00 00 80 02 00 00 00 00",
            returns: .init(),
            "00"
        ),
        CommandExample(0x0C6C, ReadLEHostSupport(), "", returns: .init(isLESupported: true), "00 01 00"),
        CommandExample(0x0C6D, WriteLEHostSupport(isLESupported: true), "01 00", returns: .init(), "00"),
        CommandExample(
            0x0C7B,
            ReadAuthenticatedPayloadTimeout(handle: ConnectionHandle(rawValue: 0x0123)),
            "23 01",
            returns: .init(
                handle: ConnectionHandle(rawValue: 0x0123),
                timeout: AuthenticatedPayloadTimeout(.seconds(30))
            ),
            "00 23 01 B8 0B"
        ),
        CommandExample(
            0x0C7C,
            WriteAuthenticatedPayloadTimeout(
                handle: ConnectionHandle(rawValue: 0x0123),
                timeout: AuthenticatedPayloadTimeout(.seconds(30))
            ),
            "23 01 B8 0B",
            returns: .init(handle: ConnectionHandle(rawValue: 0x0123)),
            "00 23 01"
        ),
        CommandExample(
            0x1001,
            ReadLocalVersionInformation(),
            "",
            returns: .init(
                hciVersion: .v5_4,
                hciSubversion: 0x1122,
                linkLayerVersion: .v5_3,
                company: 0x05F1,
                linkLayerSubversion: 0x3344
            ),
            "00 0D 22 11 0C F1 05 44 33"
        ),
        CommandExample(
            0x1002,
            ReadLocalSupportedCommands(),
            "",
            returns: .init(
                commands: SupportedCommands([
                    Disconnect.self, Reset.self, LERand.self, LESetExtendedAdvertisingParametersV2.self,
                ])
            ),
            "00 20 00 00 00 00 80 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 04 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
        ),
        CommandExample(
            0x1003,
            ReadLocalSupportedFeatures(),
            "",
            returns: .init(features: [.bredrNotSupported, .leSupported]),
            "00 00 00 00 00 60 00 00 00"
        ),
        CommandExample(
            0x1005,
            ReadBufferSize(),
            "",
            returns: .init(
                aclDataPacketLength: 0x03FD,
                synchronousDataPacketLength: 0x40,
                aclDataPacketCount: 0x0008,
                synchronousDataPacketCount: 0x0004
            ),
            "00 FD 03 40 08 00 04 00"
        ),
        CommandExample(
            0x1009,
            ReadBDADDR(),
            "",
            returns: .init(address: DeviceAddress(0x0011_2233_4455, kind: .public)),
            "00 55 44 33 22 11 00"
        ),
        CommandExample(
            0x1405,
            ReadRSSI(handle: ConnectionHandle(rawValue: 0x0123)),
            "23 01",
            returns: .init(handle: ConnectionHandle(rawValue: 0x0123), rssi: -61),
            "00 23 01 C3"
        ),
        CommandExample(0xFCD1, AirSetDistance(centimetres: 3000), "B8 0B 00 00", returns: .init(), "00"),
    ]

    private static let leSmall: [CommandExample] = [
        CommandExample(
            0x2001,
            LESetEventMask(
                mask: LEEventMask([
                    .connectionComplete, .advertisingReport, .enhancedConnectionComplete, .channelSelectionAlgorithm,
                    .enhancedConnectionCompleteV2,
                ])
            ),
            "03 02 08 00 00 01 00 00",
            returns: .init(),
            "00"
        ),
        CommandExample(
            0x2002,
            LEReadBufferSize(),
            "",
            returns: .init(aclDataPacketLength: 0x00FB, aclDataPacketCount: 12),
            "00 FB 00 0C"
        ),
        CommandExample(
            0x2003,
            LEReadLocalSupportedFeatures(),
            "",
            returns: .init(features: [.encryption, .ping, .phy2M, .extendedAdvertising, .channelSelectionAlgorithm2]),
            "00 11 51 00 00 00 00 00 00"
        ),
        CommandExample(
            0x2005,
            LESetRandomAddress(address: DeviceAddress(0xC0FF_EE12_3456, kind: .random)),
            "56 34 12 EE FF C0",
            returns: .init(),
            "00"
        ),
        CommandExample(
            0x2006,
            LESetAdvertisingParameters(
                minimumInterval: AdvertisingInterval(.milliseconds(100)),
                maximumInterval: AdvertisingInterval(.milliseconds(150)),
                type: .connectableDirectedLowDutyCycle,
                ownAddressType: .random,
                peer: DeviceAddress(0xC0FF_EE12_3456, kind: .random),
                channels: [.channel37, .channel39],
                filterPolicy: .acceptList
            ),
            "A0 00 F0 00 04 01 01 56 34 12 EE FF C0 05 03",
            returns: .init(),
            "00"
        ),
        CommandExample(0x2007, LEReadAdvertisingChannelTxPower(), "", returns: .init(level: 9), "00 09"),
        CommandExample(
            0x2008,
            LESetAdvertisingData(data: ByteBuffer(hex: "02 01 06 03 03 0D 18")),
            "07 02 01 06 03 03 0D 18 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
            returns: .init(),
            "00"
        ),
        CommandExample(
            0x2009,
            LESetScanResponseData(data: ByteBuffer(hex: "03 09 48 69")),
            "04 03 09 48 69 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
            returns: .init(),
            "00"
        ),
        CommandExample(0x200A, LESetAdvertisingEnable(isEnabled: true), "01", returns: .init(), "00"),
        CommandExample(
            0x200B,
            LESetScanParameters(
                type: .active,
                interval: ScanInterval(.milliseconds(60)),
                window: ScanInterval(.milliseconds(30)),
                ownAddressType: .resolvableOrRandom,
                filterPolicy: .acceptList
            ),
            "01 60 00 30 00 03 01",
            returns: .init(),
            "00"
        ),
        CommandExample(
            0x200C,
            LESetScanEnable(isEnabled: true, filterDuplicates: .on),
            "01 01",
            returns: .init(),
            "00"
        ),
        CommandExample(
            status: 0x200D,
            LECreateConnection(
                scanInterval: ScanInterval(rawValue: 0x0060),
                scanWindow: ScanInterval(rawValue: 0x0030),
                filterPolicy: .peer,
                peer: DeviceAddress(0xC0FF_EE12_3456, kind: .random),
                ownAddressType: .public,
                parameters: Sample.connectionParameters
            ),
            "60 00 30 00 00 01 56 34 12 EE FF C0 00 18 00 28 00 04 00 F4 01 02 00 03 00"
        ),
        CommandExample(0x200E, LECreateConnectionCancel(), "", returns: .init(), "00"),
        CommandExample(0x200F, LEReadFilterAcceptListSize(), "", returns: .init(size: 16), "00 10"),
        CommandExample(0x2010, LEClearFilterAcceptList(), "", returns: .init(), "00"),
        CommandExample(
            0x2011,
            LEAddDeviceToFilterAcceptList(entry: .device(DeviceAddress(0xC0FF_EE12_3456, kind: .random))),
            "01 56 34 12 EE FF C0",
            returns: .init(),
            "00"
        ),
        CommandExample(
            0x2012,
            LERemoveDeviceFromFilterAcceptList(entry: .anonymous),
            "FF 00 00 00 00 00 00",
            returns: .init(),
            "00"
        ),
        CommandExample(
            status: 0x2013,
            LEConnectionUpdate(handle: ConnectionHandle(rawValue: 0x0123), parameters: Sample.connectionParameters),
            "23 01 18 00 28 00 04 00 F4 01 02 00 03 00"
        ),
        CommandExample(
            0x2014,
            LESetHostChannelClassification(channels: ChannelMap(rawValue: 0x1E_0000_00FF)),
            "FF 00 00 00 1E",
            returns: .init(),
            "00"
        ),
        CommandExample(
            0x2015,
            LEReadChannelMap(handle: ConnectionHandle(rawValue: 0x0123)),
            "23 01",
            returns: .init(handle: ConnectionHandle(rawValue: 0x0123), channels: .all),
            "00 23 01 FF FF FF FF 1F"
        ),
        CommandExample(status: 0x2016, LEReadRemoteFeatures(handle: ConnectionHandle(rawValue: 0x0123)), "23 01"),
        CommandExample(
            0x2017,
            LEEncrypt(
                key: Octets16(high: 0x0F0E_0D0C_0B0A_0908, low: 0x0706_0504_0302_0100),
                plaintext: Octets16(high: 0x1F1E_1D1C_1B1A_1918, low: 0x1716_1514_1312_1110)
            ),
            "00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F",
            returns: .init(ciphertext: Octets16(high: 0x1F1E_1D1C_1B1A_1918, low: 0x1716_1514_1312_1110)),
            "00 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F"
        ),
        CommandExample(
            0x2018,
            LERand(),
            "",
            returns: .init(number: 0x0102_0304_0506_0708),
            "00 08 07 06 05 04 03 02 01"
        ),
        CommandExample(
            status: 0x2019,
            LEEnableEncryption(
                handle: ConnectionHandle(rawValue: 0x0123),
                random: 0x1122_3344_5566_7788,
                encryptedDiversifier: 0xABCD,
                longTermKey: Octets16(high: 0x0F0E_0D0C_0B0A_0908, low: 0x0706_0504_0302_0100)
            ),
            "23 01 88 77 66 55 44 33 22 11 CD AB 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"
        ),
        CommandExample(
            0x201A,
            LELongTermKeyRequestReply(
                handle: ConnectionHandle(rawValue: 0x0123),
                longTermKey: Octets16(high: 0x0F0E_0D0C_0B0A_0908, low: 0x0706_0504_0302_0100)
            ),
            "23 01 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F",
            returns: .init(handle: ConnectionHandle(rawValue: 0x0123)),
            "00 23 01"
        ),
        CommandExample(
            0x201B,
            LELongTermKeyRequestNegativeReply(handle: ConnectionHandle(rawValue: 0x0123)),
            "23 01",
            returns: .init(handle: ConnectionHandle(rawValue: 0x0123)),
            "00 23 01"
        ),
        CommandExample(0x201C, LEReadSupportedStates(), "", returns: .init(states: .all), "00 FF FF FF FF FF 03 00 00"),
    ]

    private static let leLarge: [CommandExample] = [
        CommandExample(
            0x2020,
            LERemoteConnectionParameterRequestReply(
                handle: ConnectionHandle(rawValue: 0x0123),
                parameters: Sample.connectionParameters
            ),
            "23 01 18 00 28 00 04 00 F4 01 02 00 03 00",
            returns: .init(handle: ConnectionHandle(rawValue: 0x0123)),
            "00 23 01"
        ),
        CommandExample(
            0x2021,
            LERemoteConnectionParameterRequestNegativeReply(handle: ConnectionHandle(rawValue: 0x0123)),
            "23 01 3B",
            returns: .init(handle: ConnectionHandle(rawValue: 0x0123)),
            "00 23 01"
        ),
        CommandExample(
            0x2022,
            LESetDataLength(handle: ConnectionHandle(rawValue: 0x0123), transmitOctets: 251, transmitTime: 2120),
            "23 01 FB 00 48 08",
            returns: .init(handle: ConnectionHandle(rawValue: 0x0123)),
            "00 23 01"
        ),
        CommandExample(
            0x2023,
            LEReadSuggestedDefaultDataLength(),
            "",
            returns: .init(transmitOctets: 251, transmitTime: 2120),
            "00 FB 00 48 08"
        ),
        CommandExample(
            0x2024,
            LEWriteSuggestedDefaultDataLength(transmitOctets: 251, transmitTime: 2120),
            "FB 00 48 08",
            returns: .init(),
            "00"
        ),
        CommandExample(status: 0x2025, LEReadLocalP256PublicKey(), ""),
        CommandExample(
            status: 0x2026,
            LEGenerateDHKey(
                x: Octets32(
                    high: Octets16(high: 0x1F1E_1D1C_1B1A_1918, low: 0x1716_1514_1312_1110),
                    low: Octets16(high: 0x0F0E_0D0C_0B0A_0908, low: 0x0706_0504_0302_0100)
                ),
                y: Octets32(high: .zero, low: Octets16(high: 0x1F1E_1D1C_1B1A_1918, low: 0x1716_1514_1312_1110))
            ),
            "00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
        ),
        CommandExample(
            0x2027,
            LEAddDeviceToResolvingList(
                peer: DeviceAddress(0xC0FF_EE12_3456, kind: .random),
                peerIdentityResolvingKey: Octets16(high: 0x0F0E_0D0C_0B0A_0908, low: 0x0706_0504_0302_0100),
                localIdentityResolvingKey: Octets16(high: 0x1F1E_1D1C_1B1A_1918, low: 0x1716_1514_1312_1110)
            ),
            "01 56 34 12 EE FF C0 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F",
            returns: .init(),
            "00"
        ),
        CommandExample(
            0x2028,
            LERemoveDeviceFromResolvingList(peer: DeviceAddress(0x0011_2233_4455, kind: .public)),
            "00 55 44 33 22 11 00",
            returns: .init(),
            "00"
        ),
        CommandExample(0x2029, LEClearResolvingList(), "", returns: .init(), "00"),
        CommandExample(0x202A, LEReadResolvingListSize(), "", returns: .init(size: 8), "00 08"),
        CommandExample(
            0x202B,
            LEReadPeerResolvableAddress(peer: DeviceAddress(0x0011_2233_4455, kind: .public)),
            "00 55 44 33 22 11 00",
            returns: .init(address: DeviceAddress(0xC0FF_EE12_3456, kind: .random)),
            "00 56 34 12 EE FF C0"
        ),
        CommandExample(
            0x202C,
            LEReadLocalResolvableAddress(peer: DeviceAddress(0x0011_2233_4455, kind: .public)),
            "00 55 44 33 22 11 00",
            returns: .init(address: DeviceAddress(0xC0FF_EE12_3456, kind: .random)),
            "00 56 34 12 EE FF C0"
        ),
        CommandExample(0x202D, LESetAddressResolutionEnable(isEnabled: true), "01", returns: .init(), "00"),
        CommandExample(
            0x202E,
            LESetResolvablePrivateAddressTimeout(timeout: ResolvablePrivateAddressTimeout(.minutes(15))),
            "84 03",
            returns: .init(),
            "00"
        ),
        CommandExample(
            0x202F,
            LEReadMaximumDataLength(),
            "",
            returns: .init(transmitOctets: 251, transmitTime: 17040, receiveOctets: 250, receiveTime: 2120),
            "00 FB 00 90 42 FA 00 48 08"
        ),
        CommandExample(
            0x2030,
            LEReadPHY(handle: ConnectionHandle(rawValue: 0x0123)),
            "23 01",
            returns: .init(handle: ConnectionHandle(rawValue: 0x0123), transmitter: .le2M, receiver: .leCoded),
            "00 23 01 02 03"
        ),
        CommandExample(
            0x2031,
            LESetDefaultPHY(preference: PHYPreference(transmitter: nil, receiver: [.le1M, .leCoded])),
            "01 00 05",
            returns: .init(),
            "00"
        ),
        CommandExample(
            status: 0x2032,
            LESetPHY(
                handle: ConnectionHandle(rawValue: 0x0123),
                preference: PHYPreference(transmitter: .le2M, receiver: nil),
                options: .prefersS8
            ),
            "23 01 02 02 00 02 00"
        ),
        CommandExample(
            0x2035,
            LESetAdvertisingSetRandomAddress(
                advertisingHandle: AdvertisingHandle(rawValue: 0x05),
                address: DeviceAddress(0xC0FF_EE12_3456, kind: .random)
            ),
            "05 56 34 12 EE FF C0",
            returns: .init(),
            "00"
        ),
        CommandExample(
            0x2036,
            Sample.advertising,
            "05 41 00 45 23 01 DE BC 0A 02 01 01 56 34 12 EE FF C0 01 FD 03 07 02 0C 01",
            returns: .init(selectedTxPower: -4),
            "00 FC"
        ),
        CommandExample(
            0x2037,
            LESetExtendedAdvertisingData(
                advertisingHandle: AdvertisingHandle(rawValue: 0x05),
                operation: .firstFragment,
                fragmentPreference: 0,
                data: ByteBuffer(hex: "02 01 06")
            ),
            "05 01 00 03 02 01 06",
            returns: .init(),
            "00"
        ),
        CommandExample(
            0x2038,
            LESetExtendedScanResponseData(
                advertisingHandle: AdvertisingHandle(rawValue: 0x05),
                data: ByteBuffer(hex: "03 09 48 69")
            ),
            "05 03 01 04 03 09 48 69",
            returns: .init(),
            "00"
        ),
        CommandExample(
            0x2039,
            LESetExtendedAdvertisingEnable(
                isEnabled: true,
                sets: [
                    .init(
                        handle: AdvertisingHandle(rawValue: 1),
                        duration: AdvertisingDuration(.milliseconds(500)),
                        maximumEvents: 9
                    ), .init(handle: AdvertisingHandle(rawValue: 2)),
                ]
            ),
            "01 02 01 32 00 09 02 00 00 00",
            returns: .init(),
            "00"
        ),
        CommandExample(0x203A, LEReadMaximumAdvertisingDataLength(), "", returns: .init(length: 1650), "00 72 06"),
        CommandExample(0x203B, LEReadNumberOfSupportedAdvertisingSets(), "", returns: .init(count: 10), "00 0A"),
        CommandExample(
            0x203C,
            LERemoveAdvertisingSet(advertisingHandle: AdvertisingHandle(rawValue: 5)),
            "05",
            returns: .init(),
            "00"
        ),
        CommandExample(0x203D, LEClearAdvertisingSets(), "", returns: .init(), "00"),
        CommandExample(
            0x2041,
            LESetExtendedScanParameters(
                ownAddressType: .random,
                filterPolicy: .allAndUnresolvedDirected,
                le1M: .init(
                    type: .passive,
                    interval: ExtendedScanInterval(rawValue: 0x0060),
                    window: ExtendedScanInterval(rawValue: 0x0030)
                ),
                leCoded: .init(
                    type: .active,
                    interval: ExtendedScanInterval(rawValue: 0xFFFF),
                    window: ExtendedScanInterval(rawValue: 0x0102)
                )
            ),
            "01 02 05 00 60 00 30 00 01 FF FF 02 01",
            returns: .init(),
            "00"
        ),
        CommandExample(
            0x2042,
            LESetExtendedScanEnable(
                isEnabled: true,
                filterDuplicates: .resetEachPeriod,
                duration: AdvertisingDuration(.seconds(1)),
                period: ScanPeriod(rawValue: 2)
            ),
            "01 02 64 00 02 00",
            returns: .init(),
            "00"
        ),
        CommandExample(
            status: 0x2043,
            LEExtendedCreateConnection(
                filterPolicy: .acceptList,
                ownAddressType: .resolvableOrPublic,
                peer: DeviceAddress(0xC0FF_EE12_3456, kind: .random),
                le1M: Sample.initiating(0x0060),
                le2M: nil,
                leCoded: Sample.initiating(0x0080)
            ),
            "01 02 01 56 34 12 EE FF C0 05 60 00 30 00 18 00 28 00 04 00 F4 01 02 00 03 00 80 00 30 00 18 00 28 00 04 00 F4 01 02 00 03 00"
        ),
        CommandExample(0x204B, LEReadTransmitPower(), "", returns: .init(minimum: -20, maximum: 10), "00 EC 0A"),
        CommandExample(
            0x204C,
            LEReadRFPathCompensation(),
            "",
            returns: .init(transmitCompensation: -1280, receiveCompensation: 1280),
            "00 00 FB 00 05"
        ),
        CommandExample(
            0x204D,
            LEWriteRFPathCompensation(transmitCompensation: -1280, receiveCompensation: 1280),
            "00 FB 00 05",
            returns: .init(),
            "00"
        ),
        CommandExample(
            0x204E,
            LESetPrivacyMode(peer: DeviceAddress(0xC0FF_EE12_3456, kind: .random), mode: .device),
            "01 56 34 12 EE FF C0 01",
            returns: .init(),
            "00"
        ),
        CommandExample(
            status: 0x205E,
            LEGenerateDHKeyV2(
                x: Octets32(
                    high: Octets16(high: 0x1F1E_1D1C_1B1A_1918, low: 0x1716_1514_1312_1110),
                    low: Octets16(high: 0x0F0E_0D0C_0B0A_0908, low: 0x0706_0504_0302_0100)
                ),
                y: Octets32(high: .zero, low: Octets16(high: 0x1F1E_1D1C_1B1A_1918, low: 0x1716_1514_1312_1110)),
                keyType: .debug
            ),
            "00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01"
        ),
        CommandExample(
            0x2060,
            LEReadBufferSizeV2(),
            "",
            returns: .init(
                aclDataPacketLength: 0x00FB,
                aclDataPacketCount: 12,
                isochronousDataPacketLength: 0x0102,
                isochronousDataPacketCount: 3
            ),
            "00 FB 00 0C 02 01 03"
        ),
        CommandExample(0x2074, LESetHostFeature(bit: 32, isSupported: true), "20 01", returns: .init(), "00"),
        CommandExample(
            0x207F,
            LESetExtendedAdvertisingParametersV2(
                parameters: Sample.advertising,
                primaryPHYOptions: .requiresS2,
                secondaryPHYOptions: .prefersS8
            ),
            "05 41 00 45 23 01 DE BC 0A 02 01 01 56 34 12 EE FF C0 01 FD 03 07 02 0C 01 03 02",
            returns: .init(selectedTxPower: -4),
            "00 FC"
        ),
    ]
}
