// What comes back of a bonded client: which bits of a configuration are kept, and nothing that is sent on a bearer that
// is of no more use (Vol 3, Part G, 2.5.2.1 and 3.3.3.3).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: what comes back of a client")
struct GATTServerRestoredClientTests {
    private static let link = LinkID(rawValue: 1)

    @Test(
        "Of a configuration that comes back the bits are kept that the characteristic can serve",
        arguments: [
            (0x0017, 0xA004, 3, 1), (0x0017, 0xA004, 2, nil), (0x001A, 0xA005, 3, 2), (0x001A, 0xA005, 1, nil),
            (0x002A, 0xB001, 3, 3), (0x002A, 0xB001, 2, 2), (0x002A, 0xB001, 1, 1),
        ] as [(AttributeHandle, UInt16, UInt8, UInt8?)]
    )
    func bits(handle: AttributeHandle, uuid: UInt16, given: UInt8, kept: UInt8?) throws {
        var links = ServedLinks(try GATTServerFixture.server())
        links.linkOpened(Self.link)
        let configuration = BondedClient.Configuration(
            characteristic: handle,
            uuid: BluetoothUUID(uuid),
            bits: given
        )
        let record = BondedClient(configurations: [configuration], features: 0, databaseHash: nil)
        var events: [ServedLinks.Event] = []
        links.restoreClient(record, on: Self.link, now: .uptimeNanoseconds(0), into: &events)
        // The application hears of the subscription.
        #expect(events.count == (kept == nil ? 0 : 1))
        let found = links.bondedClient(of: Self.link)
        let restored = try #require(found)
        let bits: [UInt8] = kept.map { [$0] } ?? []
        #expect(restored.configurations.map(\.bits) == bits)
    }

    @Test(
        "On a bearer that has failed or ended, Service Changed is not indicated and no change is told",
        arguments: [false, true]
    )
    func uselessBearer(isClosed: Bool) throws {
        var server = try GATTServerFixture.server()
        var bearer = ATTBearer(link: Self.link)
        bearer.security = LinkSecurity(level: .encrypted, isBonded: true)
        var actions: [ATTBearer.Action] = []
        if isClosed {
            bearer.close(reason: .connectionTimeout, into: &actions)
        } else {
            bearer.fail(.requestWhilePending, into: &actions)
        }
        actions.removeAll()
        let serviceChanged = BondedClient.Configuration(characteristic: 0x0008, uuid: 0x2A05, bits: 2)
        // Made for another database.
        let record = BondedClient(configurations: [serviceChanged], features: 0x07, databaseHash: octets(16))
        server.restoreClient(record, on: &bearer, now: .uptimeNanoseconds(0), into: &actions)
        #expect(actions.isEmpty)
        #expect(bearer.nextDeadline == nil)
        bearer.setAwareness(.unaware, into: &actions)
        bearer.noteClientChange(into: &actions)
        #expect(actions.isEmpty)
    }
}
