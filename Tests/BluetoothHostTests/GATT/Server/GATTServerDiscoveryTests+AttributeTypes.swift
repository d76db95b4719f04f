// Scripts of a server: the attribute types of the profile (Vol 3, Part G, 3), and unknown PDUs.

import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

extension GATTServerDiscoveryTests {
    // MARK: Profile attribute types

    @Test func `GATT/SR/GPA/BV-01-C Primary service declaration`() throws {
        try self.run(
            """
            > 0A 0E 00
            < 0B 00 A0
            > 12 0E 00 00 00
            < 01 12 0E 00 03
            """
        )
    }

    @Test func `GATT/SR/GPA/BV-02-C Secondary service declaration`() throws {
        try self.run(
            """
            > 0A 28 00
            < 0B 00 B0
            > 10 01 00 FF FF 01 28
            < 11 06 28 00 2D 00 00 B0
            > 08 01 00 FF FF 01 28
            < 09 04 28 00 00 B0
            """
        )
    }

    @Test func `GATT/SR/GPA/BV-03-C Include declaration`() throws {
        try self.run(
            """
            > 0A 2F 00
            < 0B 28 00 2D 00 00 B0
            > 0A 30 00
            < 0B 25 00 27 00
            """
        )
    }

    @Test func `GATT/SR/GPA/BV-04-C Characteristic declaration`() throws {
        try self.run(
            """
            > 0A 0F 00
            < 0B 02 10 00 01 A0
            > 0A 26 00
            < 0B 02 27 00 01 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11
            > 12 0F 00 02 10 00 01 A0
            < 01 12 0F 00 03
            """
        )
    }

    @Test func `GATT/SR/GPA/BV-05-C Characteristic Extended Properties`() throws {
        try self.run(
            """
            > 0A 29 00
            < 0B BA 2A 00 01 B0
            > 0A 2B 00
            < 0B 01 00                            # reliable writes
            """
        )
    }

    @Test func `GATT/SR/GPA/BV-06-C Characteristic User Description`() throws {
        try self.run(
            """
            > 0A 11 00
            < 0B 4E 61 6D 65
            """
        )
    }

    @Test func `GATT/SR/GPA/BV-07-C Client Characteristic Configuration, one for each client`() throws {
        try self.run(
            """
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            > 0A 18 00
            < 0B 01 00
            open 2
            > 0A 18 00
            < 0B 00 00
            notify 0017 01
            ? dropped 1
            """
        )
    }

    @Test func `GATT/SR/GPA/BV-11-C and BV-12-C Presentation formats and their aggregate`() throws {
        var runner = try GATTServerScript()
        var actions: [ServedLinks.Event] = []
        let formats = ["04 00 01 27 01 00 00", "06 FF 2F 27 01 00 00"].map {
            GATTDescriptorDefinition(uuid: 0x2904, value: hex($0))
        }
        let aggregate = GATTDescriptorDefinition(uuid: 0x2905, value: hex("37 00 38 00"))
        var characteristic = GATTServerFixture.fixed(0xE001, "01 02 00")
        characteristic.descriptors = formats + [aggregate]
        let handles = try runner.server.add(
            GATTServiceDefinition(uuid: 0xE000, characteristics: [characteristic]),
            now: runner.now,
            into: &actions
        )
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
            > 0A 2D 00
            < 0B 04 00 01 27 01 00 00
            """
        )
    }

    // MARK: Unknown PDUs

    @Test func `GATT/SR/UNS/BI-01-C Unsupported requests`() throws {
        try self.run(
            """
            > 24
            < 01 24 00 00 06
            > 3E 01 02 03
            < 01 3E 00 00 06
            > 00
            < 01 00 00 00 06
            > 92 13 00 01                          # the signature bit alone makes no command
            < 01 92 00 00 06
            """
        )
    }

    @Test func `GATT/SR/UNS/BI-02-C Unsupported commands`() throws {
        try self.run(
            """
            > 7F 01 02
            > 40
            > C0 15 00 01
            > 0A 10 00                            # still there
            < 0B 01 02 03
            """
        )
    }

    @Test func `PDUs for a client, empty PDUs and PDUs on unknown links are none of the server's`() throws {
        try self.run(
            """
            > 01 0A 10 00 01
            > 0B 01
            > 1B 10 00 01
            > 1D 10 00 01
            > 23 10 00 01 00 01
            >
            > 1E
            > 1E 00
            link 7
            > 0A 10 00
            notify 0017 01
            close
            """
        )
    }

    @Test func `The built-in services: name, appearance, features`() throws {
        var runner = try GATTServerScript()
        runner.run(
            """
            > 0A 03 00
            < 0B 42 61 6C 6C
            > 0A 05 00
            < 0B 40 03
            > 12 03 00 41
            < 01 12 03 00 03
            > 0A 08 00                            # Service Changed is only ever indicated
            < 01 0A 08 00 02
            > 0A 0B 00
            < 0B 00
            remove 0001
            remove 0006
            > 04 01 00 0D 00
            < 05 01 01 00 00 28 02 00 03 28 03 00 00 2A 04 00 03 28 05 00 01 2A
            """
        )
        runner.server.server.setDeviceName("Kristall")
        runner.run(
            """
            > 0A 03 00
            < 0B 4B 72 69 73 74 61 6C 6C
            """
        )
        runner.server.server.setDeviceName(String(repeating: "\u{E9}", count: 125))
        let position = try #require(runner.server.server.database.index(of: runner.server.server.deviceNameHandle))
        guard case .fixed(let name) = runner.server.server.database.attributes[position].content else {
            Issue.record("the name is no fixed value")
            return
        }
        #expect(String(buffer: name) == String(repeating: "\u{E9}", count: 124))
    }
}
