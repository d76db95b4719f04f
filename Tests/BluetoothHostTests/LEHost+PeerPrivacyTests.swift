// What devices that hide say of it, and what they make of what bonded peers say (Vol 3, Part C, 12.4 and 12.5).

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("What peers say of their privacy")
struct LEHostPeerPrivacyTests {
    private let loop = EmbeddedEventLoop()
    private let air: Air

    init() { self.air = Air(eventLoop: self.loop, settings: .instant, seed: 1) }

    private func connect(_ central: BondedHost, _ peripheral: BondedHost) {
        peripheral.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
        self.loop.advanceTime(by: .seconds(1))
        let bonded = central.bonds.keys.first
        if let address = bonded ?? peripheral.host.radioAddress { central.host.connect(to: address) }
        self.loop.advanceTime(by: .seconds(5))
    }

    private func pair(_ central: BondedHost, _ peripheral: BondedHost) throws {
        self.connect(central, peripheral)
        central.host.pair(try #require(central.link))
        self.loop.advanceTime(by: .seconds(5))
        try #require(central.bonds.count == 1 && peripheral.bonds.count == 1)
    }

    /// What a host gives to a client that reads a characteristic.
    private func read(_ type: BluetoothUUID, by client: BondedHost) throws -> [UInt8]? {
        var value: [UInt8]?
        client.host.perform(ReadUsingCharacteristicUUID(type, in: 1...0xFFFF), on: try #require(client.link)) {
            value = (try? $0.get())?.first.map { Array($0.value.readableBytesView) }
        }
        self.loop.advanceTime(by: .seconds(1))
        return value
    }

    @Test(
        "GAP/PRIV: a device that hides has Central Address Resolution and Resolvable Private Address Only, others neither",
        arguments: [(true, 64), (true, 0), (false, 64)]
    )
    func characteristics(isPrivate: Bool, resolvingListSize: Int) throws {
        let central = BondedHost(1, on: self.air, isPrivate: false)
        let peripheral = BondedHost(2, on: self.air, isPrivate: isPrivate, resolvingListSize: resolvingListSize)
        self.connect(central, peripheral)
        #expect(try self.read(0x2AA6, by: central) == (isPrivate ? [resolvingListSize > 0 ? 1 : 0] : nil))
        #expect(try self.read(0x2AC9, by: central) == (isPrivate ? [0] : nil))
    }

    @Test("A bonded peer that can hide is asked once, in both roles, and not on the links that follow")
    func askedOnce() throws {
        let (central, peripheral) = (BondedHost(1, on: self.air), BondedHost(2, on: self.air, resolvingListSize: 0))
        try self.pair(central, peripheral)
        #expect(central.said == [PeerPrivacy(resolvesAddresses: false, usesOnlyPrivateAddresses: true)])
        #expect(peripheral.said == [PeerPrivacy(resolvesAddresses: true, usesOnlyPrivateAddresses: true)])
        central.host.disconnect(try #require(central.link))
        self.loop.advanceTime(by: .seconds(1))
        self.connect(central, peripheral)
        #expect(central.host.security(of: try #require(central.link))?.key != nil)
        #expect(central.said.count == 1 && peripheral.said.count == 1)
        // What was lost is asked again.
        central.host.disconnect(try #require(central.link))
        central.host.peerPrivacy = [:]
        self.loop.advanceTime(by: .seconds(1))
        self.connect(central, peripheral)
        #expect(central.said.count == 2 && peripheral.said.count == 1)
    }

    @Test("A peer that distributes no key is not asked: it cannot hide")
    func notAsked() throws {
        let central = BondedHost(1, on: self.air)
        let peripheral = BondedHost(2, on: self.air, isPrivate: false)
        try self.pair(central, peripheral)
        #expect(central.said.isEmpty && peripheral.said.count == 1)
    }

    @Test("A peer whose key is all zeros is not asked: it distributes its address alone (Vol 3, Part C, 10.7.3)")
    func notAskedWithoutKey() throws {
        for key in [Octets16.zero, Octets16(high: 1, low: 2)] {
            let (central, peripheral) = (BondedHost(1, on: self.air), BondedHost(2, on: self.air))
            try self.pair(central, peripheral)
            central.host.disconnect(try #require(central.link))
            self.loop.advanceTime(by: .seconds(1))
            peripheral.host.peerPrivacy = [:]
            peripheral.changeBonds { $0.peer.identity?.identityResolvingKey = key }
            let before = peripheral.said.count
            self.connect(central, peripheral)
            #expect(peripheral.host.security(of: try #require(peripheral.link))?.key != nil)
            #expect(peripheral.said.count == (key == .zero ? before : before + 1))
            central.host.detach()
            peripheral.host.detach()
        }
    }

    @Test("Directed advertising names a peer by a private address only where the peer says that it resolves these")
    func directed() throws {
        let (central, peripheral) = (BondedHost(1, on: self.air), BondedHost(2, on: self.air))
        try self.pair(central, peripheral)
        let peer = try #require(peripheral.bonds.keys.first)
        central.host.disconnect(try #require(central.link))
        self.loop.advanceTime(by: .seconds(1))
        func start() -> LEHostError? {
            var error: LEHostError?
            peripheral.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(), directedTo: peer)) {
                if case .failure(let failure) = $0 { error = failure }
            }
            self.loop.advanceTime(by: .seconds(1))
            return error
        }
        #expect(start() == nil)
        for privacy in [nil, PeerPrivacy(usesOnlyPrivateAddresses: true)] {
            peripheral.host.peerPrivacy[peer] = privacy
            #expect(start() == .addressNotResolvedByPeer)
        }
        // A peer without a key is named by its address, whatever it says.
        let identity = IdentityInformation(identityResolvingKey: .zero, address: peer)
        peripheral.host.bondedPeers = [identity]
        #expect(start() == nil)
    }

    @Test("Values that the specification does not define say nothing", arguments: ["", "02", "00 00", "01 00"])
    func undefined(octets: String) throws {
        var procedure = ReadGAPOctet(GATTAttributeType.centralAddressResolution)
        _ = procedure.begin(mtu: 23)
        let value = hex(octets)
        var response = ByteBuffer(bytes: [0x09, UInt8(2 + value.readableBytes), 0x03, 0x00])
        response.writeImmutableBuffer(value)
        guard case .finish(.success(let octet)) = try procedure.receive(response, mtu: 23) else {
            Issue.record("no value")
            return
        }
        #expect(octet == (octets == "02" ? 2 : nil))
    }
}
