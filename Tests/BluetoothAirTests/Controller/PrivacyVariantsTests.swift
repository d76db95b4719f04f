// Rules of privacy for devices whose identity address is a random one, and for resolvable addresses that a host has
// made by itself (Vol 6, Part B, 6).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Privacy: random identities")
struct PrivacyVariantsTests {
    private let key = Octets16(high: 0xEC02_34A3_57C8_AD05, low: 0x3410_10A6_0A39_7D9B)
    private let otherKey = Octets16(high: 1, low: 2)
    private let random = DeviceAddress(0xC000_0000_0001, kind: .random)
    private let testbed = AirTestbed()

    @Test(
        "Directed advertising hides its target where the advertiser hides itself, whatever its identity address is",
        arguments: [
            (.public, false), (.random, false), (.resolvableOrPublic, true), (.resolvableOrRandom, true),
        ] as [(OwnAddressType, Bool)]
    )
    func target(ownAddressType: OwnAddressType, isHidden: Bool) throws {
        let all = LEEventMask(rawValue: .max)
        let (advertiser, foreign) = (self.testbed.host(leEvents: all), self.testbed.host(leEvents: all))
        let peer = DeviceAddress(0x0102_0304_0506, kind: .public)
        advertiser.addToResolvingList(peer, peerKey: self.otherKey, localKey: self.key)
        advertiser.ok(LESetAddressResolutionEnable(isEnabled: true))
        advertiser.ok(LESetRandomAddress(address: self.random))
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
            #expect(ResolvableAddress.matches(target, self.otherKey))
        }
    }

    @Test("In network privacy mode a peer with a key is not believed under a random identity address either (4.7)")
    func networkMode() {
        let (advertiser, scanner) = (self.testbed.host(), self.testbed.host())
        advertiser.ok(LESetRandomAddress(address: self.random))
        advertiser.advertise(ownAddressType: .random)
        scanner.addToResolvingList(self.random, peerKey: self.key)
        scanner.ok(LESetAddressResolutionEnable(isEnabled: true))
        scanner.scan()
        self.testbed.pass(.seconds(1))
        #expect(scanner.reports.isEmpty)
        scanner.ok(LESetScanEnable(isEnabled: false))
        scanner.ok(LESetPrivacyMode(peer: self.random, mode: .device))
        scanner.ok(LESetScanEnable(isEnabled: true))
        self.testbed.pass(.seconds(1))
        let reports = scanner.reports
        #expect(!reports.isEmpty && reports.allSatisfy { $0.address == self.random })
    }

    @Test("The key of a public identity address says nothing of the random address with the same octets")
    func otherKind() {
        let (advertiser, scanner) = (self.testbed.host(), self.testbed.host())
        advertiser.ok(LESetRandomAddress(address: self.random))
        advertiser.advertise(ownAddressType: .random)
        scanner.addToResolvingList(DeviceAddress(self.random.value, kind: .public), peerKey: self.key)
        scanner.ok(LESetAddressResolutionEnable(isEnabled: true))
        scanner.scan()
        self.testbed.pass(.seconds(1))
        #expect(!scanner.reports.isEmpty)
    }

    @Test("A resolvable address that the host has made is no local resolvable address of a connection (7.7.65.10)")
    func madeByHost() throws {
        let all = LEEventMask(rawValue: .max)
        let (peripheral, central) = (self.testbed.host(leEvents: all), self.testbed.host(leEvents: all))
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
        let atCentral = try #require(central.take(LEEnhancedConnectionCompleteV2.self))
        let atPeripheral = try #require(peripheral.take(LEEnhancedConnectionCompleteV2.self))
        #expect(atCentral.status == .success && atCentral.localResolvableAddress == nil)
        #expect(atPeripheral.peer == own && atPeripheral.peerResolvableAddress == nil)
    }
}
