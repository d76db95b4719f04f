// Resolvable private addresses and identities (Vol 6, Part B, 6).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Privacy")
struct PrivacyTests {
    private let key = Octets16(high: 0xEC02_34A3_57C8_AD05, low: 0x3410_10A6_0A39_7D9B)
    private let otherKey = Octets16(high: 1, low: 2)
    private let identity = DeviceAddress(0xC011_2233_4455, kind: .random)
    private let random = DeviceAddress(0xC000_0000_0001, kind: .random)
    private let testbed = AirTestbed()

    @Test("computes the random address hash (Vol 3, Part H, D.7)")
    func hash() {
        #expect(ResolvableAddress.hash(self.key, 0x708194) == 0x0DFBAA)
        let address = DeviceAddress(0x7081_940D_FBAA, kind: .random)
        #expect(ResolvableAddress.matches(address, self.key))
        #expect(!ResolvableAddress.matches(address, self.otherKey))
        #expect(!ResolvableAddress.matches(DeviceAddress(0x7081_940D_FBAB, kind: .random), self.key))
        #expect(!ResolvableAddress.matches(DeviceAddress(0x7081_940D_FBAA, kind: .public), self.key))
    }

    @Test("a key of zeros, which means none, resolves nothing")
    func noKey() {
        var generator = SeededGenerator(seed: 4)
        #expect(!ResolvableAddress.matches(ResolvableAddress.make(.zero, using: &generator), .zero))
        #expect(ResolvableAddress.matches(ResolvableAddress.make(self.key, using: &generator), self.key))
    }

    /// Always returns the same number.
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

    @Test("a known peer is reported and connected under its identity")
    func resolve() throws {
        let testbed = AirTestbed()
        let (peripheral, central, foreign) = (testbed.host(), testbed.host(leEvents: .all), testbed.host())
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
        #expect(central.run(LEReadPeerResolvableAddress(peer: self.identity))?.address.value == unknown.address.value)

        central.ok(TestHost.createConnection(to: DeviceAddress(self.identity.value, kind: .randomIdentity)))
        testbed.pass(.milliseconds(200))
        let event = try #require(central.take(LEEnhancedConnectionCompleteV2.self)).connection
        #expect(event.peer == DeviceAddress(self.identity.value, kind: .randomIdentity))
        #expect(event.peerResolvableAddress?.value == unknown.address.value)
        #expect(event.localResolvableAddress == nil)
    }

    @Test("both ends hide: a central connects with its own resolvable address")
    func bothHide() throws {
        let testbed = AirTestbed()
        let (peripheral, central) = (testbed.host(leEvents: .all), testbed.host(leEvents: .all))
        peripheral.addToResolvingList(central.controller.address, peerKey: self.otherKey, localKey: self.key)
        central.addToResolvingList(peripheral.controller.address, peerKey: self.key, localKey: self.otherKey)
        for host in [peripheral, central] { host.ok(LESetAddressResolutionEnable(isEnabled: true)) }
        peripheral.ok(LEAddDeviceToFilterAcceptList(entry: .device(central.controller.address)))
        peripheral.advertise(
            ownAddressType: .resolvableOrPublic,
            peer: central.controller.address,
            filterPolicy: .acceptList
        )
        central.ok(TestHost.createConnection(to: peripheral.controller.address, ownAddressType: .resolvableOrPublic))
        testbed.pass(.milliseconds(300))
        let atCentral = try #require(central.take(LEEnhancedConnectionCompleteV2.self)).connection
        let atPeripheral = try #require(peripheral.take(LEEnhancedConnectionCompleteV2.self)).connection
        #expect(atCentral.peer == DeviceAddress(peripheral.controller.address.value, kind: .publicIdentity))
        #expect(atPeripheral.peer == DeviceAddress(central.controller.address.value, kind: .publicIdentity))
        #expect(atCentral.localResolvableAddress == atPeripheral.peerResolvableAddress)
        #expect(atCentral.peerResolvableAddress == atPeripheral.localResolvableAddress)
        #expect(atCentral.localResolvableAddress != nil)
    }

    @Test(
        "ignores the identity address of a peer with a key in network privacy mode, while addresses are resolved (4.7)"
    )
    func networkMode() {
        let (advertiser, scanner) = (self.testbed.host(), self.testbed.host())
        advertiser.ok(LESetRandomAddress(address: self.random))
        for own in [advertiser.controller.address, self.random] {
            advertiser.advertise(ownAddressType: own.kind == .random ? .random : .public)
            let otherKind = DeviceAddress(own.value, kind: own.kind == .random ? .public : .random)
            for (entry, key, isResolving, mode, isReported) in [
                (own, self.key, true, .network, false), (own, .zero, true, .network, true),
                (own, self.key, false, .network, true), (own, self.key, true, .device, true),
                (otherKind, self.key, true, .network, true),
            ] as [(DeviceAddress, Octets16, Bool, PrivacyMode, Bool)] {
                scanner.setUp()
                scanner.events = []
                scanner.addToResolvingList(entry, peerKey: key)
                scanner.ok(LESetPrivacyMode(peer: entry, mode: mode))
                scanner.ok(LESetAddressResolutionEnable(isEnabled: isResolving))
                scanner.scan()
                self.testbed.pass(.seconds(1))
                #expect(Set(scanner.reports.map(\.address)) == (isReported ? [own] : []), "\(entry) \(mode)")
            }
            advertiser.ok(LESetAdvertisingEnable(isEnabled: false))
        }
    }

    @Test("a resolvable address that the host has made is no local resolvable address of a connection (7.7.65.10)")
    func madeByHost() throws {
        let (peripheral, central) = (self.testbed.host(leEvents: .all), self.testbed.host(leEvents: .all))
        // Vol 3, Part H, D.7: made with the key.
        let own = DeviceAddress(0x7081_940D_FBAA, kind: .random)
        for host in [peripheral, central] {
            host.addToResolvingList(DeviceAddress(7, kind: .public), localKey: self.key)
            host.ok(LESetAddressResolutionEnable(isEnabled: true))
        }
        central.ok(LESetRandomAddress(address: own))
        peripheral.advertise()
        central.ok(TestHost.createConnection(to: peripheral.controller.address, ownAddressType: .random))
        self.testbed.pass(.milliseconds(300))
        let atCentral = try #require(central.take(LEEnhancedConnectionCompleteV2.self)).connection
        let atPeripheral = try #require(peripheral.take(LEEnhancedConnectionCompleteV2.self)).connection
        #expect(atCentral.status == .success && atCentral.localResolvableAddress == nil)
        #expect(atPeripheral.peer == own && atPeripheral.peerResolvableAddress == nil)
    }
}
