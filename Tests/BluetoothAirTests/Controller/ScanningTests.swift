import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Scanning")
struct ScanningTests {
    @Test("the duplicate filter lets each PDU of a device pass once, until scanning is enabled again")
    func duplicates() {
        let testbed = AirTestbed()
        let advertisers = [testbed.host(), testbed.host()]
        for advertiser in advertisers { advertiser.advertise() }
        let scanner = testbed.host()
        scanner.scan(type: .active, filter: .on)
        testbed.pass(.seconds(3))
        let reports = scanner.reports
        #expect(reports.count == 4)
        #expect(reports.filter { $0.eventType == .scanResponse }.count == 2)
        #expect(Set(reports.map(\.address)) == Set(advertisers.map(\.controller.address)))
        scanner.ok(LESetScanEnable(isEnabled: true, filterDuplicates: .on))
        testbed.pass(.seconds(1))
        #expect(scanner.reports.count == 4)
        scanner.ok(LESetScanEnable(isEnabled: true, filterDuplicates: .off))
        testbed.pass(.seconds(1))
        #expect(scanner.reports.count > 20)
        scanner.ok(LESetScanEnable(isEnabled: false))
        testbed.pass(.seconds(1))
        #expect(scanner.reports.isEmpty)
    }

    @Test(
        "D11: the accept list decides which devices are reported, with both policies that use it",
        arguments: [ScanFilterPolicy.acceptList, .acceptListAndUnresolvedDirected]
    )
    func acceptList(policy: ScanFilterPolicy) {
        let testbed = AirTestbed()
        let (listed, unlisted) = (testbed.host(), testbed.host())
        listed.advertise()
        unlisted.advertise()
        let scanner = testbed.host()
        scanner.ok(LEAddDeviceToFilterAcceptList(entry: .device(listed.controller.address)))
        scanner.scan(filterPolicy: policy)
        testbed.pass(.seconds(1))
        #expect(Set(scanner.reports.map(\.address)) == [listed.controller.address])
    }

    @Test(
        "D11: without the accept list all devices are reported, with both policies",
        arguments: [ScanFilterPolicy.all, .allAndUnresolvedDirected]
    )
    func noAcceptList(policy: ScanFilterPolicy) {
        let testbed = AirTestbed()
        let advertisers = [testbed.host(), testbed.host()]
        for advertiser in advertisers { advertiser.advertise() }
        let scanner = testbed.host()
        scanner.ok(LEAddDeviceToFilterAcceptList(entry: .device(advertisers[0].controller.address)))
        scanner.scan(filterPolicy: policy)
        testbed.pass(.seconds(1))
        #expect(Set(scanner.reports.map(\.address)) == Set(advertisers.map(\.controller.address)))
    }

    @Test(
        "reports directed advertising for an unresolvable private address if the policy says so",
        arguments: [
            (ScanFilterPolicy.all, false), (.allAndUnresolvedDirected, true), (.acceptList, false),
            (.acceptListAndUnresolvedDirected, true),
        ]
    )
    func unresolvedDirected(policy: ScanFilterPolicy, isReported: Bool) {
        let testbed = AirTestbed()
        // A resolvable private address may be the scanner's; a static one is known to be another device's.
        let targets = [0x4000_0000_0001, 0xC000_0000_0001].map { DeviceAddress($0, kind: .random) }
        let scanner = testbed.host()
        var advertisers: [TestHost] = []
        for target in targets {
            let advertiser = testbed.host()
            advertiser.advertise(type: .connectableDirectedLowDutyCycle, peer: target)
            scanner.ok(LEAddDeviceToFilterAcceptList(entry: .device(advertiser.controller.address)))
            advertisers.append(advertiser)
        }
        scanner.scan(filterPolicy: policy)
        testbed.pass(.seconds(1))
        let reports = scanner.takeAll(LEDirectedAdvertisingReports.self).flatMap { Array($0) }
        #expect(Set(reports.map(\.address)) == (isReported ? [advertisers[0].controller.address] : []))
        #expect(reports.allSatisfy { $0.target == .unresolved(targets[0]) })
        #expect(scanner.reports.isEmpty)
    }

    @Test("refuses new parameters and a new random address while scanning")
    func disallowed() {
        let host = AirTestbed().host()
        host.scan()
        host.refused(LESetScanParameters(type: .active), .commandDisallowed)
        host.refused(LESetRandomAddress(address: DeviceAddress(0xC000_0000_0001, kind: .random)), .commandDisallowed)
        host.ok(LESetScanEnable(isEnabled: false))
        host.refused(LESetScanEnable(isEnabled: true, filterDuplicates: .resetEachPeriod), .invalidParameters)
    }

    @Test("the strength falls with distance, and the larger distance of two devices counts")
    func strength() throws {
        let testbed = AirTestbed()
        let (advertiser, scanner) = (testbed.host(), testbed.host())
        advertiser.advertise()
        scanner.scan()
        func strength() -> RSSI? {
            scanner.events = []
            testbed.pass(.milliseconds(150))
            return scanner.reports.last?.rssi
        }
        #expect(strength() == -45)
        advertiser.ok(AirSetDistance(centimetres: 1_000))
        #expect(strength() == -65)
        advertiser.ok(AirSetDistance(centimetres: 3_000))
        #expect(strength() == -75)
        scanner.ok(AirSetDistance(centimetres: 5_000))
        #expect(strength() == -79)
        scanner.ok(AirSetDistance(centimetres: 40_000))
        #expect(strength() == nil)
        scanner.controller.distance = .metres(0.5)
        advertiser.controller.distance = .metres(0.5)
        #expect(strength() == -39)
    }

    @Test("B22: devices with positions hear each other by the distance between them")
    func positions() throws {
        let testbed = AirTestbed()
        let (advertiser, scanner) = (testbed.host(), testbed.host())
        advertiser.advertise()
        scanner.scan()
        func strength() -> RSSI? {
            scanner.events = []
            testbed.pass(.milliseconds(150))
            return scanner.reports.last?.rssi
        }
        // The other has no position yet, so it is 1 m from everybody.
        advertiser.ok(AirSetPosition(x: 60_000, y: 0))
        #expect(strength() == -45)
        scanner.ok(AirSetPosition(x: 59_000, y: 0))
        #expect(strength() == -65)
        scanner.ok(AirSetPosition(x: 0, y: 0))
        #expect(strength() == nil)
        scanner.ok(AirSetDistance(centimetres: 3_000))
        #expect(strength() == -75)
    }

    @Test("with air time, a radio listens in its window only")
    func window() {
        let testbed = AirTestbed(.realistic)
        let advertiser = testbed.host()
        advertiser.advertise(interval: 0x20)
        let (always, seldom) = (testbed.host(), testbed.host())
        always.scan(interval: 0x100, window: 0x100)
        seldom.scan(interval: 0x100, window: 0x20)
        testbed.pass(.seconds(60))
        let share = Double(seldom.reports.count) / Double(always.reports.count)
        #expect((0.09...0.16).contains(share))
    }

    @Test("an extended scan reports legacy PDUs in the extended form")
    func extendedForm() throws {
        let testbed = AirTestbed()
        let advertiser = testbed.host()
        advertiser.advertise()
        let scanner = testbed.host()
        scanner.extendedScan(type: .active)
        testbed.pass(.milliseconds(150))
        let reports = scanner.extendedReports
        #expect(reports.map(\.eventType.rawValue) == [0x13, 0x1B])
        let first = try #require(reports.first)
        #expect(first.address == advertiser.controller.address)
        #expect(first.primaryPHY == .le1M)
        #expect(first.secondaryPHY == nil)
        #expect(first.setIdentifier == nil)
        #expect(first.data == TestHost.advertisingData)
        #expect(first.rssi == -45)
        #expect(scanner.reports.isEmpty)
    }

    @Test("checks the ranges of LE Set Scan Parameters (7.8.10)")
    func scan() {
        func scan(
            type: UInt8 = 1,
            interval: UInt16 = 4,
            window: UInt16 = 4,
            own: UInt8 = 3,
            policy: UInt8 = 3
        ) -> LESetScanParameters {
            LESetScanParameters(
                type: ScanType(rawValue: type),
                interval: ScanInterval(rawValue: interval),
                window: ScanInterval(rawValue: window),
                ownAddressType: OwnAddressType(rawValue: own),
                filterPolicy: ScanFilterPolicy(rawValue: policy)
            )
        }
        #expect(freshStatus(scan()) == .success)
        #expect(freshStatus(scan(interval: 0x4000, window: 0x4000)) == .success)
        for wrong in [
            scan(type: 2), scan(interval: 3, window: 3), scan(window: 3), scan(interval: 4, window: 5), scan(own: 4),
            scan(policy: 4), scan(interval: 0x4001),
        ] {
            #expect(freshStatus(wrong) == .invalidParameters)
        }
    }
}
