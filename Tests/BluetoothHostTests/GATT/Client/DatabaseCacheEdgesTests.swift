// What a client makes of a server that refuses or garbles single steps of configuring, resuming or validating a cache
// (Vol 3, Part G, 2.5.2 and 7).

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: edges of caching")
struct DatabaseCacheEdgesTests {
    private static let otherHash = "01 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF"

    /// What is known of a server that has refused the subscription to Service Changed.
    private static var withoutSubscription: GATTServerCaching {
        GATTServerCaching(serviceChanged: 0x0008, clientSupportedFeatures: 0x000B, databaseHash: hex(CachedServer.hash))
    }

    /// What is known of a server that has refused the features of the client.
    private static var withoutFeatures: GATTServerCaching {
        GATTServerCaching(
            serviceChanged: 0x0008,
            serviceChangedConfiguration: 0x0009,
            databaseHash: hex(CachedServer.hash)
        )
    }

    // MARK: Configuring

    @Test("Characteristics that cannot be discovered end the setup")
    func characteristicsRefused() {
        #expect(
            ClientScript.run(
                .configureCaching,
                CachedServer.service + "> 08 06 00 0D 00 03 28 \n < 01 08 06 00 0E"
            ) == .failure(.att(.unlikelyError, handle: 0x0006))
        )
        #expect(
            ClientScript.run(
                .configureCaching,
                CachedServer.service + "> 08 06 00 0D 00 03 28 \n < 09 07 05 00 20 08 00 05 2A"
            ) == .failure(.malformedResponse)
        )
    }

    @Test(
        "Descriptors of Service Changed that cannot be discovered, or have another type, are left out",
        arguments: ["01 04 09 00 0E", "01 04 09 00 0A", "05 01 09 00 01 29"]
    )
    func descriptorsRefused(answer: String) {
        #expect(
            ClientScript.run(.configureCaching, CachedServer.characteristics + "< \(answer) \n" + CachedServer.rest)
                == .success(.caching(Self.withoutSubscription))
        )
    }

    @Test("A descriptor outside of its characteristic ends the setup")
    func descriptorsMalformed() {
        #expect(
            ClientScript.run(.configureCaching, CachedServer.characteristics + "< 05 01 0A 00 02 29")
                == .failure(.malformedResponse)
        )
    }

    @Test("Client Supported Features that are refused are left out, and the hash is read")
    func featuresRefused() {
        #expect(
            ClientScript.run(
                .configureCaching,
                CachedServer.subscription + """
                    < 13
                    > 12 0B 00 05
                    < 01 12 0B 00 13
                    > 08 01 00 FF FF 2A 2B
                    < 09 12 0D 00 \(CachedServer.hash)
                    """
            ) == .success(.caching(Self.withoutFeatures))
        )
    }

    @Test("A malformed answer to the features ends the setup")
    func featuresMalformed() {
        #expect(
            ClientScript.run(.configureCaching, CachedServer.subscription + "< 13 \n > 12 0B 00 05 \n < 13 00")
                == .failure(.malformedResponse)
        )
    }

    // MARK: Resuming

    @Test("What the server refuses of a cached configuration is left out")
    func resumingRefused() {
        #expect(
            ClientScript.run(
                .resumeCaching(CachedServer.database),
                "> 12 09 00 02 00 \n < 13 \n > 12 0B 00 05 \n < 01 12 0B 00 13"
            ) == .success(.caching(Self.withoutFeatures))
        )
        #expect(
            ClientScript.run(
                .resumeCaching(CachedServer.database),
                "> 12 09 00 02 00 \n < 01 12 09 00 03 \n > 12 0B 00 05 \n < 13"
            ) == .success(.caching(Self.withoutSubscription))
        )
    }

    @Test("Of what is cached without a handle nothing is written")
    func resumingParts() {
        let features = GATTCachedDatabase(databaseHash: hex(CachedServer.hash), clientSupportedFeatures: 0x000B)
        #expect(
            ClientScript.run(.resumeCaching(features), "> 12 0B 00 05 \n < 13")
                == .success(
                    .caching(GATTServerCaching(clientSupportedFeatures: 0x000B, databaseHash: hex(CachedServer.hash)))
                )
        )
        let subscription = GATTCachedDatabase(
            databaseHash: hex(CachedServer.hash),
            serviceChanged: 0x0008,
            serviceChangedConfiguration: 0x0009
        )
        #expect(
            ClientScript.run(.resumeCaching(subscription), "> 12 09 00 02 00 \n < 13")
                == .success(.caching(Self.withoutFeatures))
        )
    }

    @Test("A malformed answer ends a resumption", arguments: ["13 00", "0B"])
    func resumingMalformed(answer: String) {
        #expect(
            ClientScript.run(.resumeCaching(CachedServer.database), "> 12 09 00 02 00 \n < \(answer)")
                == .failure(.malformedResponse)
        )
    }

    // MARK: Validating

    @Test("A database that was validated on this link, and has the same hash, is unchanged, and nothing is written")
    func validatedAgain() {
        #expect(
            ClientScript.run(
                .validateAgain(CachedServer.database),
                "> 08 01 00 FF FF 2A 2B \n < 09 12 0D 00 \(CachedServer.hash)"
            ) == .success(.validation(.unchanged(CachedServer.database)))
        )
    }

    @Test(
        "A database that was validated on this link is discovered anew where its hash is another one, or is not read",
        arguments: ["09 12 0D 00 \(Self.otherHash)", "01 08 01 00 0A", "09 04 0D 00 01 02", "0B 01"]
    )
    func validatedChanged(answer: String) {
        #expect(
            ClientScript.run(
                .validateAgain(CachedServer.database),
                "> 08 01 00 FF FF 2A 2B \n < \(answer) \n" + CachedServer.configuration
            ) == .success(.validation(.changed(CachedServer.database)))
        )
    }

    @Test("A cached database whose hash cannot be read, of a server without the service, cannot be cached any more")
    func noHash() {
        #expect(
            ClientScript.run(
                .validateDatabaseCache(CachedServer.database),
                """
                > 08 01 00 FF FF 2A 2B
                < 01 08 01 00 02
                > 06 01 00 FF FF 00 28 01 18
                < 01 06 01 00 0A
                """
            ) == .success(.validation(.noDatabaseHash))
        )
    }

    private static let unchanged =
        "> 08 01 00 FF FF 2A 2B \n < 09 12 0D 00 \(CachedServer.hash) \n > 12 09 00 02 00 \n < "

    @Test("A cached database with the same hash is unchanged, however the server answers to what is written again")
    func resumed() {
        let outcome = ClientScript.Outcome.success(.validation(.unchanged(CachedServer.database)))
        for answer in ["13 00", "0B 01", "17 09 00 00 00 02 00"] {
            #expect(ClientScript.run(.validateDatabaseCache(CachedServer.database), Self.unchanged + answer) == outcome)
        }
        for answer in ["01 12 09 00 05", "01 12 09 00 0A", "13"] {
            for last in ["13", "13 00", "0D", "01 12 0B 00 13"] {
                #expect(
                    ClientScript.run(
                        .validateDatabaseCache(CachedServer.database),
                        Self.unchanged + "\(answer) \n > 12 0B 00 05 \n < \(last)"
                    ) == outcome
                )
            }
        }
    }

    @Test("A server without the handles of a configuration is asked for its hash alone")
    func hashAlone() {
        let cached = GATTCachedDatabase(databaseHash: hex(CachedServer.hash))
        #expect(
            ClientScript.run(
                .validateDatabaseCache(cached),
                "> 08 01 00 FF FF 2A 2B \n < 09 12 0D 00 \(CachedServer.hash)"
            ) == .success(.validation(.unchanged(cached)))
        )
    }

    @Test("A malformed answer while a server is configured ends the validation", arguments: ["0B 01", "07 06 00"])
    func configuringMalformed(answer: String) {
        #expect(
            ClientScript.run(.validateDatabaseCache(nil), "> 06 01 00 FF FF 00 28 01 18 \n < \(answer)")
                == .failure(.malformedResponse)
        )
    }

    @Test("An indication of a server that is being configured may come before its subscription is answered")
    func earlyIndication() {
        var script = ClientScript()
        script.start(.validateDatabaseCache(nil))
        script.play(CachedServer.characteristics + "< 1D 08 00 10 00 20 00 \n > 1E")
        #expect(script.takeReported() == [.servicesChanged(0x0010...0x0020)])
    }

    @Test("Before a validation has read the hash, an indication of the cached handle is one like any other")
    func indicationBeforeHash() {
        var script = ClientScript()
        script.start(.validateDatabaseCache(CachedServer.database))
        script.play("> 08 01 00 FF FF 2A 2B \n < 1D 08 00 10 00 20 00 \n > 1E")
        #expect(script.takeReported() == [.notification(0x0008, hex("10 00 20 00"))])
    }

    @Test("Commands wait for the hash of a database that was validated on this link")
    func exclusive() {
        var script = ClientScript()
        script.start(.validateAgain(CachedServer.database))
        script.writeCommand(0x0020, hex("01"))
        script.play("> 08 01 00 FF FF 2A 2B \n < 09 12 0D 00 \(CachedServer.hash) \n > 52 20 00 01")
    }
}
