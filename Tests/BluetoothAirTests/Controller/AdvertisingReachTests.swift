// How far an advertising set is heard with its power, and what is news to the duplicate filter of a scanner.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Reach and news of advertising sets")
struct AdvertisingReachTests {
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
                minimumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0),
                maximumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0),
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

    @Test("The power of a set is added to the strength at which it is heard, and reported where the set says so")
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

    @Test("A set of 10 dBm is heard at 1,000 m, one of 0 dBm is not", arguments: [true, false])
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

    @Test("Another scan response of a set is news to the duplicate filter, and so is the advertisement with it")
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

    @Test("New data in legacy PDUs is a duplicate (Vol 6, Part B, 4.3.3)", arguments: [true, false])
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

    @Test("Only scannable PDUs are asked for more, legacy and extended ones", arguments: [true, false])
    func asked(isLegacy: Bool) {
        self.scanner.extendedScan(type: .active)
        for (properties, isAsked) in [([.scannable], true), ([], false)] as [(AdvertisingEventProperties, Bool)] {
            self.scanner.events = []
            self.advertise(isLegacy ? properties.union(.legacy) : properties, power: 0)
            self.testbed.pass(.milliseconds(150))
            let types = self.scanner.extendedReports.map(\.eventType)
            #expect(!types.isEmpty)
            #expect(types.contains { $0.contains(.scanResponse) } == isAsked)
            #expect(types.allSatisfy { $0.contains(.legacy) == isLegacy && $0.contains(.scannable) == isAsked })
            self.stop()
        }
    }
}
