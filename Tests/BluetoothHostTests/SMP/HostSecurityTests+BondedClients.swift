// A bonded client between its links: its subscriptions and its view of the database are restored with encryption (Vol
// 3, Part G, 2.5.2 and 3.3.3.3).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHost: bonded clients")
struct LEHostBondedClientTests {
    /// Keeps bonded clients longer than a host.
    private final class Bonds: LEHostDelegate {
        var clients: [DeviceAddress: BondedClient] = [:]
        /// The number of questions of a host.
        var asked = 0
        var link: LinkID?

        func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }

        func host(_ host: LEHost, bondedClientAt link: LinkInformation) -> BondedClient? {
            self.asked += 1
            return self.clients[link.peer]
        }

        func host(_ host: LEHost, link: LinkInformation, didChangeBondedClient client: BondedClient) {
            self.clients[link.peer] = client
        }
    }

    private static let peer = DeviceAddress(0x00AA_BBCC_DDEE, kind: .public)
    private static let bonded = LinkSecurity(level: .authenticated, isBonded: true)

    /// One run of a device: a host with a service whose values are notified on an encrypted link.
    private struct Device {
        let testbed: HostTestbed
        let bonds: Bonds
        let characteristic: GATTServiceHandles.Characteristic
        private(set) var link = LinkID(rawValue: 0)

        init(_ bonds: Bonds) throws {
            self.bonds = bonds
            self.testbed = HostTestbed.used(by: bonds)
            self.characteristic = try self.testbed.addCharacteristic(.notify, subscriptionSecurity: .authenticated)
        }

        mutating func connect(_ handle: UInt16, from peer: DeviceAddress = LEHostBondedClientTests.peer) throws {
            self.bonds.link = nil
            _ = self.testbed.acceptLink(handle, from: peer)
            self.link = try #require(self.bonds.link)
        }

        func encrypt(_ handle: UInt16) {
            self.testbed.encryptionChanged(.success, handle)
            self.testbed.host.setSecurity(LEHostBondedClientTests.bonded, of: self.link)
            self.testbed.run()
        }

        /// Sends a PDU of the client; returns the PDUs that the host sends then.
        func send(_ handle: UInt16, _ pdu: String) -> [String] {
            self.testbed.receive(4, pdu, from: handle)
            return self.testbed.takePayloads()
        }

        /// The client subscribes, or unsubscribes.
        func subscribe(_ handle: UInt16, bits: String = "01") -> [String] {
            self.send(handle, "12 \((self.characteristic.clientConfiguration ?? 0).inHex) \(bits) 00")
        }

        func notify() { self.testbed.host.notify(hex("AB"), characteristic: self.characteristic.value, to: self.link) }

        var notification: String { "1B \(self.characteristic.value.inHex) AB" }
    }

    /// The client configuration of Service Changed, and Client Supported Features.
    private static let takesServiceChanged = "12 09 00 02 00"
    private static let takesOutOfSync = "12 0B 00 01"

    @Test("restores the subscription of a bonded client on an encrypted link, even in another run")
    func restored() throws {
        let bonds = Bonds()
        var device = try Device(bonds)
        try device.connect(0x40)
        #expect(device.testbed.host.security(of: device.link) == LinkSecurity.none)
        // Not secure enough yet.
        #expect(device.subscribe(0x40).first?.hasPrefix("01 12") == true)
        device.encrypt(0x40)
        #expect(device.testbed.host.security(of: device.link) == Self.bonded)
        #expect(device.subscribe(0x40) == ["13"])
        #expect(bonds.clients[Self.peer]?.configurations.map(\.bits) == [1])
        device.testbed.endLink()

        try device.connect(0x41)
        // Until the link is encrypted, any device may be using the address of a bonded peer.
        device.testbed.host.setSecurity(LinkSecurity(key: nil, isBonded: true), of: device.link)
        #expect(bonds.asked == 1)
        device.notify()
        #expect(device.testbed.sent() == [])
        device.encrypt(0x41)
        device.notify()
        #expect(device.testbed.sent() == [device.notification])
        device.testbed.endLink(.connectionTimeout, 0x41)

        var next = try Device(bonds)
        try next.connect(0x40)
        next.encrypt(0x40)
        next.notify()
        #expect(next.testbed.sent() == [next.notification])
        // It is restored once for each link, whatever happens on the link later.
        next.testbed.host.setSecurity(Self.bonded, of: next.link)
        #expect(bonds.asked == 3)
        // Unsubscribed is kept, too.
        #expect(next.subscribe(0x40, bits: "00") == ["13"])
        #expect(bonds.clients[Self.peer]?.configurations == [])
    }

    @Test("begins a new bond without the subscriptions of the previous one")
    func newBond() throws {
        let bonds = Bonds()
        var device = try Device(bonds)
        let peer = SecurityManagerPair.peripheralAddress
        let old = BondedClient.Configuration(characteristic: device.characteristic.value, uuid: 0xA001, bits: 1)
        bonds.clients[peer] = BondedClient(configurations: [old], features: 0, databaseHash: nil)
        try device.connect(0x40, from: peer)
        _ = try PairingCentral(device.testbed).pair()
        #expect(device.testbed.host.security(of: device.link)?.usesBond == true)
        #expect(bonds.asked == 0 && bonds.clients[peer]?.configurations == [])
    }

    @Test("stores nothing of a client that is not bonded")
    func notBonded() throws {
        let bonds = Bonds()
        var device = try Device(bonds)
        try device.connect(0x40)
        device.testbed.host.setSecurity(LinkSecurity(level: .authenticated), of: device.link)
        #expect(device.subscribe(0x40) == ["13"])
        device.testbed.endLink()
        #expect(bonds.asked == 0 && bonds.clients.isEmpty)
        try device.connect(0x41)
        device.testbed.host.setSecurity(LinkSecurity(level: .authenticated), of: device.link)
        device.notify()
        #expect(device.testbed.sent() == [])
    }

    @Test("indicates a change between two links until it is confirmed, even in another run")
    func changedBetweenLinks() throws {
        let bonds = Bonds()
        var device = try Device(bonds)
        try device.connect(0x40)
        device.encrypt(0x40)
        #expect(device.send(0x40, Self.takesServiceChanged) == ["13"])
        #expect(device.send(0x40, Self.takesOutOfSync) == ["13"])
        let before = try #require(bonds.clients[Self.peer])
        #expect(before.features == 1 && before.databaseHash != nil)
        device.testbed.endLink()

        _ = try device.testbed.host.addService(GATTServiceDefinition(uuid: 0xB000, characteristics: []))
        try device.connect(0x41)
        device.encrypt(0x41)
        #expect(device.testbed.sent() == ["1D 08 00 01 00 FF FF"])
        // The link ends before the confirmation: the client may not know of the change.
        device.testbed.endLink(.connectionTimeout, 0x41)
        try device.connect(0x42)
        device.encrypt(0x42)
        #expect(device.testbed.sent() == ["1D 08 00 01 00 FF FF"])
        #expect(device.send(0x42, "1E") == [])
        let after = try #require(bonds.clients[Self.peer])
        #expect(after.databaseHash != nil && after.databaseHash != before.databaseHash)
        device.testbed.endLink(.connectionTimeout, 0x42)

        // The next run has the first database again, which is a change.
        var next = try Device(bonds)
        try next.connect(0x40)
        next.encrypt(0x40)
        #expect(next.testbed.sent() == ["1D 08 00 01 00 FF FF"])
        // Handles are refused to a client that takes the error.
        #expect(next.send(0x40, "0A 03 00") == ["01 0A 03 00 12"])
        #expect(bonds.clients[Self.peer]?.databaseHash == nil)
    }

    @Test("spoofed client: the stored state of a bonded client does not change before the link is encrypted")
    func spoofed() throws {
        let bonds = Bonds()
        var device = try Device(bonds)
        try device.connect(0x40)
        device.encrypt(0x40)
        #expect(device.subscribe(0x40) == ["13"])
        let kept = try #require(bonds.clients[Self.peer])
        device.testbed.endLink()

        try device.connect(0x41)
        device.testbed.host.setSecurity(LinkSecurity(key: nil, isBonded: true), of: device.link)
        #expect(device.send(0x41, Self.takesServiceChanged) == ["13"])
        #expect(device.send(0x41, Self.takesOutOfSync) == ["13"])
        _ = try device.testbed.host.addService(GATTServiceDefinition(uuid: 0xB000, characteristics: []))
        _ = device.testbed.sent()
        #expect(bonds.clients[Self.peer] == kept)
        device.testbed.endLink(.connectionTimeout, 0x41)
        #expect(bonds.clients[Self.peer] == kept && bonds.asked == 1)

        // Nor by a pairing whose key is not the bond's.
        try device.connect(0x42)
        let paired = LinkSecurity(key: Self.bonded.key, isBonded: true, usesBond: false)
        device.testbed.host.setSecurity(paired, of: device.link)
        #expect(device.send(0x42, Self.takesServiceChanged) == ["13"])
        #expect(bonds.clients[Self.peer] == kept && bonds.asked == 1)
    }

    @Test("keeps subscriptions that a bonded client wrote on a link before it was encrypted")
    func writtenBefore() throws {
        let bonds = Bonds()
        var device = try Device(bonds)
        try device.connect(0x40)
        device.encrypt(0x40)
        #expect(device.subscribe(0x40) == ["13"])
        device.testbed.endLink()
        try device.connect(0x41)
        device.testbed.host.setSecurity(LinkSecurity(key: nil, isBonded: true), of: device.link)
        #expect(device.send(0x41, Self.takesServiceChanged) == ["13"])
        device.encrypt(0x41)
        #expect(bonds.clients[Self.peer]?.configurations.count == 2)
    }
}
