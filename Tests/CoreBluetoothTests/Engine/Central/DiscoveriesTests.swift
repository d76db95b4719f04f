import BluetoothHost
import BluetoothTypes
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("4.3 Discoveries of advertisers")
struct DiscoveriesTests {
    private let address = DeviceAddress(0xC000_0000_0001, kind: .random)

    private func data(name: String? = nil, service: BluetoothUUID? = nil) -> ByteBuffer {
        var data = AdvertisingData()
        if let name { data.appendLocalName(name) }
        if let service { data.appendServiceUUIDs([service]) }
        return data.bytes
    }

    private func report(
        _ data: ByteBuffer,
        isConnectable: Bool = true,
        isScannable: Bool = false,
        from address: DeviceAddress? = nil
    ) -> AdvertisingReport {
        AdvertisingReport(
            address: address ?? self.address,
            isConnectable: isConnectable,
            isScannable: isScannable,
            isScanResponse: false,
            data: data,
            rssi: -50
        )
    }

    private func response(_ data: ByteBuffer) -> AdvertisingReport {
        var report = self.report(data, isConnectable: false)
        report.isScanResponse = true
        return report
    }

    /// A session that keeps what is discovered.
    private final class Session: DiscoveringSession {
        var discoveries: [Discovery] = []

        func discovered(_ discovery: Discovery) { self.discoveries.append(discovery) }
    }

    /// The discoveries of one scan.
    private func discoveries(of reports: [AdvertisingReport], filter: ScanFilter = ScanFilter()) -> [Discovery] {
        var discoveries = Discoveries(identities: IdentityStore(randomness: .seeded(1)))
        let scan = Scan(session: 1, number: 1, filter: filter)
        let session = Session()
        for (index, report) in reports.enumerated() {
            discoveries.receive(
                report,
                for: [(session, scan)],
                now: .uptimeNanoseconds(UInt64(index)),
                timestamp: 0
            )
        }
        return session.discoveries
    }

    @Test("waits for the scan response before the first discovery, until the next report shows that it was lost")
    func scanResponse() {
        let report = self.report(self.data(service: 0x180D), isScannable: true)
        let response = self.response(self.data(name: "Crystal"))
        let reported = self.discoveries(of: [report, response])
        #expect(reported.map(\.peer.name) == ["Crystal"])
        #expect(reported.first?.advertisement.services == [0x180D])
        #expect(reported.first?.advertisement.isConnectable == true)
        #expect(self.discoveries(of: [report, report, report, response, report]).map(\.peer.name) == [nil, "Crystal"])
        #expect(self.discoveries(of: [self.report(self.data(name: "Beacon"))]).map(\.peer.name) == ["Beacon"])
        #expect(self.discoveries(of: [response]).isEmpty)
    }

    @Test("reports an advertiser whose packet is empty once, by its scan response if there is one")
    func emptyPackets() {
        let empty = self.report(ByteBuffer(), isConnectable: false, isScannable: true)
        let response = self.response(self.data(name: "Crystal"))
        let beacon = self.report(ByteBuffer(), isConnectable: false)
        let rows: [([AdvertisingReport], [String?])] = [
            ([empty, response], ["Crystal"]), ([empty, response, empty, response], ["Crystal"]), ([empty], []),
            ([empty, empty, empty], [nil]), ([beacon, beacon], [nil]),
        ]
        for (reports, names) in rows {
            let reported = self.discoveries(of: reports)
            #expect(reported.map(\.peer.name) == names)
            #expect(reported.allSatisfy { !$0.advertisement.isConnectable })
        }
    }

    @Test("reports new facts, not changed ones")
    func facts() {
        let reported = self.discoveries(of: [
            self.report(self.data()), self.report(self.data(name: "A")), self.report(self.data(name: "B")),
            self.report(self.data(name: "B", service: 0x180D)),
        ])
        #expect(reported.map(\.advertisement.localName) == [nil, "A", "B"])
    }

    @Test("D9 reports each kind of content once, also if an advertiser alternates between two")
    func kinds() throws {
        let service = AdvertisedServiceData(uuid: 0x180F, data: ByteBuffer(bytes: [9]))
        var overflow = OverflowArea()
        overflow.insert(0xA000)
        let kinds: [(inout AdvertisingData) -> Void] = [
            { $0.appendLocalName("A") }, { $0.appendServiceUUIDs([0x180D]) },
            { $0.append(.solicited16BitServiceUUIDs, ByteBuffer(bytes: [0x12, 0x18])) },
            { $0.append(.txPowerLevel, ByteBuffer(bytes: [0xFC])) },
            { $0.append(.manufacturerSpecificData, ByteBuffer(bytes: [0x59, 0x00, 1])) },
            { $0.appendServiceData(service) },
            { [overflow] data in data.append(.manufacturerSpecificData, overflow.manufacturerData) },
        ]
        let reports = kinds.map { append in
            var data = AdvertisingData()
            append(&data)
            return self.report(data.bytes)
        }
        for first in reports.indices {
            for second in reports.indices {
                let order = [first, second, first, second]
                let reported = self.discoveries(of: order.map { reports[$0] })
                #expect(reported.count == (first == second ? 1 : 2), "\(first) \(second)")
            }
        }
    }

    @Test("applies the filter to services in the scan response")
    func filterOnResponse() {
        let report = self.report(self.data(name: "Crystal"), isScannable: true)
        let reported = self.discoveries(
            of: [
                report, self.response(self.data(service: 0x180D)), report,
            ],
            filter: ScanFilter(services: [0x180D])
        )
        #expect(reported.count == 1)
    }

    @Test("forgets the least recently heard quarter of too many advertisers")
    func forgotten() {
        let capacity = UInt64(Discoveries.capacity)
        func report(_ number: UInt64) -> AdvertisingReport {
            self.report(
                self.data(name: "\(number)"),
                from: DeviceAddress(number, kind: .random)
            )
        }
        let order = Array(0..<capacity) + [0, capacity, 0, capacity / 4 + 1, capacity / 4, capacity, 1]
        let names = self.discoveries(of: order.map(report)).map(\.peer.name)
        #expect(names.count == Int(capacity) + 3)
        #expect(names.suffix(3) == ["\(capacity)", "\(capacity / 4)", "1"])
    }

    @Test("reports a device that is no longer connectable as such if duplicates are allowed")
    func connectable() {
        let filter = ScanFilter(allowsDuplicates: true)
        let data = self.data(name: "A")
        var other = self.report(data)
        other.isConnectable = false
        let reports = [self.report(data), other, other]
        #expect(
            self.discoveries(of: reports, filter: filter).map(\.advertisement.isConnectable) == [true, false, false]
        )
        #expect(self.discoveries(of: reports).count == 1)
    }

    private let identity = DeviceAddress(0xC000_0000_0077, kind: .random)

    /// A scan, and the identities of the devices.
    private final class Scanning {
        let identities = IdentityStore(randomness: .seeded(1))
        var discoveries: Discoveries

        init() { self.discoveries = Discoveries(identities: self.identities) }

        /// The discoveries that follow from a report.
        func receive(_ report: AdvertisingReport) -> [Discovery] {
            let session = Session()
            let scan = Scan(session: 1, number: 1, filter: ScanFilter())
            self.discoveries.receive(report, for: [(session, scan)], now: .uptimeNanoseconds(0), timestamp: 0)
            return session.discoveries
        }
    }

    private func report(_ address: DeviceAddress, service: BluetoothUUID? = nil) -> AdvertisingReport {
        self.report(self.data(name: "A", service: service), from: address)
    }

    @Test("keeps the identifier and the reports of an advertiser that is identified")
    func moved() throws {
        let scanning = Scanning()
        let first = try #require(scanning.receive(self.report(self.address)).first)
        #expect(first.peer.address == self.address)
        scanning.discoveries.identified(scanning.identities.move(self.address, to: self.identity), before: self.address)
        #expect(scanning.receive(self.report(self.identity)).isEmpty)
        let next = scanning.receive(self.report(self.identity, service: 0x180D))
        #expect(next.map(\.peer.identifier) == [first.peer.identifier] && next[0].peer.address == self.identity)
        let other = scanning.receive(self.report(self.address))
        #expect(other.count == 1 && other.first?.peer.identifier != first.peer.identifier)
    }

    @Test("gives an advertiser heard under its identity address the identifier that apps know")
    func known() throws {
        let scanning = Scanning()
        let first = try #require(scanning.receive(self.report(self.identity)).first)
        let record = scanning.identities.move(self.address, to: self.identity)
        #expect(record.identifier != first.peer.identifier)
        scanning.discoveries.identified(record, before: self.address)
        #expect(scanning.receive(self.report(self.identity)).isEmpty)
        let next = scanning.receive(self.report(self.identity, service: 0x180D))
        #expect(next.map(\.peer.identifier) == [record.identifier])
    }

    @Test("prefers the reports under the earlier address for an advertiser heard under both")
    func both() {
        let scanning = Scanning()
        #expect(scanning.receive(self.report(self.address, service: 0x180D)).count == 1)
        #expect(scanning.receive(self.report(self.identity)).count == 1)
        scanning.discoveries.identified(scanning.identities.move(self.address, to: self.identity), before: self.address)
        #expect(scanning.receive(self.report(self.identity, service: 0x180D)).isEmpty)
    }
}
