// Scanning: what is reported, how often, and in which form.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
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
        let listed = testbed.host()
        let unlisted = testbed.host()
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
        "directed advertising for a private address that cannot be resolved is reported where the policy says so",
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

    @Test("parameters cannot change while scanning, nor the random address")
    func disallowed() {
        let host = AirTestbed().host()
        host.scan()
        host.refused(
            LESetScanParameters(
                type: .active,
                interval: ScanInterval(rawValue: 0x10),
                window: ScanInterval(rawValue: 0x10)
            ),
            .commandDisallowed
        )
        host.refused(LESetRandomAddress(address: DeviceAddress(0xC000_0000_0001, kind: .random)), .commandDisallowed)
        host.ok(LESetScanEnable(isEnabled: false))
        host.refused(
            LESetScanParameters(
                type: .active,
                interval: ScanInterval(rawValue: 0x10),
                window: ScanInterval(rawValue: 0x11)
            ),
            .invalidParameters
        )
        host.refused(
            LESetScanParameters(
                type: ScanType(rawValue: 2),
                interval: ScanInterval(rawValue: 0x10),
                window: ScanInterval(rawValue: 0x10)
            ),
            .invalidParameters
        )
        host.refused(
            LESetScanParameters(
                type: .active,
                interval: ScanInterval(rawValue: 0x03),
                window: ScanInterval(rawValue: 0x03)
            ),
            .invalidParameters
        )
        host.refused(
            LESetScanEnable(isEnabled: true, filterDuplicates: .resetEachPeriod),
            .invalidParameters
        )
    }

    @Test("the strength falls with distance, and the larger distance of two devices counts")
    func strength() throws {
        let testbed = AirTestbed()
        let advertiser = testbed.host()
        let scanner = testbed.host()
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
        let advertiser = testbed.host()
        let scanner = testbed.host()
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
        let always = testbed.host()
        let seldom = testbed.host()
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

    @Test("an extended scan ends after its duration")
    func duration() {
        let testbed = AirTestbed()
        let advertiser = testbed.host()
        advertiser.advertise()
        let scanner = testbed.host()
        scanner.extendedScan(duration: 50)
        testbed.pass(.milliseconds(499))
        #expect(scanner.take(LEScanTimeout.self) == nil)
        testbed.pass(.milliseconds(1))
        #expect(scanner.take(LEScanTimeout.self) != nil)
        #expect(!scanner.extendedReports.isEmpty)
        testbed.pass(.seconds(1))
        #expect(scanner.extendedReports.isEmpty)
    }

    @Test("a periodic scan rests, and its filter starts anew")
    func period() {
        let testbed = AirTestbed()
        let advertiser = testbed.host()
        advertiser.advertise()
        let scanner = testbed.host()
        // 320 ms out of 1.28 s.
        scanner.extendedScan(filter: .resetEachPeriod, duration: 32, period: 1)
        testbed.pass(.milliseconds(1_279))
        #expect(scanner.extendedReports.count == 1)
        testbed.pass(.milliseconds(400))
        #expect(scanner.extendedReports.count == 1)
        scanner.refused(
            LESetExtendedScanEnable(
                isEnabled: true,
                filterDuplicates: .resetEachPeriod,
                duration: AdvertisingDuration(rawValue: 200),
                period: ScanPeriod(rawValue: 1)
            ),
            .invalidParameters
        )
        // 1.28 s of 1.28 s would be no rest.
        for (duration, isTaken) in [(128, false), (127, true)] as [(UInt16, Bool)] {
            let command = LESetExtendedScanEnable(
                isEnabled: true,
                filterDuplicates: .resetEachPeriod,
                duration: AdvertisingDuration(rawValue: duration),
                period: ScanPeriod(rawValue: 1)
            )
            if isTaken { scanner.ok(command) } else { scanner.refused(command, .invalidParameters) }
        }
    }

    @Test("the window of an extended scan is no longer than its interval, on each PHY")
    func extendedWindow() {
        let host = AirTestbed().host()
        func parameters(_ window: UInt16) -> LESetExtendedScanParameters.PHYParameters {
            LESetExtendedScanParameters.PHYParameters(
                type: .passive,
                interval: ExtendedScanInterval(rawValue: 0x10),
                window: ExtendedScanInterval(rawValue: window)
            )
        }
        func command(
            _ le1M: LESetExtendedScanParameters.PHYParameters?,
            _ leCoded: LESetExtendedScanParameters.PHYParameters?
        ) -> LESetExtendedScanParameters {
            LESetExtendedScanParameters(ownAddressType: .public, filterPolicy: .all, le1M: le1M, leCoded: leCoded)
        }
        host.ok(command(parameters(0x10), parameters(0x10)))
        host.refused(command(parameters(0x11), parameters(0x10)), .invalidParameters)
        host.refused(command(parameters(0x10), parameters(0x11)), .invalidParameters)
        host.refused(command(nil, nil), .invalidParameters)
    }
}

extension TestHost {
    func extendedScan(
        type: ScanType = .passive,
        filter: DuplicateFilter = .off,
        duration: UInt16 = 0,
        period: UInt16 = 0,
        filterPolicy: ScanFilterPolicy = .all,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        self.ok(
            LESetExtendedScanParameters(
                ownAddressType: .public,
                filterPolicy: filterPolicy,
                le1M: LESetExtendedScanParameters.PHYParameters(
                    type: type,
                    interval: ExtendedScanInterval(rawValue: 0x10),
                    window: ExtendedScanInterval(rawValue: 0x10)
                ),
                leCoded: nil
            ),
            sourceLocation: sourceLocation
        )
        self.ok(
            LESetExtendedScanEnable(
                isEnabled: true,
                filterDuplicates: filter,
                duration: AdvertisingDuration(rawValue: duration),
                period: ScanPeriod(rawValue: period)
            ),
            sourceLocation: sourceLocation
        )
    }
}
