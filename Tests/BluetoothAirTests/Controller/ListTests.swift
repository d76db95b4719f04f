// The filter accept list and the resolving list (Vol 4, Part E, 7.8.15 to 7.8.17, 7.8.38 to 7.8.45).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Lists of a controller")
struct ListTests {
    private static let peer = DeviceAddress(1, kind: .public)
    private static let useAcceptList: [(any HCICommand)] = [
        LESetScanParameters(type: .passive, interval: 4, window: 4, filterPolicy: .acceptList),
        LESetScanEnable(isEnabled: true, filterDuplicates: .off),
    ]

    private func advertising(_ policy: AdvertisingFilterPolicy) -> [any HCICommand] {
        [LESetAdvertisingParameters(filterPolicy: policy), LESetAdvertisingEnable(isEnabled: true)]
    }

    private static let scan: [any HCICommand] = [LESetScanEnable(isEnabled: true, filterDuplicates: .off)]
    private static let initiate: [any HCICommand] = [TestHost.createConnection(to: peer)]

    @Test("the filter accept list cannot change while it is in use (7.8.15)")
    func acceptListInUse() {
        let commands: [any HCICommand] = [
            LEAddDeviceToFilterAcceptList(entry: .device(Self.peer)),
            LERemoveDeviceFromFilterAcceptList(entry: .device(Self.peer)), LEClearFilterAcceptList(),
        ]
        let initiateFromList: [any HCICommand] = [TestHost.createConnection(to: .none, filterPolicy: .acceptList)]
        for command in commands {
            for use in [self.advertising(.acceptList), Self.useAcceptList, initiateFromList] {
                #expect(freshStatus(command, after: use) == .commandDisallowed)
            }
            for use in [self.advertising(.all), Self.scan, Self.initiate] {
                #expect(freshStatus(command, after: use) == .success)
            }
        }
    }

    @Test("the filter accept list holds each device once, under the address that it has on the air (7.8.16)")
    func acceptListEntries() {
        let host = AirTestbed().host { $0.model.filterAcceptListSize = 2 }
        func add(_ value: UInt64, _ kind: DeviceAddress.Kind) -> HCIErrorCode? {
            host.run(LEAddDeviceToFilterAcceptList(entry: .device(DeviceAddress(value, kind: kind))))?.status
        }
        #expect(add(1, .publicIdentity) == .invalidParameters && add(1, .randomIdentity) == .invalidParameters)
        #expect(add(1, .public) == .success && add(1, .public) == .success)
        #expect(add(1, .random) == .success && add(2, .public) == .memoryCapacityExceeded)
    }

    @Test("the resolving list cannot change while addresses are being resolved (7.8.38)")
    func resolvingListInUse() {
        func add(_ peer: DeviceAddress, _ key: UInt64) -> LEAddDeviceToResolvingList {
            TestHost.addition(of: peer, peerKey: Octets16(high: 0, low: key))
        }
        let resolving: [any HCICommand] = [LESetAddressResolutionEnable(isEnabled: true)]
        let changes: [any HCICommand] = [
            add(Self.peer, 1), LERemoveDeviceFromResolvingList(peer: Self.peer), LEClearResolvingList(),
        ]
        for use in [self.advertising(.all), Self.scan, Self.initiate] {
            for change in changes { #expect(freshStatus(change, after: resolving + use) == .commandDisallowed) }
            #expect(freshStatus(LESetAddressResolutionEnable(isEnabled: false), after: use) == .commandDisallowed)
            #expect(freshStatus(add(Self.peer, 1), after: use) == .success, "nothing is resolved")
        }
        // One entry for a device, and for a key; without a key there may be several.
        let other = DeviceAddress(2, kind: .random)
        #expect(freshStatus(add(Self.peer, 2), after: [add(Self.peer, 1)]) == .invalidParameters)
        #expect(freshStatus(add(other, 1), after: [add(Self.peer, 1)]) == .invalidParameters)
        #expect(freshStatus(add(other, 2), after: [add(Self.peer, 1)]) == .success)
        #expect(freshStatus(add(other, 0), after: [add(Self.peer, 0)]) == .success)
        for kind in [DeviceAddress.Kind.publicIdentity, .randomIdentity] {
            #expect(freshStatus(add(DeviceAddress(3, kind: kind), 1)) == .invalidParameters)
        }
    }

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

    @Test("reports an anonymous set without an address, to a scan by the accept list only if that says so (7.8.16)")
    func anonymous() {
        self.one.ok(LESetExtendedAdvertisingParameters(advertisingHandle: 1, properties: [.anonymous]))
        self.one.ok(LESetExtendedAdvertisingEnable(1))
        let third = self.testbed.host()
        third.advertise()
        func reports(_ filterPolicy: ScanFilterPolicy) -> Set<DeviceAddress?> {
            self.other.extendedScan(filterPolicy: filterPolicy)
            self.testbed.pass(.seconds(1))
            self.other.ok(LESetExtendedScanEnable(isEnabled: false))
            return Set(self.other.extendedReports.map(\.address))
        }
        #expect(reports(.all) == [nil, third.controller.address])
        #expect(reports(.acceptList) == [])
        self.other.ok(LEAddDeviceToFilterAcceptList(entry: .anonymous))
        #expect(reports(.acceptList) == [nil])
    }

    @Test("does not report a device that was removed from the filter accept list (7.8.17)")
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

    @Test("removes a peer from the resolving list by its identity address, and all by clearing it (7.8.39)")
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

    @Test("a controller without a resolving list has no privacy feature, and accepts no entry")
    func noResolvingList() throws {
        let host = self.testbed.host { $0.model.resolvingListSize = 0 }
        let features = try #require(host.run(LEReadLocalSupportedFeatures())).features
        #expect(!features.contains(.privacy) && features.contains(.encryption))
        #expect(host.run(LEReadResolvingListSize())?.size == 0)
        host.refused(TestHost.addition(of: Self.peer, peerKey: self.key), .memoryCapacityExceeded)
    }

    @Test("rejects commands for a peer that is not on the resolving list, invalid values, and an entry too many")
    func list() {
        let (host, peer) = (self.one, Self.peer)
        #expect(host.run(LEReadResolvingListSize())?.size == 64)
        host.refused(LERemoveDeviceFromResolvingList(peer: peer), .unknownConnectionIdentifier)
        host.refused(LESetPrivacyMode(peer: peer, mode: .device), .unknownConnectionIdentifier)
        host.addToResolvingList(peer, peerKey: self.key)
        host.refused(LEReadPeerResolvableAddress(peer: peer), .unknownConnectionIdentifier)
        host.refused(LEReadLocalResolvableAddress(peer: peer), .unknownConnectionIdentifier)
        host.ok(LESetPrivacyMode(peer: peer, mode: .device))
        host.refused(LESetPrivacyMode(peer: peer, mode: PrivacyMode(rawValue: 2)), .invalidParameters)
        host.refused(LESetResolvablePrivateAddressTimeout(timeout: 0), .invalidParameters)
        for value in 2...64 { host.addToResolvingList(DeviceAddress(UInt64(value), kind: .public)) }
        host.refused(TestHost.addition(of: DeviceAddress(65, kind: .public)), .memoryCapacityExceeded)
    }
}
