// Time limits, PHYs, event masks and fragmented reports (Vol 4, Part E, 7.8.64 and 7.8.65).

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Extended scanning")
struct ExtendedScanningTests {
    private let testbed = AirTestbed()

    private func enable(
        _ filter: DuplicateFilter = .off,
        isEnabled: Bool = true,
        duration: UInt16 = 0,
        period: UInt16 = 0
    ) -> LESetExtendedScanEnable {
        LESetExtendedScanEnable(
            isEnabled: isEnabled,
            filterDuplicates: filter,
            duration: AdvertisingDuration(rawValue: duration),
            period: ScanPeriod(rawValue: period)
        )
    }

    @Test("requires a duration shorter than its period, and both for a filter that restarts (7.8.65)")
    func durations() {
        for (filter, duration, period, isTaken) in [
            (0, 0, 0, true), (1, 10, 0, true), (0, 127, 1, true), (1, 127, 1, true), (2, 127, 1, true),
            (3, 127, 1, false), (2, 0, 0, false), (2, 10, 0, false), (2, 0, 1, false), (0, 0, 1, false),
            (0, 128, 1, false), (1, 129, 1, false), (3, 0, 0, false),
        ] as [(UInt8, UInt16, UInt16, Bool)] {
            let command = self.enable(DuplicateFilter(rawValue: filter), duration: duration, period: period)
            let expected: HCIErrorCode = isTaken ? .success : .invalidParameters
            #expect(freshStatus(command) == expected, "\(filter) \(duration) \(period)")
        }
    }

    @Test("LE Scan Timeout comes after the duration of the scan that was enabled last, and not after its end")
    func timeLimit() {
        let scanner = self.testbed.host()
        scanner.extendedScan(duration: 50)
        self.testbed.pass(.milliseconds(400))
        scanner.ok(self.enable(isEnabled: false))
        self.testbed.pass(.seconds(1))
        #expect(scanner.take(LEScanTimeout.self) == nil, "it was disabled")
        scanner.extendedScan(duration: 50)
        self.testbed.pass(.milliseconds(400))
        scanner.ok(self.enable(duration: 50))
        self.testbed.pass(.milliseconds(499))
        #expect(scanner.take(LEScanTimeout.self) == nil)
        self.testbed.pass(.milliseconds(1))
        #expect(scanner.takeAll(LEScanTimeout.self).count == 1)
        scanner.ok(self.enable(duration: 50))
        scanner.ok(self.enable())
        self.testbed.pass(.seconds(2))
        #expect(scanner.take(LEScanTimeout.self) == nil, "it has no limit")
        scanner.ok(self.enable(duration: 50))
        scanner.ok(self.enable(duration: 50, period: 1))
        self.testbed.pass(.seconds(10))
        #expect(scanner.take(LEScanTimeout.self) == nil, "it has a period")
    }

    @Test("hears nothing between the periods of a scan, and restarts its filter only on request")
    func periods() {
        let (advertiser, scanner) = (self.testbed.host(), self.testbed.host())
        advertiser.advertise()
        scanner.extendedScan(duration: 64, period: 1)
        self.testbed.pass(.milliseconds(639))
        #expect(scanner.extendedReports.count >= 5)
        self.testbed.pass(.milliseconds(641))
        #expect(scanner.extendedReports.count <= 1)
        self.testbed.pass(.milliseconds(639))
        #expect(scanner.extendedReports.count >= 5)
        scanner.ok(self.enable(.on, duration: 64, period: 1))
        self.testbed.pass(.seconds(10))
        #expect(scanner.extendedReports.count == 1)
        scanner.ok(self.enable(.resetEachPeriod, duration: 64, period: 1))
        // Eight periods, the last of which has just begun.
        self.testbed.pass(.milliseconds(7 * 1_280 + 640))
        #expect(scanner.extendedReports.count == 8)
    }

    private func advertise(_ host: TestHost, primaryPHY: PHY, set: AdvertisingHandle) {
        host.ok(
            LESetExtendedAdvertisingParameters(
                advertisingHandle: set,
                properties: [.scannable],
                primaryPHY: primaryPHY,
                secondaryPHY: primaryPHY,
                setIdentifier: set.rawValue
            )
        )
        host.ok(LESetExtendedScanResponseData(advertisingHandle: set, data: TestHost.scanResponse))
        host.ok(LESetExtendedAdvertisingEnable(set))
    }

    @Test("a scanner hears the PHYs on which it listens, and sends requests on those on which it is active (7.8.64)")
    func phys() {
        let host = self.testbed.host()
        self.advertise(host, primaryPHY: .le1M, set: 1)
        self.advertise(host, primaryPHY: .leCoded, set: 2)
        for (le1M, leCoded, heard, asked) in [
            (.passive, nil, [1], []), (nil, .passive, [2], []), (.passive, .passive, [1, 2], []),
            (.active, .passive, [1, 2], [1]), (.passive, .active, [1, 2], [2]), (.active, nil, [1], [1]),
            (nil, .active, [2], [2]),
        ] as [(ScanType?, ScanType?, Set<UInt8>, Set<UInt8>)] {
            let scanner = self.testbed.host()
            let channels = [le1M, leCoded].map { $0.map { LESetExtendedScanParameters.PHYParameters(type: $0) } }
            scanner.ok(LESetExtendedScanParameters(le1M: channels[0], leCoded: channels[1]))
            scanner.ok(self.enable())
            self.testbed.pass(.milliseconds(300))
            let reports = scanner.extendedReports
            #expect(Set(reports.compactMap(\.setIdentifier)) == heard)
            #expect(Set(reports.filter { $0.eventType.contains(.scanResponse) }.compactMap(\.setIdentifier)) == asked)
            #expect(reports.allSatisfy { $0.primaryPHY == ($0.setIdentifier == 1 ? .le1M : .leCoded) })
            #expect(reports.allSatisfy { $0.secondaryPHY == $0.primaryPHY && $0.txPower == nil })
        }
    }

    @Test("a host gets no reports that its mask excludes (7.8.1)")
    func masks() {
        let (undirected, directed) = (self.testbed.host(), self.testbed.host())
        undirected.advertise()
        directed.advertise(
            type: .connectableDirectedLowDutyCycle,
            peer: DeviceAddress(0x4000_0000_0001, kind: .random)
        )
        for (code, counts) in [
            (.advertisingReport, [true, false, false]), (.directedAdvertisingReport, [false, true, false]),
            (.extendedAdvertisingReport, [false, false, true]), (.scanTimeout, [false, false, false]),
        ] as [(LESubeventCode, [Bool])] {
            let legacy = self.testbed.host(leEvents: LEEventMask([code]))
            legacy.scan(filterPolicy: .allAndUnresolvedDirected)
            let extended = self.testbed.host(leEvents: LEEventMask([code]))
            extended.extendedScan()
            self.testbed.pass(.milliseconds(300))
            #expect(!legacy.takeAll(LEAdvertisingReports.self).isEmpty == counts[0], "\(code)")
            #expect(!legacy.takeAll(LEDirectedAdvertisingReports.self).isEmpty == counts[1], "\(code)")
            #expect(!extended.takeAll(LEExtendedAdvertisingReports.self).isEmpty == counts[2], "\(code)")
            #expect(legacy.events.isEmpty && extended.events.isEmpty)
        }
    }

    @Test("a report has 229 octets of data at most, and the last one of several says that it is the last (7.7.65.13)")
    func pieces() {
        for (count, pieces) in [(0, [0]), (1, [1]), (229, [229]), (230, [229, 1]), (251, [229, 22])] {
            let testbed = AirTestbed()
            let (host, scanner) = (testbed.host(), testbed.host())
            host.ok(LESetExtendedAdvertisingParameters(advertisingHandle: 1, properties: []))
            host.ok(LESetExtendedAdvertisingData(advertisingHandle: 1, data: ByteBuffer(repeating: 7, count: count)))
            scanner.extendedScan(filter: .on)
            host.ok(LESetExtendedAdvertisingEnable(1))
            testbed.pass(.milliseconds(300))
            let reports = scanner.extendedReports
            #expect(reports.map(\.data.readableBytes) == pieces)
            #expect(reports.map(\.eventType.dataStatus.rawValue) == (pieces.count == 1 ? [0] : [1, 0]))
        }
    }
}
