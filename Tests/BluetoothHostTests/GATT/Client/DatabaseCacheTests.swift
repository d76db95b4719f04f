// Service Changed, Client Supported Features and Database Hash (Vol 3, Part G, 2.5.2 and 7). The server has a Generic
// Attribute service at 0006 to 000D.

import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: caching")
struct DatabaseCacheTests {
    private static let hash = "00 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF"
    private static let otherHash = "01 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF"
    /// Service Changed is 0008, its configuration 0009, Client Supported Features 000B, Database Hash 000D.
    private static let database = GATTCachedDatabase(
        databaseHash: hex(Self.hash),
        serviceChanged: 0x0008,
        serviceChangedConfiguration: 0x0009,
        clientSupportedFeatures: 0x000B
    )

    /// A client knows all of the server, or has been refused some of it.
    private static func caching(
        withSubscription: Bool = true,
        withFeatures: Bool = true
    ) -> ClientScript.Outcome {
        let caching = GATTServerCaching(
            serviceChanged: 0x0008,
            serviceChangedConfiguration: withSubscription ? 0x0009 : nil,
            clientSupportedFeatures: withFeatures ? 0x000B : nil,
            databaseHash: hex(Self.hash)
        )
        return .success(.caching(caching))
    }

    // The steps of configuring.
    private static let service = "> 06 01 00 FF FF 00 28 01 18 \n < 07 06 00 0D 00 \n"
    private static let characteristics =
        Self.service + """
            > 08 06 00 0D 00 03 28
            < 09 07 07 00 20 08 00 05 2A  0A 00 0A 0B 00 29 2B
            > 08 0B 00 0D 00 03 28
            < 09 07 0C 00 02 0D 00 2A 2B
            > 08 0D 00 0D 00 03 28
            < 01 08 0D 00 0A
            > 04 09 00 09 00

            """
    private static let discovery = Self.characteristics + "< 05 01 09 00 02 29\n"
    private static let subscribing = "> 12 09 00 02 00 \n < "
    private static let writingFeatures = "> 12 0B 00 05 \n < "
    private static let readingHash = "> 08 01 00 FF FF 2A 2B \n < "
    private static let hashRead = Self.readingHash + "09 12 0D 00 \(Self.hash) \n"
    private static let rest = Self.writingFeatures + "13 \n" + Self.hashRead
    private static let configuration = Self.discovery + Self.subscribing + "13 \n" + Self.rest

    // MARK: Configuring

    @Test("GATT/CL/GAS/BV-01-C A Service Changed indication is confirmed and reported")
    func gasBV01() {
        var script = ClientScript()
        script.start(.configureCaching)
        // It may come before the subscription is answered.
        script.play(Self.discovery + "> 12 09 00 02 00 \n < 1D 08 00 01 00 FF FF \n > 1E")
        #expect(script.takeReported() == [.servicesChanged(0x0001...0xFFFF)])
        script.play("< 13 \n" + Self.rest)
        _ = script.takeReported()
        let ranges: [(String, AttributeHandleRange)] = [
            ("10 00 20 00", 0x0010...0x0020), ("10 00 10 00", 0x0010...0x0010), ("FF FF FF FF", 0xFFFF...0xFFFF),
        ]
        for (value, range) in ranges {
            script.play("< 1D 08 00 \(value) \n > 1E")
            #expect(script.takeReported() == [.servicesChanged(range)])
        }
        // Another value of the same server is an indication like any other.
        script.play("< 1D 0D 00 10 00 20 00 \n > 1E")
        #expect(script.takeReported() == [.notification(0x000D, hex("10 00 20 00"))])
        // A malformed value still says that something changed.
        for value in ["", "10 00", "10 00 20 00 00", "20 00 10 00", "00 00 20 00", "00 00 00 00"] {
            script.play("< 1D 08 00 \(value) \n > 1E")
            #expect(script.takeReported() == [.servicesChanged(0x0001...0xFFFF)], "\(value)")
        }
    }

    @Test("GATT/CL/GAS/BV-04-C The client says which features it has, and reads the hash")
    func gasBV04() {
        #expect(ClientScript.run(.configureCaching, Self.configuration) == Self.caching())
    }

    @Test(
        "finds nothing on a server without the service, or with an empty one",
        arguments: ["01 06 01 00 0A", "07 06 00 06 00 \n > 08 06 00 06 00 03 28 \n < 01 08 06 00 0A"]
    )
    func withoutService(answers: String) {
        #expect(
            ClientScript.run(.configureCaching, "> 06 01 00 FF FF 00 28 01 18 \n < " + answers)
                == .success(.caching(GATTServerCaching()))
        )
    }

    @Test("leaves out what the server refuses or does not have, and does the rest")
    func refused() {
        #expect(
            ClientScript.run(
                .configureCaching,
                Self.discovery + Self.subscribing + "01 12 09 00 05 \n" + Self.writingFeatures + "01 12 0B 00 13 \n"
                    + Self.readingHash + "01 08 0D 00 02"
            ) == .success(.caching(GATTServerCaching(serviceChanged: 0x0008)))
        )
        #expect(
            ClientScript.run(
                .configureCaching,
                Self.discovery + Self.subscribing + "13 \n" + Self.writingFeatures + "01 12 0B 00 13 \n" + Self.hashRead
            ) == Self.caching(withFeatures: false)
        )
        // Descriptors that cannot be discovered, or of another type: there is nothing to subscribe with.
        for answer in ["01 04 09 00 0E", "01 04 09 00 0A", "05 01 09 00 01 29"] {
            #expect(
                ClientScript.run(.configureCaching, Self.characteristics + "< \(answer) \n" + Self.rest)
                    == Self.caching(withSubscription: false)
            )
        }
    }

    @Test(
        "ends the setup with another error, or a malformed answer",
        arguments: [
            ("> 06 01 00 FF FF 00 28 01 18 \n <", "01 06 01 00 0E", .att(.unlikelyError, handle: 0x0001)),
            (Self.service + "> 08 06 00 0D 00 03 28 \n <", "01 08 06 00 0E", .att(.unlikelyError, handle: 0x0006)),
            ("> 06 01 00 FF FF 00 28 01 18 \n <", "07 06 00", .malformedResponse),
            ("> 06 01 00 FF FF 00 28 01 18 \n <", "07 00 00 0D 00", .malformedResponse),
            ("> 06 01 00 FF FF 00 28 01 18 \n <", "07 0D 00 06 00", .malformedResponse),
            (Self.service + "> 08 06 00 0D 00 03 28 \n <", "09 07 05 00 20 08 00 05 2A", .malformedResponse),
            (Self.characteristics + "<", "05 01 0A 00 02 29", .malformedResponse),
            (Self.discovery + Self.subscribing, "13 00", .malformedResponse),
            (Self.discovery + Self.subscribing + "13 \n" + Self.writingFeatures, "13 00", .malformedResponse),
            (
                Self.discovery + Self.subscribing + "13 \n" + Self.writingFeatures + "13 \n" + Self.readingHash,
                "09 11 0D 00 \(Self.hash.dropLast(3))", .malformedResponse
            ),
        ] as [(String, String, GATTError)]
    )
    func failed(lines: String, answer: String, error: GATTError) {
        #expect(ClientScript.run(.configureCaching, lines + answer) == .failure(error))
    }

    // MARK: Out of sync

    @Test("A5 reports Database Out Of Sync after the error, so that a validation stands before a repetition")
    func outOfSync() {
        var script = ClientScript()
        let id = script.start(.read(0x0003))
        script.play("> 0A 03 00 \n < 01 0A 03 00 12")
        let failure = ClientScript.Outcome.failure(.att(.databaseOutOfSync, handle: 0x0003))
        #expect(script.reported == [.complete(id, failure), .databaseOutOfSync])
    }

    // MARK: Resuming

    @Test("GATT/CL/GAR/BV-03-C The Database Hash is read by its type, wherever it stands")
    func garBV03() {
        #expect(ClientScript.run(.readDatabaseHash, Self.hashRead) == .success(.value(hex(Self.hash))))
        #expect(
            ClientScript.run(.readDatabaseHash, Self.readingHash + "01 08 01 00 0A")
                == .failure(.att(.attributeNotFound, handle: 1))
        )
        #expect(
            ClientScript.run(.readDatabaseHash, Self.readingHash + "09 04 0D 00 01 02") == .failure(.malformedResponse)
        )
    }

    @Test("GATT/CL/GAS/BV-01-C A server whose database is cached is configured again on a new link, without discovery")
    func resumption() {
        func resume(_ lines: String, _ cached: GATTCachedDatabase = Self.database) -> ClientScript.Outcome? {
            ClientScript.run(.resumeCaching(cached), lines)
        }
        #expect(resume(Self.subscribing + "13 \n" + Self.writingFeatures + "13") == Self.caching())
        #expect(
            resume(Self.subscribing + "01 12 09 00 05 \n" + Self.writingFeatures + "13")
                == Self.caching(withSubscription: false)
        )
        #expect(
            resume(Self.subscribing + "13 \n" + Self.writingFeatures + "01 12 0B 00 13")
                == Self.caching(withFeatures: false)
        )
        for answer in ["13 00", "0B"] { #expect(resume(Self.subscribing + answer) == .failure(.malformedResponse)) }
        // Nothing is written without a handle.
        var cached = Self.database
        cached.clientSupportedFeatures = nil
        #expect(resume(Self.subscribing + "13", cached) == Self.caching(withFeatures: false))
        cached = Self.database
        cached.serviceChangedConfiguration = nil
        #expect(resume(Self.writingFeatures + "13", cached) == Self.caching(withSubscription: false))
        cached = GATTCachedDatabase(databaseHash: hex(Self.hash))
        #expect(resume("", cached) == .success(.caching(GATTServerCaching(databaseHash: hex(Self.hash)))))
    }

    // MARK: Validation

    @Test("GATT/CL/GAR/BV-03-C A cached database whose hash is the same is unchanged")
    func unchanged() {
        let outcome = ClientScript.Outcome.success(.validation(.unchanged(Self.database)))
        let lines = Self.hashRead + Self.subscribing
        // However the server answers to what is written again.
        for answer in ["13 00", "0B 01", "17 09 00 00 00 02 00"] {
            #expect(ClientScript.run(.validateDatabaseCache(Self.database), lines + answer) == outcome)
        }
        for answer in ["13", "01 12 09 00 05", "01 12 09 00 0A"] {
            for last in ["13", "13 00", "0D", "01 12 0B 00 13"] {
                let rest = "\(answer) \n" + Self.writingFeatures + last
                #expect(ClientScript.run(.validateDatabaseCache(Self.database), lines + rest) == outcome)
            }
        }
        let cached = GATTCachedDatabase(databaseHash: hex(Self.hash))
        #expect(
            ClientScript.run(.validateDatabaseCache(cached), Self.hashRead) == .success(.validation(.unchanged(cached)))
        )
        // What was validated on this link before is not configured again.
        #expect(ClientScript.run(.validateAgain(Self.database), Self.hashRead) == outcome)
    }

    @Test(
        "discovers a cached database anew if its hash is another one, or is not read",
        arguments: ["09 12 0D 00 \(Self.otherHash)", "01 08 01 00 0A", "09 04 0D 00 01 02", "0B 01"]
    )
    func changed(answer: String) {
        for procedure in [ClientProcedure.validateDatabaseCache(Self.database), .validateAgain(Self.database)] {
            #expect(
                ClientScript.run(procedure, Self.readingHash + "\(answer) \n" + Self.configuration)
                    == .success(.validation(.changed(Self.database)))
            )
        }
    }

    @Test("discovers a server without a cached database, and caches nothing of one without a hash")
    func nothingCached() {
        func validate(_ lines: String, _ cached: GATTCachedDatabase? = nil) -> ClientScript.Outcome? {
            ClientScript.run(.validateDatabaseCache(cached), lines)
        }
        let finding = "> 06 01 00 FF FF 00 28 01 18 \n < "
        #expect(validate(Self.configuration) == .success(.validation(.changed(Self.database))))
        #expect(validate(finding + "01 06 01 00 0A") == .success(.validation(.noDatabaseHash)))
        #expect(
            validate(Self.readingHash + "01 08 01 00 02 \n" + finding + "01 06 01 00 0A", Self.database)
                == .success(.validation(.noDatabaseHash))
        )
        #expect(validate(finding + "01 06 01 00 0E") == .failure(.att(.unlikelyError, handle: 1)))
        for answer in ["0B 01", "07 06 00"] { #expect(validate(finding + answer) == .failure(.malformedResponse)) }
    }

    @Test("sends write commands after the hash of a cached database, and after nothing else of a validation")
    func commands() {
        let cases: [(ClientProcedure, String)] = [
            (.validateDatabaseCache(Self.database), Self.hashRead + "> 12 09 00 02 00 \n > 52 20 00 01"),
            (.validateAgain(Self.database), Self.hashRead + "> 52 20 00 01"),
            (.validateDatabaseCache(nil), "> 06 01 00 FF FF 00 28 01 18 \n > 52 20 00 01"),
        ]
        for (procedure, lines) in cases {
            var script = ClientScript()
            script.start(procedure)
            script.writeCommand(0x0020, hex("01"))
            script.play(lines)
        }
    }

    @Test(
        "GATT/CL/GAS/BV-01-C An indication of a server whose cache is used may come before its subscription is answered"
    )
    func earlyIndications() {
        let indication = "< 1D 08 00 10 00 20 00 \n > 1E"
        let cases: [(ClientProcedure, String)] = [
            (.resumeCaching(Self.database), "> 12 09 00 02 00 \n"),
            (.validateDatabaseCache(Self.database), Self.hashRead + "> 12 09 00 02 00 \n"),
            (.validateDatabaseCache(nil), Self.characteristics),
        ]
        for (procedure, lines) in cases {
            var script = ClientScript()
            script.start(procedure)
            script.play(lines + indication)
            #expect(script.takeReported() == [.servicesChanged(0x0010...0x0020)])
        }
        // Before the hash is read, the handle may be that of any value.
        var script = ClientScript()
        script.start(.validateDatabaseCache(Self.database))
        script.play("> 08 01 00 FF FF 2A 2B \n" + indication)
        #expect(script.takeReported() == [.notification(0x0008, hex("10 00 20 00"))])
    }
}
