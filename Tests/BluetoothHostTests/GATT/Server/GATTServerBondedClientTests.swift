// Scripts of a server whose client is bonded: what changes of what is kept of it, what is kept, and what comes back on
// the next link (Vol 3, Part G, 2.5.2.1, 3.3.3.3 and 7.2).

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: bonded clients")
struct GATTServerBondedClientTests: GATTServerSuite {
    @Test("Each write of a configuration or of the features of a bonded client is a change, and zero on zero is none")
    func writes() throws {
        try self.run(
            """
            security encrypted 16 bonded
            > 12 18 00 01 00
            < 13
            ? changed
            ? subscribed 0017
            > 12 18 00 01 00
            < 13
            ? changed
            > 12 18 00 00 00
            < 13
            ? changed
            ? unsubscribed 0017
            > 12 18 00 00 00
            < 13
            > 12 0B 00 01
            < 13
            ? changed
            > 12 0B 00 00                         # refused
            < 01 12 0B 00 13
            """
        )
    }

    @Test("The Database Hash that was read by its handle makes a bonded client change-aware with its next request")
    func hashByHandle() throws {
        var runner = try GATTServerScript()
        runner.run(
            """
            security encrypted 16 bonded
            add
            ? changed
            > 0A 10 00
            < 0B 01 02 03
            > 0A 10 00                            # another value makes nobody aware
            < 0B 01 02 03
            > 0C 10 00 00 00
            < 0D 01 02 03
            > 0A 10 00
            < 0B 01 02 03
            """
        )
        runner.run(
            """
            > 0A 0D 00
            < 0B \(hex(runner.server.server.database.hash().value))
            > 0A 10 00
            ? changed
            < 0B 01 02 03
            > 0A 10 00                            # once
            < 0B 01 02 03
            """
        )
    }

    @Test("The Database Hash that was read by its type makes a bonded client change-aware with its next request")
    func hashByType() throws {
        var runner = try GATTServerScript()
        runner.run(
            """
            security encrypted 16 bonded
            add
            ? changed
            > 08 01 00 FF FF 00 2A                # another type makes nobody aware
            < 09 06 03 00 42 61 6C 6C
            > 0A 10 00
            < 0B 01 02 03
            """
        )
        runner.run(
            """
            > 08 01 00 FF FF 2A 2B
            < 09 12 0D 00 \(hex(runner.server.server.database.hash().value))
            > 0A 10 00
            ? changed
            < 0B 01 02 03
            """
        )
    }

    @Test("Reading the Database Hash changes nothing for a client that is change-aware")
    func hashOfAware() throws {
        var runner = try GATTServerScript()
        runner.run(
            """
            security encrypted 16 bonded
            > 0A 0D 00
            < 0B \(hex(runner.server.server.database.hash().value))
            > 0A 10 00
            < 0B 01 02 03
            """
        )
    }

    @Test("The request behind Database Out Of Sync, and a confirmation of Service Changed, are changes")
    func awareness() throws {
        try self.run(
            """
            security encrypted 16 bonded
            > 12 0B 00 01
            < 13
            ? changed
            add
            ? changed
            > 0A 10 00
            < 01 0A 10 00 12
            > 0A 10 00
            ? changed
            < 0B 01 02 03
            > 12 09 00 02 00
            < 13
            ? changed
            add
            ? changed
            < 1D 08 00 39 00 3C 00
            > 1E
            ? changed
            """
        )
    }

    @Test("A confirmation of a characteristic's value is no change")
    func confirmation() throws {
        try self.run(
            """
            security encrypted 16 bonded
            > 12 1B 00 02 00
            < 13
            ? changed
            ? subscribed 001A
            notify 001A 01
            < 1D 1A 00 01
            > 1E
            ? confirmed 001A
            """
        )
    }

    @Test("The record of a client has its configurations by handle, its features, and the hash that it knows")
    func record() throws {
        var runner = try GATTServerScript()
        runner.run(
            """
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            > 12 09 00 02 00
            < 13
            > 12 0B 00 04
            < 13
            """
        )
        let known = runner.server.bondedClient(of: runner.link)
        let aware = try #require(known)
        #expect(
            aware.configurations == [
                BondedClient.Configuration(characteristic: 0x0008, uuid: 0x2A05, bits: 2),
                BondedClient.Configuration(characteristic: 0x0017, uuid: 0xA004, bits: 1),
                BondedClient.Configuration(characteristic: 0x001A, uuid: 0xA005, bits: 2),
            ]
        )
        #expect(aware.features == 0x04)
        #expect(aware.databaseHash == runner.server.server.database.attributesHash)
        runner.run(
            """
            add
            < 1D 08 00 35 00 38 00
            """
        )
        let later = runner.server.bondedClient(of: runner.link)
        let unaware = try #require(later)
        #expect(unaware.configurations == aware.configurations)
        #expect(unaware.databaseHash == nil)
    }

    @Test("A subscription that comes back demands of the link what it demanded before")
    func restoredSecurity() throws {
        try self.run(
            """
            security encrypted 16 bonded
            > 12 2C 00 01 00
            < 13
            ? changed
            ? subscribed 002A
            disconnect
            ? unsubscribed 002A
            reconnect
            ? subscribed 002A
            notify 002A 01
            ? dropped 1
            security encrypted 16
            notify 002A 02
            < 1B 2A 00 02
            """
        )
    }

    @Test("A configuration of indications and of both comes back with its bits")
    func restoredBits() throws {
        try self.run(
            """
            security encrypted 16
            > 12 2C 00 03 00
            < 13
            ? subscribed 002A
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            disconnect
            ? unsubscribed 001A
            ? unsubscribed 002A
            reconnect
            ? subscribed 001A
            ? subscribed 002A
            > 0A 2C 00
            < 0B 03 00
            > 0A 1B 00
            < 0B 02 00
            """
        )
    }

    @Test("A client without a subscription to Service Changed is told nothing on its next link, and is change-unaware")
    func unawareWithoutSubscription() throws {
        var runner = try GATTServerScript()
        runner.run(
            """
            disconnect
            add
            reconnect
            > 0A 10 00
            < 0B 01 02 03
            """
        )
        let found = runner.server.bondedClient(of: runner.link)
        let record = try #require(found)
        #expect(record.databaseHash == nil)
    }

    // MARK: Servers without all of the Generic Attribute service

    @Test("A server with Service Changed alone indicates changes, and has no hash to be read")
    func serviceChangedAlone() throws {
        try self.run(
            """
            > 12 09 00 02 00
            < 13
            add
            < 1D 08 00 2F 00 32 00
            > 1E
            > 08 01 00 FF FF 2A 2B
            < 01 08 01 00 0A
            disconnect
            add
            reconnect
            < 1D 08 00 01 00 FF FF
            > 1E
            """,
            configure: { $0.genericAttribute = .serviceChanged }
        )
    }

    @Test("A server without Service Changed indicates nothing", arguments: [GenericAttributeService.absent, .empty])
    func withoutServiceChanged(content: GenericAttributeService) throws {
        try self.run(
            """
            add
            disconnect
            add
            reconnect
            add
            > 0A 03 00
            < 0B 42 61 6C 6C
            """,
            configure: { $0.genericAttribute = content }
        )
    }
}

extension GATTDatabase {
    /// The octets of the Database Hash, without keeping it.
    fileprivate var attributesHash: ByteBuffer { Hash(of: self.attributes).octets }
}
