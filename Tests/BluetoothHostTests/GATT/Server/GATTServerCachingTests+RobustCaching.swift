// Scripts of a server: change-aware and change-unaware clients (Vol 3, Part G, 2.5.2.1).

import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

extension GATTServerCachingTests {
    // MARK: Robust caching

    @Test func `GATT/SR/GAS/BV-05-C Requests on an unsynchronised database`() throws {
        try self.run(
            """
            add
            > 0A 10 00                            # robust caching is not asked for
            < 0B 01 02 03
            > 12 0B 00 01
            < 13
            add
            > 0A 10 00
            < 01 0A 10 00 12
            > 0A 10 00                            # the error is sent once
            < 0B 01 02 03
            add
            > 0A 10 00
            < 01 0A 10 00 12
            > 52 15 00 01                         # ignored: the client knows, but has not shown it
            > 12 0B 00 00                         # the next request shows it
            < 01 12 0B 00 13
            > 52 15 00 01
            ? command 0015 01
            > 0A 0B 00
            < 0B 01
            add
            > 0A 0D 00                            # the hash itself, by its handle
            < 01 0A 0D 00 12
            add
            > 08 01 00 FE FF 2A 2B                # by type, but not over the whole range
            < 01 08 01 00 12
            """
        )
    }

    @Test func `What names handles meets the error, what looks for them does not`() throws {
        let refused = [
            "0A 10 00": "01 0A 10 00 12",
            "0C 10 00 00 00": "01 0C 10 00 12",
            "0E 10 00 32 00": "01 0E 10 00 12",
            "20 10 00 32 00": "01 20 10 00 12",
            "12 13 00 01": "01 12 13 00 12",
            "16 13 00 00 00 01": "01 16 13 00 12",
            "08 02 00 FF FF 00 2A": "01 08 02 00 12",
            "0A EE EE": "01 0A EE EE 12",
        ]
        let answered = [
            "02 17 00": "03 05 02",
            "10 01 00 05 00 00 28": "11 06 01 00 05 00 00 18",
            "06 01 00 FF FF 00 28 00 A0": "07 0E 00 24 00",
            "04 11 00 11 00": "05 01 11 00 01 29",
            "08 0E 00 10 00 03 28": "09 07 0F 00 02 10 00 01 A0",
            "08 2E 00 2F 00 02 28": "09 08 2F 00 28 00 2D 00 00 B0",
            "08 01 00 FF FF 00 2A": "09 06 03 00 42 61 6C 6C",
            "24": "01 24 00 00 06",
            "0A": "01 0A 00 00 04",
        ]
        for (request, answer) in refused {
            try self.run("> 12 0B 00 01\n< 13\nadd\n> \(request)\n< \(answer)")
        }
        for (request, answer) in answered {
            // It leaves the client as unaware as it was.
            try self.run("> 12 0B 00 01\n< 13\nadd\n> \(request)\n< \(answer)\n> 0A 10 00\n< 01 0A 10 00 12")
        }
    }

    @Test func `GATT/SR/GAS/BV-06-C Hash read and Service Changed, database changed while connected`() throws {
        var runner = try GATTServerScript()
        runner.run(
            """
            > 12 0B 00 01
            < 13
            add
            """
        )
        runner.run(
            """
            > 08 01 00 FF FF 2A 2B
            < 09 12 0D 00 \(hex(runner.server.server.database.hash().value))
            > 0A 10 00
            < 0B 01 02 03
            > 12 09 00 02 00
            < 13
            add
            < 1D 08 00 39 00 3C 00
            > 1E
            > 0A 10 00
            < 0B 01 02 03
            add
            < 1D 08 00 3D 00 40 00
            > 0A 10 00                            # not confirmed
            < 01 0A 10 00 12
            """
        )
    }

    @Test func `A hash that is out of date by the next request does not make a client aware`() throws {
        var runner = try GATTServerScript()
        runner.run("> 12 0B 00 01\n< 13\nadd")
        runner.run(
            """
            > 08 01 00 FF FF 2A 2B
            < 09 12 0D 00 \(hex(runner.server.server.database.hash().value))
            add
            > 0A 10 00
            < 01 0A 10 00 12
            add                                   # the same with the error
            > 0A 10 00
            < 01 0A 10 00 12
            """
        )
    }

    @Test func `A confirmation of the change before the last does not make a client aware`() throws {
        try self.run(
            """
            > 12 0B 00 01
            < 13
            > 12 09 00 02 00
            < 13
            add
            < 1D 08 00 35 00 38 00
            add
            > 1E
            < 1D 08 00 39 00 3C 00
            > 0A 10 00
            < 01 0A 10 00 12
            > 1E
            > 0A 10 00
            < 0B 01 02 03
            """
        )
    }

    @Test func `A change-unaware client is not sent values`() throws {
        try self.run(
            """
            > 12 0B 00 05
            < 13
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            notify 0017 01
            add
            < 1B 17 00 01                         # made before the change
            notify 0017 02
            ? dropped 1
            notify 001A 03                        # waits
            flush
            > 10 01 00 05 00 00 28
            < 11 06 01 00 05 00 00 18
            > 0A 10 00
            < 01 0A 10 00 12
            > 0A 10 00
            < 1D 1A 00 03
            < 0B 01 02 03
            notify 0017 04
            flush
            < 1B 17 00 04
            """
        )
    }

    @Test func `GATT/SR/GAS/BV-07-C Hash read and Service Changed, database changed between connections`() throws {
        var runner = try GATTServerScript()
        runner.run(
            """
            > 12 0B 00 01
            < 13
            disconnect
            add
            reconnect
            """
        )
        runner.run(
            """
            > 08 01 00 FF FF 2A 2B
            < 09 12 0D 00 \(hex(runner.server.server.database.hash().value))
            > 0A 10 00
            < 0B 01 02 03
            > 12 09 00 02 00
            < 13
            disconnect
            add
            reconnect
            < 1D 08 00 01 00 FF FF
            > 1E
            > 0A 10 00
            < 0B 01 02 03
            disconnect
            reconnect
            > 12 0B 00 00
            < 01 12 0B 00 13
            > 12 09 00 00 00
            < 13
            disconnect
            add
            reconnect
            > 0A 10 00
            < 01 0A 10 00 12
            disconnect
            reconnect
            > 0A 10 00                            # a new link, the same error
            < 01 0A 10 00 12
            """
        )
    }

    @Test func `A record means nothing for handles that belong to something else now`() throws {
        var runner = try GATTServerScript()
        var actions: [ServedLinks.Event] = []
        let record = BondedClient(
            configurations: [
                BondedClient.Configuration(characteristic: 0x0017, uuid: 0xA004, bits: 3),
                BondedClient.Configuration(characteristic: 0x001A, uuid: 0xA00F, bits: 2),
                BondedClient.Configuration(characteristic: 0x0013, uuid: 0xA002, bits: 1),
                BondedClient.Configuration(characteristic: 0x0034, uuid: 0xA001, bits: 1),
                BondedClient.Configuration(characteristic: 0x9999, uuid: 0xA004, bits: 1),
            ],
            features: 0xFF,
            databaseHash: runner.server.server.database.hash().octets
        )
        runner.server.restoreClient(record, on: LinkID(rawValue: 1), now: runner.now, into: &actions)
        runner.server.restoreClient(record, on: LinkID(rawValue: 2), now: runner.now, into: &actions)
        #expect(actions.count == 1)
        let found = runner.server.bondedClient(of: LinkID(rawValue: 1))
        let restored = try #require(found)
        // The characteristic notifies only.
        #expect(restored.configurations == [.init(characteristic: 0x0017, uuid: 0xA004, bits: 1)])
        #expect(restored.features == 0x07)
        #expect(restored.databaseHash == record.databaseHash)
        let unknown = runner.server.bondedClient(of: LinkID(rawValue: 2))
        #expect(unknown == nil)
    }
}
