// What is known of a peer on one link: nothing at first, and nothing of it any more on the next link.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("What is known of a peer")
struct PeerTests {
    private static let address = DeviceAddress(0xC000_0000_0001, kind: .random)
    private static let identity = GATTCachedDatabase(databaseHash: ByteBuffer(repeating: 1, count: 16))
    private static let heart = GATTRemoteCharacteristic(
        uuid: 0x2A37,
        properties: [.notify],
        declarationHandle: 2,
        valueHandle: 3,
        endHandle: 4
    )
    private static let nothing = [
        "has timed out: false", "MTU: 23", "server: unknown", "validations: 0", "has been validated: false",
        "has reported a change: false", "is validated again: false", "has a known database: false",
        "subscriptions: []", "services: 0", "name is asked for: false",
    ]

    private func words(_ peer: Peer) -> [String] {
        [
            "has timed out: \(peer.hasTimedOut)", "MTU: \(peer.mtu)", "server: \(peer.server)",
            "validations: \(peer.validationCount)", "has been validated: \(peer.validatedDatabase != nil)",
            "has reported a change: \(peer.hasReportedChange)", "is validated again: \(peer.mustValidateAgain)",
            "has a known database: \(peer.database != RemoteDatabase())", "subscriptions: \(peer.subscriptions.keys)",
            "services: \(peer.reportedServices.count)", "name is asked for: \(peer.hasNameReader)",
        ]
    }

    @Test("of a new peer nothing is known, and it has no link")
    func new() {
        let peer = Peer(address: Self.address)
        #expect(self.words(peer) == Self.nothing)
        #expect(peer.address == Self.address && peer.link == nil && peer.cachedDatabase == nil)
        #expect(peer.connections.isUnused)
    }

    @Test("with its link all is forgotten that was known of it, whichever of it there was")
    func forgotten() {
        let changes: [(Peer) -> Void] = [
            { $0.hasTimedOut = true }, { $0.mtu = 517 }, { $0.server = .known }, { $0.validationCount = 3 },
            { $0.validatedDatabase = Self.identity }, { $0.hasReportedChange = true }, { $0.mustValidateAgain = true },
            { $0.database = RemoteDatabase(Self.identity) }, { $0.subscriptions[3] = Subscription(to: Self.heart) },
            { $0.reportedServices = [0x180D] }, { $0.hasNameReader = true },
        ]
        #expect(changes.count == Self.nothing.count)
        let whole = Peer(address: Self.address)
        for (index, change) in changes.enumerated() {
            let peer = Peer(address: Self.address)
            change(peer)
            change(whole)
            // Each change shows in one place alone.
            let changed = zip(self.words(peer), Self.nothing).enumerated().filter { $0.element.0 != $0.element.1 }
            #expect(changed.map { $0.offset } == [index])
            RunRecord.note("\(self.words(whole))")
            peer.forgetLink()
            #expect(self.words(peer) == Self.nothing, "\(index)")
        }
        #expect(zip(self.words(whole), Self.nothing).allSatisfy { $0 != $1 })
        whole.forgetLink()
        #expect(self.words(whole) == Self.nothing)
        #expect(whole.address == Self.address)
    }

    @Test("the link belongs to the connections, and is not forgotten with what was known")
    func link() {
        let peer = Peer(address: Self.address)
        let link = LinkID(rawValue: 7)
        #expect(peer.connections.connected(link, isCentral: false) == [])
        #expect(peer.link == link && !peer.connections.isUnused)
        peer.forgetLink()
        #expect(peer.link == link)
        #expect(peer.connections.disconnected(.connectionTimeout) == [])
        #expect(peer.link == nil && peer.connections.isUnused)
    }

    @Test("a database is the server's present one where its hash says so, and in no other case")
    func presentDatabase() {
        let peer = Peer(address: Self.address)
        peer.database = RemoteDatabase(Self.identity)
        for (server, isKnown) in [
            (.unknown, false), (.validating, false), (.known, true), (.noDatabaseHash, false),
        ] as [(Peer.Server, Bool)] {
            peer.server = server
            #expect((peer.cachedDatabase == peer.database) == isKnown, "\(server)")
            #expect((peer.cachedDatabase == nil) == !isKnown, "\(server)")
        }
    }
}
