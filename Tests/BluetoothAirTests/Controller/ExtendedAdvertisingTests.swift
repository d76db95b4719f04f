import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Extended advertising")
struct ExtendedAdvertisingTests {
    private let handle = AdvertisingHandle(rawValue: 3)

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

    private func enable(
        _ handle: AdvertisingHandle? = nil,
        duration: UInt16 = 0,
        events: UInt8 = 0
    )
        -> LESetExtendedAdvertisingEnable
    {
        LESetExtendedAdvertisingEnable(
            isEnabled: true,
            sets: [
                .init(
                    handle: handle ?? self.handle,
                    duration: AdvertisingDuration(rawValue: duration),
                    maximumEvents: events
                )
            ]
        )
    }

    @Test("1,650 octets come in several reports, joined by their status")
    func longData() throws {
        let testbed = AirTestbed()
        let host = testbed.host()
        host.ok(self.parameters([.includeTxPower], secondaryPHY: .le2M))
        let data = (0..<1_650).map { UInt8(truncatingIfNeeded: $0 * 7) }
        var rest = data[...]
        var operation = AdvertisingDataOperation.firstFragment
        while !rest.isEmpty {
            let part = rest.prefix(251)
            rest = rest.dropFirst(251)
            if rest.isEmpty { operation = .lastFragment }
            host.ok(
                LESetExtendedAdvertisingData(
                    advertisingHandle: self.handle,
                    operation: operation,
                    data: ByteBuffer(bytes: part)
                )
            )
            if operation == .firstFragment { host.refused(self.enable(), .commandDisallowed) }
            operation = .intermediateFragment
        }
        host.ok(self.enable())
        let (scanner, legacy) = (testbed.host(), testbed.host())
        scanner.extendedScan(filter: .on)
        legacy.scan()
        testbed.pass(.milliseconds(300))
        let reports = scanner.extendedReports
        #expect(reports.count == 8)
        #expect(reports.flatMap { Array($0.data.readableBytesView) } == data)
        #expect(reports.dropLast().allSatisfy { $0.eventType.dataStatus == .incomplete })
        #expect(reports.last?.eventType.dataStatus == .complete)
        #expect(reports.allSatisfy { $0.secondaryPHY == .le2M && $0.setIdentifier == 5 && $0.txPower == 0 })
        #expect(legacy.reports.isEmpty)
    }

    @Test("a set has 1,650 octets of data at most (7.8.54, 7.8.57)", arguments: [(144, true), (145, false)])
    func dataLimit(last: Int, isTaken: Bool) {
        let host = AirTestbed().host()
        host.ok(self.parameters([]))
        host.ok(self.parameters([.scannable], handle: 4))
        func set(_ operation: AdvertisingDataOperation, _ count: Int) -> [HCIErrorCode?] {
            let octets = ByteBuffer(repeating: 1, count: count)
            return [
                host.run(
                    LESetExtendedAdvertisingData(advertisingHandle: self.handle, operation: operation, data: octets)
                )?.status,
                host.run(
                    LESetExtendedScanResponseData(advertisingHandle: 4, operation: operation, data: octets)
                )?.status,
            ]
        }
        #expect(set(.firstFragment, 251) == [.success, .success])
        for _ in 0..<5 { #expect(set(.intermediateFragment, 251) == [.success, .success]) }
        #expect(
            set(.lastFragment, last)
                == (isTaken ? [.success, .success] : [.memoryCapacityExceeded, .memoryCapacityExceeded])
        )
    }

    @Test("a set to which one connects has 245 octets of data at most", arguments: [(245, true), (246, false)])
    func connectableDataLimit(count: Int, isTaken: Bool) {
        let host = AirTestbed().host()
        host.ok(self.parameters([.connectable]))
        host.ok(
            LESetExtendedAdvertisingData(advertisingHandle: self.handle, data: ByteBuffer(repeating: 0, count: count))
        )
        if isTaken { host.ok(self.enable()) } else { host.refused(self.enable(), .packetTooLong) }
    }

    @Test("new data is news to the duplicate filter")
    func dataIdentifier() {
        let testbed = AirTestbed()
        let host = testbed.host()
        host.ok(self.parameters([]))
        host.ok(self.enable())
        let scanner = testbed.host()
        scanner.extendedScan(filter: .on)
        testbed.pass(.seconds(1))
        #expect(scanner.extendedReports.count == 1)
        host.ok(LESetExtendedAdvertisingData(advertisingHandle: self.handle, data: ByteBuffer(bytes: [1, 0xFF])))
        testbed.pass(.seconds(1))
        #expect(scanner.extendedReports.count == 1)
        host.ok(
            LESetExtendedAdvertisingData(advertisingHandle: self.handle, operation: .unchanged, data: ByteBuffer())
        )
        testbed.pass(.seconds(1))
        #expect(scanner.extendedReports.count == 1)
        testbed.pass(.seconds(1))
        #expect(scanner.extendedReports.isEmpty)
    }

    @Test("a set with legacy PDUs is heard by legacy scanners")
    func legacyPDUs() throws {
        let testbed = AirTestbed()
        let host = testbed.host()
        let address = try #require(DeviceAddress("C1:02:03:04:05:06", kind: .random))
        host.ok(self.parameters([.legacy, .connectable, .scannable]) { $0.ownAddressType = .random })
        host.refused(self.enable(), .invalidParameters)
        host.ok(LESetAdvertisingSetRandomAddress(advertisingHandle: self.handle, address: address))
        host.ok(LESetExtendedAdvertisingData(advertisingHandle: self.handle, data: TestHost.advertisingData))
        host.ok(LESetExtendedScanResponseData(advertisingHandle: self.handle, data: TestHost.scanResponse))
        host.ok(self.enable())
        host.refused(
            LESetAdvertisingSetRandomAddress(advertisingHandle: self.handle, address: address),
            .commandDisallowed
        )
        let scanner = testbed.host()
        scanner.scan(type: .active)
        testbed.pass(.milliseconds(150))
        let reports = scanner.reports
        #expect(reports.map(\.eventType) == [.connectableUndirected, .scanResponse])
        #expect(reports.allSatisfy { $0.address == address })
        scanner.ok(LESetScanEnable(isEnabled: false))
        scanner.ok(TestHost.createConnection(to: address))
        testbed.pass(.milliseconds(200))
        let complete = try #require(host.take(LEConnectionComplete.self))
        let terminated = try #require(host.take(LEAdvertisingSetTerminated.self))
        #expect(terminated.status == .success)
        #expect(terminated.advertisingHandle == self.handle)
        #expect(terminated.handle == complete.handle)
    }

    @Test("a scannable set answers scan requests, and reports them")
    func scannable() throws {
        let testbed = AirTestbed()
        let host = testbed.host()
        host.ok(self.parameters([.scannable]) { $0.notifiesScanRequests = true })
        host.refused(self.enable(), .commandDisallowed)
        host.refused(
            LESetExtendedAdvertisingData(advertisingHandle: self.handle, data: TestHost.advertisingData),
            .invalidParameters
        )
        let response = ByteBuffer(bytes: (0..<200).map { UInt8($0) })
        host.ok(LESetExtendedScanResponseData(advertisingHandle: self.handle, data: response))
        host.ok(self.enable())
        let scanner = testbed.host()
        scanner.extendedScan(type: .active)
        testbed.pass(.milliseconds(150))
        let reports = scanner.extendedReports
        #expect(reports.map(\.eventType) == [[.scannable], [.scannable, .scanResponse]])
        #expect(reports.last?.data == response)
        #expect(
            host.take(LEScanRequestReceived.self)
                == LEScanRequestReceived(advertisingHandle: self.handle, scanner: scanner.controller.address)
        )
    }

    @Test("an extended connection begins on the secondary PHY")
    func connect() throws {
        let testbed = AirTestbed()
        let (peripheral, central) = (testbed.host(), testbed.host())
        peripheral.ok(self.parameters([.connectable], secondaryPHY: .le2M))
        peripheral.ok(self.enable())
        let channel = LEExtendedCreateConnection.PHYParameters(parameters: TestHost.parameters)
        central.refused(
            LEExtendedCreateConnection(peer: peripheral.controller.address, le1M: nil, le2M: channel),
            .invalidParameters
        )
        central.ok(LEExtendedCreateConnection(peer: peripheral.controller.address, le1M: channel, le2M: channel))
        testbed.pass(.milliseconds(200))
        let complete = try #require(central.take(LEConnectionComplete.self))
        let phy = try #require(central.run(LEReadPHY(handle: complete.handle)))
        #expect(phy.transmitter == .le2M)
        #expect(phy.receiver == .le2M)
        #expect(peripheral.take(LEAdvertisingSetTerminated.self)?.status == .success)
    }

    @Test("LE Create Connection does not connect to extended advertising")
    func legacyConnect() throws {
        let testbed = AirTestbed()
        let (peripheral, central) = (testbed.host(), testbed.host())
        peripheral.ok(self.parameters([.connectable]))
        peripheral.ok(self.enable())
        central.ok(TestHost.createConnection(to: peripheral.controller.address))
        testbed.pass(.seconds(2))
        #expect(central.events.isEmpty)
        peripheral.ok(LESetExtendedAdvertisingEnable(isEnabled: false, sets: []))
        peripheral.ok(self.parameters([.connectable, .scannable, .legacy]))
        peripheral.ok(self.enable())
        testbed.pass(.milliseconds(200))
        #expect(central.take(LEConnectionComplete.self)?.status == .success)
    }

    @Test("several sets advertise at once")
    func severalSets() {
        let testbed = AirTestbed()
        let host = testbed.host()
        for value in 0..<16 {
            let handle = AdvertisingHandle(rawValue: UInt8(value))
            host.ok(self.parameters([], handle: handle) { $0.setIdentifier = UInt8(value) })
        }
        host.refused(self.parameters([], handle: 16), .memoryCapacityExceeded)
        host.ok(
            LESetExtendedAdvertisingEnable(
                isEnabled: true,
                sets: (0..<16).map { .init(handle: AdvertisingHandle(rawValue: UInt8($0))) }
            )
        )
        let scanner = testbed.host()
        scanner.extendedScan(filter: .on)
        testbed.pass(.milliseconds(150))
        #expect(scanner.extendedReports.compactMap(\.setIdentifier).sorted() == (0..<16).map { UInt8($0) })
        host.refused(LEClearAdvertisingSets(), .commandDisallowed)
        host.refused(LERemoveAdvertisingSet(advertisingHandle: 2), .commandDisallowed)
        host.ok(LESetExtendedAdvertisingEnable(isEnabled: false, sets: []))
        host.ok(LERemoveAdvertisingSet(advertisingHandle: 2))
        host.refused(LERemoveAdvertisingSet(advertisingHandle: 2), .unknownAdvertisingIdentifier)
        host.ok(LEClearAdvertisingSets())
    }

    @Test("refuses unknown sets, repeated sets and decision PDUs (7.8.53, 7.8.55, 7.8.56)")
    func invalid() {
        let host = AirTestbed().host()
        host.refused(self.parameters([.decisionPDUs]), .unsupportedFeature)
        for (handle, error) in [
            (0xEF, .unknownAdvertisingIdentifier), (0xF0, .invalidParameters), (0xFF, .invalidParameters),
        ] as [(UInt8, HCIErrorCode)] {
            host.refused(LERemoveAdvertisingSet(advertisingHandle: AdvertisingHandle(rawValue: handle)), error)
        }
        host.refused(self.enable(), .unknownAdvertisingIdentifier)
        host.refused(LESetExtendedAdvertisingEnable(isEnabled: true, sets: []), .invalidParameters)
        host.ok(self.parameters([.connectable]))
        host.refused(
            LESetExtendedAdvertisingEnable(
                isEnabled: true,
                sets: [.init(handle: self.handle), .init(handle: self.handle)]
            ),
            .invalidParameters
        )
    }

    @Test("reports an anonymous set without an address")
    func anonymous() throws {
        let testbed = AirTestbed()
        let host = testbed.host()
        host.ok(self.parameters([.anonymous]))
        host.ok(self.enable())
        let scanner = testbed.host()
        scanner.extendedScan()
        testbed.pass(.milliseconds(150))
        #expect(try #require(scanner.extendedReports.first).address == nil)
        scanner.ok(LESetExtendedScanEnable(isEnabled: false, filterDuplicates: .off, duration: 0, period: 0))
        scanner.extendedScan(filterPolicy: .acceptList)
        testbed.pass(.milliseconds(150))
        #expect(scanner.extendedReports.isEmpty)
    }

    private let set = AdvertisingHandle(rawValue: 1)
    private let testbed = AirTestbed()
    private let advertiser: TestHost
    private let scanner: TestHost

    init() {
        self.advertiser = self.testbed.host()
        self.scanner = self.testbed.host()
    }

    private func advertise(_ properties: AdvertisingEventProperties, power: Int8) {
        self.advertiser.ok(
            LESetExtendedAdvertisingParameters(
                advertisingHandle: self.set,
                properties: properties,
                txPower: TransmitPower(dBm: power)
            )
        )
        if properties.contains(.scannable) {
            self.advertiser.ok(
                LESetExtendedScanResponseData(advertisingHandle: self.set, data: TestHost.scanResponse)
            )
        }
        self.advertiser.ok(LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle: self.set)]))
    }

    private func stop() {
        self.advertiser.ok(LESetExtendedAdvertisingEnable(isEnabled: false, sets: [.init(handle: self.set)]))
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
            self.stop()
        }
    }

    @Test("a set of 10 dBm is heard at 1,000 m, one of 0 dBm is not", arguments: [true, false])
    func range(hasPositions: Bool) {
        if hasPositions {
            self.advertiser.controller.location = .position(AirPosition(x: -500, y: 0))
            self.scanner.controller.location = .position(AirPosition(x: 500, y: 0))
        } else {
            self.scanner.controller.distance = .metres(1_000)
        }
        self.scanner.extendedScan()
        for (power, rssi) in [(10, -95), (9, nil), (0, nil), (10, -95)] as [(Int8, Int8?)] {
            self.scanner.events = []
            self.advertise([], power: power)
            self.testbed.pass(.milliseconds(150))
            #expect(self.scanner.extendedReports.first?.rssi == rssi.map { RSSI(dBm: $0) }, "\(power)")
            self.stop()
        }
    }

    @Test("another scan response of a set is news to the duplicate filter, and so is the advertisement with it")
    func newResponse() {
        self.advertise([.scannable], power: 0)
        self.scanner.extendedScan(type: .active, filter: .on)
        func count() -> Int {
            self.testbed.pass(.seconds(1))
            return self.scanner.extendedReports.count
        }
        #expect(count() == 2)
        #expect(count() == 0)
        self.advertiser.ok(
            LESetExtendedScanResponseData(advertisingHandle: self.set, data: ByteBuffer(bytes: [0x02, 0x0A, 0x00]))
        )
        #expect(count() == 2)
        #expect(count() == 0)
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
