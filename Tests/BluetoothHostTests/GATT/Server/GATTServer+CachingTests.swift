// Service Changed, Database Hash and Client Supported Features, and the records of bonded clients.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: caching")
struct GATTServerCachingTests: GATTServerSuite {
    private static let scripts = TitledScript.all(
        """
        ## GATT/SR/GAS/BV-01-C Service Changed
        add                                   # no client has subscribed
        > 12 09 00 02 00 < 13
        add < 1D 08 00 39 00 3C 00
        > 1E
        remove < 1D 08 00 39 00 3C 00
        > 1E
        > 12 09 00 00 00 < 13
        add

        ## indicates changes that come before the confirmation as one range
        subscribe 0008
        add < 1D 08 00 35 00 38 00
        add
        add
        remove 0039                           # of 0039 to 0040, which wait
        > 1E < 1D 08 00 39 00 40 00
        > 1E

        ## indicates Service Changed before the application's indications
        subscribe 0008
        subscribe 001A
        notify 001A 01 < 1D 1A 00 01
        notify 001A 02
        add
        > 1E ? confirmed 001A < 1D 08 00 35 00 38 00
        > 1E < 1D 1A 00 02

        ## indicates Service Changed only to a client that subscribed to indications of it
        > 12 09 00 01 00 < 01 12 09 00 FD     # it cannot be notified
        subscribe 0008
        > 0A 09 00 < 0B 02 00
        add < 1D 08 00 35 00 38 00
        > 12 09 00 00 00 < 13                 # not confirmed yet
        add
        > 1E

        ## ends the subscriptions of a service that is removed
        add
        subscribe 0037
        subscribe 0017
        remove ? unsubscribed 0037
        notify 0037 01 ? dropped 1
        notify 0017 01 < 1B 17 00 01
        add                                   # handles are not given again
        > 0A 38 00 < 01 0A 38 00 01
        > 0A 3C 00 < 0B 00 00

        ## GATT/SR/GAS/BV-02-C Database Hash
        hash type
        hash handle
        add
        hash type
        remove
        hash type

        ## GATT/SR/GAS/BV-03-C Client Supported Features, one for each client
        > 12 0B 00 F9 < 13                    # bits without a meaning are ignored
        > 0A 0B 00 < 0B 01
        open 2
        > 0A 0B 00 < 0B 00
        link 1
        > 12 0B 00 05 FF FF < 13              # and so are octets
        > 0A 0B 00 < 0B 05
        > 12 0B 00 04 < 01 12 0B 00 13        # a bit cannot be taken back
        > 0A 0B 00 < 0B 05

        ## GATT/SR/GAS/BV-04-C Client Supported Features of a bonded client
        features 01
        subscribe 0017
        disconnect ? unsubscribed 0017
        reconnect ? subscribed 0017
        > 0A 0B 00 < 0B 01
        > 0A 18 00 < 0B 01 00
        notify 0017 01 < 1B 17 00 01

        ## reports each write of a bonded client's configurations and features as a change
        security encrypted 16 bonded
        > 12 18 00 01 00 < 13 ? changed ? subscribed 0017
        > 12 18 00 01 00 < 13 ? changed
        > 12 18 00 00 00 < 13 ? changed ? unsubscribed 0017
        > 12 18 00 00 00 < 13
        > 12 0B 00 01 < 13 ? changed
        > 12 0B 00 00 < 01 12 0B 00 13        # refused

        ## reports that a bonded client has become change-aware
        security encrypted 16 bonded
        > 12 0B 00 01 < 13 ? changed
        add ? changed
        > 0A 10 00 < 01 0A 10 00 12
        > 0A 10 00 ? changed < 0B 01 02 03
        > 12 09 00 02 00 < 13 ? changed
        add ? changed < 1D 08 00 39 00 3C 00
        > 1E ? changed

        ## reports no change for the confirmation of a value
        security encrypted 16 bonded
        > 12 1B 00 02 00 < 13 ? changed ? subscribed 001A
        notify 001A 01 < 1D 1A 00 01
        > 1E ? confirmed 001A

        ## a bonded client becomes change-aware with the request after it has read the Database Hash by its handle
        security encrypted 16 bonded
        add ? changed
        > 0A 10 00 < 0B 01 02 03
        > 0A 10 00 < 0B 01 02 03              # another value makes no client aware
        hash handle
        > 0A 10 00 ? changed < 0B 01 02 03
        > 0A 10 00 < 0B 01 02 03
        hash handle                           # an aware client stays aware
        > 0A 10 00 < 0B 01 02 03

        ## a bonded client becomes change-aware with the request after it has read the Database Hash by its type
        security encrypted 16 bonded
        add ? changed
        > 08 01 00 FF FF 00 2A < 09 06 03 00 42 61 6C 6C  # another type makes no client aware
        > 0A 10 00 < 0B 01 02 03
        hash type
        > 0A 10 00 ? changed < 0B 01 02 03

        ## demands of a restored subscription the security that it demanded before
        security encrypted 16 bonded
        > 12 2C 00 01 00 < 13 ? changed ? subscribed 002A
        disconnect ? unsubscribed 002A
        reconnect ? subscribed 002A
        notify 002A 01 ? dropped 1
        security encrypted 16
        notify 002A 02 < 1B 2A 00 02

        ## indicates changes without a Database Hash if Service Changed is all that it has
        with attribute serviceChanged
        subscribe 0008
        add < 1D 08 00 2F 00 32 00
        > 1E
        > 08 01 00 FF FF 2A 2B < 01 08 01 00 0A
        disconnect
        add
        reconnect < 1D 08 00 01 00 FF FF
        > 1E
        """
    )

    @Test("follows the script", arguments: Self.scripts)
    func script(_ script: TitledScript) throws { try script.runOnServer() }

    @Test("indicates nothing without Service Changed", arguments: ["absent", "empty"])
    func withoutServiceChanged(content: String) throws {
        try self.run("with attribute \(content)\nadd\ndisconnect\nadd\nreconnect\nadd\n> 0A 03 00\n< 0B 42 61 6C 6C")
    }

    // MARK: Database Hash

    // MARK: Records

    private static let link = LinkID(rawValue: 1)

    @Test(
        "restores the bits of a configuration that the characteristic supports",
        arguments: [
            (0x0017, 0xA004, 3, 1), (0x0017, 0xA004, 2, nil), (0x001A, 0xA005, 3, 2), (0x001A, 0xA005, 1, nil),
            (0x002A, 0xB001, 3, 3), (0x002A, 0xB001, 2, 2), (0x002A, 0xB001, 1, 1),
            // Another UUID, no subscription, no configuration, no characteristic.
            (0x0017, 0xA00F, 1, nil), (0x0013, 0xA002, 1, nil), (0x0034, 0xA001, 1, nil), (0x9999, 0xA004, 1, nil),
        ] as [(AttributeHandle, UInt16, UInt8, UInt8?)]
    )
    func restored(handle: AttributeHandle, uuid: UInt16, given: UInt8, kept: UInt8?) throws {
        var links = ServedLinks(try GATTServerFixture.server())
        links.open(Self.link)
        let record = BondedClient(
            configurations: [.init(characteristic: handle, uuid: BluetoothUUID(uuid), bits: given)],
            features: 0xFF,
            databaseHash: links.server.database.hash().octets
        )
        links.restore(record, on: Self.link)
        #expect(links.takeEvents().count == (kept == nil ? 0 : 1), "the application is told of the subscription")
        let client = links.bondedClient(of: Self.link)
        #expect(client?.configurations.map(\.bits) == (kept.map { [$0] } ?? []))
        #expect(client?.features == 0x07)
        #expect(client?.databaseHash == record.databaseHash)
    }
}
