// What a client finds on the server: MTU exchange, discovery, declarations, and unknown requests.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: discovery")
struct GATTServerDiscoveryTests: GATTServerSuite {
    // MARK: Configuration

    @Test func `GATT/SR/GAC/BV-01-C Exchange MTU`() throws {
        try self.run(
            """
            > 02 64 00
            < 03 05 02
            ? mtu 100
            > 0A 21 00          # the new MTU holds from the next PDU on
            < 0B 00..3B
            """
        )
    }

    @Test func `Exchange MTU: the smaller offer wins, and one below 23 changes nothing`() throws {
        try self.run(
            """
            > 02 FF FF
            < 03 32 00
            ? mtu 50
            > 02 16 00
            < 03 32 00
            > 02 00 00
            < 03 32 00
            > 02 17 00
            < 03 32 00
            ? mtu 23
            > 02 17
            < 01 02 00 00 04
            > 02 17 00 00
            < 01 02 00 00 04
            """,
            mtu: 50
        )
    }

    @Test func `A request longer than the MTU is malformed`() throws {
        try self.run(
            """
            > 12 13 00 AA*21
            < 01 12 00 00 04
            > 52 15 00 AA*21
            > 12 13 00 AA*20
            ? write 0013 @0 AA*20
            ok
            < 13
            """
        )
    }

    // MARK: Discovery

    @Test func `GATT/SR/GAD/BV-01-C Discover All Primary Services`() throws {
        try self.run(
            """
            > 10 01 00 FF FF 00 28
            < 11 06 01 00 05 00 00 18 06 00 0D 00 01 18 0E 00 24 00 00 A0
            > 10 25 00 FF FF 00 28
            < 11 14 25 00 27 00 00 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11
            > 10 28 00 FF FF 00 28
            < 11 06 2E 00 34 00 00 C0
            > 10 35 00 FF FF 00 28
            < 01 10 35 00 0A
            > 10 01 00 FF FF 00 28 00 00 00 00 00 10 00 80
            < 01 10 00 00 04                      # neither 2 nor 16 octets
            > 10 02 00 0D 00 FB 34 9B 5F 80 00 00 80 00 10 00 00 00 28 00 00
            < 11 06 06 00 0D 00 01 18             # the same type in 128 bits; a group starts in the range
            """
        )
    }

    @Test func `Read By Group Type: ranges and types that are none`() throws {
        try self.run(
            """
            > 10 00 00 FF FF 00 28
            < 01 10 00 00 01
            > 10 05 00 04 00 00 28
            < 01 10 05 00 01
            > 10 01 00 FF FF 03 28
            < 01 10 01 00 10
            > 10 01 00 FF FF 34 12
            < 01 10 01 00 10
            > 10 01 00 FF
            < 01 10 00 00 04
            """
        )
    }

    @Test func `GATT/SR/GAD/BV-02-C Discover Primary Service by Service UUID`() throws {
        try self.run(
            """
            > 06 01 00 FF FF 00 28 00 A0
            < 07 0E 00 24 00
            > 06 25 00 FF FF 00 28 00 A0
            < 01 06 25 00 0A
            > 06 01 00 FF FF 00 28 00 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11
            < 07 25 00 27 00
            > 06 01 00 FF FF 00 28 00 B0          # a secondary service is none
            < 01 06 01 00 0A
            > 06 01 00 FF FF 00 28
            < 01 06 01 00 0A
            """
        )
    }

    @Test func `A range ends with its last handle`() throws {
        try self.run(
            """
            > 10 01 00 0E 00 00 28                # the last service begins there
            < 11 06 01 00 05 00 00 18 06 00 0D 00 01 18 0E 00 24 00 00 A0
            > 10 01 00 0D 00 00 28
            < 11 06 01 00 05 00 00 18 06 00 0D 00 01 18
            > 06 01 00 0E 00 00 28 00 A0
            < 07 0E 00 24 00
            > 06 01 00 0D 00 00 28 00 A0
            < 01 06 01 00 0A
            > 04 34 00 34 00
            < 05 01 34 00 01 A0
            > 08 01 00 10 00 01 A0
            < 09 05 10 00 01 02 03
            > 08 01 00 0F 00 01 A0
            < 01 08 01 00 0A
            """
        )
    }

    @Test func `B17: Find By Type Value compares octets, so the other form of a UUID finds nothing`() throws {
        try self.run(
            """
            > 06 01 00 FF FF 00 28 00 A0
            < 07 0E 00 24 00
            > 06 01 00 FF FF 00 28 FB 34 9B 5F 80 00 00 80 00 10 00 00 00 A0 00 00
            < 01 06 01 00 0A
            """
        )
    }

    @Test func `Find By Type Value: several answers, other types, and errors`() throws {
        try self.run(
            """
            > 06 01 00 FF FF 01 A0 04 05 06       # any readable value that the server keeps
            < 07 32 00 32 00
            > 06 01 00 FF FF 02 29 00 00          # each client's own configurations
            < 07 09 00 09 00 18 00 18 00 1B 00 1B 00 2C 00 2C 00
            > 06 01 00 FF FF 02 A0 00             # a value that only the application knows
            < 01 06 01 00 0A
            > 06 00 00 FF FF 00 28 00 A0
            < 01 06 00 00 01
            > 06 09 00 08 00 00 28 00 A0
            < 01 06 09 00 01
            > 06 01 00 FF FF 00
            < 01 06 00 00 04
            """
        )
    }

    @Test func `Find By Type Value fills the PDU and goes on behind it`() throws {
        var runner = try GATTServerScript()
        runner.run(
            """
            add
            add
            add
            add
            add
            add
            > 06 01 00 FF FF 00 28 00 D0
            < 07 35 00 38 00 39 00 3C 00 3D 00 40 00 41 00 44 00 45 00 48 00
            > 06 49 00 FF FF 00 28 00 D0
            < 07 49 00 4C 00
            """
        )
    }

    @Test func `GATT/SR/GAD/BV-03-C Find Included Services`() throws {
        try self.run(
            """
            > 08 2E 00 34 00 02 28
            < 09 08 2F 00 28 00 2D 00 00 B0
            > 08 30 00 34 00 02 28
            < 09 06 30 00 25 00 27 00             # 128 bits: the UUID is read from the service itself
            > 0A 25 00
            < 0B 00 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11
            > 08 31 00 34 00 02 28
            < 01 08 31 00 0A
            """
        )
    }

    @Test func `GATT/SR/GAD/BV-04-C Discover All Characteristics of a Service`() throws {
        try self.run(
            """
            > 08 0E 00 24 00 03 28
            < 09 07 0F 00 02 10 00 01 A0 12 00 0A 13 00 02 A0 14 00 04 15 00 03 A0
            > 08 15 00 24 00 03 28
            < 09 07 16 00 10 17 00 04 A0 19 00 20 1A 00 05 A0 1C 00 0A 1D 00 06 A0
            > 08 1D 00 24 00 03 28
            < 09 07 1E 00 0E 1F 00 07 A0 20 00 02 21 00 08 A0 23 00 08 24 00 09 A0
            > 08 24 00 24 00 03 28
            < 01 08 24 00 0A
            > 08 25 00 27 00 03 28
            < 09 15 26 00 02 27 00 01 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11
            """
        )
    }

    @Test func `GATT/SR/GAD/BV-05-C Discover Characteristics by UUID`() throws {
        try self.run(
            """
            > 08 2E 00 34 00 03 28
            < 09 07 31 00 02 32 00 01 A0 33 00 02 34 00 01 A0
            > 08 34 00 34 00 03 28
            < 01 08 34 00 0A
            """
        )
    }

    @Test func `GATT/SR/GAD/BV-06-C Discover All Characteristic Descriptors`() throws {
        try self.run(
            """
            > 04 11 00 11 00
            < 05 01 11 00 01 29
            > 04 2B 00 2D 00
            < 05 01 2B 00 00 29 2C 00 02 29 2D 00 04 29
            > 04 26 00 28 00                      # types of one length share a PDU
            < 05 01 26 00 03 28
            > 04 27 00 28 00
            < 05 02 27 00 01 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11
            > 04 0E 00 FF FF
            < 05 01 0E 00 00 28 0F 00 03 28 10 00 01 A0 11 00 01 29 12 00 03 28
            > 04 35 00 FF FF
            < 01 04 35 00 0A
            > 04 00 00 FF FF
            < 01 04 00 00 01
            > 04 11 00 10 00
            < 01 04 11 00 01
            > 04 11 00 10
            < 01 04 00 00 04
            """
        )
    }

    // MARK: Full responses

    /// A server with seven services A000 that have nothing inside, at the handles 000E to 0014.
    private func runOnManyServices(_ script: String, mtu: Int) throws {
        var server = GATTServer(configuration: GATTServerFixture.configuration)
        for _ in 0..<7 { _ = try server.add(GATTServiceDefinition(uuid: 0xA000, characteristics: [])) }
        var runner = try GATTServerScript(mtu: mtu)
        runner.server = ServedLinks(server, preferredMTU: mtu)
        runner.server.linkOpened(runner.link)
        let octets = UInt8(mtu).hexDigits
        runner.run("> 02 \(octets) 00\n< 03 \(octets) 00\n? mtu \(mtu)\n" + script)
    }

    @Test func `Read By Group Type fills the MTU to its last octet`() throws {
        let three = "0E 00 0E 00 00 A0 0F 00 0F 00 00 A0 10 00 10 00 00 A0"
        try self.runOnManyServices("> 10 0E 00 FF FF 00 28\n< 11 06 \(three)", mtu: 25)
        try self.runOnManyServices("> 10 0E 00 FF FF 00 28\n< 11 06 \(three) 11 00 11 00 00 A0", mtu: 26)
    }

    @Test func `Find By Type Value fills the MTU to its last octet`() throws {
        let five = "0E 00 0E 00 0F 00 0F 00 10 00 10 00 11 00 11 00 12 00 12 00"
        try self.runOnManyServices("> 06 0E 00 FF FF 00 28 00 A0\n< 07 \(five)", mtu: 24)
        try self.runOnManyServices("> 06 0E 00 FF FF 00 28 00 A0\n< 07 \(five) 13 00 13 00", mtu: 25)
    }

    @Test func `Find Information fills the MTU to its last octet`() throws {
        let five = "0E 00 00 28 0F 00 00 28 10 00 00 28 11 00 00 28 12 00 00 28"
        try self.runOnManyServices("> 04 0E 00 FF FF\n< 05 01 \(five)", mtu: 25)
        try self.runOnManyServices("> 04 0E 00 FF FF\n< 05 01 \(five) 13 00 00 28", mtu: 26)
    }

    @Test func `Read By Type fills the MTU to its last octet`() throws {
        let five = "0E 00 00 A0 0F 00 00 A0 10 00 00 A0 11 00 00 A0 12 00 00 A0"
        try self.runOnManyServices("> 08 0E 00 FF FF 00 28\n< 09 04 \(five)", mtu: 25)
        try self.runOnManyServices("> 08 0E 00 FF FF 00 28\n< 09 04 \(five) 13 00 00 A0", mtu: 26)
    }
}
