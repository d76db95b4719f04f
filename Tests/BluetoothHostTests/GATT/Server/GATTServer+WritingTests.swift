import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: writing")
struct GATTServerWritingTests {
    private static let scripts = TitledScript.all(
        """
        ## GATT/SR/GAW/BV-01-C Write Without Response
        > 52 15 00 01 02 ? command 0015 01 02
        > 52 15 00 ? command 0015

        ## ignores Write Commands that are not permitted, or too long for any value
        > 52 13 00 01                         # no such property
        > 52 10 00 01                         # fixed
        > 52 35 00 01                         # no such attribute
        > 52 18 00 01 00                      # a descriptor
        > 52 0B 00 01                         # the server's own
        > 52 1F 00 01                         # not safe enough
        > 52 15                               # cut short
        security authenticated 16
        > 52 1F 00 01 ? command 001F 01
        exchange 517
        > 52 15 00 AA*512 ? command 0015 AA*512
        > 52 15 00 AA*513                     # longer than any attribute

        ## GATT/SR/GAW/BV-03-C Write Characteristic Value
        > 12 13 00 01 02 03 ? write 0013 @0 01 02 03
        ok < 13
        > 12 13 00 ? write 0013 @0
        ok < 13
        > 12 13 < 01 12 00 00 04

        ## GATT/SR/GAW/BI-04-C Write: Insufficient Authorization
        > 12 13 00 01 ? write 0013 @0 01
        ! 08 < 01 12 13 00 08

        ## GATT/SR/GAW/BI-05-C Write: Insufficient Authentication
        > 12 1D 00 01 < 01 12 1D 00 05
        security encrypted 16
        > 12 1D 00 01 ? write 001D @0 01
        ok < 13
        > 12 1F 00 01 < 01 12 1F 00 05
        security none 0 bonded
        > 12 1D 00 01 < 01 12 1D 00 0F

        ## GATT/SR/GAW/BI-32-C Write: Attribute Value Length Too Long
        > 12 13 00 01 02 ? write 0013 @0 01 02
        ! 0D < 01 12 13 00 0D                 # the application knows how long the value can be
        > 12 18 00 01 < 01 12 18 00 0D
        > 12 18 00 01 00 00 < 01 12 18 00 0D
        > 12 0B 00 < 01 12 0B 00 0D
        exchange 517
        > 12 13 00 AA*513 < 01 12 13 00 0D
        > 12 13 00 AA*512 ? write 0013 @0 AA*512
        ok < 13

        ## GATT/SR/GAW/BV-08-C Write Characteristic Descriptor
        > 12 18 00 01 00 < 13 ? subscribed 0017
        > 0A 18 00 < 0B 01 00
        > 12 18 00 01 00 < 13                 # nothing new
        > 12 18 00 00 00 < 13 ? unsubscribed 0017
        > 12 18 00 FC FF < 13                 # bits without a meaning are ignored
        > 0A 18 00 < 0B 00 00

        ## refuses a configuration that the characteristic cannot serve
        > 12 18 00 02 00 < 01 12 18 00 FD
        > 12 1B 00 01 00 < 01 12 1B 00 FD
        > 12 18 00 03 00 < 01 12 18 00 FD
        > 0A 18 00 < 0B 00 00

        ## refuses Client Supported Features of more than 512 octets
        exchange 517
        > 12 0B 00 01 00*511 < 13
        > 12 0B 00 05 00*512 < 01 12 0B 00 0D
        > 0A 0B 00 < 0B 01
        """
    )

    private static let refusals =
        TitledScript.refusals(
            """
            GATT/SR/GAW/BI-02-C Write: Invalid Handle > 12 35 00 01 > 01
            Write: Invalid Handle: the first > 12 00 00 01 > 01
            GATT/SR/GAW/BI-03-C Write: Write Not Permitted > 12 10 00 01 > 03
            Write: Write Not Permitted: without response only > 12 15 00 01 > 03
            Write: Write Not Permitted: a description > 12 11 00 01 > 03
            Write: Write Not Permitted: the Database Hash > 12 0D 00 01 > 03
            Write: Write Not Permitted: a primary service declaration > 12 0E 00 00 00 > 03
            """
        )
        + TitledScript.refusals(
            after: "with keySize 16\nsecurity authenticated 7",
            "GATT/SR/GAW/BI-06-C Write: Insufficient Encryption Key Size > 12 1F 00 01 > 0C"
        )

    @Test("follows the script", arguments: Self.scripts + Self.refusals)
    func script(_ script: TitledScript) throws { try script.runOnServer() }

    @Test("lets the application refuse a configuration, written with a request or prepared, but no wrong one")
    func askedConfiguration() throws {
        var runner = try GATTServerScript()
        var characteristic = GATTCharacteristicDefinition(uuid: 0xE001, properties: .notify, permissions: [])
        characteristic.asksBeforeSubscription = true
        let service = GATTServiceDefinition(uuid: 0xE000, characteristics: [characteristic])
        let handles = try runner.server.server.add(service)
        #expect(handles.characteristics[0].clientConfiguration == 0x0038)
        runner.run(
            """
            > 12 38 00 01 00
            ? write 0038 @0 01 00
            ! 11
            < 01 12 38 00 11
            > 0A 38 00
            < 0B 00 00
            > 12 38 00 02 00
            < 01 12 38 00 FD
            > 12 38 00 01 00
            ? write 0038 @0 01 00
            ok
            < 13
            ? subscribed 0037
            > 0A 38 00
            < 0B 01 00
            prepare 38 00 00 00 00 00
            > 18 01
            ? write 0038 @0 00 00
            ! 11
            < 01 18 38 00 11
            > 0A 38 00
            < 0B 01 00
            prepare 38 00 00 00 00 00
            > 18 01
            ? write 0038 @0 00 00
            ok
            < 19
            ? unsubscribed 0037
            """
        )
    }

    @Test("asks the application for reads and writes of dynamic descriptors, and never writes static ones")
    func descriptors() throws {
        var runner = try GATTServerScript()
        let rows: [(BluetoothUUID, String, AttributePermissions, Bool)] = [
            (0x2901, "", [.readable, .writeable], true), (0x2904, "04 00", [.readable, .writeable], false),
            (0xE0D1, "", .writeEncryptionRequired, true), (0xE0D2, "07", .readEncryptionRequired, false),
        ]
        var characteristic = GATTServerFixture.fixed(0xE001, "05")
        characteristic.descriptors = rows.map {
            GATTDescriptorDefinition(uuid: $0, value: hex($1), permissions: $2, isDynamic: $3)
        }
        let service = GATTServiceDefinition(uuid: 0xE000, characteristics: [characteristic])
        let handles = try runner.server.server.add(service)
        #expect(handles.characteristics[0].descriptors == [0x38, 0x39, 0x3A, 0x3B])
        runner.run(
            """
            > 0A 38 00
            ? read 0038 @0
            = 41
            < 0B 41
            > 12 38 00 42
            ? write 0038 @0 42
            ok
            < 13
            > 52 38 00 42                         # no descriptor takes commands
            > 0A 39 00
            < 0B 04 00
            > 12 39 00 42
            < 01 12 39 00 03
            > 0A 3A 00
            < 01 0A 3A 00 02
            > 12 3A 00 42
            < 01 12 3A 00 05
            > 0A 3B 00
            < 01 0A 3B 00 05
            security encrypted 16
            > 12 3A 00 42
            ? write 003A @0 42
            ok
            < 13
            > 0A 3B 00
            < 0B 07
            """
        )
    }
}
