// Privacy of the link layer: lists, resolvable private addresses, identities.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothAir

@Suite("Privacy")
struct PrivacyTests {
    private let key = Octets16(high: 0xEC02_34A3_57C8_AD05, low: 0x3410_10A6_0A39_7D9B)
    private let otherKey = Octets16(high: 1, low: 2)
    private let identity = DeviceAddress(0xC011_2233_4455, kind: .random)

    /// Vol 3, Part H, D.7.
    @Test("the random address hash function")
    func hash() {
        #expect(ResolvableAddress.hash(self.key, 0x708194) == 0x0DFBAA)
        let address = DeviceAddress(0x7081_940D_FBAA, kind: .random)
        #expect(ResolvableAddress.matches(address, self.key))
        #expect(!ResolvableAddress.matches(address, self.otherKey))
        #expect(!ResolvableAddress.matches(DeviceAddress(0x7081_940D_FBAB, kind: .random), self.key))
        #expect(!ResolvableAddress.matches(DeviceAddress(0x7081_940D_FBAA, kind: .public), self.key))
    }

    @Test("a key of zeros, which stands for none, resolves nothing")
    func noKey() {
        var generator = SeededGenerator(seed: 4)
        #expect(!ResolvableAddress.matches(ResolvableAddress.make(.zero, using: &generator), .zero))
        #expect(ResolvableAddress.matches(ResolvableAddress.make(self.key, using: &generator), self.key))
    }

    @Test("made addresses are resolvable")
    func make() {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<100 {
            let address = ResolvableAddress.make(self.key, using: &generator)
            #expect(address.randomKind == .resolvablePrivate)
            #expect(ResolvableAddress.matches(address, self.key))
        }
    }

    /// Gives the same number for ever.
    private struct ConstantGenerator: RandomNumberGenerator {
        let number: UInt64
        mutating func next() -> UInt64 { self.number }
    }

    @Test("the random part of a made address is neither all zeros nor all ones")
    func makeAtTheLimits() {
        for (number, part): (UInt64, UInt64) in [
            (0, 1), (1, 1), (0x3F_FFFE, 0x3F_FFFE), (0x3F_FFFF, 1), (.max, 1), (0xC0_0000, 1),
        ] {
            var generator = ConstantGenerator(number: number)
            let address = ResolvableAddress.make(self.key, using: &generator)
            #expect(address.value >> 24 == 0x40_0000 | part)
            #expect(ResolvableAddress.matches(address, self.key))
        }
    }

    @Test("the resolving list follows the specification")
    func list() {
        let host = AirTestbed().host()
        #expect(host.run(LEReadResolvingListSize())?.size == 64)
        host.addToResolvingList(self.identity, peerKey: self.key)
        host.refused(
            LEAddDeviceToResolvingList(
                peer: self.identity,
                peerIdentityResolvingKey: self.key,
                localIdentityResolvingKey: .zero
            ),
            .invalidParameters
        )
        host.refused(
            LERemoveDeviceFromResolvingList(peer: DeviceAddress(9, kind: .public)),
            .unknownConnectionIdentifier
        )
        host.refused(LEReadPeerResolvableAddress(peer: self.identity), .unknownConnectionIdentifier)
        host.refused(LEReadLocalResolvableAddress(peer: self.identity), .unknownConnectionIdentifier)
        host.ok(LESetPrivacyMode(peer: self.identity, mode: .device))
        host.refused(LESetPrivacyMode(peer: self.identity, mode: PrivacyMode(rawValue: 2)), .invalidParameters)
        host.refused(
            LESetPrivacyMode(peer: DeviceAddress(9, kind: .public), mode: .device),
            .unknownConnectionIdentifier
        )
        host.refused(
            LESetResolvablePrivateAddressTimeout(timeout: ResolvablePrivateAddressTimeout(rawValue: 0)),
            .invalidParameters
        )
        host.ok(LESetAddressResolutionEnable(isEnabled: true))
        host.scan()
        host.refused(LEClearResolvingList(), .commandDisallowed)
        host.refused(LERemoveDeviceFromResolvingList(peer: self.identity), .commandDisallowed)
        host.refused(LESetAddressResolutionEnable(isEnabled: false), .commandDisallowed)
        host.ok(LESetScanEnable(isEnabled: false))
        host.ok(LERemoveDeviceFromResolvingList(peer: self.identity))
        for value in 1...64 { host.addToResolvingList(DeviceAddress(UInt64(value), kind: .public)) }
        host.refused(
            LEAddDeviceToResolvingList(
                peer: self.identity,
                peerIdentityResolvingKey: self.key,
                localIdentityResolvingKey: .zero
            ),
            .memoryCapacityExceeded
        )
        host.ok(LEClearResolvingList())
    }

    @Test("a known peer is reported and connected under its identity")
    func resolve() throws {
        let testbed = AirTestbed()
        let peripheral = testbed.host()
        let central = testbed.host(leEvents: LEEventMask(rawValue: .max))
        let foreign = testbed.host()
        peripheral.ok(LESetRandomAddress(address: self.identity))
        peripheral.addToResolvingList(central.controller.address, localKey: self.key)
        peripheral.ok(LESetAddressResolutionEnable(isEnabled: true))
        central.addToResolvingList(self.identity, peerKey: self.key)
        central.ok(LESetAddressResolutionEnable(isEnabled: true))

        peripheral.advertise(ownAddressType: .resolvableOrRandom, peer: central.controller.address)
        central.scan()
        foreign.scan()
        testbed.pass(.milliseconds(150))
        let known = try #require(central.reports.first)
        #expect(known.address == DeviceAddress(self.identity.value, kind: .randomIdentity))
        let unknown = try #require(foreign.reports.first)
        #expect(unknown.address.randomKind == .resolvablePrivate)
        #expect(
            peripheral.run(LEReadLocalResolvableAddress(peer: central.controller.address))?.address.value
                == unknown.address.value
        )
        #expect(
            central.run(LEReadPeerResolvableAddress(peer: self.identity))?.address.value == unknown.address.value
        )

        central.ok(TestHost.createConnection(to: DeviceAddress(self.identity.value, kind: .randomIdentity)))
        testbed.pass(.milliseconds(200))
        let event = try #require(central.take(LEEnhancedConnectionCompleteV2.self))
        #expect(event.peer == DeviceAddress(self.identity.value, kind: .randomIdentity))
        #expect(event.peerResolvableAddress?.value == unknown.address.value)
        #expect(event.localResolvableAddress == nil)
    }

    @Test("own addresses are renewed when their time is over")
    func rotation() throws {
        let testbed = AirTestbed()
        let peripheral = testbed.host()
        let scanner = testbed.host()
        peripheral.addToResolvingList(scanner.controller.address, localKey: self.key)
        peripheral.ok(LESetAddressResolutionEnable(isEnabled: true))
        peripheral.ok(
            LESetResolvablePrivateAddressTimeout(timeout: ResolvablePrivateAddressTimeout(rawValue: 10))
        )
        peripheral.advertise(ownAddressType: .resolvableOrPublic, peer: scanner.controller.address)
        scanner.scan(filter: .on)
        testbed.pass(.seconds(35))
        let addresses = scanner.reports.map(\.address)
        #expect(addresses.count == 4)
        #expect(Set(addresses).count == 4)
        #expect(addresses.allSatisfy { ResolvableAddress.matches($0, self.key) })
    }

    @Test("in network privacy mode a known peer is not believed under its identity address")
    func privacyMode() throws {
        let testbed = AirTestbed()
        let peripheral = testbed.host()
        let scanner = testbed.host()
        peripheral.advertise()
        scanner.addToResolvingList(peripheral.controller.address, peerKey: self.key)
        scanner.ok(LESetAddressResolutionEnable(isEnabled: true))
        scanner.scan()
        testbed.pass(.seconds(1))
        #expect(scanner.reports.isEmpty)
        scanner.ok(LESetScanEnable(isEnabled: false))
        scanner.ok(LESetPrivacyMode(peer: peripheral.controller.address, mode: .device))
        scanner.ok(LESetScanEnable(isEnabled: true))
        testbed.pass(.seconds(1))
        #expect(!scanner.reports.isEmpty)
    }

    @Test("both ends hide: a central connects with its own resolvable address")
    func bothHide() throws {
        let testbed = AirTestbed()
        let all = LEEventMask(rawValue: .max)
        let peripheral = testbed.host(leEvents: all)
        let central = testbed.host(leEvents: all)
        peripheral.addToResolvingList(central.controller.address, peerKey: self.otherKey, localKey: self.key)
        central.addToResolvingList(peripheral.controller.address, peerKey: self.key, localKey: self.otherKey)
        for host in [peripheral, central] { host.ok(LESetAddressResolutionEnable(isEnabled: true)) }
        peripheral.ok(LEAddDeviceToFilterAcceptList(entry: .device(central.controller.address)))
        peripheral.advertise(
            ownAddressType: .resolvableOrPublic,
            peer: central.controller.address,
            filterPolicy: .acceptList
        )
        central.ok(
            TestHost.createConnection(to: peripheral.controller.address, ownAddressType: .resolvableOrPublic)
        )
        testbed.pass(.milliseconds(300))
        let atCentral = try #require(central.take(LEEnhancedConnectionCompleteV2.self))
        let atPeripheral = try #require(peripheral.take(LEEnhancedConnectionCompleteV2.self))
        #expect(atCentral.peer.kind == .publicIdentity)
        #expect(atPeripheral.peer.kind == .publicIdentity)
        #expect(atPeripheral.peer.value == central.controller.address.value)
        #expect(atCentral.localResolvableAddress == atPeripheral.peerResolvableAddress)
        #expect(atCentral.peerResolvableAddress == atPeripheral.localResolvableAddress)
        #expect(atCentral.localResolvableAddress != nil)
    }
}
