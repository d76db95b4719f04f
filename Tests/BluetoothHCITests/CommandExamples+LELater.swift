// Examples of LE Controller commands: Vol 4, Part E, from 7.8.31 on, the commands of later versions.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHCI

extension CommandExample {
    /// LE Controller commands of versions after 4.0 (Vol 4, Part E, from 7.8.31 on).
    static let leLater: [CommandExample] = [
        CommandExample(
            0x2020,
            LERemoteConnectionParameterRequestReply(handle: handle, parameters: connectionParameters),
            "23 01 18 00 28 00 04 00 F4 01 02 00 03 00"
        ),
        CommandExample(0x2021, LERemoteConnectionParameterRequestNegativeReply(handle: handle), "23 01 3B"),
        CommandExample(
            0x2022,
            LESetDataLength(handle: handle, transmitOctets: 251, transmitTime: 2120),
            "23 01 FB 00 48 08"
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
            "FB 00 48 08"
        ),
        CommandExample(status: 0x2025, LEReadLocalP256PublicKey(), ""),
        CommandExample(
            status: 0x2026,
            LEGenerateDHKey(x: x, y: y),
            "00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
        ),
        CommandExample(
            0x2027,
            LEAddDeviceToResolvingList(
                peer: address,
                peerIdentityResolvingKey: key,
                localIdentityResolvingKey: otherKey
            ),
            "01 56 34 12 EE FF C0 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F"
        ),
        CommandExample(0x2028, LERemoveDeviceFromResolvingList(peer: publicAddress), "00 55 44 33 22 11 00"),
        CommandExample(0x2029, LEClearResolvingList(), ""),
        CommandExample(0x202A, LEReadResolvingListSize(), "", returns: .init(size: 8), "00 08"),
        CommandExample(
            0x202B,
            LEReadPeerResolvableAddress(peer: publicAddress),
            "00 55 44 33 22 11 00",
            returns: .init(address: address),
            "00 56 34 12 EE FF C0"
        ),
        CommandExample(
            0x202C,
            LEReadLocalResolvableAddress(peer: publicAddress),
            "00 55 44 33 22 11 00",
            returns: .init(address: address),
            "00 56 34 12 EE FF C0"
        ),
        CommandExample(0x202D, LESetAddressResolutionEnable(isEnabled: true), "01"),
        CommandExample(
            0x202E,
            LESetResolvablePrivateAddressTimeout(timeout: ResolvablePrivateAddressTimeout(.minutes(15))),
            "84 03"
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
            LEReadPHY(handle: handle),
            "23 01",
            returns: .init(handle: handle, transmitter: .le2M, receiver: .leCoded),
            "00 23 01 02 03"
        ),
        CommandExample(
            0x2031,
            LESetDefaultPHY(preference: PHYPreference(transmitter: nil, receiver: [.le1M, .leCoded])),
            "01 00 05"
        ),
        CommandExample(
            status: 0x2032,
            LESetPHY(handle: handle, preference: PHYPreference(transmitter: .le2M, receiver: nil), options: .prefersS8),
            "23 01 02 02 00 02 00"
        ),
        CommandExample(
            0x2035,
            LESetAdvertisingSetRandomAddress(advertisingHandle: .init(rawValue: 5), address: address),
            "05 56 34 12 EE FF C0"
        ),
        CommandExample(
            0x2036,
            advertising,
            "05 41 00 45 23 01 DE BC 0A 02 01 01 56 34 12 EE FF C0 01 FD 03 07 02 0C 01",
            returns: .init(selectedTxPower: -4),
            "00 FC"
        ),
        CommandExample(
            0x2037,
            LESetExtendedAdvertisingData(
                advertisingHandle: .init(rawValue: 5),
                operation: .firstFragment,
                fragmentPreference: 0,
                data: ByteBuffer(hex: "02 01 06")
            ),
            "05 01 00 03 02 01 06"
        ),
        CommandExample(
            0x2038,
            LESetExtendedScanResponseData(advertisingHandle: .init(rawValue: 5), data: ByteBuffer(hex: "03 09 48 69")),
            "05 03 01 04 03 09 48 69"
        ),
        CommandExample(
            0x2039,
            LESetExtendedAdvertisingEnable(
                isEnabled: true,
                sets: [
                    .init(
                        handle: .init(rawValue: 1),
                        duration: AdvertisingDuration(.milliseconds(500)),
                        maximumEvents: 9
                    ), .init(handle: .init(rawValue: 2)),
                ]
            ),
            "01 02 01 32 00 09 02 00 00 00"
        ),
        CommandExample(0x203A, LEReadMaximumAdvertisingDataLength(), "", returns: .init(length: 1650), "00 72 06"),
        CommandExample(0x203B, LEReadNumberOfSupportedAdvertisingSets(), "", returns: .init(count: 10), "00 0A"),
        CommandExample(0x203C, LERemoveAdvertisingSet(advertisingHandle: .init(rawValue: 5)), "05"),
        CommandExample(0x203D, LEClearAdvertisingSets(), ""),
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
            "01 02 05 00 60 00 30 00 01 FF FF 02 01"
        ),
        CommandExample(
            0x2042,
            LESetExtendedScanEnable(
                isEnabled: true,
                filterDuplicates: .resetEachPeriod,
                duration: AdvertisingDuration(.seconds(1)),
                period: ScanPeriod(rawValue: 2)
            ),
            "01 02 64 00 02 00"
        ),
        CommandExample(
            status: 0x2043,
            LEExtendedCreateConnection(
                filterPolicy: .acceptList,
                ownAddressType: .resolvableOrPublic,
                peer: address,
                le1M: initiating(0x0060),
                le2M: nil,
                leCoded: initiating(0x0080)
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
            "00 FB 00 05"
        ),
        CommandExample(0x204E, LESetPrivacyMode(peer: address, mode: .device), "01 56 34 12 EE FF C0 01"),
        CommandExample(
            status: 0x205E,
            LEGenerateDHKeyV2(x: x, y: y, keyType: .debug),
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
        CommandExample(0x2074, LESetHostFeature(bit: 32, isSupported: true), "20 01"),
        CommandExample(
            0x207F,
            LESetExtendedAdvertisingParametersV2(
                parameters: advertising,
                primaryPHYOptions: .requiresS2,
                secondaryPHYOptions: .prefersS8
            ),
            "05 41 00 45 23 01 DE BC 0A 02 01 01 56 34 12 EE FF C0 01 FD 03 07 02 0C 01 03 02",
            returns: .init(selectedTxPower: -4),
            "00 FC"
        ),
    ]
}
