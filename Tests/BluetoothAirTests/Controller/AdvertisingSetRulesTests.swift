// Rules of advertising sets that show at one place alone: what may change while a set is enabled, what the fragments of
// its data do to each other, and what concerns one set and not its neighbours (Vol 4, Part E, 7.8.52 to 7.8.60).

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Rules of advertising sets")
struct AdvertisingSetRulesTests {
    private let first = AdvertisingHandle(rawValue: 1)
    private let second = AdvertisingHandle(rawValue: 2)

    private func parameters(
        _ properties: AdvertisingEventProperties,
        handle: AdvertisingHandle? = nil,
        ownAddressType: OwnAddressType = .public
    ) -> LESetExtendedAdvertisingParameters {
        LESetExtendedAdvertisingParameters(
            advertisingHandle: handle ?? self.first,
            properties: properties,
            minimumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0),
            maximumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0),
            ownAddressType: ownAddressType,
            peer: DeviceAddress(0x0102_0304_0506, kind: .public),
            setIdentifier: (handle ?? self.first).rawValue
        )
    }

    private func enable(
        _ handles: [AdvertisingHandle],
        isEnabled: Bool = true,
        duration: UInt16 = 0,
        events: UInt8 = 0
    ) -> LESetExtendedAdvertisingEnable {
        LESetExtendedAdvertisingEnable(
            isEnabled: isEnabled,
            sets: handles.map {
                LESetExtendedAdvertisingEnable.AdvertisingSet(
                    handle: $0,
                    duration: AdvertisingDuration(rawValue: duration),
                    maximumEvents: events
                )
            }
        )
    }

    private func data(
        _ octets: [UInt8],
        _ operation: AdvertisingDataOperation = .complete
    ) -> LESetExtendedAdvertisingData {
        LESetExtendedAdvertisingData(
            advertisingHandle: self.first,
            operation: operation,
            data: ByteBuffer(bytes: octets)
        )
    }

    private func response(
        _ octets: [UInt8],
        _ operation: AdvertisingDataOperation = .complete
    ) -> LESetExtendedScanResponseData {
        LESetExtendedScanResponseData(
            advertisingHandle: self.first,
            operation: operation,
            data: ByteBuffer(bytes: octets)
        )
    }

    // MARK: Parameters

    @Test("The parameters of a set do not change while it is enabled (7.8.53)")
    func parametersWhileEnabled() {
        let host = AirTestbed().host()
        host.ok(self.parameters([]))
        host.ok(self.enable([self.first]))
        host.refused(self.parameters([]), .commandDisallowed)
        host.ok(self.enable([self.first], isEnabled: false))
        host.ok(self.parameters([]))
    }

    @Test("The random address of an enabled set changes where nobody can connect to it (7.8.52)")
    func randomAddressWhileEnabled() {
        let address = DeviceAddress(0xC000_0000_0001, kind: .random)
        let command = LESetAdvertisingSetRandomAddress(advertisingHandle: self.first, address: address)
        for (properties, status) in [
            ([], .success), ([.connectable], .commandDisallowed),
        ] as [(AdvertisingEventProperties, HCIErrorCode)] {
            let host = AirTestbed().host()
            host.ok(self.parameters(properties, ownAddressType: .random))
            host.ok(command)
            host.ok(self.enable([self.first]))
            #expect(host.run(command)?.status == status)
        }
    }

    @Test("LE Set Random Address is taken while only extended sets are enabled (7.8.4)")
    func controllerAddressWhileEnabled() {
        let host = AirTestbed().host()
        host.ok(self.parameters([.connectable]))
        host.ok(self.enable([self.first]))
        host.ok(LESetRandomAddress(address: DeviceAddress(0xC000_0000_0001, kind: .random)))
    }

    @Test("Each combination of properties is taken or refused with 0x12 (7.8.53)")
    func combinations() {
        let taken: [AdvertisingEventProperties] = [
            [.legacy, .connectable, .scannable], [.legacy, .connectable, .directed],
            [.legacy, .connectable, .directed, .highDutyCycleDirected], [.legacy, .scannable], [.legacy], [],
            [.connectable], [.scannable], [.directed], [.connectable, .directed], [.scannable, .directed],
            [.anonymous], [.anonymous, .directed], [.includeTxPower], [.connectable, .includeTxPower],
        ]
        let refused: [AdvertisingEventProperties] = [
            [.legacy, .connectable], [.legacy, .directed], [.legacy, .scannable, .directed], [.legacy, .anonymous],
            [.legacy, .includeTxPower], [.legacy, .connectable, .highDutyCycleDirected],
            [.connectable, .scannable], [.connectable, .anonymous], [.scannable, .anonymous],
            [.highDutyCycleDirected], [.connectable, .directed, .highDutyCycleDirected],
        ]
        for properties in taken {
            #expect(AirTestbed().host().run(self.parameters(properties))?.status == .success, "\(properties)")
        }
        for properties in refused {
            #expect(
                AirTestbed().host().run(self.parameters(properties))?.status == .invalidParameters,
                "\(properties)"
            )
        }
    }

    // MARK: Data

    @Test("Only PDUs that can carry data get some: no directed legacy ones, no scannable extended ones (7.8.54)")
    func dataByProperties() {
        for (properties, status) in [
            ([.legacy, .connectable, .directed], .invalidParameters), ([.legacy, .scannable], .success),
            ([.legacy], .success), ([.scannable], .invalidParameters), ([.connectable, .directed], .success),
        ] as [(AdvertisingEventProperties, HCIErrorCode)] {
            let host = AirTestbed().host()
            host.ok(self.parameters(properties))
            #expect(host.run(self.data([1]))?.status == status, "\(properties)")
        }
    }

    @Test("Only a scannable set has a scan response, a legacy one of at most 31 octets in one piece (7.8.55)")
    func responseByProperties() {
        let long = [UInt8](repeating: 1, count: 32)
        for (properties, octets, operation, status) in [
            ([], [1], .complete, .invalidParameters), ([.connectable], [1], .complete, .invalidParameters),
            ([.legacy], [1], .complete, .invalidParameters), ([.scannable], long, .complete, .success),
            ([.scannable], [1], .firstFragment, .success),
            ([.legacy, .scannable], Array(long.dropLast()), .complete, .success),
            ([.legacy, .scannable], long, .complete, .invalidParameters),
            ([.legacy, .scannable], [1], .firstFragment, .invalidParameters),
        ] as [(AdvertisingEventProperties, [UInt8], AdvertisingDataOperation, HCIErrorCode)] {
            let host = AirTestbed().host()
            host.ok(self.parameters(properties))
            #expect(host.run(self.response(octets, operation))?.status == status, "\(properties) \(octets.count)")
        }
    }

    @Test("A first fragment begins the data anew, and the others follow it in their order")
    func fragments() {
        let testbed = AirTestbed()
        let (host, scanner) = (testbed.host(), testbed.host())
        host.ok(self.parameters([]))
        for (octets, operation) in [
            ([1, 2], .firstFragment), ([3], .firstFragment), ([4, 5], .intermediateFragment), ([6], .lastFragment),
        ] as [([UInt8], AdvertisingDataOperation)] {
            host.ok(self.data(octets, operation))
        }
        host.refused(self.data([7], .intermediateFragment), .commandDisallowed)
        host.refused(self.data([7], .lastFragment), .commandDisallowed)
        host.ok(self.enable([self.first]))
        scanner.extendedScan()
        testbed.pass(.milliseconds(150))
        #expect(scanner.extendedReports.map { Array($0.data.readableBytesView) } == [[3, 4, 5, 6]])
    }

    @Test("Data that comes whole takes the place of fragments before it")
    func wholeAfterFragment() {
        let plain = AirTestbed().host()
        plain.ok(self.parameters([]))
        plain.ok(self.data([1], .firstFragment))
        plain.refused(self.enable([self.first]), .commandDisallowed)
        plain.ok(self.data([2]))
        plain.refused(self.data([3], .lastFragment), .commandDisallowed)
        plain.ok(self.enable([self.first]))
        let scannable = AirTestbed().host()
        scannable.ok(self.parameters([.scannable]))
        scannable.ok(self.response([1], .firstFragment))
        scannable.ok(self.response([2]))
        scannable.refused(self.response([3], .lastFragment), .commandDisallowed)
        scannable.ok(self.enable([self.first]))
    }

    @Test("An enabled set to which one connects takes 245 octets of data at most, another one more")
    func dataWhileEnabled() {
        for (properties, count, status) in [
            ([.connectable], 245, .success), ([.connectable], 246, .packetTooLong), ([], 246, .success),
        ] as [(AdvertisingEventProperties, Int, HCIErrorCode)] {
            let host = AirTestbed().host()
            host.ok(self.parameters(properties))
            host.ok(self.enable([self.first]))
            #expect(host.run(self.data([UInt8](repeating: 0, count: count)))?.status == status, "\(count)")
        }
    }

    // MARK: Several sets

    private func setIdentifiers(_ testbed: AirTestbed, _ scanner: TestHost) -> Set<UInt8> {
        scanner.events = []
        testbed.pass(.milliseconds(500))
        return Set(scanner.extendedReports.compactMap(\.setIdentifier))
    }

    @Test("Disabling a set leaves the others enabled; without a list all are disabled (7.8.56)")
    func disableOne() {
        let testbed = AirTestbed()
        let (host, scanner) = (testbed.host(), testbed.host())
        for handle in [self.first, self.second] { host.ok(self.parameters([], handle: handle)) }
        host.ok(self.enable([self.first, self.second]))
        scanner.extendedScan()
        #expect(self.setIdentifiers(testbed, scanner) == [1, 2])
        host.ok(self.enable([self.first], isEnabled: false))
        #expect(self.setIdentifiers(testbed, scanner) == [2])
        host.refused(self.enable([AdvertisingHandle(rawValue: 3)], isEnabled: false), .unknownAdvertisingIdentifier)
        host.refused(self.enable([self.second, self.second], isEnabled: false), .invalidParameters)
        #expect(self.setIdentifiers(testbed, scanner) == [2])
        host.ok(self.enable([], isEnabled: false))
        #expect(self.setIdentifiers(testbed, scanner) == [])
    }

    @Test("Where one of several sets cannot be enabled, none is (7.8.56)")
    func allOrNone() {
        let testbed = AirTestbed()
        let (host, scanner) = (testbed.host(), testbed.host())
        host.ok(self.parameters([]))
        host.ok(self.parameters([.scannable], handle: self.second))
        scanner.extendedScan()
        host.refused(self.enable([self.first, self.second]), .commandDisallowed)
        #expect(self.setIdentifiers(testbed, scanner) == [])
        host.refused(self.enable([self.first, AdvertisingHandle(rawValue: 3)]), .unknownAdvertisingIdentifier)
        #expect(self.setIdentifiers(testbed, scanner) == [])
        host.ok(self.enable([self.first]))
        #expect(self.setIdentifiers(testbed, scanner) == [1])
    }

    @Test("Sets that were removed or cleared are unknown, and the others stay (7.8.59, 7.8.60)")
    func removed() {
        var configuration = VirtualControllerConfiguration()
        configuration.advertisingSetCount = 2
        let host = AirTestbed().host(configuration: configuration)
        let third = AdvertisingHandle(rawValue: 3)
        for handle in [self.first, self.second] { host.ok(self.parameters([], handle: handle)) }
        host.refused(self.parameters([], handle: third), .memoryCapacityExceeded)
        // A set that is there takes other parameters all the same.
        host.ok(self.parameters([.connectable], handle: self.second))
        host.ok(LERemoveAdvertisingSet(advertisingHandle: self.first))
        host.refused(self.enable([self.first]), .unknownAdvertisingIdentifier)
        host.refused(self.data([1]), .unknownAdvertisingIdentifier)
        host.refused(self.response([1]), .unknownAdvertisingIdentifier)
        host.ok(self.parameters([], handle: third))
        host.ok(self.enable([self.second, third]))
        host.ok(self.enable([], isEnabled: false))
        host.ok(LEClearAdvertisingSets())
        for handle in [self.second, third] { host.refused(self.enable([handle]), .unknownAdvertisingIdentifier) }
    }

    // MARK: End of a run

    @Test("Events are counted in the report of the end where their number was limited (7.7.65.18)")
    func completedEvents() throws {
        for (limit, count) in [(0, 0), (255, 10), (10, 10)] as [(UInt8, UInt8)] {
            let testbed = AirTestbed()
            let host = testbed.host()
            host.ok(self.parameters([]))
            host.ok(self.enable([self.first], duration: 100, events: limit))
            testbed.pass(.seconds(2))
            let event = try #require(host.take(LEAdvertisingSetTerminated.self))
            #expect(event.status == (limit == 10 ? .limitReached : .advertisingTimeout))
            #expect(event.advertisingHandle == self.first && event.handle.rawValue == 0)
            #expect(event.completedEvents == count)
        }
    }

    @Test("A set that becomes a link reports the events of a limited run, and is named in the event of the link")
    func completedByLink() throws {
        for (limit, count) in [(0, 0), (200, 1)] as [(UInt8, UInt8)] {
            let testbed = AirTestbed()
            let all = LEEventMask(rawValue: .max)
            let (peripheral, central) = (testbed.host(leEvents: all), testbed.host(leEvents: all))
            peripheral.ok(self.parameters([.legacy, .connectable, .scannable]))
            central.ok(TestHost.createConnection(to: peripheral.controller.address))
            peripheral.ok(self.enable([self.first], events: limit))
            testbed.pass(.milliseconds(50))
            let atPeripheral = try #require(peripheral.take(LEEnhancedConnectionCompleteV2.self))
            let atCentral = try #require(central.take(LEEnhancedConnectionCompleteV2.self))
            #expect(atPeripheral.advertisingHandle == self.first && atCentral.advertisingHandle == nil)
            #expect(atPeripheral.centralClockAccuracy == .ppm50 && atCentral.centralClockAccuracy == .ppm500)
            let event = try #require(peripheral.take(LEAdvertisingSetTerminated.self))
            #expect(event.completedEvents == count)
            #expect(event.handle == atPeripheral.handle)
        }
    }

    @Test("A set that is enabled again begins to count its events, and its duration, anew")
    func enabledAgain() {
        let testbed = AirTestbed()
        let (host, scanner) = (testbed.host(), testbed.host())
        host.ok(self.parameters([]))
        scanner.extendedScan()
        host.ok(self.enable([self.first], events: 4))
        testbed.pass(.milliseconds(250))
        #expect(scanner.extendedReports.count == 3)
        host.ok(self.enable([self.first], events: 4))
        testbed.pass(.seconds(2))
        #expect(scanner.extendedReports.count == 4)
        #expect(host.takeAll(LEAdvertisingSetTerminated.self).map(\.completedEvents) == [4])
        host.ok(self.enable([self.first], duration: 50))
        testbed.pass(.milliseconds(400))
        host.ok(self.enable([self.first], duration: 50))
        testbed.pass(.milliseconds(499))
        #expect(host.take(LEAdvertisingSetTerminated.self) == nil)
        testbed.pass(.milliseconds(1))
        #expect(host.take(LEAdvertisingSetTerminated.self)?.status == .advertisingTimeout)
        host.ok(self.enable([self.first], duration: 50))
        host.ok(self.enable([self.first]))
        testbed.pass(.seconds(2))
        #expect(host.take(LEAdvertisingSetTerminated.self) == nil)
    }

    // MARK: Capacity for links

    @Test("A controller without capacity for a link advertises, but not so that one could connect (7.8.9)")
    func withoutCapacity() throws {
        var configuration = VirtualControllerConfiguration()
        configuration.maximumLinkCount = 1
        let testbed = AirTestbed()
        let link = try TestLink(testbed, central: testbed.host(configuration: configuration))
        let interval = AdvertisingInterval(rawValue: 0xA0)
        for (type, status) in [
            (.connectableUndirected, .connectionLimitExceeded), (.nonConnectableUndirected, .success),
            (.scannableUndirected, .success),
        ] as [(AdvertisingType, HCIErrorCode)] {
            link.central.ok(LESetAdvertisingEnable(isEnabled: false))
            link.central.ok(
                LESetAdvertisingParameters(minimumInterval: interval, maximumInterval: interval, type: type)
            )
            #expect(link.central.run(LESetAdvertisingEnable(isEnabled: true))?.status == status, "\(type)")
        }
    }

    @Test("A set is not connected to while its controller has no capacity for a link, and is afterwards")
    func secondSet() throws {
        var configuration = VirtualControllerConfiguration()
        configuration.maximumLinkCount = 1
        let testbed = AirTestbed()
        let peripheral = testbed.host(configuration: configuration)
        let centrals = [testbed.host(), testbed.host()]
        for handle in [self.first, self.second] {
            peripheral.ok(self.parameters([.legacy, .connectable, .scannable], handle: handle))
        }
        peripheral.ok(self.enable([self.first, self.second]))
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
