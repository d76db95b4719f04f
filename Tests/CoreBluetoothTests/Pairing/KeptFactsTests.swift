// What is stored about a peer, and who can create, change and remove it: the table of the threat model, on our device's
// storage. The peer is a host whose every step a test decides.

import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth
@testable import CoreBluetoothTesting

@Suite("Pairing: what is kept of a peer")
struct KeptFactsTests {
    private static let address = DeviceAddress(0xC0BA_D000_0001, kind: .random)

    private static func makePeer(in testbed: Testbed) throws -> SecretHost {
        let identity = IdentityInformation(identityResolvingKey: Octets16(high: 6, low: 6), address: Self.address)
        return try SecretHost(Self.address, pairing: PairingConfiguration(identity: identity), in: testbed)
    }

    /// The documents of the peer, by the first word of their names.
    private static func documents(_ device: RestartableDevice) throws -> [String: Data] {
        let suffix = "-\(Self.address.description.filter { $0 != ":" })-random.json"
        var documents: [String: Data] = [:]
        for name in device.storage.names where name.hasSuffix(suffix) {
            documents[String(name.dropLast(suffix.count))] = try device.storage.read(name)
        }
        return documents
    }

    /// The first words of the names of its documents.
    private static func kinds(_ device: RestartableDevice) throws -> [String] {
        try Self.documents(device).keys.sorted()
    }

    /// Another device is there under the peer's address, without its keys.
    private static func spoof(_ peer: inout SecretHost, in testbed: Testbed) throws {
        peer.host.detach()
        testbed.run(.seconds(1))
        peer = try Self.makePeer(in: testbed)
    }

    // MARK: Our device is the central

    @Test("keeps of a peripheral what the link is secure enough for, and removes it with the bond")
    func peripheral() throws {
        let testbed = Testbed()
        let device = RestartableDevice("Curious", in: testbed)
        let client = testbed.central(on: device.adapter)
        var peer = try Self.makePeer(in: testbed)
        peer.advertise()
        let found = try client.meet(in: testbed)
        #expect(try Self.documents(device).isEmpty, "an advertisement")

        client.connect(found, in: testbed)
        let secret = try found.discover(nil, in: testbed).characteristic(IDs.secret)
        #expect(try Self.kinds(device) == ["attributes"], "a link without encryption")

        found.readValue(for: secret)
        testbed.run(.seconds(2))
        let paired = try Self.documents(device)
        #expect(paired.keys.sorted() == ["attributes", "bond", "client", "privacy", "use"], "a pairing")

        client.disconnect(found, in: testbed)
        client.connect(found, in: testbed)
        testbed.run(.seconds(2))
        client.disconnect(found, in: testbed)
        let kept = try Self.documents(device)
        let changed = kept.keys.filter { kept[$0] != paired[$0] }
        #expect(changed == ["use"], "an encrypted link")

        try Self.spoof(&peer, in: testbed)
        peer.advertise()
        client.manager.connect(found)
        testbed.run(.seconds(5))
        #expect(peer.pairings == 0 && found.state == .disconnected)
        #expect(try Self.documents(device) == kept, "a device with the address alone")

        // What `corebluetooth bonds remove` does; the program hears of it with the next link.
        try device.storage.removeBond(with: Self.address)
        client.connect(found, in: testbed)
        testbed.run(.seconds(2))
        let isForgotten = device.adapter.readEngine(in: testbed) { $0.host.bondedPeers.isEmpty }
        #expect(isForgotten == true && peer.pairings == 0, "nobody's private addresses are resolved any more")
        #expect(try Self.kinds(device) == ["attributes"], "the user has removed the bond")
    }

    // MARK: Our device is the peripheral

    /// A peripheral that can be subscribed to without encryption, and pairs with each device to which its user agrees.
    private final class Ball {
        let testbed = Testbed()
        let device: RestartableDevice
        let app: PeripheralApp
        var peer: SecretHost

        init() throws {
            self.device = RestartableDevice("Crystal", in: self.testbed) {
                $0.pairingAgent = ScriptedPairingAgent(.none)
            }
            self.app = PeripheralApp(on: self.device.adapter)
            let value = CBMutableCharacteristic(
                type: IDs.secret,
                properties: [.read, .notify],
                value: nil,
                permissions: .readable
            )
            self.app.open(value, in: self.testbed)
            self.peer = try KeptFactsTests.makePeer(in: self.testbed)
        }

        var link: LinkID? { self.peer.host.links.first?.id }

        func connect() {
            self.peer.host.connect(to: self.device.identityAddress)
            self.testbed.run { self.link != nil }
            self.testbed.run(.seconds(2))
        }

        func disconnect() {
            if let link = self.link { self.peer.host.disconnect(link) }
            self.testbed.run(.seconds(2))
        }

        /// The peer writes the Client Characteristic Configuration.
        func subscribe(_ isOn: Bool) throws {
            let link = try #require(self.link)
            var isWritten = false
            self.peer.host.perform(ReadUsingCharacteristicUUID(IDs.secret.value, in: 0x0001...0xFFFF), on: link) {
                [peer = self.peer] result in
                guard let value = try? result.get().first else { return }
                let bits = ByteBuffer(bytes: [isOn ? 1 : 0, 0])
                peer.host.perform(WriteValue(bits, to: value.handle + 1), on: link) {
                    isWritten = (try? $0.get()) != nil
                }
            }
            self.testbed.run { isWritten }
        }

        func documents() throws -> [String: Data] { try KeptFactsTests.documents(self.device) }

        func kinds() throws -> [String] { try KeptFactsTests.kinds(self.device) }

        /// Whether the next link begins with the subscription.
        func isSubscribed() throws -> Bool {
            let client = try self.documents()["client"] ?? Data()
            return String(decoding: client, as: UTF8.self).contains("\"\(IDs.secret.uuidString)\"")
        }
    }

    @Test("keeps of a central nothing before it is bonded, and what it configures on encrypted links from then on")
    func central() throws {
        let ball = try Ball()
        ball.connect()
        try ball.subscribe(true)
        ball.disconnect()
        #expect(try ball.documents().isEmpty, "a link without a bond")

        ball.connect()
        ball.peer.host.secure(try #require(ball.link), to: .encrypted)
        ball.testbed.run(.seconds(2))
        #expect(try ball.kinds() == ["bond", "client", "privacy", "use"], "a pairing")
        #expect(try !ball.isSubscribed())
        try ball.subscribe(true)
        ball.disconnect()
        #expect(try ball.isSubscribed(), "an encrypted link")
        let kept = try ball.documents()

        let right = ball.peer
        try Self.spoof(&ball.peer, in: ball.testbed)
        ball.connect()
        try ball.subscribe(false)
        ball.disconnect()
        #expect(try ball.documents() == kept, "a device with the address alone")

        ball.peer.host.detach()
        ball.testbed.run(.seconds(1))
        ball.peer = right
        right.host.attach(to: ball.testbed.air.makeController())
        ball.testbed.run(.seconds(1))
        ball.connect()
        let returned = try ball.documents()
        #expect(returned["use"] != kept["use"] && returned["bond"] == kept["bond"], "the device itself")
        #expect(try ball.isSubscribed() && returned["privacy"] == kept["privacy"])

        ball.peer.host.pair(try #require(ball.link))
        ball.testbed.run(.seconds(2))
        #expect(right.pairings == 2)
        #expect(try ball.documents()["bond"] != kept["bond"], "a pairing anew, with the user's consent")
        ball.disconnect()
        ball.connect()
        ball.peer.host.pair(try #require(ball.link))
        ball.testbed.run(.seconds(2))
        ball.peer.host.rejectKeys(of: try #require(ball.link))
        ball.testbed.run(.seconds(2))
        #expect(try ball.documents().isEmpty, "the peer has rejected the keys of the pairing")
    }
}
