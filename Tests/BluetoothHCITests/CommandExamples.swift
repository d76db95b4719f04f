// Every command and its answer: the octets of the specification, which are parsed to the same value. The
// octets were written by hand from the tables of Vol 4, Part E, 7.1 to 7.8.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHCI

extension CommandExample {
    static let all = Self.general + Self.le + Self.leLater

    private static let general: [CommandExample] = [
        CommandExample(status: 0x0406, Disconnect(handle: handle, reason: .remoteUserTerminated), "23 01 13"),
        CommandExample(status: 0x041D, ReadRemoteVersionInformation(handle: handle), "23 01"),
        CommandExample(
            0x0C01,
            SetEventMask(mask: EventMask([.disconnectionComplete, .encryptionChange, .hardwareError, .leMeta])),
            "90 80 00 00 00 00 00 20"
        ),
        CommandExample(0x0C03, Reset(), ""),
        CommandExample(
            0x0C2D,
            ReadTransmitPowerLevel(handle: handle, type: .maximum),
            "23 01 01",
            returns: .init(handle: handle, level: -7),
            "00 23 01 F9"
        ),
        CommandExample(0x0C31, SetControllerToHostFlowControl(mode: .acl), "01"),
        CommandExample(
            0x0C33,
            HostBufferSize(
                aclDataPacketLength: 0x0200,
                synchronousDataPacketLength: 0x40,
                aclDataPacketCount: 0x0010,
                synchronousDataPacketCount: 0x0003
            ),
            "00 02 40 10 00 03 00"
        ),
        CommandExample(
            0x0C35,
            HostNumberOfCompletedPackets(
                completed: CompletedPackets([
                    .init(handle: handle, count: 2), .init(handle: ConnectionHandle(rawValue: 0x0EFF), count: 0x0102),
                ])
            ),
            "02 23 01 02 00 FF 0E 02 01"
        ),
        CommandExample(
            0x0C63,
            SetEventMaskPage2(mask: EventMaskPage2([.authenticatedPayloadTimeoutExpired, .encryptionChangeV2])),
            "00 00 80 02 00 00 00 00"
        ),
        CommandExample(0x0C6C, ReadLEHostSupport(), "", returns: .init(isLESupported: true), "00 01 00"),
        CommandExample(0x0C6D, WriteLEHostSupport(isLESupported: true), "01 00"),
        CommandExample(
            0x0C7B,
            ReadAuthenticatedPayloadTimeout(handle: handle),
            "23 01",
            returns: .init(handle: handle, timeout: AuthenticatedPayloadTimeout(.seconds(30))),
            "00 23 01 B8 0B"
        ),
        CommandExample(
            0x0C7C,
            WriteAuthenticatedPayloadTimeout(handle: handle, timeout: AuthenticatedPayloadTimeout(.seconds(30))),
            "23 01 B8 0B"
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
        CommandExample(0x1009, ReadBDADDR(), "", returns: .init(address: publicAddress), "00 55 44 33 22 11 00"),
        CommandExample(
            0x1405,
            ReadRSSI(handle: handle),
            "23 01",
            returns: .init(handle: handle, rssi: -61),
            "00 23 01 C3"
        ),
        CommandExample(0xFCD1, AirSetDistance(centimetres: 3000), "B8 0B 00 00"),
        CommandExample(0xFCD2, AirSetPosition(x: 3000, y: -1), "B8 0B 00 00 FF FF FF FF"),
    ]
}
