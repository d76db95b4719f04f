// Reading values, fixed ones and the application's, and every error that the specification allows there.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: reading")
struct GATTServerReadingTests: GATTServerSuite {
    // MARK: Read

    @Test func `GATT/SR/GAR/BV-01-C Read Characteristic Value`() throws {
        try self.run(
            """
            > 0A 10 00
            < 0B 01 02 03
            > 0A 27 00
            < 0B 05
            > 0A 13 00
            ? read 0013 @0
            = 0A 0B
            < 0B 0A 0B
            > 0A 13 00
            ? read 0013 @0
            =
            < 0B
            > 0A 13 00
            ? read 0013 @0
            = AA*600                              # cut to the MTU
            < 0B AA*22
            > 0A 10
            < 01 0A 00 00 04
            > 0A 10 00 00
            < 01 0A 00 00 04
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-01-C Read Not Permitted`() throws {
        try self.run(
            """
            > 0A 24 00
            < 01 0A 24 00 02
            > 0A 15 00
            < 01 0A 15 00 02
            > 0A 17 00
            < 01 0A 17 00 02
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-02-C Invalid Handle`() throws {
        try self.run(
            """
            > 0A 35 00
            < 01 0A 35 00 01
            > 0A 00 00
            < 01 0A 00 00 01
            > 0A FF FF
            < 01 0A FF FF 01
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-03-C Insufficient Authorization`() throws {
        try self.run(
            """
            > 0A 13 00
            ? read 0013 @0
            ! 08
            < 01 0A 13 00 08
            > 0A 13 00
            ? read 0013 @0
            ! 80                                  # an error of the application's own
            < 01 0A 13 00 80
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-04-C Insufficient Authentication`() throws {
        try self.run(
            """
            > 0A 1D 00
            < 01 0A 1D 00 05
            > 0A 1F 00
            < 01 0A 1F 00 05
            security encrypted 16
            > 0A 1D 00
            ? read 001D @0
            = 01
            < 0B 01
            > 0A 1F 00
            < 01 0A 1F 00 05
            security authenticated 16
            > 0A 1F 00
            ? read 001F @0
            = 02
            < 0B 02
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-05-C Insufficient Encryption Key Size`() throws {
        try self.run(
            """
            security authenticated 15
            > 0A 1F 00
            < 01 0A 1F 00 0C
            > 0A 1D 00
            < 01 0A 1D 00 0C
            security authenticated 16
            > 0A 1F 00
            ? read 001F @0
            = 02
            < 0B 02
            """,
            configure: { $0.minimumKeySize = 16 }
        )
    }

    @Test func `Insufficient Encryption where both sides have a key and do not use it`() throws {
        try self.run(
            """
            security none 0 bonded
            > 0A 1D 00
            < 01 0A 1D 00 0F
            > 0A 1F 00
            < 01 0A 1F 00 0F
            """
        )
    }

    // MARK: Read By Type

    @Test func `GATT/SR/GAR/BV-03-C Read Using Characteristic UUID`() throws {
        try self.run(
            """
            > 08 01 00 FF FF 00 2A
            < 09 06 03 00 42 61 6C 6C
            > 08 0E 00 34 00 01 A0                # values of one length share a PDU
            < 09 05 10 00 01 02 03 32 00 04 05 06
            > 08 33 00 34 00 01 A0
            < 09 03 34 00 07
            > 08 01 00 FF FF 01 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11
            < 09 03 27 00 05
            > 08 01 00 FF FF 02 A0
            ? read 0013 @0
            = AA*30
            < 09 15 13 00 AA*19
            > 08 01 00 FF FF 08 A0
            < 09 15 21 00 00..12
            """
        )
    }

    @Test func `D6: Read By Type: a value of the application is cut to 253 octets whatever the MTU`() throws {
        try self.run(
            """
            > 02 05 02
            < 03 05 02
            ? mtu 517
            > 08 01 00 FF FF 02 A0
            ? read 0013 @0
            = AA*512
            < 09 FF 13 00 AA*253
            > 08 01 00 FF FF 02 A0
            ? read 0013 @0
            = AA*254
            < 09 FF 13 00 AA*253
            > 08 01 00 FF FF 02 A0
            ? read 0013 @0
            = AA*253
            < 09 FF 13 00 AA*253
            > 08 01 00 FF FF 02 A0
            ? read 0013 @0
            = AA*252
            < 09 FE 13 00 AA*252
            """
        )
    }

    @Test("D6: Read By Type: a value that the server keeps is cut to 253 octets", arguments: [252, 253, 254, 512])
    func longKeptValue(length: Int) throws {
        var runner = try GATTServerScript(mtu: 517)
        let definition = GATTServiceDefinition(
            uuid: 0xE000,
            characteristics: [
                GATTCharacteristicDefinition(
                    uuid: 0xE001,
                    properties: .read,
                    permissions: .readable,
                    value: ByteBuffer(repeating: 0xAA, count: length)
                )
            ]
        )
        let handle = try runner.server.server.add(definition).characteristics[0].value
        let shown = min(length, 253)
        runner.run(
            """
            > 02 05 02
            < 03 05 02
            ? mtu 517
            > 08 01 00 FF FF 01 E0
            < 09 \(octet(shown + 2)) \(octet(Int(handle))) 00 AA*\(shown)
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-06-C Read by UUID: Read Not Permitted`() throws {
        try self.run(
            """
            > 08 01 00 FF FF 09 A0
            < 01 08 24 00 02
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-07-C Read by UUID: Attribute Not Found`() throws {
        try self.run(
            """
            > 08 01 00 FF FF EE EE
            < 01 08 01 00 0A
            > 08 11 00 31 00 01 A0
            < 01 08 11 00 0A
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-08-C Read by UUID: Invalid Handle`() throws {
        try self.run(
            """
            > 08 00 00 FF FF 00 2A
            < 01 08 00 00 01
            > 08 10 00 01 00 00 2A
            < 01 08 10 00 01
            > 08 01 00 FF FF 00
            < 01 08 00 00 04
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-09-C Read by UUID: Insufficient Authorization`() throws {
        try self.run(
            """
            > 08 01 00 FF FF 02 A0
            ? read 0013 @0
            ! 08
            < 01 08 13 00 08
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-10-C Read by UUID: Insufficient Authentication`() throws {
        try self.run(
            """
            > 08 01 00 FF FF 07 A0
            < 01 08 1F 00 05
            > 08 01 00 FF FF 06 A0
            < 01 08 1D 00 05
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-11-C Read by UUID: Insufficient Encryption Key Size`() throws {
        try self.run(
            """
            security authenticated 7
            > 08 01 00 FF FF 07 A0
            < 01 08 1F 00 0C
            """,
            configure: { $0.minimumKeySize = 8 }
        )
    }

    // MARK: Read Blob

    @Test func `GATT/SR/GAR/BV-04-C Read Long Characteristic Value`() throws {
        try self.run(
            """
            > 0A 21 00
            < 0B 00..15
            > 0C 21 00 16 00
            < 0D 16..2B
            > 0C 21 00 2C 00
            < 0D 2C..3B
            > 0C 21 00 3C 00                      # behind the last octet: nothing is left
            < 0D
            > 0C 10 00 00 00                      # a short value may be read so, too
            < 0D 01 02 03
            > 0A 13 00
            ? read 0013 @0
            = AA*40
            < 0B AA*22
            > 0C 13 00 16 00
            ? read 0013 @22
            = AA*18
            < 0D AA*18
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-12-C Read Long: Read Not Permitted`() throws {
        try self.run(
            """
            > 0C 24 00 00 00
            < 01 0C 24 00 02
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-13-C Read Long: Invalid Offset`() throws {
        try self.run(
            """
            > 0C 21 00 3D 00
            < 01 0C 21 00 07
            > 0C 21 00 FF FF
            < 01 0C 21 00 07
            > 0C 13 00 05 00
            ? read 0013 @5
            ! 07
            < 01 0C 13 00 07
            > 0C 13 00 01
            < 01 0C 00 00 04
            """
        )
    }

    @Test func `D7: the application is asked up to the end of the longest value, and not beyond`() throws {
        try self.run(
            """
            > 0C 13 00 FF 01
            ? read 0013 @511
            = AA
            < 0D AA
            > 0C 13 00 00 02                      # 512: the end of the longest value
            ? read 0013 @512
            =
            < 0D
            > 0C 13 00 01 02                      # 513
            < 01 0C 13 00 07
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-14-C Read Long: Invalid Handle`() throws {
        try self.run(
            """
            > 0C 35 00 00 00
            < 01 0C 35 00 01
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-15-C Read Long: Insufficient Authorization`() throws {
        try self.run(
            """
            > 0C 13 00 00 00
            ? read 0013 @0
            ! 08
            < 01 0C 13 00 08
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-16-C Read Long: Insufficient Authentication`() throws {
        try self.run(
            """
            > 0C 1F 00 00 00
            < 01 0C 1F 00 05
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-17-C Read Long: Insufficient Encryption Key Size`() throws {
        try self.run(
            """
            security authenticated 7
            > 0C 1F 00 00 00
            < 01 0C 1F 00 0C
            """,
            configure: { $0.minimumKeySize = 16 }
        )
    }
}
