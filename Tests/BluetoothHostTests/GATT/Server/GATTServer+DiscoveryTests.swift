import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: discovery")
struct GATTServerDiscoveryTests {
    private static let scripts = TitledScript.all(
        """
        ## GATT/SR/GAC/BV-01-C Exchange MTU
        > 02 64 00 < 03 05 02 ? mtu 100
        > 0A 21 00 < 0B 00..3B                # the new MTU holds from the next PDU on

        ## agrees on the smaller MTU, and on none below 23
        with mtu 50
        > 02 FF FF < 03 32 00 ? mtu 50
        > 02 16 00 < 03 32 00
        > 02 00 00 < 03 32 00
        > 02 17 00 < 03 32 00 ? mtu 23
        > 02 17 < 01 02 00 00 04
        > 02 17 00 00 < 01 02 00 00 04

        ## refuses a request and ignores a command that are longer than the MTU
        > 12 13 00 AA*21 < 01 12 00 00 04
        > 52 15 00 AA*21
        > 12 13 00 AA*20 ? write 0013 @0 AA*20
        ok < 13

        ## GATT/SR/GAD/BV-01-C Discover All Primary Services
        > 10 01 00 FF FF 00 28 < 11 06 01 00 05 00 00 18 06 00 0D 00 01 18 0E 00 24 00 00 A0
        > 10 25 00 FF FF 00 28 < 11 14 25 00 27 00 00 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11
        > 10 28 00 FF FF 00 28 < 11 06 2E 00 34 00 00 C0
        > 10 35 00 FF FF 00 28 < 01 10 35 00 0A
        > 10 01 00 FF FF 00 28 00 00 00 00 00 10 00 80 < 01 10 00 00 04  # neither 2 nor 16 octets
        > 10 02 00 0D 00 FB 34 9B 5F 80 00 00 80 00 10 00 00 00 28 00 00
        < 11 06 06 00 0D 00 01 18             # the same type in 128 bits; a group starts in the range

        ## refuses groups in a range that is none, and of a type that is none
        > 10 00 00 FF FF 00 28 < 01 10 00 00 01
        > 10 05 00 04 00 00 28 < 01 10 05 00 01
        > 10 01 00 FF FF 03 28 < 01 10 01 00 10
        > 10 01 00 FF FF 34 12 < 01 10 01 00 10
        > 10 01 00 FF < 01 10 00 00 04

        ## GATT/SR/GAD/BV-02-C Discover Primary Service by Service UUID
        > 06 01 00 FF FF 00 28 00 A0 < 07 0E 00 24 00
        > 06 25 00 FF FF 00 28 00 A0 < 01 06 25 00 0A
        > 06 01 00 FF FF 00 28 00 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11 < 07 25 00 27 00
        > 06 01 00 FF FF 00 28 00 B0 < 01 06 01 00 0A  # a secondary service is none
        > 06 01 00 FF FF 00 28 < 01 06 01 00 0A

        ## ends a range with its last handle
        > 10 01 00 0E 00 00 28                # the last service begins there
        < 11 06 01 00 05 00 00 18 06 00 0D 00 01 18 0E 00 24 00 00 A0
        > 10 01 00 0D 00 00 28 < 11 06 01 00 05 00 00 18 06 00 0D 00 01 18
        > 06 01 00 0E 00 00 28 00 A0 < 07 0E 00 24 00
        > 06 01 00 0D 00 00 28 00 A0 < 01 06 01 00 0A
        > 04 34 00 34 00 < 05 01 34 00 01 A0
        > 08 01 00 10 00 01 A0 < 09 05 10 00 01 02 03
        > 08 01 00 0F 00 01 A0 < 01 08 01 00 0A

        ## finds no service by the other form of its UUID, since Find By Type Value compares octets (B17)
        > 06 01 00 FF FF 00 28 00 A0 < 07 0E 00 24 00
        > 06 01 00 FF FF 00 28 FB 34 9B 5F 80 00 00 80 00 10 00 00 00 A0 00 00 < 01 06 01 00 0A

        ## finds all kept values of a type, and refuses ranges that are none
        > 06 01 00 FF FF 01 A0 04 05 06 < 07 32 00 32 00  # any readable value that the server keeps
        > 06 01 00 FF FF 02 29 00 00          # each client's own configurations
        < 07 09 00 09 00 18 00 18 00 1B 00 1B 00 2C 00 2C 00
        > 06 01 00 FF FF 02 A0 00 < 01 06 01 00 0A  # a value that only the application knows
        > 06 00 00 FF FF 00 28 00 A0 < 01 06 00 00 01
        > 06 09 00 08 00 00 28 00 A0 < 01 06 09 00 01
        > 06 01 00 FF FF 00 < 01 06 00 00 04

        ## GATT/SR/GAD/BV-03-C Find Included Services
        > 08 2E 00 34 00 02 28 < 09 08 2F 00 28 00 2D 00 00 B0
        > 08 30 00 34 00 02 28 < 09 06 30 00 25 00 27 00  # 128 bits: the UUID is read from the service itself
        > 0A 25 00 < 0B 00 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11
        > 08 31 00 34 00 02 28 < 01 08 31 00 0A

        ## GATT/SR/GAD/BV-04-C Discover All Characteristics of a Service
        > 08 0E 00 24 00 03 28 < 09 07 0F 00 02 10 00 01 A0 12 00 0A 13 00 02 A0 14 00 04 15 00 03 A0
        > 08 15 00 24 00 03 28 < 09 07 16 00 10 17 00 04 A0 19 00 20 1A 00 05 A0 1C 00 0A 1D 00 06 A0
        > 08 1D 00 24 00 03 28 < 09 07 1E 00 0E 1F 00 07 A0 20 00 02 21 00 08 A0 23 00 08 24 00 09 A0
        > 08 24 00 24 00 03 28 < 01 08 24 00 0A
        > 08 25 00 27 00 03 28 < 09 15 26 00 02 27 00 01 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11

        ## GATT/SR/GAD/BV-05-C Discover Characteristics by UUID
        > 08 2E 00 34 00 03 28 < 09 07 31 00 02 32 00 01 A0 33 00 02 34 00 01 A0
        > 08 34 00 34 00 03 28 < 01 08 34 00 0A

        ## GATT/SR/GAD/BV-06-C Discover All Characteristic Descriptors
        > 04 11 00 11 00 < 05 01 11 00 01 29
        > 04 2B 00 2D 00 < 05 01 2B 00 00 29 2C 00 02 29 2D 00 04 29
        > 04 26 00 28 00 < 05 01 26 00 03 28  # types of one length share a PDU
        > 04 27 00 28 00 < 05 02 27 00 01 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11
        > 04 0E 00 FF FF < 05 01 0E 00 00 28 0F 00 03 28 10 00 01 A0 11 00 01 29 12 00 03 28
        > 04 35 00 FF FF < 01 04 35 00 0A
        > 04 00 00 FF FF < 01 04 00 00 01
        > 04 11 00 10 00 < 01 04 11 00 01
        > 04 11 00 10 < 01 04 00 00 04

        ## finds nothing in a gap between services, and the service behind it
        add
        add
        remove 0035
        > 04 35 00 38 00 < 01 04 35 00 0A
        > 04 35 00 39 00 < 05 01 39 00 00 28
        > 10 35 00 38 00 00 28 < 01 10 35 00 0A
        > 10 35 00 39 00 00 28 < 11 06 39 00 3C 00 00 D0
        > 08 35 00 39 00 03 28 < 01 08 35 00 0A
        > 08 35 00 3A 00 03 28 < 09 07 3A 00 3A 3B 00 01 D0
        > 06 35 00 38 00 00 28 00 D0 < 01 06 35 00 0A
        > 06 35 00 39 00 00 28 00 D0 < 07 39 00 3C 00

        ## GATT/SR/GPA/BV-01-C Primary service declaration
        > 0A 0E 00 < 0B 00 A0
        > 12 0E 00 00 00 < 01 12 0E 00 03

        ## GATT/SR/GPA/BV-02-C Secondary service declaration
        > 0A 28 00 < 0B 00 B0
        > 10 01 00 FF FF 01 28 < 11 06 28 00 2D 00 00 B0
        > 08 01 00 FF FF 01 28 < 09 04 28 00 00 B0

        ## GATT/SR/GPA/BV-03-C Include declaration
        > 0A 2F 00 < 0B 28 00 2D 00 00 B0
        > 0A 30 00 < 0B 25 00 27 00

        ## GATT/SR/GPA/BV-04-C Characteristic declaration
        > 0A 0F 00 < 0B 02 10 00 01 A0
        > 0A 26 00 < 0B 02 27 00 01 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11
        > 12 0F 00 02 10 00 01 A0 < 01 12 0F 00 03

        ## GATT/SR/GPA/BV-05-C Characteristic Extended Properties
        > 0A 29 00 < 0B BA 2A 00 01 B0
        > 0A 2B 00 < 0B 01 00                 # reliable writes

        ## GATT/SR/GPA/BV-06-C Characteristic User Description
        > 0A 11 00 < 0B 4E 61 6D 65

        ## GATT/SR/GPA/BV-07-C Client Characteristic Configuration, one for each client
        > 12 18 00 01 00 < 13 ? subscribed 0017
        > 0A 18 00 < 0B 01 00
        open 2
        > 0A 18 00 < 0B 00 00
        notify 0017 01 ? dropped 1

        ## GATT/SR/UNS/BI-01-C Unsupported requests
        > 24 < 01 24 00 00 06
        > 3E 01 02 03 < 01 3E 00 00 06
        > 00 < 01 00 00 00 06
        > 92 13 00 01 < 01 92 00 00 06        # the signature bit alone makes no command

        ## GATT/SR/UNS/BI-02-C Unsupported commands
        > 7F 01 02
        > 40
        > C0 15 00 01
        > 0A 10 00 < 0B 01 02 03              # still there

        ## ignores PDUs for a client and empty PDUs
        > 01 0A 10 00 01
        > 0B 01
        > 1B 10 00 01
        > 1D 10 00 01
        > 23 10 00 01 00 01
        >
        > 1E
        > 1E 00
        """
    )

    @Test("follows the script", arguments: Self.scripts)
    func script(_ script: TitledScript) throws { try script.runOnServer() }

    @Test("GATT/SR/GPA/BV-11-C and BV-12-C Presentation formats and their aggregate")
    func formats() throws {
        var runner = try GATTServerScript()
        let descriptors = [(0x2904, "04 00 01 27 01 00 00"), (0x2904, "06 FF 2F 27 01 00 00"), (0x2905, "37 00 38 00")]
        var characteristic = GATTServerFixture.fixed(0xE001, "01 02 00")
        characteristic.descriptors = descriptors.map {
            GATTDescriptorDefinition(uuid: BluetoothUUID(UInt16($0)), value: hex($1))
        }
        let service = GATTServiceDefinition(uuid: 0xE000, characteristics: [characteristic])
        let handles = try runner.server.server.add(service)
        #expect(handles.range == 0x35...0x3A)
        #expect(handles.characteristics[0].descriptors == [0x38, 0x39, 0x3A])
        runner.run(
            """
            > 04 38 00 FF FF
            < 05 01 38 00 04 29 39 00 04 29 3A 00 05 29
            > 0A 38 00
            < 0B 04 00 01 27 01 00 00
            > 0A 39 00
            < 0B 06 FF 2F 27 01 00 00
            > 0A 3A 00
            < 0B 37 00 38 00
            """
        )
    }

    @Test("refuses each discovery with the error that the application has set, and nothing else")
    func discoveryError() throws {
        var runner = try GATTServerScript()
        runner.server.server.discoveryError = .insufficientResources
        runner.run(
            """
            > 10 01 00 FF FF 00 28
            < 01 10 01 00 11
            > 06 02 00 FF FF 00 28 00 A0
            < 01 06 02 00 11
            > 08 0E 00 24 00 03 28
            < 01 08 0E 00 11
            > 04 11 00 11 00
            < 01 04 11 00 11
            > 0A 10 00
            < 0B 01 02 03
            """
        )
        runner.server.server.discoveryError = nil
        runner.run("> 04 11 00 11 00\n< 05 01 11 00 01 29")
    }

    /// A request for the seven empty services A000 at the handles 000E to 0014; and the answers at an MTU that is one
    /// octet too short for another entry, and at the next one.
    @Test(
        "fills the MTU to its last octet",
        arguments: [
            (
                "10 0E 00 FF FF 00 28", "11 06", "0E 00 0E 00 00 A0 0F 00 0F 00 00 A0 10 00 10 00 00 A0",
                "11 00 11 00 00 A0"
            ),
            (
                "06 0E 00 FF FF 00 28 00 A0", "07",
                "0E 00 0E 00 0F 00 0F 00 10 00 10 00 11 00 11 00 12 00 12 00", "13 00 13 00"
            ),
            (
                "04 0E 00 FF FF", "05 01",
                "0E 00 00 28 0F 00 00 28 10 00 00 28 11 00 00 28 12 00 00 28", "13 00 00 28"
            ),
            (
                "08 0E 00 FF FF 00 28", "09 04",
                "0E 00 00 A0 0F 00 00 A0 10 00 00 A0 11 00 00 A0 12 00 00 A0", "13 00 00 A0"
            ),
        ]
    )
    func fullResponse(request: String, head: String, list: String, next: String) throws {
        let full = hex("\(head) \(list) \(next)").readableBytes
        for (mtu, answer) in [(full - 1, list), (full, "\(list) \(next)")] {
            var server = GATTServer(configuration: GATTServerFixture.configuration)
            for _ in 0..<7 { _ = try server.add(GATTServiceDefinition(uuid: 0xA000, characteristics: [])) }
            var runner = try GATTServerScript()
            runner.server = ServedLinks(server)
            runner.server.open(runner.link)
            runner.run("exchange \(mtu)\n> \(request)\n< \(head) \(answer)")
        }
    }
}
