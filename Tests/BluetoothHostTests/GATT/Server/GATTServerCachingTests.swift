// Service Changed, Database Hash, Client Supported Features and robust caching.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: caching")
struct GATTServerCachingTests: GATTServerSuite {
    @Test func `GATT/SR/GAS/BV-01-C Service Changed`() throws {
        try self.run(
            """
            add                                   # no client has subscribed
            > 12 09 00 02 00
            < 13
            add
            < 1D 08 00 39 00 3C 00
            > 1E
            remove
            < 1D 08 00 39 00 3C 00
            > 1E
            > 12 09 00 00 00
            < 13
            add
            """
        )
    }

    @Test func `Changes that come before the confirmation become one range`() throws {
        try self.run(
            """
            > 12 09 00 02 00
            < 13
            add
            < 1D 08 00 35 00 38 00
            add
            add
            remove
            > 1E
            < 1D 08 00 39 00 40 00
            > 1E
            """
        )
    }

    @Test func `A range that waits keeps its ends where a later change lies inside`() throws {
        try self.run(
            """
            > 12 09 00 02 00
            < 13
            add
            < 1D 08 00 35 00 38 00
            add
            add
            remove 0039                           # of 0039 to 0040, which wait
            > 1E
            < 1D 08 00 39 00 40 00
            > 1E
            """
        )
    }

    @Test func `Service Changed comes before the application's indications`() throws {
        try self.run(
            """
            > 12 09 00 02 00
            < 13
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            notify 001A 01
            < 1D 1A 00 01
            notify 001A 02
            add
            > 1E
            ? confirmed 001A
            < 1D 08 00 35 00 38 00
            > 1E
            < 1D 1A 00 02
            """
        )
    }

    @Test func `Subscriptions end with their service`() throws {
        try self.run(
            """
            add
            > 12 38 00 01 00
            < 13
            ? subscribed 0037
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            remove
            ? unsubscribed 0037
            notify 0037 01
            ? dropped 1
            notify 0017 01
            < 1B 17 00 01
            add                                   # handles are not given again
            > 0A 38 00
            < 01 0A 38 00 01
            > 0A 3C 00
            < 0B 00 00
            """
        )
    }

    // MARK: Database Hash

    @Test func `GATT/SR/GAS/BV-02-C Database Hash`() throws {
        var runner = try GATTServerScript()
        let before = try Self.hashFromDiscovery(&runner)
        runner.run(
            """
            > 08 01 00 FF FF 2A 2B
            < 09 12 0D 00 \(hex(before))
            > 0A 0D 00
            < 0B \(hex(before))
            add
            """
        )
        let after = try Self.hashFromDiscovery(&runner)
        #expect(before != after)
        runner.run(
            """
            > 08 01 00 FF FF 2A 2B
            < 09 12 0D 00 \(hex(after))
            remove
            > 08 01 00 FF FF 2A 2B
            < 09 12 0D 00 \(hex(before))
            """
        )
    }

    /// Discovers the database as a tester does, with requests alone, and hashes what it found.
    private static func hashFromDiscovery(_ runner: inout GATTServerScript) throws -> ByteBuffer {
        var found: [GATTAttribute] = []
        var start: AttributeHandle = 1
        while true {
            runner.receive(ATTFindInformationRequest(start: start, end: 0xFFFF).encoded())
            let answer = try #require(runner.takeOutput().first)
            guard answer.hasPrefix("< 05") else { break }
            let list = try ATTFindInformationResponse(parsing: hex(String(answer.dropFirst(2)))).list
            for (handle, type) in list {
                // Values of the types that the hash covers are readable by everybody.
                var value = ByteBuffer()
                if let short = type.shortValue, (0x2800...0x2803).contains(short) || short == 0x2900 {
                    runner.receive(ATTReadRequest(handle: handle).encoded())
                    let answer = try #require(runner.takeOutput().first)
                    value = try ATTReadResponse(parsing: hex(String(answer.dropFirst(2)))).value
                }
                found.append(GATTAttribute(handle: handle, type: type, access: .read, content: .fixed(value)))
                start = handle + 1
            }
        }
        return GATTDatabase.Hash(of: found).value
    }

    // MARK: Client Supported Features

    @Test func `GATT/SR/GAS/BV-03-C Client Supported Features, one for each client`() throws {
        try self.run(
            """
            > 12 0B 00 F9                         # bits without a meaning are ignored
            < 13
            > 0A 0B 00
            < 0B 01
            open 2
            > 0A 0B 00
            < 0B 00
            link 1
            > 12 0B 00 05 FF FF                   # and so are octets
            < 13
            > 0A 0B 00
            < 0B 05
            > 12 0B 00 04                         # a bit cannot be taken back
            < 01 12 0B 00 13
            > 0A 0B 00
            < 0B 05
            """
        )
    }

    @Test func `GATT/SR/GAS/BV-04-C Client Supported Features of a bonded client`() throws {
        try self.run(
            """
            > 12 0B 00 01
            < 13
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            disconnect
            ? unsubscribed 0017
            reconnect
            ? subscribed 0017
            > 0A 0B 00
            < 0B 01
            > 0A 18 00
            < 0B 01 00
            notify 0017 01
            < 1B 17 00 01
            """
        )
    }
}
