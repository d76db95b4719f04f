import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Privacy: targets of directed advertising")
struct PrivacyDirectedTests {
    private let key = Octets16(high: 0xEC02_34A3_57C8_AD05, low: 0x3410_10A6_0A39_7D9B)
    private let testbed = AirTestbed()
    private let one: TestHost
    private let other: TestHost

    init() {
        self.one = self.testbed.host()
        self.other = self.testbed.host()
    }

    @Test("advertising that is directed to a private address of a known central accepts the central")
    func directedToPrivateAddress() throws {
        let (advertiser, central) = (self.one, self.other)
        advertiser.addToResolvingList(central.controller.address, peerKey: self.key)
        central.addToResolvingList(advertiser.controller.address, localKey: self.key)
        for host in [advertiser, central] { host.ok(LESetAddressResolutionEnable(isEnabled: true)) }
        central.ok(TestHost.createConnection(to: advertiser.controller.address, ownAddressType: .resolvableOrPublic))
        let answer = try #require(central.run(LEReadLocalResolvableAddress(peer: advertiser.controller.address)))
        advertiser.advertise(
            type: .connectableDirectedLowDutyCycle,
            peer: DeviceAddress(answer.address.value, kind: .random)
        )
        self.testbed.pass(.milliseconds(300))
        #expect(central.take(LEConnectionComplete.self)?.status == .success)
        #expect(advertiser.take(LEConnectionComplete.self)?.peer == central.controller.address)
    }

    @Test("directed advertising is heard under the random address of the device, and of its advertising sets")
    func directedToRandomAddress() throws {
        let random = DeviceAddress(0xC000_0000_0001, kind: .random)
        let ofSet = DeviceAddress(0xC000_0000_0002, kind: .random)
        self.other.ok(LESetRandomAddress(address: random))
        self.other.ok(LESetExtendedAdvertisingParameters(advertisingHandle: 1, properties: []))
        self.other.ok(LESetAdvertisingSetRandomAddress(advertisingHandle: 1, address: ofSet))
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

    @Test(
        "hides the target of directed advertising if the advertiser hides itself",
        arguments: [
            (.public, false), (.random, false), (.resolvableOrPublic, true), (.resolvableOrRandom, true),
        ] as [(OwnAddressType, Bool)]
    )
    func target(ownAddressType: OwnAddressType, isHidden: Bool) throws {
        let (advertiser, foreign) = (self.testbed.host(leEvents: .all), self.testbed.host(leEvents: .all))
        let peer = DeviceAddress(0x0102_0304_0506, kind: .public)
        advertiser.addToResolvingList(peer, peerKey: Octets16(high: 1, low: 2), localKey: self.key)
        advertiser.ok(LESetAddressResolutionEnable(isEnabled: true))
        advertiser.ok(LESetRandomAddress(address: DeviceAddress(0xC000_0000_0001, kind: .random)))
        advertiser.advertise(type: .connectableDirectedLowDutyCycle, ownAddressType: ownAddressType, peer: peer)
        foreign.scan(filterPolicy: .allAndUnresolvedDirected)
        self.testbed.pass(.milliseconds(300))
        let reports = foreign.takeAll(LEDirectedAdvertisingReports.self).flatMap { Array($0) }
        #expect(foreign.reports.isEmpty && reports.isEmpty == !isHidden)
        for report in reports {
            #expect(ResolvableAddress.matches(report.address, self.key))
            guard case .unresolved(let target) = report.target else {
                Issue.record("the target can be recognized: \(report.target)")
                continue
            }
            #expect(ResolvableAddress.matches(target, Octets16(high: 1, low: 2)))
        }
    }
}
