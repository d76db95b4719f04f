import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Privacy: own addresses")
struct PrivacyOwnAddressTests {
    private let key = Octets16(high: 0xEC02_34A3_57C8_AD05, low: 0x3410_10A6_0A39_7D9B)
    private let testbed = AirTestbed()
    private let one: TestHost
    private let other: TestHost

    init() {
        self.one = self.testbed.host()
        self.other = self.testbed.host()
    }

    private func addresses(heardBy host: TestHost) -> Set<DeviceAddress> {
        host.events = []
        self.testbed.pass(.seconds(1))
        return Set(host.reports.map(\.address))
    }

    @Test(
        "renews the address of an advertising set",
        arguments: [OwnAddressType.resolvableOrPublic, .resolvableOrRandom]
    )
    func rotationOfSet(type: OwnAddressType) {
        let peer = self.other.controller.address
        self.one.addToResolvingList(peer, localKey: self.key)
        self.one.ok(LESetResolvablePrivateAddressTimeout(timeout: 10))
        self.one.ok(
            LESetExtendedAdvertisingParameters(
                advertisingHandle: 1,
                properties: [],
                ownAddressType: type,
                peer: peer
            )
        )
        let random = DeviceAddress(0xC000_0000_0001, kind: .random)
        self.one.ok(LESetAdvertisingSetRandomAddress(advertisingHandle: 1, address: random))
        self.one.ok(LESetExtendedAdvertisingEnable(1))
        self.other.extendedScan(filter: .on)
        self.testbed.pass(.seconds(25))
        let addresses = self.other.extendedReports.compactMap(\.address)
        #expect(addresses.count == 3 && Set(addresses).count == 3)
        #expect(addresses.allSatisfy { ResolvableAddress.matches($0, self.key) })
    }

    @Test(
        "keeps advertising with the fallback address or the last one after its peer is removed from the resolving list"
    )
    func removedPeer() throws {
        let peer = self.other.controller.address
        self.other.scan()
        for type in [OwnAddressType.resolvableOrPublic, .resolvableOrRandom] {
            self.one.addToResolvingList(peer, localKey: self.key)
            self.one.advertise(ownAddressType: type, peer: peer)
            let answer = try #require(self.one.run(LEReadLocalResolvableAddress(peer: peer)))
            let resolvable = DeviceAddress(answer.address.value, kind: .random)
            #expect(self.addresses(heardBy: self.other) == [resolvable])
            self.one.ok(LERemoveDeviceFromResolvingList(peer: peer))
            // There is no random address that could stand in.
            let expected = type == .resolvableOrPublic ? self.one.controller.address : resolvable
            #expect(self.addresses(heardBy: self.other) == [expected])
            self.one.ok(LESetAdvertisingEnable(isEnabled: false))
        }
    }

    @Test("a resolvable address is used for its time, 900 s from the start, and no longer", arguments: [0, 10])
    func timeout(seconds: UInt16) throws {
        let peer = DeviceAddress(0x0102_0304_0506, kind: .public)
        self.one.addToResolvingList(peer, localKey: self.key)
        if seconds > 0 { self.one.ok(LESetResolvablePrivateAddressTimeout(timeout: .init(rawValue: seconds))) }
        func address() -> UInt64? {
            self.one.ok(TestHost.createConnection(to: peer, ownAddressType: .resolvableOrPublic))
            defer { self.one.ok(LECreateConnectionCancel()) }
            return self.one.run(LEReadLocalResolvableAddress(peer: peer))?.address.value
        }
        let first = try #require(address())
        self.testbed.pass(TimeAmount.seconds(seconds > 0 ? 10 : 900) - .nanoseconds(1))
        #expect(address() == first)
        self.testbed.pass(.nanoseconds(1))
        #expect(address() != first)
    }

    @Test("without a local key the public or the random address is used")
    func withoutLocalKey() {
        let random = DeviceAddress(0xC000_0000_0001, kind: .random)
        self.one.addToResolvingList(self.other.controller.address, peerKey: self.key)
        self.one.ok(LESetRandomAddress(address: random))
        self.other.scan()
        for (type, address) in [
            (.resolvableOrPublic, self.one.controller.address), (.resolvableOrRandom, random),
        ] as [(OwnAddressType, DeviceAddress)] {
            self.one.advertise(ownAddressType: type, peer: self.other.controller.address)
            #expect(self.addresses(heardBy: self.other) == [address])
            self.one.ok(LESetAdvertisingEnable(isEnabled: false))
        }
    }

    @Test("a device is connected by its private address too, and reported by its identity address without its type")
    func peerByPrivateAddress() throws {
        self.one.addToResolvingList(self.other.controller.address, localKey: self.key)
        self.other.addToResolvingList(self.one.controller.address, peerKey: self.key)
        self.other.ok(LESetAddressResolutionEnable(isEnabled: true))
        self.one.advertise(ownAddressType: .resolvableOrPublic, peer: self.other.controller.address)
        let answer = try #require(self.one.run(LEReadLocalResolvableAddress(peer: self.other.controller.address)))
        self.other.ok(TestHost.createConnection(to: DeviceAddress(answer.address.value, kind: .random)))
        self.testbed.pass(.milliseconds(300))
        let event = try #require(self.other.take(LEConnectionComplete.self))
        #expect(event.status == .success)
        #expect(event.peer == self.one.controller.address)
    }
}
