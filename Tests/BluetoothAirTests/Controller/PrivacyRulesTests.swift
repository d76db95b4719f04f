// Rules of privacy at their edges: which own address is used and for how long, whose address is believed, and what the
// two lists do with what was taken off them (Vol 6, Part B, 6; Vol 4, Part E, 7.8.14 to 7.8.17 and 7.8.38 to 7.8.45).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Rules of privacy")
struct PrivacyRulesTests {
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

    // MARK: Own addresses

    @Test(
        "The address of an advertising set is renewed, whatever stands in for it without a key",
        arguments: [OwnAddressType.resolvableOrPublic, .resolvableOrRandom]
    )
    func rotationOfSet(type: OwnAddressType) {
        let set = AdvertisingHandle(rawValue: 1)
        self.one.addToResolvingList(self.other.controller.address, localKey: self.key)
        self.one.ok(LESetResolvablePrivateAddressTimeout(timeout: ResolvablePrivateAddressTimeout(rawValue: 10)))
        self.one.ok(
            LESetExtendedAdvertisingParameters(
                advertisingHandle: set,
                properties: [],
                minimumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0),
                maximumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0),
                ownAddressType: type,
                peer: self.other.controller.address
            )
        )
        let random = DeviceAddress(0xC000_0000_0001, kind: .random)
        self.one.ok(LESetAdvertisingSetRandomAddress(advertisingHandle: set, address: random))
        self.one.ok(LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle: set)]))
        self.other.extendedScan(filter: .on)
        self.testbed.pass(.seconds(25))
        let addresses = self.other.extendedReports.compactMap(\.address)
        #expect(addresses.count == 3 && Set(addresses).count == 3)
        #expect(addresses.allSatisfy { ResolvableAddress.matches($0, self.key) })
    }

    @Test("A set whose peer is taken off the resolving list goes on with the address that stands in, or its last one")
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

    @Test(
        "A resolvable address is used for its time, 900 s from the start, and no longer",
        arguments: [0, 10]
    )
    func timeout(seconds: UInt16) throws {
        let peer = DeviceAddress(0x0102_0304_0506, kind: .public)
        self.one.addToResolvingList(peer, localKey: self.key)
        if seconds > 0 {
            let timeout = ResolvablePrivateAddressTimeout(rawValue: seconds)
            self.one.ok(LESetResolvablePrivateAddressTimeout(timeout: timeout))
        }
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

    @Test("Without a local key the public or the random address is used")
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

    // MARK: Whom to believe

    @Test("A peer is believed under its identity address where it has no key, or nothing is resolved (4.7)")
    func identityAddress() {
        for (hasKey, isResolving, isReported) in [(true, true, false), (false, true, true), (true, false, true)] {
            let testbed = AirTestbed()
            let (advertiser, scanner) = (testbed.host(), testbed.host())
            scanner.addToResolvingList(advertiser.controller.address, peerKey: hasKey ? self.key : .zero)
            scanner.ok(LESetAddressResolutionEnable(isEnabled: isResolving))
            advertiser.advertise()
            scanner.scan()
            testbed.pass(.seconds(1))
            #expect(scanner.reports.isEmpty == !isReported, "\(hasKey) \(isResolving)")
        }
    }

    @Test("A device is connected by its private address too, and reported by its identity address without its type")
    func peerByPrivateAddress() throws {
        self.one.addToResolvingList(self.other.controller.address, localKey: self.key)
        self.other.addToResolvingList(self.one.controller.address, peerKey: self.key)
        self.other.ok(LESetAddressResolutionEnable(isEnabled: true))
        self.one.advertise(ownAddressType: .resolvableOrPublic, peer: self.other.controller.address)
        let answer = try #require(
            self.one.run(LEReadLocalResolvableAddress(peer: self.other.controller.address))
        )
        self.other.ok(TestHost.createConnection(to: DeviceAddress(answer.address.value, kind: .random)))
        self.testbed.pass(.milliseconds(300))
        let event = try #require(self.other.take(LEConnectionComplete.self))
        #expect(event.status == .success)
        #expect(event.peer == self.one.controller.address)
    }

    @Test("Advertising that is directed to a private address of a known central accepts the central")
    func directedToPrivateAddress() throws {
        let (advertiser, central) = (self.one, self.other)
        advertiser.addToResolvingList(central.controller.address, peerKey: self.key)
        central.addToResolvingList(advertiser.controller.address, localKey: self.key)
        for host in [advertiser, central] { host.ok(LESetAddressResolutionEnable(isEnabled: true)) }
        central.ok(TestHost.createConnection(to: advertiser.controller.address, ownAddressType: .resolvableOrPublic))
        let answer = try #require(
            central.run(LEReadLocalResolvableAddress(peer: advertiser.controller.address))
        )
        advertiser.advertise(
            type: .connectableDirectedLowDutyCycle,
            peer: DeviceAddress(answer.address.value, kind: .random)
        )
        self.testbed.pass(.milliseconds(300))
        #expect(central.take(LEConnectionComplete.self)?.status == .success)
        #expect(advertiser.take(LEConnectionComplete.self)?.peer == central.controller.address)
    }

    @Test("Directed advertising is heard under the random address of the device, and of its advertising sets")
    func directedToRandomAddress() throws {
        let random = DeviceAddress(0xC000_0000_0001, kind: .random)
        let ofSet = DeviceAddress(0xC000_0000_0002, kind: .random)
        let set = AdvertisingHandle(rawValue: 1)
        self.other.ok(LESetRandomAddress(address: random))
        self.other.ok(
            LESetExtendedAdvertisingParameters(
                advertisingHandle: set,
                properties: [],
                minimumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0),
                maximumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0)
            )
        )
        self.other.ok(LESetAdvertisingSetRandomAddress(advertisingHandle: set, address: ofSet))
        self.other.extendedScan()
        for (target, isHeard) in [
            (random, true), (ofSet, true), (DeviceAddress(0xC000_0000_0003, kind: .random), false),
            (DeviceAddress(random.value, kind: .public), false),
        ] {
            self.one.advertise(type: .connectableDirectedLowDutyCycle, peer: target)
            self.other.events = []
            self.testbed.pass(.milliseconds(300))
            let targets = Set(self.other.extendedReports.compactMap(\.target))
            #expect(targets == (isHeard ? [.device(target)] : []), "\(target)")
            self.one.ok(LESetAdvertisingEnable(isEnabled: false))
        }
    }

    // MARK: Lists

    @Test("The filter accept list admits advertisers without an address where it says so (7.8.16)")
    func anonymous() {
        let set = AdvertisingHandle(rawValue: 1)
        self.one.ok(
            LESetExtendedAdvertisingParameters(
                advertisingHandle: set,
                properties: [.anonymous],
                minimumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0),
                maximumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0)
            )
        )
        self.one.ok(LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle: set)]))
        let third = self.testbed.host()
        third.advertise()
        self.other.ok(LEAddDeviceToFilterAcceptList(entry: .anonymous))
        self.other.extendedScan(filterPolicy: .acceptList)
        self.testbed.pass(.seconds(1))
        let reports = self.other.extendedReports
        #expect(!reports.isEmpty && reports.allSatisfy { $0.address == nil })
    }

    @Test("A device that was taken off the filter accept list is not reported any more (7.8.17)")
    func removedFromAcceptList() {
        let third = self.testbed.host()
        for host in [self.one, third] {
            host.advertise()
            self.other.ok(LEAddDeviceToFilterAcceptList(entry: .device(host.controller.address)))
        }
        let value = self.one.controller.address.value
        func scan(_ expected: Set<DeviceAddress>) {
            self.other.scan(filterPolicy: .acceptList)
            #expect(self.addresses(heardBy: self.other) == expected)
            self.other.ok(LESetScanEnable(isEnabled: false))
        }
        self.other.refused(
            LERemoveDeviceFromFilterAcceptList(entry: .device(DeviceAddress(value, kind: .publicIdentity))),
            .invalidParameters
        )
        self.other.ok(LERemoveDeviceFromFilterAcceptList(entry: .device(DeviceAddress(value, kind: .random))))
        scan([self.one.controller.address, third.controller.address])
        self.other.ok(LERemoveDeviceFromFilterAcceptList(entry: .device(self.one.controller.address)))
        scan([third.controller.address])
        self.other.ok(LEClearFilterAcceptList())
        scan([])
    }

    @Test("A peer is taken off the resolving list under its identity address, and all are by clearing it (7.8.39)")
    func removedFromResolvingList() {
        let (peer, second) = (DeviceAddress(1, kind: .public), DeviceAddress(1, kind: .random))
        self.one.addToResolvingList(peer)
        self.one.addToResolvingList(second)
        self.one.ok(LERemoveDeviceFromResolvingList(peer: DeviceAddress(1, kind: .publicIdentity)))
        self.one.refused(LERemoveDeviceFromResolvingList(peer: peer), .unknownConnectionIdentifier)
        self.one.addToResolvingList(peer)
        self.one.ok(LEClearResolvingList())
        for address in [peer, second] {
            self.one.refused(LERemoveDeviceFromResolvingList(peer: address), .unknownConnectionIdentifier)
        }
    }

    @Test("A controller without a resolving list has no feature of privacy, and takes no entry")
    func noResolvingList() throws {
        var configuration = VirtualControllerConfiguration()
        configuration.resolvingListSize = 0
        let host = self.testbed.host(configuration: configuration)
        let features = try #require(host.run(LEReadLocalSupportedFeatures())).features
        #expect(!features.contains(.privacy) && features.contains(.encryption))
        #expect(host.run(LEReadResolvingListSize())?.size == 0)
        host.refused(
            LEAddDeviceToResolvingList(
                peer: DeviceAddress(1, kind: .public),
                peerIdentityResolvingKey: self.key,
                localIdentityResolvingKey: .zero
            ),
            .memoryCapacityExceeded
        )
    }
}
