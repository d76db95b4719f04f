import BluetoothHost
import BluetoothTypes
import CoreBluetoothTesting
import Testing

@testable import CoreBluetooth

@Suite("Data for pairing out of band")
struct PairingOutOfBandDataTests {
    /// The octets 00 to 0F, the least significant first.
    private static let ascending = [UInt8](0...15)
    /// The octets F0 to FF, the least significant first.
    private static let high = [UInt8](0xF0...0xFF)
    private static let ascendingValue = Octets16(high: 0x0F0E_0D0C_0B0A_0908, low: 0x0706_0504_0302_0100)
    private static let highValue = Octets16(high: 0xFFFE_FDFC_FBFA_F9F8, low: 0xF7F6_F5F4_F3F2_F1F0)

    private func element(_ type: UInt8, _ octets: [UInt8]) -> [UInt8] { [UInt8(octets.count + 1), type] + octets }

    private func data(_ elements: [UInt8]...) -> PairingOutOfBandData? {
        PairingOutOfBandData(advertisingData: Data(elements.flatMap { $0 }))
    }

    private func random(_ value: UInt64) -> DeviceAddress { DeviceAddress(value, kind: .random) }

    @Test("uses the only key that was made, or the central's of two", arguments: [true, false])
    func keys(isCentral: Bool) throws {
        let local = LocalPairingOutOfBandData(.legacy)
        let own = try #require(local.temporaryKey)
        let other = PairingOutOfBandData(secureConnections: nil, temporaryKey: Self.ascendingValue)
        let both = PairingOutOfBandExchange(local: local, peer: other).data(asCentral: isCentral)
        #expect(both.temporaryKey == (isCentral ? own : Self.ascendingValue))
        #expect(PairingOutOfBandExchange(local: local).data(asCentral: isCentral).temporaryKey == own)
        let taken = PairingOutOfBandExchange(peer: other).data(asCentral: isCentral)
        #expect(taken.temporaryKey == Self.ascendingValue && taken.peer == nil && taken.local == nil)
    }

    @Test("passes given and taken data of LE Secure Connections separately", arguments: [true, false])
    func secureConnections(isCentral: Bool) throws {
        let local = LocalPairingOutOfBandData()
        let given = try #require(local.sharedData.secureConnections)
        #expect(local.temporaryKey == nil && local.sharedData.temporaryKey == nil && local.sharedData.address == nil)
        let taken = SecureConnectionsOutOfBandData(confirm: Self.ascendingValue, random: Self.highValue)
        let peer = PairingOutOfBandData(secureConnections: taken, temporaryKey: nil)
        let data = PairingOutOfBandExchange(local: local, peer: peer).data(asCentral: isCentral)
        #expect(data.local?.shared == given && data.peer == taken && data.temporaryKey == nil)
    }

    @Test("gives nothing to a pairing if the agent does not use such data, or the data is another device's")
    func agent() {
        let address = self.random(0xC000_0000_0001)
        let peer = PairingPeer(identifier: UUID(random: 1, 2), name: nil)
        var data = PairingOutOfBandData(secureConnections: nil, temporaryKey: Self.ascendingValue)
        for (usesData, named, isTaken) in [
            (true, nil, true), (false, nil, false), (true, address, true), (false, address, false),
            (true, self.random(0xC000_0000_0002), false),
        ] as [(Bool, DeviceAddress?, Bool)] {
            let agent = ScriptedPairingAgent(.none, usesOutOfBandData: usesData)
            data.address = named
            agent.take(data)
            for isCentral in [true, false] {
                let link = LinkInformation(id: LinkID(rawValue: 1), peer: address, isCentral: isCentral)
                let key = agent.outOfBandData(for: peer, on: link).temporaryKey
                #expect(key == (isTaken ? Self.ascendingValue : nil), "\(usesData) \(isCentral)")
            }
        }
    }

    @Test("parses 16 octets, the least significant first, under each type in any order")
    func values() throws {
        let both = try #require(
            self.data(
                self.element(0x23, Self.high),
                self.element(0x10, Self.high),
                self.element(0x22, Self.ascending)
            )
        )
        #expect(both.secureConnections?.confirm == Self.ascendingValue && both.temporaryKey == Self.highValue)
        #expect(both.secureConnections?.random == Self.highValue && both.address == nil)
    }

    @Test("ignores incomplete pairs and values of another length")
    func incomplete() {
        #expect(self.data() == nil)
        #expect(self.data(self.element(0x22, Self.ascending)) == nil)
        #expect(self.data(self.element(0x23, Self.ascending)) == nil)
        #expect(self.data(self.element(0x1B, [1, 2, 3, 4, 5, 0xC6, 1])) == nil)
        for octets in [Array(Self.ascending.dropLast()), Self.ascending + [16]] {
            #expect(self.data(self.element(0x10, octets)) == nil)
            #expect(self.data(self.element(0x22, octets), self.element(0x23, Self.high)) == nil)
            #expect(self.data(self.element(0x22, Self.high), self.element(0x23, octets)) == nil)
        }
        // Each without the other says nothing, and takes nothing away.
        for type in [0x22, 0x23] as [UInt8] {
            let data = self.data(self.element(type, Self.high), self.element(0x10, Self.ascending))
            #expect(data?.temporaryKey == Self.ascendingValue && data?.secureConnections == nil)
        }
    }

    @Test(
        "parses an address of six octets and its kind",
        arguments: [
            ([6, 5, 4, 3, 2, 0xC1, 0x00], .public), ([6, 5, 4, 3, 2, 0xC1, 0x01], .random),
            ([6, 5, 4, 3, 2, 0xC1, 0xFE], .public), ([6, 5, 4, 3, 2, 0xC1, 0xFF], .random),
            ([6, 5, 4, 3, 2, 0xC1], nil), ([6, 5, 4, 3, 2, 0xC1, 0x01, 0x00], nil), ([], nil),
        ] as [([UInt8], DeviceAddress.Kind?)]
    )
    func address(octets: [UInt8], kind: DeviceAddress.Kind?) throws {
        let data = try #require(self.data(self.element(0x1B, octets), self.element(0x10, Self.ascending)))
        #expect(data.address == kind.map { DeviceAddress(0xC102_0304_0506, kind: $0) })
        #expect(data.temporaryKey == Self.ascendingValue)
    }

    @Test("encodes the address, the key, the confirmation and its random number in this order")
    func order() {
        var data = PairingOutOfBandData(
            secureConnections: SecureConnectionsOutOfBandData(confirm: Self.highValue, random: Self.ascendingValue),
            temporaryKey: Self.ascendingValue
        )
        let values =
            self.element(0x10, Self.ascending) + self.element(0x22, Self.high) + self.element(0x23, Self.ascending)
        #expect(Array(data.advertisingData) == values)
        for (kind, octet) in [(.public, 0), (.publicIdentity, 0), (.random, 1), (.randomIdentity, 1)]
            as [(DeviceAddress.Kind, UInt8)]
        {
            data.address = DeviceAddress(0xC102_0304_0506, kind: kind)
            let address = self.element(0x1B, [0x06, 0x05, 0x04, 0x03, 0x02, 0xC1, octet])
            #expect(Array(data.advertisingData) == address + values)
        }
    }

    @Test("matches a device unless both have fixed addresses that differ")
    func fits() {
        let (one, other) = (UInt64(0xC000_0000_0001), UInt64(0xC000_0000_0002))
        let rows: [(named: DeviceAddress?, peer: DeviceAddress, fits: Bool)] = [
            (nil, self.random(one), true), (self.random(one), self.random(one), true),
            (self.random(one), self.random(other), false),
            // A public address differs from a random one with the same octets.
            (self.random(one), DeviceAddress(one, kind: .public), false),
            (DeviceAddress(one, kind: .public), DeviceAddress(one, kind: .public), true),
            (DeviceAddress(one, kind: .public), DeviceAddress(other, kind: .public), false),
            // Addresses that the controller has resolved.
            (self.random(one), DeviceAddress(one, kind: .randomIdentity), true),
            (self.random(one), DeviceAddress(other, kind: .randomIdentity), false),
            (DeviceAddress(one, kind: .public), DeviceAddress(one, kind: .publicIdentity), true),
            (DeviceAddress(one, kind: .public), DeviceAddress(other, kind: .publicIdentity), false),
            // Private addresses match, resolvable or not, on either side.
            (self.random(one), self.random(0x4000_0000_0001), true),
            (self.random(one), self.random(0x0000_0000_0001), true),
            (self.random(0x4000_0000_0001), self.random(one), true),
            (self.random(0x4000_0000_0001), self.random(0x4000_0000_0002), true),
        ]
        var data = PairingOutOfBandData(secureConnections: nil, temporaryKey: Self.ascendingValue)
        for row in rows {
            data.address = row.named
            #expect(data.fits(row.peer) == row.fits, "\(row)")
        }
    }
}
