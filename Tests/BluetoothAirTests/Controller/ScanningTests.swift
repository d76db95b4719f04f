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
        "D11: the accept list decides which devices are reported, with both policies that use it, and with no other",
        arguments: [
            (.acceptList, true), (.acceptListAndUnresolvedDirected, true), (.all, false),
            (.allAndUnresolvedDirected, false),
        ] as [(ScanFilterPolicy, Bool)]
    )
    func acceptList(policy: ScanFilterPolicy, isUsed: Bool) {
        let testbed = AirTestbed()
        let advertisers = [testbed.host(), testbed.host()]
        for advertiser in advertisers { advertiser.advertise() }
        let addresses = advertisers.map(\.controller.address)
        let scanner = testbed.host()
        scanner.ok(LEAddDeviceToFilterAcceptList(entry: .device(addresses[0])))
        scanner.scan(filterPolicy: policy)
        testbed.pass(.seconds(1))
        #expect(Set(scanner.reports.map(\.address)) == (isUsed ? [addresses[0]] : Set(addresses)))
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
        // A resolvable private address may be the scanner's; a static one belongs to another device.
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

    @Test("B22: devices with positions hear each other by their distance, others by the larger of their distances")
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
        for (mover, metres, rssi) in [
            (advertiser, 10, -65), (advertiser, 30, -75), (scanner, 50, -79), (scanner, 400, nil), (scanner, 1, -75),
        ] as [(TestHost, UInt32, RSSI?)] {
            mover.ok(AirSetDistance(centimetres: metres * 100))
            #expect(strength() == rssi)
        }
        // The other one has no position yet, so it is 1 m from all devices.
        advertiser.ok(AirSetPosition(x: 60_000, y: 0))
        #expect(strength() == -45)
        for (x, rssi) in [(59_000, -65), (0, nil)] as [(Int32, RSSI?)] {
            scanner.ok(AirSetPosition(x: x, y: 0))
            #expect(strength() == rssi)
        }
        scanner.ok(AirSetDistance(centimetres: 3_000))
        #expect(strength() == -75)
    }

    @Test("with air time, a radio listens in its window only")
    func window() {
        let testbed = AirTestbed(.realistic)
        let (advertiser, always, seldom) = (testbed.host(), testbed.host(), testbed.host())
        advertiser.advertise(interval: 0x20)
        always.scan(interval: 0x100, window: 0x100)
        seldom.scan(interval: 0x100, window: 0x20)
        testbed.pass(.seconds(60))
        let share = Double(seldom.reports.count) / Double(always.reports.count)
        #expect((0.09...0.16).contains(share))
    }

    @Test("an extended scan reports legacy PDUs in the extended form")
    func extendedForm() throws {
        let testbed = AirTestbed()
        let (advertiser, scanner) = (testbed.host(), testbed.host())
        advertiser.advertise()
        scanner.extendedScan(type: .active)
        testbed.pass(.milliseconds(150))
        let reports = scanner.extendedReports
        #expect(reports.map(\.eventType.rawValue) == [0x13, 0x1B])
        let first = try #require(reports.first)
        #expect(first.address == advertiser.controller.address && first.rssi == -45)
        #expect(first.primaryPHY == .le1M && first.secondaryPHY == nil && first.setIdentifier == nil)
        #expect(first.data == TestHost.advertisingData)
        #expect(scanner.reports.isEmpty)
    }

    @Test("checks the ranges of LE Set Scan Parameters, and of the extended form (7.8.10, 7.8.64)")
    func ranges() {
        for (type, interval, window, own, policy, isAllowed, isLongAllowed) in [
            (1, 4, 4, 3, 3, true, true), (1, 0x4000, 0x4000, 0, 0, true, true),
            (1, 0x4001, 0x4001, 0, 0, false, true), (1, 0xFFFF, 0xFFFF, 0, 0, false, true),
            (2, 4, 4, 0, 0, false, false), (1, 3, 3, 0, 0, false, false), (1, 4, 3, 0, 0, false, false),
            (1, 4, 5, 0, 0, false, false), (1, 4, 4, 4, 0, false, false), (1, 4, 4, 0, 4, false, false),
        ] as [(UInt8, UInt16, UInt16, UInt8, UInt8, Bool, Bool)] {
            let (type, own) = (ScanType(rawValue: type), OwnAddressType(rawValue: own))
            let policy = ScanFilterPolicy(rawValue: policy)
            let legacy = LESetScanParameters(
                type: type,
                interval: ScanInterval(rawValue: interval),
                window: ScanInterval(rawValue: window),
                ownAddressType: own,
                filterPolicy: policy
            )
            let channel = LESetExtendedScanParameters.PHYParameters(
                type: type,
                interval: ExtendedScanInterval(rawValue: interval),
                window: ExtendedScanInterval(rawValue: window)
            )
            let extended = LESetExtendedScanParameters(ownAddressType: own, filterPolicy: policy, le1M: channel)
            #expect(freshStatus(legacy) == (isAllowed ? .success : .invalidParameters))
            #expect(freshStatus(extended) == (isLongAllowed ? .success : .invalidParameters))
        }
    }
}
