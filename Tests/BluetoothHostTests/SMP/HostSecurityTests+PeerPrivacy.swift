// The privacy that bonded peers declare, and the identities that pairings reveal (Vol 3, Part C, 12.4 and 12.5).

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("LEHost: privacy of peers")
struct LEHostPeerPrivacyTests {
    private static let key = Octets16(high: 1, low: 2)
    private static let resolution = "08 01 00 FF FF A6 2A"
    private static let only = "08 01 00 FF FF C9 2A"

    // MARK: Questions

    @Test(
        "reads a peer's privacy once on the encrypted link: 1 for resolving, 0 for private addresses only",
        arguments: [
            ("09 03 10 00 01", "09 03 12 00 00", PeerPrivacy(resolvesAddresses: true, usesOnlyPrivateAddresses: true)),
            ("09 03 10 00 00", "09 03 12 00 01", PeerPrivacy()),
            ("09 03 10 00 01", "01 08 01 00 0A", PeerPrivacy(resolvesAddresses: true)),
            ("01 08 01 00 0A", "09 03 12 00 00", PeerPrivacy(usesOnlyPrivateAddresses: true)),
            ("09 03 10 00 02", "09 03 12 00 02", PeerPrivacy()), ("01 08 01 00 0A", "01 08 01 00 0A", PeerPrivacy()),
        ]
    )
    func answers(resolution: String, only: String, privacy: PeerPrivacy) {
        let user = BondedUser(identityResolvingKey: Self.key)
        let testbed = HostTestbed.used(by: user)
        testbed.connect(.peripheral)
        #expect(testbed.sent() == [], "the link is not encrypted yet")
        testbed.encrypt()
        #expect(testbed.sent() == [Self.resolution])
        testbed.receive(4, resolution)
        #expect(testbed.sent() == [Self.only] && user.privacy == [])
        testbed.receive(4, only)
        #expect(testbed.sent() == [] && user.privacy == [privacy])
        // It has already been read on this link, even if the host does not keep it.
        testbed.encrypt()
        #expect(testbed.sent() == [] && user.privacy == [privacy])
    }

    @Test(
        "does not read the privacy of a peer whose privacy is known, or that has no key",
        arguments: [
            (Self.key, [SecurityManagerPair.peripheralAddress: PeerPrivacy()], false), (.zero, [:], false),
            (Self.key, [DeviceAddress(7, kind: .public): PeerPrivacy()], true),
        ] as [(Octets16, [DeviceAddress: PeerPrivacy], Bool)]
    )
    func notAsked(key: Octets16, known: [DeviceAddress: PeerPrivacy], isAsked: Bool) {
        let testbed = HostTestbed.used(by: BondedUser(identityResolvingKey: key))
        testbed.host.peerPrivacy = known
        testbed.connect(.peripheral)
        testbed.encrypt()
        #expect(testbed.sent() == (isAsked ? [Self.resolution] : []))
    }

    @Test("reads again on the next link if the database was out of sync or the link ended", arguments: [true, false])
    func askedAgain(isOutOfSync: Bool) {
        let user = BondedUser(identityResolvingKey: Self.key)
        let testbed = HostTestbed.used(by: user)
        testbed.connect(.peripheral)
        testbed.encrypt()
        #expect(testbed.sent() == [Self.resolution])
        #expect(testbed.answers(isOutOfSync ? "01 08 01 00 12" : "09 03 10 00 01") == (isOutOfSync ? [] : [Self.only]))
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run()
        testbed.connect(.peripheral)
        testbed.encrypt()
        #expect(testbed.sent() == [Self.resolution] && user.privacy == [])
    }

    // MARK: Directed advertising

    @Test(
        "directs advertising to a bonded peer with a key only if it resolves addresses, or without a resolving list",
        arguments: [
            (true, PrivateHost.peer.identityResolvingKey, nil, false),
            (true, PrivateHost.peer.identityResolvingKey, PeerPrivacy(usesOnlyPrivateAddresses: true), false),
            (true, PrivateHost.peer.identityResolvingKey, PeerPrivacy(resolvesAddresses: true), true),
            (true, .zero, nil, true), (false, PrivateHost.peer.identityResolvingKey, nil, true),
        ] as [(Bool, Octets16, PeerPrivacy?, Bool)]
    )
    func directed(hasList: Bool, key: Octets16, privacy: PeerPrivacy?, isStarted: Bool) throws {
        let device = PrivateHost(hasList: hasList)
        let peer = PrivateHost.peer.address
        device.host.bondedPeers = [BondedPeer(IdentityInformation(identityResolvingKey: key, address: peer))]
        device.host.peerPrivacy[peer] = privacy
        var errors: [LEHostError?] = []
        device.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(), directedTo: peer)) { result in
            if case .failure(let error) = result { errors.append(error) } else { errors.append(nil) }
        }
        #expect(errors.isEmpty, "nothing is called re-entrantly")
        device.testbed.run()
        #expect(errors == [isStarted ? nil : .addressNotResolvedByPeer])
        guard isStarted else { return #expect(!device.takeSteps().contains("advertising")) }
        let command = try device.testbed.controller.last(LESetAdvertisingParameters.self)
        #expect(command.type == .connectableDirectedLowDutyCycle && command.peer == peer)
        #expect(command.ownAddressType == (hasList && key != .zero ? .resolvableOrRandom : .random))
    }

    // MARK: Two hosts

    private let loop = EmbeddedEventLoop()
    private let air: Air

    init() { self.air = Air(eventLoop: self.loop, settings: .instant, seed: 1) }

    private func connect(_ central: BondedHost, _ peripheral: BondedHost) throws -> LinkID {
        peripheral.advertise()
        self.loop.advanceTime(by: .seconds(1))
        let address = central.bonds.keys.first ?? peripheral.host.radio.addresses.onAir
        central.host.connect(to: try #require(address))
        self.loop.advanceTime(by: .seconds(5))
        return try #require(central.link)
    }

    private func pair(_ central: BondedHost, _ peripheral: BondedHost, on link: LinkID) {
        central.host.pair(link)
        self.loop.advanceTime(by: .seconds(10))
        #expect(central.bonds.count == 1 && peripheral.bonds.count == 1)
    }

    private func disconnect(_ central: BondedHost, _ link: LinkID) {
        central.host.disconnect(link)
        self.loop.advanceTime(by: .seconds(1))
    }

    @Test(
        "GAP/PRIV: serves Central Address Resolution and Resolvable Private Address Only if it hides",
        arguments: [(true, 64), (true, 0), (false, 64)]
    )
    func characteristics(isPrivate: Bool, resolvingListSize: Int) throws {
        let central = BondedHost(1, on: self.air, isPrivate: false)
        let peripheral = BondedHost(2, on: self.air, isPrivate: isPrivate, resolvingListSize: resolvingListSize)
        let link = try self.connect(central, peripheral)
        func read(_ type: BluetoothUUID) -> [UInt8]? {
            var value: [UInt8]?
            central.host.perform(ReadUsingCharacteristicUUID(type, in: 1...0xFFFF), on: link) {
                value = (try? $0.get())?.first.map { Array($0.value.readableBytesView) }
            }
            self.loop.advanceTime(by: .seconds(1))
            return value
        }
        #expect(read(0x2AA6) == (isPrivate ? [resolvingListSize > 0 ? 1 : 0] : nil))
        #expect(read(0x2AC9) == (isPrivate ? [0] : nil))
    }

    @Test("reads once for a bond in both roles, and again if the result was lost or on a link that pairs again")
    func askedOnce() throws {
        let (central, peripheral) = (BondedHost(1, on: self.air), BondedHost(2, on: self.air, resolvingListSize: 0))
        var link = try self.connect(central, peripheral)
        self.pair(central, peripheral, on: link)
        #expect(central.said == [PeerPrivacy(resolvesAddresses: false, usesOnlyPrivateAddresses: true)])
        #expect(peripheral.said == [PeerPrivacy(resolvesAddresses: true, usesOnlyPrivateAddresses: true)])
        self.disconnect(central, link)
        link = try self.connect(central, peripheral)
        #expect(central.host.security(of: link)?.key != nil)
        #expect(central.said.count == 1 && peripheral.said.count == 1)
        self.disconnect(central, link)
        central.host.peerPrivacy = [:]
        link = try self.connect(central, peripheral)
        #expect(central.said.count == 2 && peripheral.said.count == 1)
        self.pair(central, peripheral, on: link)
        #expect(central.said.count == 2, "it is known")
        central.host.peerPrivacy = [:]
        self.pair(central, peripheral, on: link)
        #expect(central.said.count == 3 && peripheral.said.count == 1)
    }

    @Test("reads nothing without a delegate")
    func withoutDelegate() throws {
        let (central, peripheral) = (BondedHost(1, on: self.air), BondedHost(2, on: self.air))
        let link = try self.connect(central, peripheral)
        peripheral.host.delegate = nil
        central.host.pair(link)
        self.loop.advanceTime(by: .seconds(10))
        let other = try #require(peripheral.host.openLinks.all.first)
        #expect(other.bearer.security.isBonded && other.bearer.security.key != nil && !other.hasReadPeerPrivacy)
    }

    @Test("knows a peer with privacy by its identity after pairing, and reports that once", arguments: [true, false])
    func identity(isPrivate: Bool) throws {
        let central = BondedHost(1, on: self.air, isPrivate: false)
        let peripheral = BondedHost(2, on: self.air, isPrivate: isPrivate)
        let identity = DeviceAddress(0xC0DE_0000_0002, kind: .random)
        let link = try self.connect(central, peripheral)
        let address = try #require(peripheral.host.radio.addresses.onAir)
        #expect((address == identity) == !isPrivate && central.host.information(of: link)?.peer == address)
        self.pair(central, peripheral, on: link)
        #expect(central.identified.map(\.link.peer) == (isPrivate ? [identity] : []))
        #expect(central.identified.map(\.before) == (isPrivate ? [address] : []))
        #expect(central.host.information(of: link)?.peer == identity)
        // The central has no privacy.
        #expect(peripheral.identified.isEmpty)
        #expect(peripheral.host.links.map(\.peer) == [DeviceAddress(0xC0DE_0000_0001, kind: .random)])
    }

    @Test("accepts signed commands with the key of the last pairing, and none if it distributed none")
    func signingKeys() throws {
        let keys: KeyDistribution = [.encryptionKey, .identityKey, .signingKey]
        let central = BondedHost(1, on: self.air, keys: keys)
        let peripheral = BondedHost(2, on: self.air, keys: keys)
        let link = try self.connect(central, peripheral)
        #expect(central.signingKey == nil && peripheral.signingKey == nil)
        self.pair(central, peripheral, on: link)
        let first = try #require(peripheral.pairings[0].peer.signing?.connectionSignatureResolvingKey)
        let other = try #require(central.pairings[0].peer.signing?.connectionSignatureResolvingKey)
        #expect(peripheral.signingKey == first && central.signingKey == other && first != other)
        for host in [central.host, peripheral.host] {
            host.pairing.initiatorKeys = [.encryptionKey, .identityKey]
            host.pairing.responderKeys = [.encryptionKey, .identityKey]
        }
        self.pair(central, peripheral, on: link)
        #expect(central.pairings.count == 2 && central.signingKey == nil && peripheral.signingKey == nil)
    }
}
