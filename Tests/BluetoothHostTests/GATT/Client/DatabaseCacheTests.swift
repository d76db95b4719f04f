// Service Changed, Client Supported Features and Database Hash, as scripts named by the cases of the qualification
// suite.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: caching", .onRecord)
struct DatabaseCacheTests {
    private static let discovery = """
        > 06 01 00 FF FF 00 28 01 18
        < 07 06 00 0D 00
        > 08 06 00 0D 00 03 28
        < 09 07 07 00 20 08 00 05 2A  0A 00 0A 0B 00 29 2B
        > 08 0B 00 0D 00 03 28
        < 09 07 0C 00 02 0D 00 2A 2B
        > 08 0D 00 0D 00 03 28
        < 01 08 0D 00 0A
        > 04 09 00 09 00
        < 05 01 09 00 02 29

        """

    private static let hash = "00 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF"

    private func subscribed() -> ClientScript {
        var script = ClientScript()
        script.start(.configureCaching)
        script.play(
            Self.discovery + """
                > 12 09 00 02 00
                < 13
                > 12 0B 00 05
                < 13
                > 08 01 00 FF FF 2A 2B
                < 09 12 0D 00 \(Self.hash)
                """
        )
        return script
    }

    @Test("GATT/CL/GAS/BV-01-C A Service Changed indication is confirmed and reported")
    func gasBV01() {
        var script = self.subscribed()
        _ = script.takeReported()
        script.play("< 1D 08 00 10 00 20 00 \n > 1E")
        #expect(script.takeReported() == [.servicesChanged(0x0010...0x0020)])
        // Another value of the same server is an indication like any other.
        script.play("< 1D 0D 00 10 00 20 00 \n > 1E")
        #expect(script.takeReported() == [.notification(0x000D, hex("10 00 20 00"))])
        // What makes no sense still says that something changed.
        for value in ["", "10 00", "10 00 20 00 00", "20 00 10 00", "00 00 20 00", "00 00 00 00"] {
            script.play("< 1D 08 00 \(value) \n > 1E")
            #expect(script.takeReported() == [.servicesChanged(0x0001...0xFFFF)], "\(value)")
        }
    }

    @Test("GATT/CL/GAS/BV-01-C An indication may come before the subscription is answered")
    func gasBV01Early() {
        var script = ClientScript()
        script.start(.configureCaching)
        script.play(Self.discovery + "> 12 09 00 02 00 \n < 1D 08 00 01 00 FF FF \n > 1E")
        #expect(script.takeReported() == [.servicesChanged(0x0001...0xFFFF)])
    }

    @Test("GATT/CL/GAS/BV-04-C The client says which features it has, and reads the hash")
    func gasBV04() {
        var script = self.subscribed()
        let expected = GATTServerCaching(
            serviceChanged: 0x0008,
            serviceChangedConfiguration: 0x0009,
            clientSupportedFeatures: 0x000B,
            databaseHash: hex(Self.hash)
        )
        #expect(script.takeReported() == [.complete(GATTProcedureID(rawValue: 1), .success(.caching(expected)))])
    }

    @Test func `A server without the service, or with an empty one`() {
        #expect(
            ClientScript.run(.configureCaching, "> 06 01 00 FF FF 00 28 01 18 \n < 01 06 01 00 0A")
                == .success(.caching(GATTServerCaching()))
        )
        #expect(
            ClientScript.run(
                .configureCaching,
                "> 06 01 00 FF FF 00 28 01 18 \n < 07 06 00 06 00 \n > 08 06 00 06 00 03 28 \n < 01 08 06 00 0A"
            ) == .success(.caching(GATTServerCaching()))
        )
    }

    @Test func `What the server refuses is left out, and the rest is done`() {
        #expect(
            ClientScript.run(
                .configureCaching,
                Self.discovery + """
                    > 12 09 00 02 00
                    < 01 12 09 00 05
                    > 12 0B 00 05
                    < 01 12 0B 00 13
                    > 08 01 00 FF FF 2A 2B
                    < 01 08 0D 00 02
                    """
            ) == .success(.caching(GATTServerCaching(serviceChanged: 0x0008)))
        )
        // No descriptor: there is nothing to subscribe with.
        #expect(
            ClientScript.run(
                .configureCaching,
                """
                > 06 01 00 FF FF 00 28 01 18
                < 07 06 00 09 00
                > 08 06 00 09 00 03 28
                < 09 07 07 00 20 08 00 05 2A
                > 08 08 00 09 00 03 28
                < 01 08 08 00 0A
                > 04 09 00 09 00
                < 01 04 09 00 0A
                """
            ) == .success(.caching(GATTServerCaching(serviceChanged: 0x0008)))
        )
    }

    @Test func `Other errors end the setup`() {
        #expect(
            ClientScript.run(.configureCaching, "> 06 01 00 FF FF 00 28 01 18 \n < 01 06 01 00 0E")
                == .failure(.att(.unlikelyError, handle: 0x0001))
        )
        for (lines, answer) in [
            ("> 06 01 00 FF FF 00 28 01 18", "07 06 00"), ("> 06 01 00 FF FF 00 28 01 18", "07 00 00 0D 00"),
            ("> 06 01 00 FF FF 00 28 01 18", "07 0D 00 06 00"),
            (Self.discovery + "> 12 09 00 02 00", "13 00"),
            (
                Self.discovery + "> 12 09 00 02 00 \n < 13 \n > 12 0B 00 05 \n < 13 \n > 08 01 00 FF FF 2A 2B",
                "09 11 0D 00 \(Self.hash.dropLast(3))"
            ),
        ] {
            #expect(
                ClientScript.run(.configureCaching, lines + "\n < " + answer) == .failure(.malformedResponse),
                "\(answer)"
            )
        }
    }

    @Test("A5 Database Out Of Sync is reported after the error, so that a validation stands before a repetition")
    func outOfSync() {
        var script = ClientScript()
        let id = script.start(.read(0x0003))
        script.play("> 0A 03 00 \n < 01 0A 03 00 12")
        #expect(
            script.reported == [
                .complete(id, .failure(.att(.databaseOutOfSync, handle: 0x0003))), .databaseOutOfSync,
            ]
        )
    }

    // MARK: A server that is known

    private static var cached: GATTCachedDatabase {
        GATTCachedDatabase(
            databaseHash: hex(Self.hash),
            serviceChanged: 0x0008,
            serviceChangedConfiguration: 0x0009,
            clientSupportedFeatures: 0x000B
        )
    }

    @Test("GATT/CL/GAR/BV-03-C The Database Hash is read by its type, wherever it stands")
    func hashAlone() {
        #expect(
            ClientScript.run(.readDatabaseHash, "> 08 01 00 FF FF 2A 2B \n < 09 12 0D 00 \(Self.hash)")
                == .success(.value(hex(Self.hash)))
        )
        #expect(
            ClientScript.run(.readDatabaseHash, "> 08 01 00 FF FF 2A 2B \n < 01 08 01 00 0A")
                == .failure(.att(.attributeNotFound, handle: 1))
        )
        #expect(
            ClientScript.run(.readDatabaseHash, "> 08 01 00 FF FF 2A 2B \n < 09 04 0D 00 01 02")
                == .failure(.malformedResponse)
        )
    }

    @Test("GATT/CL/GAS/BV-01-C A server whose database is cached is configured again on a new link, without discovery")
    func resumption() {
        let all = GATTServerCaching(
            serviceChanged: 0x0008,
            serviceChangedConfiguration: 0x0009,
            clientSupportedFeatures: 0x000B,
            databaseHash: hex(Self.hash)
        )
        #expect(
            ClientScript.run(
                .resumeCaching(Self.cached),
                "> 12 09 00 02 00 \n < 13 \n > 12 0B 00 05 \n < 13"
            ) == .success(.caching(all))
        )
        var without = all
        without.serviceChangedConfiguration = nil
        #expect(
            ClientScript.run(
                .resumeCaching(Self.cached),
                "> 12 09 00 02 00 \n < 01 12 09 00 05 \n > 12 0B 00 05 \n < 13"
            ) == .success(.caching(without))
        )
        let nothing = GATTCachedDatabase(databaseHash: hex(Self.hash))
        #expect(
            ClientScript.run(.resumeCaching(nothing), "")
                == .success(.caching(GATTServerCaching(databaseHash: hex(Self.hash))))
        )
    }

    @Test(
        "GATT/CL/GAS/BV-01-C An indication of a server whose database is cached may come before its subscription is answered"
    )
    func resumptionEarly() {
        var script = ClientScript()
        script.start(.resumeCaching(Self.cached))
        script.play("> 12 09 00 02 00 \n < 1D 08 00 10 00 20 00 \n > 1E")
        #expect(script.takeReported() == [.servicesChanged(0x0010...0x0020)])
    }

    // MARK: Validation

    private static let configuration = """
        \(Self.discovery)
        > 12 09 00 02 00
        < 13
        > 12 0B 00 05
        < 13
        > 08 01 00 FF FF 2A 2B
        < 09 12 0D 00 \(Self.hash)
        """

    @Test("GATT/CL/GAR/BV-03-C A cached database whose hash is the same is unchanged")
    func unchanged() {
        #expect(
            ClientScript.run(
                .validateDatabaseCache(Self.cached),
                """
                > 08 01 00 FF FF 2A 2B
                < 09 12 0D 00 \(Self.hash)
                > 12 09 00 02 00
                < 13
                > 12 0B 00 05
                < 13
                """
            ) == .success(.validation(.unchanged(Self.cached)))
        )
    }

    @Test(
        "A cached database with another hash, or none, is discovered anew",
        arguments: ["09 12 0D 00 \(String(Self.hash.reversed()))", "01 08 01 00 0A", "09 04 0D 00 01 02"]
    )
    func changed(answer: String) {
        #expect(
            ClientScript.run(
                .validateDatabaseCache(Self.cached),
                "> 08 01 00 FF FF 2A 2B \n < \(answer) \n" + Self.configuration
            ) == .success(.validation(.changed(Self.cached)))
        )
    }

    @Test func `Without a cached database the server is discovered, and one without a hash cannot be cached`() {
        #expect(
            ClientScript.run(.validateDatabaseCache(nil), Self.configuration)
                == .success(.validation(.changed(Self.cached)))
        )
        #expect(
            ClientScript.run(.validateDatabaseCache(nil), "> 06 01 00 FF FF 00 28 01 18 \n < 01 06 01 00 0A")
                == .success(.validation(.noDatabaseHash))
        )
        #expect(
            ClientScript.run(.validateDatabaseCache(nil), "> 06 01 00 FF FF 00 28 01 18 \n < 01 06 01 00 0E")
                == .failure(.att(.unlikelyError, handle: 1))
        )
    }

    @Test func `Write commands wait for the hash of a cached database, and for nothing else of a validation`() {
        var script = ClientScript()
        script.start(.validateDatabaseCache(Self.cached))
        script.writeCommand(0x0020, hex("01"))
        script.play("> 08 01 00 FF FF 2A 2B \n < 09 12 0D 00 \(Self.hash) \n > 12 09 00 02 00 \n > 52 20 00 01")
        script = ClientScript()
        script.start(.validateDatabaseCache(nil))
        script.writeCommand(0x0020, hex("01"))
        script.play("> 06 01 00 FF FF 00 28 01 18 \n > 52 20 00 01")
    }

    @Test("GATT/CL/GAS/BV-01-C An indication of a server whose cache is being validated may come early")
    func validationEarly() {
        var script = ClientScript()
        script.start(.validateDatabaseCache(Self.cached))
        script.play("> 08 01 00 FF FF 2A 2B \n < 09 12 0D 00 \(Self.hash) \n > 12 09 00 02 00")
        script.play("< 1D 08 00 10 00 20 00 \n > 1E")
        #expect(script.takeReported() == [.servicesChanged(0x0010...0x0020)])
    }
}
