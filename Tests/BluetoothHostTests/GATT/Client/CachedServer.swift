// The server that the tests of caching talk to: a Generic Attribute service at 0006 to 000D with Service Changed (0008,
// its configuration at 0009), Client Supported Features (000B) and Database Hash (000D); what a client asks it while
// configuring, step by step, and what is known of it afterwards.

import BluetoothTypes

@testable import BluetoothHost

enum CachedServer {
    static let hash = "00 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF"

    // MARK: Configuring

    /// The Generic Attribute service is found.
    static let service = """
        > 06 01 00 FF FF 00 28 01 18
        < 07 06 00 0D 00

        """

    /// Its characteristics are found, and the descriptors of Service Changed are asked for.
    static let characteristics =
        Self.service + """
            > 08 06 00 0D 00 03 28
            < 09 07 07 00 20 08 00 05 2A  0A 00 0A 0B 00 29 2B
            > 08 0B 00 0D 00 03 28
            < 09 07 0C 00 02 0D 00 2A 2B
            > 08 0D 00 0D 00 03 28
            < 01 08 0D 00 0A
            > 04 09 00 09 00

            """

    /// All is discovered.
    static let discovery = Self.characteristics + "< 05 01 09 00 02 29\n"

    /// The client subscribes to Service Changed.
    static let subscription = Self.discovery + "> 12 09 00 02 00\n"

    /// The steps behind the subscription: the features of the client are written, and the hash is read.
    static let rest = """
        > 12 0B 00 05
        < 13
        > 08 01 00 FF FF 2A 2B
        < 09 12 0D 00 \(Self.hash)
        """

    /// All steps, none of which is refused.
    static let configuration = Self.subscription + "< 13\n" + Self.rest

    // MARK: What is known of it

    static var database: GATTCachedDatabase {
        GATTCachedDatabase(
            databaseHash: hex(Self.hash),
            serviceChanged: 0x0008,
            serviceChangedConfiguration: 0x0009,
            clientSupportedFeatures: 0x000B
        )
    }

    /// What has been configured where nothing was refused.
    static var caching: GATTServerCaching {
        GATTServerCaching(
            serviceChanged: 0x0008,
            serviceChangedConfiguration: 0x0009,
            clientSupportedFeatures: 0x000B,
            databaseHash: hex(Self.hash)
        )
    }
}
