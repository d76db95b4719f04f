// Service Changed, Client Supported Features and Database Hash, as scripts named by the cases of the qualification
// suite.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: caching")
struct DatabaseCacheTests {
    private func subscribed() -> ClientScript {
        var script = ClientScript()
        script.start(.configureCaching)
        script.play(CachedServer.configuration)
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
        script.play(CachedServer.discovery + "> 12 09 00 02 00 \n < 1D 08 00 01 00 FF FF \n > 1E")
        #expect(script.takeReported() == [.servicesChanged(0x0001...0xFFFF)])
    }

    @Test("GATT/CL/GAS/BV-04-C The client says which features it has, and reads the hash")
    func gasBV04() {
        var script = self.subscribed()
        let outcome = ClientScript.Outcome.success(.caching(CachedServer.caching))
        #expect(script.takeReported() == [.complete(GATTProcedureID(rawValue: 1), outcome)])
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
                CachedServer.discovery + """
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
            (CachedServer.discovery + "> 12 09 00 02 00", "13 00"),
            (
                CachedServer.discovery + "> 12 09 00 02 00 \n < 13 \n > 12 0B 00 05 \n < 13 \n > 08 01 00 FF FF 2A 2B",
                "09 11 0D 00 \(CachedServer.hash.dropLast(3))"
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

    @Test("GATT/CL/GAR/BV-03-C The Database Hash is read by its type, wherever it stands")
    func hashAlone() {
        #expect(
            ClientScript.run(.readDatabaseHash, "> 08 01 00 FF FF 2A 2B \n < 09 12 0D 00 \(CachedServer.hash)")
                == .success(.value(hex(CachedServer.hash)))
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
        #expect(
            ClientScript.run(
                .resumeCaching(CachedServer.database),
                "> 12 09 00 02 00 \n < 13 \n > 12 0B 00 05 \n < 13"
            ) == .success(.caching(CachedServer.caching))
        )
        var without = CachedServer.caching
        without.serviceChangedConfiguration = nil
        #expect(
            ClientScript.run(
                .resumeCaching(CachedServer.database),
                "> 12 09 00 02 00 \n < 01 12 09 00 05 \n > 12 0B 00 05 \n < 13"
            ) == .success(.caching(without))
        )
        let nothing = GATTCachedDatabase(databaseHash: hex(CachedServer.hash))
        #expect(
            ClientScript.run(.resumeCaching(nothing), "")
                == .success(.caching(GATTServerCaching(databaseHash: hex(CachedServer.hash))))
        )
    }

    @Test(
        "GATT/CL/GAS/BV-01-C An indication of a server whose database is cached may come before its subscription is answered"
    )
    func resumptionEarly() {
        var script = ClientScript()
        script.start(.resumeCaching(CachedServer.database))
        script.play("> 12 09 00 02 00 \n < 1D 08 00 10 00 20 00 \n > 1E")
        #expect(script.takeReported() == [.servicesChanged(0x0010...0x0020)])
    }

    // MARK: Validation

    @Test("GATT/CL/GAR/BV-03-C A cached database whose hash is the same is unchanged")
    func unchanged() {
        #expect(
            ClientScript.run(
                .validateDatabaseCache(CachedServer.database),
                """
                > 08 01 00 FF FF 2A 2B
                < 09 12 0D 00 \(CachedServer.hash)
                > 12 09 00 02 00
                < 13
                > 12 0B 00 05
                < 13
                """
            ) == .success(.validation(.unchanged(CachedServer.database)))
        )
    }

    @Test(
        "A cached database with another hash, or none, is discovered anew",
        arguments: ["09 12 0D 00 \(String(CachedServer.hash.reversed()))", "01 08 01 00 0A", "09 04 0D 00 01 02"]
    )
    func changed(answer: String) {
        #expect(
            ClientScript.run(
                .validateDatabaseCache(CachedServer.database),
                "> 08 01 00 FF FF 2A 2B \n < \(answer) \n" + CachedServer.configuration
            ) == .success(.validation(.changed(CachedServer.database)))
        )
    }

    @Test func `Without a cached database the server is discovered, and one without a hash cannot be cached`() {
        #expect(
            ClientScript.run(.validateDatabaseCache(nil), CachedServer.configuration)
                == .success(.validation(.changed(CachedServer.database)))
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
        script.start(.validateDatabaseCache(CachedServer.database))
        script.writeCommand(0x0020, hex("01"))
        script.play("> 08 01 00 FF FF 2A 2B \n < 09 12 0D 00 \(CachedServer.hash) \n > 12 09 00 02 00 \n > 52 20 00 01")
        script = ClientScript()
        script.start(.validateDatabaseCache(nil))
        script.writeCommand(0x0020, hex("01"))
        script.play("> 06 01 00 FF FF 00 28 01 18 \n > 52 20 00 01")
    }

    @Test("GATT/CL/GAS/BV-01-C An indication of a server whose cache is being validated may come early")
    func validationEarly() {
        var script = ClientScript()
        script.start(.validateDatabaseCache(CachedServer.database))
        script.play("> 08 01 00 FF FF 2A 2B \n < 09 12 0D 00 \(CachedServer.hash) \n > 12 09 00 02 00")
        script.play("< 1D 08 00 10 00 20 00 \n > 1E")
        #expect(script.takeReported() == [.servicesChanged(0x0010...0x0020)])
    }
}
