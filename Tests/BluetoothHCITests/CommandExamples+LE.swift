// Examples of LE Controller commands: Vol 4, Part E, 7.8.1 to 7.8.27, the commands of version 4.0.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHCI

extension CommandExample {
    /// LE Controller commands of version 4.0 (Vol 4, Part E, 7.8.1 to 7.8.27).
    static let le: [CommandExample] = [
        CommandExample(
            0x2001,
            LESetEventMask(
                mask: LEEventMask([
                    .connectionComplete, .advertisingReport, .enhancedConnectionComplete, .channelSelectionAlgorithm,
                    .enhancedConnectionCompleteV2,
                ])
            ),
            "03 02 08 00 00 01 00 00"
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
        CommandExample(0x2005, LESetRandomAddress(address: address), "56 34 12 EE FF C0"),
        CommandExample(
            0x2006,
            LESetAdvertisingParameters(
                minimumInterval: AdvertisingInterval(.milliseconds(100)),
                maximumInterval: AdvertisingInterval(.milliseconds(150)),
                type: .connectableDirectedLowDutyCycle,
                ownAddressType: .random,
                peer: address,
                channels: [.channel37, .channel39],
                filterPolicy: .acceptList
            ),
            "A0 00 F0 00 04 01 01 56 34 12 EE FF C0 05 03"
        ),
        CommandExample(0x2007, LEReadAdvertisingChannelTxPower(), "", returns: .init(level: 9), "00 09"),
        CommandExample(
            0x2008,
            LESetAdvertisingData(data: ByteBuffer(hex: "02 01 06 03 03 0D 18")),
            "07 02 01 06 03 03 0D 18 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
        ),
        CommandExample(
            0x2009,
            LESetScanResponseData(data: ByteBuffer(hex: "03 09 48 69")),
            "04 03 09 48 69 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
        ),
        CommandExample(0x200A, LESetAdvertisingEnable(isEnabled: true), "01"),
        CommandExample(
            0x200B,
            LESetScanParameters(
                type: .active,
                interval: ScanInterval(.milliseconds(60)),
                window: ScanInterval(.milliseconds(30)),
                ownAddressType: .resolvableOrRandom,
                filterPolicy: .acceptList
            ),
            "01 60 00 30 00 03 01"
        ),
        CommandExample(0x200C, LESetScanEnable(isEnabled: true, filterDuplicates: .on), "01 01"),
        CommandExample(
            status: 0x200D,
            LECreateConnection(
                scanInterval: ScanInterval(rawValue: 0x0060),
                scanWindow: ScanInterval(rawValue: 0x0030),
                filterPolicy: .peer,
                peer: address,
                ownAddressType: .public,
                parameters: connectionParameters
            ),
            "60 00 30 00 00 01 56 34 12 EE FF C0 00 18 00 28 00 04 00 F4 01 02 00 03 00"
        ),
        CommandExample(0x200E, LECreateConnectionCancel(), ""),
        CommandExample(0x200F, LEReadFilterAcceptListSize(), "", returns: .init(size: 16), "00 10"),
        CommandExample(0x2010, LEClearFilterAcceptList(), ""),
        CommandExample(0x2011, LEAddDeviceToFilterAcceptList(entry: .device(address)), "01 56 34 12 EE FF C0"),
        CommandExample(0x2012, LERemoveDeviceFromFilterAcceptList(entry: .anonymous), "FF 00 00 00 00 00 00"),
        CommandExample(
            status: 0x2013,
            LEConnectionUpdate(handle: handle, parameters: connectionParameters),
            "23 01 18 00 28 00 04 00 F4 01 02 00 03 00"
        ),
        CommandExample(
            0x2014,
            LESetHostChannelClassification(channels: ChannelMap(rawValue: 0x1E_0000_00FF)),
            "FF 00 00 00 1E"
        ),
        CommandExample(
            0x2015,
            LEReadChannelMap(handle: handle),
            "23 01",
            returns: .init(handle: handle, channels: .all),
            "00 23 01 FF FF FF FF 1F"
        ),
        CommandExample(status: 0x2016, LEReadRemoteFeatures(handle: handle), "23 01"),
        CommandExample(
            0x2017,
            LEEncrypt(key: key, plaintext: otherKey),
            "00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F",
            returns: .init(ciphertext: otherKey),
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
                handle: handle,
                random: 0x1122_3344_5566_7788,
                encryptedDiversifier: 0xABCD,
                longTermKey: key
            ),
            "23 01 88 77 66 55 44 33 22 11 CD AB 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"
        ),
        CommandExample(
            0x201A,
            LELongTermKeyRequestReply(handle: handle, longTermKey: key),
            "23 01 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"
        ),
        CommandExample(0x201B, LELongTermKeyRequestNegativeReply(handle: handle), "23 01"),
        CommandExample(0x201C, LEReadSupportedStates(), "", returns: .init(states: .all), "00 FF FF FF FF FF 03 00 00"),
    ]
}
