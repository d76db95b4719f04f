// The filter accept list and the resolving list: what they take, and when they may change (Vol 4, Part E, 7.8.15 to
// 7.8.17, 7.8.38 to 7.8.44).

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import Testing

@Suite("Lists of a controller")
struct ListTests {
    /// What a controller that was just reset answers to a command, after others that it takes.
    private func status<Command: HCICommand>(
        _ command: Command,
        after others: [any HCICommand] = []
    ) -> HCIErrorCode? {
        let host = AirTestbed().host()
        for other in others { host.ok(other) }
        return host.run(command)?.status
    }

    private static let peer = DeviceAddress(1, kind: .public)
    private static let useAcceptList: [(any HCICommand)] = [
        LESetScanParameters(
            type: .passive,
            interval: ScanInterval(rawValue: 4),
            window: ScanInterval(rawValue: 4),
            filterPolicy: .acceptList
        ),
        LESetScanEnable(isEnabled: true, filterDuplicates: .off),
    ]

    private func advertising(_ policy: AdvertisingFilterPolicy) -> [any HCICommand] {
        let interval = AdvertisingInterval(rawValue: 0xA0)
        return [
            LESetAdvertisingParameters(minimumInterval: interval, maximumInterval: interval, filterPolicy: policy),
            LESetAdvertisingEnable(isEnabled: true),
        ]
    }

    @Test("the filter accept list does not change while something goes by it, and else does (7.8.15)")
    func acceptListInUse() {
        let add = LEAddDeviceToFilterAcceptList(entry: .device(Self.peer))
        let remove = LERemoveDeviceFromFilterAcceptList(entry: .device(Self.peer))
        let initiateFromList: [any HCICommand] = [TestHost.createConnection(to: .none, filterPolicy: .acceptList)]
        for use in [self.advertising(.acceptList), Self.useAcceptList, initiateFromList] {
            #expect(self.status(add, after: use) == .commandDisallowed)
            #expect(self.status(remove, after: use) == .commandDisallowed)
            #expect(self.status(LEClearFilterAcceptList(), after: use) == .commandDisallowed)
        }
        let initiate: [any HCICommand] = [TestHost.createConnection(to: Self.peer)]
        let scan: [any HCICommand] = [LESetScanEnable(isEnabled: true, filterDuplicates: .off)]
        for use in [self.advertising(.all), scan, initiate] {
            #expect(self.status(add, after: use) == .success)
            #expect(self.status(remove, after: use) == .success)
            #expect(self.status(LEClearFilterAcceptList(), after: use) == .success)
        }
    }

    @Test("the filter accept list holds each device once, under the address that it has on the air (7.8.16)")
    func acceptListEntries() {
        var configuration = VirtualControllerConfiguration()
        configuration.filterAcceptListSize = 2
        let host = AirTestbed().host(configuration: configuration)
        func add(_ value: UInt64, _ kind: DeviceAddress.Kind) -> HCIErrorCode? {
            host.run(LEAddDeviceToFilterAcceptList(entry: .device(DeviceAddress(value, kind: kind))))?.status
        }
        #expect(add(1, .publicIdentity) == .invalidParameters && add(1, .randomIdentity) == .invalidParameters)
        #expect(add(1, .public) == .success && add(1, .public) == .success)
        #expect(add(1, .random) == .success && add(2, .public) == .memoryCapacityExceeded)
    }

    @Test("the resolving list does not change while addresses are resolved for anything (7.8.38)")
    func resolvingListInUse() {
        func add(_ peer: DeviceAddress, _ key: UInt64) -> LEAddDeviceToResolvingList {
            LEAddDeviceToResolvingList(
                peer: peer,
                peerIdentityResolvingKey: Octets16(high: 0, low: key),
                localIdentityResolvingKey: .zero
            )
        }
        let resolving: [any HCICommand] = [LESetAddressResolutionEnable(isEnabled: true)]
        let initiate: [any HCICommand] = [TestHost.createConnection(to: Self.peer)]
        let scan: [any HCICommand] = [LESetScanEnable(isEnabled: true, filterDuplicates: .off)]
        for use in [self.advertising(.all), scan, initiate] {
            #expect(self.status(add(Self.peer, 1), after: resolving + use) == .commandDisallowed)
            #expect(self.status(LESetAddressResolutionEnable(isEnabled: false), after: use) == .commandDisallowed)
            #expect(self.status(add(Self.peer, 1), after: use) == .success, "nothing is resolved")
        }
        // One entry for a device, and for a key; without a key there may be several.
        let other = DeviceAddress(2, kind: .random)
        #expect(self.status(add(Self.peer, 2), after: [add(Self.peer, 1)]) == .invalidParameters)
        #expect(self.status(add(other, 1), after: [add(Self.peer, 1)]) == .invalidParameters)
        #expect(self.status(add(other, 2), after: [add(Self.peer, 1)]) == .success)
        #expect(self.status(add(other, 0), after: [add(Self.peer, 0)]) == .success)
        for kind in [DeviceAddress.Kind.publicIdentity, .randomIdentity] {
            #expect(self.status(add(DeviceAddress(3, kind: kind), 1)) == .invalidParameters)
        }
    }
}
