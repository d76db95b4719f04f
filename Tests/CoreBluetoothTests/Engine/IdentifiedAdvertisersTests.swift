// An advertiser that is known by its identity address from some moment on: what scans have reported of it counts there,
// too, and it has the identifier that apps know.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("4.3 5.1 Advertisers that are identified")
struct IdentifiedAdvertisersTests {
    private let before = DeviceAddress(0xC000_0000_0001, kind: .random)
    private let identity = DeviceAddress(0xC000_0000_0077, kind: .random)

    private func report(_ address: DeviceAddress, name: String, service: BluetoothUUID? = nil) -> AdvertisingReport {
        var data = AdvertisingData()
        data.appendLocalName(name)
        if let service { data.appendServiceUUIDs([service]) }
        return AdvertisingReport(
            address: address,
            isConnectable: true,
            isScannable: false,
            isScanResponse: false,
            data: data.bytes,
            rssi: -50
        )
    }

    /// What is reported of one packet to a scan that filters duplicates.
    private func discoveries(_ report: AdvertisingReport, _ scanning: inout DiscoveryReports) -> [Discovery] {
        let scan = Scan(session: 1, number: 1, filter: ScanFilter())
        var discoveries: [Discovery] = []
        scanning.receive(report, for: [scan], now: .uptimeNanoseconds(0), timestamp: 0) { discoveries.append($1) }
        return discoveries
    }

    @Test("an app is not told again of an advertiser that is heard under its identity address, but of what is new")
    func goesOn() {
        let testbed = Testbed()
        let adapter = testbed.adapter("Curious")
        let central = CentralApp(on: adapter)
        testbed.run { central.manager.state == .poweredOn }
        central.manager.scanForPeripherals(withServices: nil)
        testbed.run(.milliseconds(10))
        central.calls = []
        func hear(_ report: AdvertisingReport) {
            let isHeard = adapter.readEngine(in: testbed) { core -> Bool in
                core.received(report)
                core.flush()
                return true
            }
            #expect(isHeard == true)
            testbed.run(.milliseconds(1))
        }
        hear(self.report(self.before, name: "Crystal"))
        #expect(central.calls == ["discover Crystal"])
        let (before, identity) = (self.before, self.identity)
        let isIdentified = adapter.readEngine(in: testbed) { core -> Bool in
            let link = LinkInformation(id: LinkID(rawValue: 99), peer: identity, isCentral: true)
            core.identified(link, before: before)
            core.flush()
            return true
        }
        #expect(isIdentified == true)
        hear(self.report(self.identity, name: "Crystal"))
        #expect(central.calls == ["discover Crystal"])
        hear(self.report(self.identity, name: "Crystal", service: 0x180D))
        #expect(central.calls == ["discover Crystal", "discover Crystal"])
        #expect(central.found.count == 1)
    }

    @Test("an advertiser goes on with its identifier, and the address that it had is that of another one")
    func moved() throws {
        let identities = IdentityStore(randomness: .seeded(1))
        var scanning = DiscoveryReports(identities: identities)
        let found = self.discoveries(self.report(self.before, name: "A"), &scanning)
        let first = try #require(found.first)
        #expect(first.peer.address == self.before)
        scanning.identified(identities.move(self.before, to: self.identity), before: self.before)
        let again = self.discoveries(self.report(self.identity, name: "A"), &scanning)
        #expect(again.isEmpty)
        let next = self.discoveries(self.report(self.identity, name: "A", service: 0x180D), &scanning)
        #expect(next.map(\.peer.identifier) == [first.peer.identifier])
        #expect(next.map(\.peer.address) == [self.identity])
        let other = self.discoveries(self.report(self.before, name: "A"), &scanning)
        #expect(other.count == 1 && other.first?.peer.identifier != first.peer.identifier)
    }

    @Test("an advertiser that was heard under its identity address alone gets the identifier that apps know")
    func known() throws {
        let identities = IdentityStore(randomness: .seeded(1))
        var scanning = DiscoveryReports(identities: identities)
        let found = self.discoveries(self.report(self.identity, name: "A"), &scanning)
        let first = try #require(found.first)
        let record = identities.move(self.before, to: self.identity)
        #expect(record.identifier != first.peer.identifier)
        scanning.identified(record, before: self.before)
        let again = self.discoveries(self.report(self.identity, name: "A"), &scanning)
        #expect(again.isEmpty)
        let next = self.discoveries(self.report(self.identity, name: "A", service: 0x180D), &scanning)
        #expect(next.map(\.peer.identifier) == [record.identifier])
    }

    @Test("of an advertiser that was heard under both addresses the reports under the earlier one count")
    func both() {
        let identities = IdentityStore(randomness: .seeded(1))
        var scanning = DiscoveryReports(identities: identities)
        let early = self.discoveries(self.report(self.before, name: "A", service: 0x180D), &scanning)
        let late = self.discoveries(self.report(self.identity, name: "A"), &scanning)
        #expect(early.count == 1 && late.count == 1)
        scanning.identified(identities.move(self.before, to: self.identity), before: self.before)
        let next = self.discoveries(self.report(self.identity, name: "A", service: 0x180D), &scanning)
        #expect(next.isEmpty)
    }
}
