import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Extended advertising")
struct ExtendedAdvertisingTests {
    private let handle: AdvertisingHandle = 3
    private let testbed = AirTestbed()
    private let advertiser: TestHost
    private let scanner: TestHost

    init() {
        self.advertiser = self.testbed.host()
        self.scanner = self.testbed.host()
    }

    private func parameters(
        _ properties: AdvertisingEventProperties,
        handle: AdvertisingHandle? = nil,
        secondaryPHY: PHY = .le1M,
        change: (inout LESetExtendedAdvertisingParameters) -> Void = { _ in }
    ) -> LESetExtendedAdvertisingParameters {
        var command = LESetExtendedAdvertisingParameters(
            advertisingHandle: handle ?? self.handle,
            properties: properties,
            txPower: 127,
            secondaryPHY: secondaryPHY,
            setIdentifier: 5
        )
        change(&command)
        return command
    }

    @Test("reports 1,650 octets in several events, linked by their status")
    func longData() throws {
        self.advertiser.ok(self.parameters([.includeTxPower], secondaryPHY: .le2M))
        let data = (0..<1_650).map { UInt8(truncatingIfNeeded: $0 * 7) }
        for start in stride(from: 0, to: data.count, by: 251) {
            let part = data[start..<min(start + 251, data.count)]
            let operation: AdvertisingDataOperation =
                start == 0 ? .firstFragment : part.count < 251 ? .lastFragment : .intermediateFragment
            self.advertiser.ok(self.data(part, operation))
        }
        self.advertiser.ok(LESetExtendedAdvertisingEnable(self.handle))
        let legacy = self.testbed.host()
        self.scanner.extendedScan(filter: .on)
        legacy.scan()
        self.testbed.pass(.milliseconds(300))
        let reports = self.scanner.extendedReports
        #expect(reports.flatMap { Array($0.data.readableBytesView) } == data)
        #expect(reports.map(\.eventType.dataStatus) == [DataStatus](repeating: .incomplete, count: 7) + [.complete])
        #expect(reports.allSatisfy { $0.secondaryPHY == .le2M && $0.setIdentifier == 5 && $0.txPower == 0 })
        #expect(legacy.reports.isEmpty)
    }

    private typealias DataStatus = LEExtendedAdvertisingReport.DataStatus

    private func data(
        _ octets: some Sequence<UInt8>,
        _ operation: AdvertisingDataOperation = .complete
    ) -> LESetExtendedAdvertisingData {
        LESetExtendedAdvertisingData(
            advertisingHandle: self.handle,
            operation: operation,
            data: ByteBuffer(bytes: octets)
        )
    }

    @Test("a set has 1,650 octets of data at most (7.8.54, 7.8.57)", arguments: [(144, true), (145, false)])
    func dataLimit(last: Int, isTaken: Bool) {
        let host = self.advertiser
        host.ok(self.parameters([]))
        host.ok(self.parameters([.scannable], handle: 4))
        func set(_ operation: AdvertisingDataOperation, _ count: Int) -> [HCIErrorCode?] {
            let octets = ByteBuffer(repeating: 1, count: count)
            let response = LESetExtendedScanResponseData(advertisingHandle: 4, operation: operation, data: octets)
            return [host.run(self.data(octets.readableBytesView, operation))?.status, host.run(response)?.status]
        }
        #expect(set(.firstFragment, 251) == [.success, .success])
        for _ in 0..<5 { #expect(set(.intermediateFragment, 251) == [.success, .success]) }
        let status: HCIErrorCode = isTaken ? .success : .memoryCapacityExceeded
        #expect(set(.lastFragment, last) == [status, status])
    }

    @Test("new data, and a new scan response with its advertisement, pass the duplicate filter")
    func news() {
        self.advertiser.ok(self.parameters([]))
        self.advertiser.ok(LESetExtendedAdvertisingEnable(self.handle))
        self.scanner.extendedScan(type: .active, filter: .on)
        func expectReports(_ count: Int) {
            for count in [count, 0] {
                self.testbed.pass(.seconds(1))
                #expect(self.scanner.extendedReports.count == count)
            }
        }
        expectReports(1)
        self.advertiser.ok(self.data([1, 0xFF]))
        expectReports(1)
        self.advertiser.ok(self.data([], .unchanged))
        expectReports(1)
        self.advertiser.ok(LESetExtendedAdvertisingEnable(self.handle, isEnabled: false))
        self.advertiser.ok(LERemoveAdvertisingSet(advertisingHandle: self.handle))
        self.scanner.ok(LESetExtendedScanEnable(isEnabled: true, filterDuplicates: .on))
        self.advertise([.scannable], power: 0)
        expectReports(2)
        let response = ByteBuffer(bytes: [0x02, 0x0A, 0x00])
        self.advertiser.ok(LESetExtendedScanResponseData(advertisingHandle: self.handle, data: response))
        expectReports(2)
    }

    @Test("a set with legacy PDUs is heard by legacy scanners, and becomes a link")
    func legacyPDUs() throws {
        let (host, scanner) = (self.advertiser, self.scanner)
        let address = DeviceAddress(0xC102_0304_0506, kind: .random)
        let setAddress = LESetAdvertisingSetRandomAddress(advertisingHandle: self.handle, address: address)
        host.ok(self.parameters([.legacy, .connectable, .scannable]) { $0.ownAddressType = .random })
        host.refused(LESetExtendedAdvertisingEnable(self.handle), .invalidParameters)
        host.ok(setAddress)
        host.ok(LESetExtendedAdvertisingData(advertisingHandle: self.handle, data: TestHost.advertisingData))
        host.ok(LESetExtendedScanResponseData(advertisingHandle: self.handle, data: TestHost.scanResponse))
        host.ok(LESetExtendedAdvertisingEnable(self.handle))
        host.refused(setAddress, .commandDisallowed)
        scanner.scan(type: .active)
        self.testbed.pass(.milliseconds(150))
        let reports = scanner.reports
        #expect(reports.map(\.eventType) == [.connectableUndirected, .scanResponse])
        #expect(reports.allSatisfy { $0.address == address })
        scanner.ok(LESetScanEnable(isEnabled: false))
        scanner.ok(TestHost.createConnection(to: address))
        self.testbed.pass(.milliseconds(200))
        let complete = try #require(host.take(LEConnectionComplete.self))
        let terminated = try #require(host.take(LEAdvertisingSetTerminated.self))
        #expect(terminated.status == .success && terminated.advertisingHandle == self.handle)
        #expect(terminated.handle == complete.handle)
    }

    @Test("a scannable set answers scan requests, and reports them")
    func scannable() throws {
        let host = self.advertiser
        host.ok(self.parameters([.scannable]) { $0.notifiesScanRequests = true })
        host.refused(LESetExtendedAdvertisingEnable(self.handle), .commandDisallowed)
        let response = ByteBuffer(bytes: (0..<200).map { UInt8($0) })
        host.ok(LESetExtendedScanResponseData(advertisingHandle: self.handle, data: response))
        host.ok(LESetExtendedAdvertisingEnable(self.handle))
        self.scanner.extendedScan(type: .active)
        self.testbed.pass(.milliseconds(150))
        let reports = self.scanner.extendedReports
        #expect(reports.map(\.eventType) == [[.scannable], [.scannable, .scanResponse]])
        #expect(reports.last?.data == response)
        let request = LEScanRequestReceived(advertisingHandle: self.handle, scanner: self.scanner.controller.address)
        #expect(host.take(LEScanRequestReceived.self) == request)
    }

    @Test("several sets advertise at once")
    func severalSets() {
        let host = self.advertiser
        for value in 0..<16 as Range<UInt8> {
            host.ok(self.parameters([], handle: AdvertisingHandle(rawValue: value)) { $0.setIdentifier = value })
        }
        host.refused(self.parameters([], handle: 16), .memoryCapacityExceeded)
        let sets = (0..<16).map { LESetExtendedAdvertisingEnable.AdvertisingSet(handle: .init(rawValue: UInt8($0))) }
        host.ok(LESetExtendedAdvertisingEnable(isEnabled: true, sets: sets))
        self.scanner.extendedScan(filter: .on)
        self.testbed.pass(.milliseconds(150))
        #expect(self.scanner.extendedReports.compactMap(\.setIdentifier).sorted() == (0..<16).map { UInt8($0) })
        host.refused(LEClearAdvertisingSets(), .commandDisallowed)
        host.refused(LERemoveAdvertisingSet(advertisingHandle: 2), .commandDisallowed)
        host.ok(LESetExtendedAdvertisingEnable(isEnabled: false, sets: []))
        host.ok(LERemoveAdvertisingSet(advertisingHandle: 2))
        host.refused(LERemoveAdvertisingSet(advertisingHandle: 2), .unknownAdvertisingIdentifier)
        host.ok(LEClearAdvertisingSets())
    }

    @Test("refuses unknown sets, repeated sets and decision PDUs (7.8.53, 7.8.55, 7.8.56)")
    func invalid() {
        let host = self.advertiser
        host.refused(self.parameters([.decisionPDUs]), .unsupportedFeature)
        for (handle, error) in [
            (0xEF, .unknownAdvertisingIdentifier), (0xF0, .invalidParameters), (0xFF, .invalidParameters),
        ] as [(AdvertisingHandle, HCIErrorCode)] {
            host.refused(LERemoveAdvertisingSet(advertisingHandle: handle), error)
        }
        host.refused(LESetExtendedAdvertisingEnable(self.handle), .unknownAdvertisingIdentifier)
        host.refused(LESetExtendedAdvertisingEnable(isEnabled: true, sets: []), .invalidParameters)
        host.ok(self.parameters([.connectable]))
        host.refused(LESetExtendedAdvertisingEnable(self.handle, self.handle), .invalidParameters)
    }

    private func advertise(_ properties: AdvertisingEventProperties, power: Int8) {
        self.advertiser.ok(self.parameters(properties) { $0.txPower = TransmitPower(dBm: power) })
        if properties.contains(.scannable) {
            let response = TestHost.scanResponse
            self.advertiser.ok(LESetExtendedScanResponseData(advertisingHandle: self.handle, data: response))
        }
        self.advertiser.ok(LESetExtendedAdvertisingEnable(self.handle))
    }

    @Test("adds the power of a set to its strength, and reports it if the set says so")
    func power() throws {
        self.scanner.extendedScan()
        for (power, includes, rssi) in [
            (0, false, -45), (0, true, -45), (10, false, -35), (10, true, -35), (-20, true, -65),
        ] as [(Int8, Bool, Int8)] {
            self.scanner.events = []
            self.advertise(includes ? [.includeTxPower] : [], power: power)
            self.testbed.pass(.milliseconds(150))
            let report = try #require(self.scanner.extendedReports.first)
            #expect(report.rssi == RSSI(dBm: rssi))
            #expect(report.txPower == (includes ? TransmitPower(dBm: power) : nil))
            self.advertiser.ok(LESetExtendedAdvertisingEnable(self.handle, isEnabled: false))
        }
    }

    @Test("a set of 10 dBm is heard at 1,000 m, one of 0 dBm is not")
    func range() {
        self.scanner.controller.distance = .metres(1_000)
        self.scanner.extendedScan()
        for (power, rssi) in [(10, -95), (9, nil), (0, nil), (10, -95)] as [(Int8, Int8?)] {
            self.scanner.events = []
            self.advertise([], power: power)
            self.testbed.pass(.milliseconds(150))
            #expect(self.scanner.extendedReports.first?.rssi == rssi.map { RSSI(dBm: $0) }, "\(power)")
            self.advertiser.ok(LESetExtendedAdvertisingEnable(self.handle, isEnabled: false))
        }
    }

    @Test("new data in legacy PDUs is a duplicate (Vol 6, Part B, 4.3.3)", arguments: [true, false])
    func newLegacyData(isExtendedScan: Bool) {
        self.advertiser.advertise()
        if isExtendedScan { self.scanner.extendedScan(filter: .on) } else { self.scanner.scan(filter: .on) }
        func count() -> Int {
            self.testbed.pass(.seconds(1))
            return self.scanner.extendedReports.count + self.scanner.reports.count
        }
        #expect(count() == 1)
        self.advertiser.ok(LESetAdvertisingData(data: ByteBuffer(bytes: [0x02, 0x01, 0x04])))
        #expect(count() == 0)
    }
}
