import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Advertising sets")
struct AdvertisingSetTests: AdvertisingSetCommands {
    private func setIdentifiers(_ testbed: AirTestbed, _ scanner: TestHost) -> Set<UInt8> {
        scanner.events = []
        testbed.pass(.milliseconds(500))
        return Set(scanner.extendedReports.compactMap(\.setIdentifier))
    }

    @Test("disabling a set leaves the others enabled; without a list all are disabled (7.8.56)")
    func disableOne() {
        let testbed = AirTestbed()
        let (host, scanner) = (testbed.host(), testbed.host())
        for handle in [self.first, self.second] { host.ok(self.parameters([], handle: handle)) }
        host.ok(LESetExtendedAdvertisingEnable(self.first, self.second))
        scanner.extendedScan()
        #expect(self.setIdentifiers(testbed, scanner) == [1, 2])
        host.ok(LESetExtendedAdvertisingEnable(self.first, isEnabled: false))
        #expect(self.setIdentifiers(testbed, scanner) == [2])
        host.refused(LESetExtendedAdvertisingEnable(3, isEnabled: false), .unknownAdvertisingIdentifier)
        host.refused(LESetExtendedAdvertisingEnable(self.second, self.second, isEnabled: false), .invalidParameters)
        #expect(self.setIdentifiers(testbed, scanner) == [2])
        host.ok(LESetExtendedAdvertisingEnable(isEnabled: false, sets: []))
        #expect(self.setIdentifiers(testbed, scanner) == [])
    }

    @Test("enables no set if one of them cannot be enabled (7.8.56)")
    func allOrNone() {
        let testbed = AirTestbed()
        let (host, scanner) = (testbed.host(), testbed.host())
        host.ok(self.parameters([]))
        host.ok(self.parameters([.scannable], handle: self.second))
        scanner.extendedScan()
        host.refused(LESetExtendedAdvertisingEnable(self.first, self.second), .commandDisallowed)
        #expect(self.setIdentifiers(testbed, scanner) == [])
        host.refused(LESetExtendedAdvertisingEnable(self.first, 3), .unknownAdvertisingIdentifier)
        #expect(self.setIdentifiers(testbed, scanner) == [])
        host.ok(LESetExtendedAdvertisingEnable(self.first))
        #expect(self.setIdentifiers(testbed, scanner) == [1])
    }

    @Test("removed or cleared sets are unknown, and the others stay (7.8.59, 7.8.60)")
    func removed() {
        let host = AirTestbed().host { $0.model.advertisingSetCount = 2 }
        let third: AdvertisingHandle = 3
        for handle in [self.first, self.second] { host.ok(self.parameters([], handle: handle)) }
        host.refused(self.parameters([], handle: third), .memoryCapacityExceeded)
        // An existing set still accepts other parameters.
        host.ok(self.parameters([.connectable], handle: self.second))
        host.ok(LERemoveAdvertisingSet(advertisingHandle: self.first))
        host.refused(LESetExtendedAdvertisingEnable(self.first), .unknownAdvertisingIdentifier)
        host.refused(self.data([1]), .unknownAdvertisingIdentifier)
        host.refused(self.response([1]), .unknownAdvertisingIdentifier)
        host.ok(self.parameters([], handle: third))
        host.ok(LESetExtendedAdvertisingEnable(self.second, third))
        host.ok(LESetExtendedAdvertisingEnable(isEnabled: false, sets: []))
        host.ok(LEClearAdvertisingSets())
        for handle in [self.second, third] {
            host.refused(LESetExtendedAdvertisingEnable(handle), .unknownAdvertisingIdentifier)
        }
    }

    @Test("counts the events of a limited run in the report of its end (7.7.65.18)")
    func completedEvents() throws {
        for (limit, count) in [(0, 0), (255, 10), (10, 10)] as [(UInt8, UInt8)] {
            let testbed = AirTestbed()
            let host = testbed.host()
            host.ok(self.parameters([]))
            host.ok(LESetExtendedAdvertisingEnable(self.first, duration: 100, events: limit))
            testbed.pass(.seconds(2))
            let event = try #require(host.take(LEAdvertisingSetTerminated.self))
            #expect(event.status == (limit == 10 ? .limitReached : .advertisingTimeout))
            #expect(event.advertisingHandle == self.first && event.handle.rawValue == 0)
            #expect(event.completedEvents == count)
        }
    }

    @Test("a set that becomes a link reports the events of a limited run, and the link's event names it")
    func completedByLink() throws {
        for (limit, count) in [(0, 0), (200, 1)] as [(UInt8, UInt8)] {
            let testbed = AirTestbed()
            let (peripheral, central) = (testbed.host(leEvents: .all), testbed.host(leEvents: .all))
            peripheral.ok(self.parameters([.legacy, .connectable, .scannable]))
            central.ok(TestHost.createConnection(to: peripheral.controller.address))
            peripheral.ok(LESetExtendedAdvertisingEnable(self.first, events: limit))
            testbed.pass(.milliseconds(50))
            let atPeripheral = try #require(peripheral.take(LEEnhancedConnectionCompleteV2.self))
            let atCentral = try #require(central.take(LEEnhancedConnectionCompleteV2.self))
            #expect(atPeripheral.advertisingHandle == self.first && atCentral.advertisingHandle == nil)
            #expect(atPeripheral.connection.centralClockAccuracy == .ppm50)
            #expect(atCentral.connection.centralClockAccuracy == .ppm500)
            let event = try #require(peripheral.take(LEAdvertisingSetTerminated.self))
            #expect(event.completedEvents == count)
            #expect(event.handle == atPeripheral.connection.handle)
        }
    }

    @Test("a set that is enabled again restarts its event count and its duration")
    func enabledAgain() {
        let testbed = AirTestbed()
        let (host, scanner) = (testbed.host(), testbed.host())
        host.ok(self.parameters([]))
        scanner.extendedScan()
        host.ok(LESetExtendedAdvertisingEnable(self.first, events: 4))
        testbed.pass(.milliseconds(250))
        #expect(scanner.extendedReports.count == 3)
        host.ok(LESetExtendedAdvertisingEnable(self.first, events: 4))
        testbed.pass(.seconds(2))
        #expect(scanner.extendedReports.count == 4)
        #expect(host.takeAll(LEAdvertisingSetTerminated.self).map(\.completedEvents) == [4])
        host.ok(LESetExtendedAdvertisingEnable(self.first, duration: 50))
        testbed.pass(.milliseconds(400))
        host.ok(LESetExtendedAdvertisingEnable(self.first, duration: 50))
        testbed.pass(.milliseconds(499))
        #expect(host.take(LEAdvertisingSetTerminated.self) == nil)
        testbed.pass(.milliseconds(1))
        #expect(host.take(LEAdvertisingSetTerminated.self)?.status == .advertisingTimeout)
        host.ok(LESetExtendedAdvertisingEnable(self.first, duration: 50))
        host.ok(LESetExtendedAdvertisingEnable(self.first))
        testbed.pass(.seconds(2))
        #expect(host.take(LEAdvertisingSetTerminated.self) == nil)
    }

    @Test("a controller without capacity for a link advertises, but not connectably (7.8.9)")
    func withoutCapacity() throws {
        let testbed = AirTestbed()
        let host = testbed.host { $0.model.maximumLinkCount = 1 }
        _ = try TestLink(testbed, central: host)
        for (type, status) in [
            (.connectableUndirected, .connectionLimitExceeded), (.nonConnectableUndirected, .success),
            (.scannableUndirected, .success),
        ] as [(AdvertisingType, HCIErrorCode)] {
            host.ok(LESetAdvertisingEnable(isEnabled: false))
            host.ok(LESetAdvertisingParameters(type: type))
            #expect(host.run(LESetAdvertisingEnable(isEnabled: true))?.status == status, "\(type)")
        }
    }

    @Test("accepts no connection while its controller has no capacity for a link, and one afterwards")
    func secondSet() throws {
        let testbed = AirTestbed()
        let peripheral = testbed.host { $0.model.maximumLinkCount = 1 }
        let centrals = [testbed.host(), testbed.host()]
        for handle in [self.first, self.second] {
            peripheral.ok(self.parameters([.legacy, .connectable, .scannable], handle: handle))
        }
        peripheral.ok(LESetExtendedAdvertisingEnable(self.first, self.second))
        centrals[0].ok(TestHost.createConnection(to: peripheral.controller.address))
        testbed.pass(.seconds(1))
        let event = try #require(centrals[0].take(LEConnectionComplete.self))
        centrals[1].ok(TestHost.createConnection(to: peripheral.controller.address))
        testbed.pass(.seconds(2))
        #expect(centrals[1].take(LEConnectionComplete.self) == nil && peripheral.controller.linkCount == 1)
        centrals[0].ok(Disconnect(handle: event.handle))
        testbed.pass(.seconds(1))
        #expect(centrals[1].take(LEConnectionComplete.self)?.status == .success)
    }
}
