// Service Changed, Client Supported Features and Database Hash (Vol 3, Part G, 2.5.2 and 7). The server has a Generic
// Attribute service at 0006 to 000D.

import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: caching")
struct DatabaseCacheTests {
    // The exchanges with a server that has everything: Service Changed at 0008, its configuration at 0009, Client
    // Supported Features at 000B and the Database Hash at 000D.
    private static let service = "> 06 01 00 FF FF 00 28 01 18 < 07 06 00 0D 00"
    private static let characteristics = """
        \(Self.service)
        > 08 06 00 0D 00 03 28 < 09 07 07 00 20 08 00 05 2A  0A 00 0A 0B 00 29 2B
        > 08 0B 00 0D 00 03 28 < 09 07 0C 00 02 0D 00 2A 2B
        > 08 0D 00 0D 00 03 28 < 01 08 0D 00 0A
        """
    private static let descriptor = "> 04 09 00 09 00 < 05 01 09 00 02 29"
    private static let subscription = "> 12 09 00 02 00 < 13"
    private static let features = "> 12 0B 00 05 < 13"
    private static let hash = "> 08 01 00 FF FF 2A 2B < 09 12 0D 00 00..0F"
    private static let discovery = "\(Self.characteristics)\n\(Self.descriptor)"
    private static let rest = "\(Self.features)\n\(Self.hash)"
    private static let configuration = "\(Self.discovery)\n\(Self.subscription)\n\(Self.rest)"

    /// `all`; `-` stands for an unknown handle.
    private static let scripts = TitledScript.all(
        """
        ## GATT/CL/GAS/BV-04-C The client says which features it has, and reads the hash
        configureCaching
        \(configuration)
        = caching 0008 0009 000B hash

        ## finds nothing on a server without the service, or with an empty one
        configureCaching > 06 01 00 FF FF 00 28 01 18 < 01 06 01 00 0A = caching - - - -
        configureCaching
        > 06 01 00 FF FF 00 28 01 18 < 07 06 00 06 00
        > 08 06 00 06 00 03 28 < 01 08 06 00 0A
        = caching - - - -

        ## leaves out what the server refuses or does not have, and does the rest
        configureCaching
        \(discovery)
        > 12 09 00 02 00 < 01 12 09 00 05
        > 12 0B 00 05 < 01 12 0B 00 13
        > 08 01 00 FF FF 2A 2B < 01 08 0D 00 02
        = caching 0008 - - -
        configureCaching
        \(discovery)
        \(subscription)
        > 12 0B 00 05 < 01 12 0B 00 13
        \(hash)
        = caching 0008 0009 - hash
        configureCaching                      # descriptors that cannot be discovered, or of another type
        \(characteristics)
        > 04 09 00 09 00 < 01 04 09 00 0E
        \(rest)
        = caching 0008 - 000B hash
        configureCaching
        \(characteristics)
        > 04 09 00 09 00 < 05 01 09 00 01 29
        \(rest)
        = caching 0008 - 000B hash

        ## ends the setup with another error
        configureCaching > 06 01 00 FF FF 00 28 01 18 < 01 06 01 00 0E = error 0E 0001
        configureCaching
        \(service)
        > 08 06 00 0D 00 03 28 < 01 08 06 00 0E
        = error 0E 0006

        ## GATT/CL/GAR/BV-03-C The Database Hash is read by its type, wherever it stands
        readDatabaseHash
        \(hash)
        = 00..0F
        readDatabaseHash > 08 01 00 FF FF 2A 2B < 01 08 01 00 0A = error 0A 0001
        readDatabaseHash > 08 01 00 FF FF 2A 2B < 09 04 0D 00 01 02 = malformed

        ## GATT/CL/GAS/BV-01-C A server whose database is cached is configured again on a new link, without discovery
        resume 0008 0009 000B
        \(subscription)
        \(features)
        = caching 0008 0009 000B hash
        resume 0008 0009 000B
        > 12 09 00 02 00 < 01 12 09 00 05
        > 12 0B 00 05 < 01 12 0B 00 13
        = caching 0008 - - hash
        resume 0008 0009 000B > 12 09 00 02 00 < 13 00 = malformed
        resume 0008 0009 -                    # nothing is written without a handle
        \(subscription)
        = caching 0008 0009 - hash
        resume 0008 - 000B
        \(features)
        = caching 0008 - 000B hash
        resume - - - = caching - - - hash

        ## GATT/CL/GAR/BV-03-C A cached database whose hash is the same is unchanged, whatever the server answers then
        validate 0008 0009 000B
        \(hash)
        \(subscription)
        \(features)
        = unchanged 0008 0009 000B
        validate 0008 0009 000B
        \(hash)
        > 12 09 00 02 00 < 13 00
        = unchanged 0008 0009 000B
        validate 0008 0009 000B
        \(hash)
        > 12 09 00 02 00 < 01 12 09 00 05
        > 12 0B 00 05 < 01 12 0B 00 13
        = unchanged 0008 0009 000B
        validate 0008 0009 000B
        \(hash)
        \(subscription)
        > 12 0B 00 05 < 0D
        = unchanged 0008 0009 000B
        validate - - -
        \(hash)
        = unchanged - - -
        validateAgain 0008 0009 000B          # what was validated on this link before is not configured again
        \(hash)
        = unchanged 0008 0009 000B

        ## discovers a server without a cached database, and caches nothing of one without a hash
        validate
        \(configuration)
        = changed 0008 0009 000B
        validate > 06 01 00 FF FF 00 28 01 18 < 01 06 01 00 0A = noDatabaseHash
        validate 0008 0009 000B
        > 08 01 00 FF FF 2A 2B < 01 08 01 00 02
        > 06 01 00 FF FF 00 28 01 18 < 01 06 01 00 0A
        = noDatabaseHash
        validate > 06 01 00 FF FF 00 28 01 18 < 01 06 01 00 0E = error 0E 0001
        validate > 06 01 00 FF FF 00 28 01 18 < 07 06 00 = malformed
        """
    )

    @Test("follows the script", arguments: Self.scripts)
    func script(_ script: TitledScript) { script.runOnClient() }

    @Test(
        "discovers a cached database again if its hash has changed or cannot be read",
        arguments: ["09 12 0D 00 01*16", "01 08 01 00 0A", "09 04 0D 00 01 02", "0B 01"]
    )
    func changed(answer: String) {
        for procedure in ["validate", "validateAgain"] {
            let lines = "> 08 01 00 FF FF 2A 2B < \(answer)\n\(Self.configuration)"
            let steps = "\(procedure) 0008 0009 000B\n\(lines)\n= changed 0008 0009 000B"
            TitledScript(title: "", steps: steps, sourceLocation: #_sourceLocation).runOnClient()
        }
    }

    // MARK: Indications, errors and commands

    /// A client after a procedure has begun and the lines were exchanged.
    private static func playing(_ procedure: String, _ lines: String) throws -> ClientScript {
        var script = ClientScript()
        script.start(try #require(ClientProcedure(procedure.split(separator: " ").map(String.init))))
        if !lines.isEmpty { script.play(Self.split(lines)) }
        return script
    }

    private static func split(_ lines: String) -> String {
        lines.replacing(" <", with: "\n<").replacing(" >", with: "\n>")
    }

    @Test("GATT/CL/GAS/BV-01-C A Service Changed indication is confirmed and reported")
    func gasBV01() throws {
        // It may come before the subscription is answered.
        var script = try Self.playing(
            "configureCaching",
            Self.discovery + " > 12 09 00 02 00 < 1D 08 00 01 00 FF FF > 1E"
        )
        #expect(script.takeReported() == [.servicesChanged(0x0001...0xFFFF)])
        script.play(Self.split("< 13 \n" + Self.rest))
        _ = script.takeReported()
        let ranges: [(String, AttributeHandleRange)] = [
            ("10 00 20 00", 0x0010...0x0020), ("10 00 10 00", 0x0010...0x0010), ("FF FF FF FF", 0xFFFF...0xFFFF),
            // A malformed value still says that something changed.
            ("", 0x0001...0xFFFF), ("10 00", 0x0001...0xFFFF), ("10 00 20 00 00", 0x0001...0xFFFF),
            ("20 00 10 00", 0x0001...0xFFFF), ("00 00 20 00", 0x0001...0xFFFF), ("00 00 00 00", 0x0001...0xFFFF),
        ]
        for (value, range) in ranges {
            script.play("< 1D 08 00 \(value) \n > 1E")
            #expect(script.takeReported() == [.servicesChanged(range)])
        }
        // Another value of the same server is an indication like any other.
        script.play("< 1D 0D 00 10 00 20 00 \n > 1E")
        #expect(script.takeReported() == [.notification(0x000D, hex("10 00 20 00"))])
    }

    @Test(
        "GATT/CL/GAS/BV-01-C An indication of a server with a used cache may come before its subscription is answered",
        arguments: [
            ("resume 0008 0009 000B", "> 12 09 00 02 00", true),
            ("validate 0008 0009 000B", "\(Self.hash) > 12 09 00 02 00", true),
            ("validate", "\(Self.characteristics) > 04 09 00 09 00", true),
            // Before the hash is read, the handle may be that of any value.
            ("validate 0008 0009 000B", "> 08 01 00 FF FF 2A 2B", false),
        ]
    )
    func earlyIndications(procedure: String, lines: String, isChange: Bool) throws {
        var script = try Self.playing(procedure, lines + " < 1D 08 00 10 00 20 00 > 1E")
        let change = ClientScript.Action.servicesChanged(0x0010...0x0020)
        #expect(script.takeReported() == [isChange ? change : .notification(0x0008, hex("10 00 20 00"))])
    }

    @Test(
        "sends write commands after the hash of a cached database, and after nothing else of a validation",
        arguments: [
            ("validate 0008 0009 000B", "\(Self.hash) > 12 09 00 02 00 > 52 20 00 01"),
            ("validateAgain 0008 0009 000B", "\(Self.hash) > 52 20 00 01"),
            ("validate", "> 06 01 00 FF FF 00 28 01 18 > 52 20 00 01"),
        ]
    )
    func commands(procedure: String, lines: String) throws {
        var script = try Self.playing(procedure, "")
        script.writeCommand(0x0020, hex("01"))
        script.play(Self.split(lines))
    }

    @Test("A5 reports Database Out Of Sync after the error, so that a validation precedes a repetition")
    func outOfSync() {
        var script = ClientScript()
        let id = script.start(.read(0x0003))
        script.play("> 0A 03 00 \n < 01 0A 03 00 12")
        let failure = ClientScript.Outcome.failure(.att(.databaseOutOfSync, handle: 0x0003))
        #expect(script.reported == [.complete(id, failure), .databaseOutOfSync])
    }
}
