import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: reading")
struct GATTServerReadingTests {
    private static let scripts = TitledScript.all(
        """
        ## GATT/SR/GAR/BV-01-C Read Characteristic Value
        > 0A 10 00 < 0B 01 02 03
        > 0A 27 00 < 0B 05
        > 0A 13 00 ? read 0013 @0
        = 0A 0B < 0B 0A 0B
        > 0A 13 00 ? read 0013 @0
        = < 0B
        > 0A 13 00 ? read 0013 @0
        = AA*600 < 0B AA*22                   # cut to the MTU
        > 0A 10 < 01 0A 00 00 04
        > 0A 10 00 00 < 01 0A 00 00 04

        ## GATT/SR/GAR/BI-03-C Insufficient Authorization
        > 0A 13 00 ? read 0013 @0
        ! 08 < 01 0A 13 00 08
        > 0A 13 00 ? read 0013 @0
        ! 80 < 01 0A 13 00 80                 # an error of the application's own

        ## GATT/SR/GAR/BI-04-C Insufficient Authentication
        > 0A 1D 00 < 01 0A 1D 00 05
        > 0A 1F 00 < 01 0A 1F 00 05
        security encrypted 16
        > 0A 1D 00 ? read 001D @0
        = 01 < 0B 01
        > 0A 1F 00 < 01 0A 1F 00 05
        security authenticated 16
        > 0A 1F 00 ? read 001F @0
        = 02 < 0B 02

        ## refuses with Insufficient Encryption if both sides have a key that is not in use
        security none 0 bonded
        > 0A 1D 00 < 01 0A 1D 00 0F
        > 0A 1F 00 < 01 0A 1F 00 0F

        ## GATT/SR/GAR/BV-03-C Read Using Characteristic UUID
        > 08 01 00 FF FF 00 2A < 09 06 03 00 42 61 6C 6C
        > 08 0E 00 34 00 01 A0 < 09 05 10 00 01 02 03 32 00 04 05 06  # values of one length share a PDU
        > 08 33 00 34 00 01 A0 < 09 03 34 00 07
        > 08 01 00 FF FF 01 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11 < 09 03 27 00 05
        > 08 01 00 FF FF 02 A0 ? read 0013 @0
        = AA*30 < 09 15 13 00 AA*19
        > 08 01 00 FF FF 08 A0 < 09 15 21 00 00..12

        ## Read By Type cuts a value of the application to 253 octets, whatever the MTU (D6)
        exchange 517
        > 08 01 00 FF FF 02 A0 ? read 0013 @0
        = AA*512 < 09 FF 13 00 AA*253
        > 08 01 00 FF FF 02 A0 ? read 0013 @0
        = AA*252 < 09 FE 13 00 AA*252

        ## GATT/SR/GAR/BI-06-C, BI-07-C, BI-10-C Read by UUID: Not Permitted, Not Found, Insufficient Authentication
        > 08 01 00 FF FF 09 A0 < 01 08 24 00 02
        > 08 01 00 FF FF EE EE < 01 08 01 00 0A
        > 08 11 00 31 00 01 A0 < 01 08 11 00 0A
        > 08 01 00 FF FF 07 A0 < 01 08 1F 00 05

        ## GATT/SR/GAR/BI-11-C Read by UUID: Insufficient Encryption Key Size
        with keySize 8
        security authenticated 7
        > 08 01 00 FF FF 07 A0 < 01 08 1F 00 0C

        ## GATT/SR/GAR/BI-08-C Read by UUID: Invalid Handle
        > 08 00 00 FF FF 00 2A < 01 08 00 00 01
        > 08 10 00 01 00 00 2A < 01 08 10 00 01
        > 08 01 00 FF FF 00 < 01 08 00 00 04

        ## GATT/SR/GAR/BI-09-C Read by UUID: Insufficient Authorization
        > 08 01 00 FF FF 02 A0 ? read 0013 @0
        ! 08 < 01 08 13 00 08

        ## GATT/SR/GAR/BV-04-C Read Long Characteristic Value
        > 0A 21 00 < 0B 00..15
        > 0C 21 00 16 00 < 0D 16..2B
        > 0C 21 00 2C 00 < 0D 2C..3B
        > 0C 21 00 3C 00 < 0D                 # behind the last octet: nothing is left
        > 0C 10 00 00 00 < 0D 01 02 03        # a short value may be read so, too
        > 0A 13 00 ? read 0013 @0
        = AA*40 < 0B AA*22
        > 0C 13 00 16 00 ? read 0013 @22
        = AA*18 < 0D AA*18

        ## GATT/SR/GAR/BI-13-C Read Long: Invalid Offset
        > 0C 21 00 3D 00 < 01 0C 21 00 07
        > 0C 21 00 FF FF < 01 0C 21 00 07
        > 0C 13 00 05 00 ? read 0013 @5
        ! 07 < 01 0C 13 00 07
        > 0C 13 00 01 < 01 0C 00 00 04

        ## asks the application up to the end of the longest value, and not beyond (D7)
        > 0C 13 00 FF 01 ? read 0013 @511
        = AA < 0D AA
        > 0C 13 00 00 02 ? read 0013 @512     # 512: the end of the longest value
        = < 0D
        > 0C 13 00 01 02 < 01 0C 13 00 07     # 513

        ## GATT/SR/GAR/BI-15-C Read Long: Insufficient Authorization
        > 0C 13 00 00 00 ? read 0013 @0
        ! 08 < 01 0C 13 00 08

        ## GATT/SR/GAR/BV-06-C Read Characteristic Descriptor
        > 0A 11 00 < 0B 4E 61 6D 65
        > 0A 18 00 < 0B 00 00
        > 0A 2C 00 < 0B 00 00                 # a configuration is readable on any link

        ## GATT/SR/GAR/BV-07-C Read Long Characteristic Descriptor
        > 0A 22 00 < 0B 40..55
        > 0C 22 00 16 00 < 0D 56..6B
        > 0C 22 00 2C 00 < 0D 6C..71

        ## GATT/SR/GAR/BV-08-C Read Behind Long Characteristic Descriptor
        > 0C 22 00 32 00 < 0D
        > 0C 22 00 33 00 < 01 0C 22 00 07

        ## reports the lost security of a link rather than the refusal of the application
        security encrypted 16
        > 0A 1D 00 ? read 001D @0
        security none
        ! 80 < 01 0A 1D 00 05
        security encrypted 16
        > 0A 1D 00 ? read 001D @0
        ! 80 < 01 0A 1D 00 80

        ## finds nothing by another type of 128 bits, or by the type 0000
        > 08 01 00 FF FF 02 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11 < 01 08 01 00 0A
        > 08 01 00 FF FF 00 00 < 01 08 01 00 0A
        > 06 01 00 FF FF 00 00 05 < 01 06 01 00 0A
        """
    )

    private static let refusals =
        TitledScript.refusals(
            """
            GATT/SR/GAR/BI-01-C Read Not Permitted > 0A 24 00 > 02
            Read Not Permitted: written without response > 0A 15 00 > 02
            Read Not Permitted: notified > 0A 17 00 > 02
            Read Not Permitted: Service Changed is only ever indicated > 0A 08 00 > 02
            GATT/SR/GAR/BI-02-C Invalid Handle > 0A 35 00 > 01
            Invalid Handle: the first > 0A 00 00 > 01
            Invalid Handle: the last > 0A FF FF > 01
            GATT/SR/GAR/BI-12-C Read Long: Read Not Permitted > 0C 24 00 00 00 > 02
            GATT/SR/GAR/BI-14-C Read Long: Invalid Handle > 0C 35 00 00 00 > 01
            GATT/SR/GAR/BI-16-C Read Long: Insufficient Authentication > 0C 1F 00 00 00 > 05
            GATT/SR/GAR/BI-18-C Read Multiple: Read Not Permitted, before the application is asked > 0E 13 00 24 00 > 02
            GATT/SR/GAR/BI-19-C Read Multiple: Invalid Handle > 0E 10 00 35 00 > 01
            GATT/SR/GAR/BI-21-C Read Multiple: Insufficient Authentication > 0E 10 00 1F 00 > 05
            Read Multiple Variable: Read Not Permitted > 20 10 00 24 00 > 02
            Read Multiple Variable: Invalid Handle > 20 10 00 35 00 > 01
            Read Multiple Variable: Insufficient Authentication > 20 10 00 1F 00 > 05
            """
        )
        + TitledScript.refusals(
            after: "with keySize 16\nsecurity authenticated 15",
            """
            GATT/SR/GAR/BI-05-C Insufficient Encryption Key Size > 0A 1F 00 > 0C
            Insufficient Encryption Key Size: of an unauthenticated key > 0A 1D 00 > 0C
            GATT/SR/GAR/BI-17-C Read Long: Insufficient Encryption Key Size > 0C 1F 00 00 00 > 0C
            GATT/SR/GAR/BI-22-C Read Multiple: Insufficient Encryption Key Size > 0E 10 00 1F 00 > 0C
            """
        )

    @Test("follows the script", arguments: Self.scripts + Self.refusals)
    func script(_ script: TitledScript) throws { try script.runOnServer() }

    // MARK: Lists

    @Test("D6: Read By Type truncates a value that the server stores to 253 octets", arguments: [252, 512])
    func longKeptValue(length: Int) throws {
        var runner = try GATTServerScript()
        var definition = GATTServerFixture.fixed(0xE001, "")
        definition.value = ByteBuffer(repeating: 0xAA, count: length)
        _ = try runner.server.server.add(GATTServiceDefinition(uuid: 0xE000, characteristics: [definition]))
        let shown = min(length, 253)
        runner.run("exchange 517\n> 08 01 00 FF FF 01 E0\n< 09 \(octet(shown + 2)) 37 00 AA*\(shown)")
    }

    /// A server with three characteristics E001: the values 01 (0037) and 03 (003B), and one between them.
    private static func list(around value: ByteBuffer?, _ permissions: AttributePermissions) throws -> GATTServerScript
    {
        let middle = GATTCharacteristicDefinition(
            uuid: 0xE001,
            properties: .read,
            permissions: permissions,
            value: value
        )
        let (first, last) = (GATTServerFixture.fixed(0xE001, "01"), GATTServerFixture.fixed(0xE001, "03"))
        var runner = try GATTServerScript()
        let service = GATTServiceDefinition(uuid: 0xE000, characteristics: [first, middle, last])
        _ = try runner.server.server.add(service)
        return runner
    }

    @Test("Read By Type ends its list before a value that may not be read, and returns an error if it is the first")
    func listBeforeRefusal() throws {
        var runner = try Self.list(around: hex("02"), .readEncryptionRequired)
        runner.run(
            """
            > 08 01 00 FF FF 01 E0
            < 09 03 37 00 01
            > 08 38 00 FF FF 01 E0
            < 01 08 39 00 05
            > 08 3A 00 FF FF 01 E0
            < 09 03 3B 00 03
            security encrypted 16
            > 08 01 00 FF FF 01 E0
            < 09 03 37 00 01 39 00 02 3B 00 03
            """
        )
    }

    @Test("Read By Type ends its list before a value of the application, and asks for it if it is the first")
    func listBeforeApplication() throws {
        var runner = try Self.list(around: nil, .readable)
        runner.run(
            """
            > 08 01 00 FF FF 01 E0
            < 09 03 37 00 01
            > 08 38 00 FF FF 01 E0
            ? read 0039 @0
            = 07
            < 09 03 39 00 07
            """
        )
    }
}
