import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

/// Reports are made by hand here, so that each order of packets can be shown.
@Suite("4.3 Packets and scan responses")
struct ScanningMachineTests {
    private let address = DeviceAddress(0xC000_0000_0001, kind: .random)

    private func data(name: String? = nil, service: BluetoothUUID? = nil) -> ByteBuffer {
        var data = AdvertisingData()
        if let name { data.appendLocalName(name) }
        if let service { data.appendServiceUUIDs([service]) }
        return data.bytes
    }

    private func packet(
        _ data: ByteBuffer,
        isScannable: Bool = true,
        from address: DeviceAddress? = nil
    )
        -> AdvertisingReport
    {
        AdvertisingReport(
            address: address ?? self.address,
            isConnectable: true,
            isScannable: isScannable,
            isScanResponse: false,
            data: data,
            rssi: -50
        )
    }

    private func response(_ data: ByteBuffer) -> AdvertisingReport {
        AdvertisingReport(
            address: self.address,
            isConnectable: false,
            isScannable: false,
            isScanResponse: true,
            data: data,
            rssi: -51
        )
    }

    /// What is reported to a scan of the packets that are received.
    private func sightings(_ reports: [AdvertisingReport], filter: ScanFilter = ScanFilter()) -> [Discovery] {
        var scanning = DiscoveryReports(identities: IdentityStore(randomness: .seeded(1)))
        let scan = Scan(session: 1, number: 1, filter: filter)
        var reported: [Discovery] = []
        for (index, report) in reports.enumerated() {
            scanning.receive(report, for: [scan], now: .uptimeNanoseconds(UInt64(index)), timestamp: 0) {
                reported.append($1)
            }
        }
        return reported
    }

    @Test("the first report waits for the scan response")
    func held() {
        let reported = self.sightings([
            self.packet(self.data(service: 0x180D)), self.response(self.data(name: "Crystal")),
        ])
        #expect(reported.map(\.peer.name) == ["Crystal"])
        #expect(reported.first?.advertisement.services == [0x180D])
        #expect(reported.first?.advertisement.isConnectable == true)
    }

    @Test("a scan response that was lost is not waited for twice; when it comes it is reported")
    func lost() {
        let packet = self.packet(self.data(service: 0x180D))
        let reported = self.sightings([packet, packet, packet, self.response(self.data(name: "Crystal")), packet])
        #expect(reported.map(\.peer.name) == [nil, "Crystal"])
    }

    @Test("what cannot be scanned is reported at once")
    func notScannable() {
        let reported = self.sightings([self.packet(self.data(name: "Beacon"), isScannable: false)])
        #expect(reported.map(\.peer.name) == ["Beacon"])
    }

    @Test("new facts are reported, changed ones are not")
    func facts() {
        let reported = self.sightings([
            self.packet(self.data(), isScannable: false), self.packet(self.data(name: "A"), isScannable: false),
            self.packet(self.data(name: "B"), isScannable: false),
            self.packet(self.data(name: "B", service: 0x180D), isScannable: false),
        ])
        #expect(reported.map(\.advertisement.localName) == [nil, "A", "B"])
    }

    @Test("D9: an advertiser that alternates between two payloads is reported once for each")
    func alternating() {
        let name = self.packet(self.data(name: "A"), isScannable: false)
        let service = self.packet(self.data(service: 0x180D), isScannable: false)
        let reported = self.sightings([name, service, name, service, name, service])
        #expect(reported.map(\.advertisement.localName) == ["A", nil])
        #expect(reported.map(\.advertisement.services) == [[], [0x180D]])
    }

    @Test("4.3 each kind of content is news by itself, whatever was reported before")
    func kinds() throws {
        let service = AdvertisedServiceData(uuid: 0x180F, data: ByteBuffer(bytes: [9]))
        var overflow = OverflowArea()
        overflow.insert(0xA000)
        let kinds: [(inout AdvertisingData) -> Void] = [
            { $0.appendLocalName("A") }, { $0.appendServiceUUIDs([0x180D]) },
            { $0.appendSolicitedServiceUUIDs([0x1812]) }, { $0.appendTxPowerLevel(-4) },
            { $0.appendManufacturerSpecificData(company: 0x0059, ByteBuffer(bytes: [1])) },
            { $0.appendServiceData(service) },
            { [overflow] data in data.append(.manufacturerSpecificData, overflow.manufacturerData) },
        ]
        let packets = kinds.map { append in
            var data = AdvertisingData()
            append(&data)
            return self.packet(data.bytes, isScannable: false)
        }
        for first in packets.indices {
            for second in packets.indices {
                let reported = self.sightings([packets[first], packets[second], packets[first]])
                #expect(reported.count == (first == second ? 1 : 2), "\(first) \(second)")
            }
        }
    }

    @Test("a service that only the scan response names passes the filter")
    func filterOnResponse() {
        let reported = self.sightings(
            [
                self.packet(self.data(name: "Crystal")), self.response(self.data(service: 0x180D)),
                self.packet(self.data(name: "Crystal")),
            ],
            filter: ScanFilter(services: [0x180D])
        )
        #expect(reported.count == 1)
    }

    @Test("a scan response without its packet is kept back")
    func strayResponse() {
        #expect(self.sightings([self.response(self.data(name: "Crystal"))]).isEmpty)
    }

    @Test("a crowd of advertisers is forgotten in turn, and nobody traps us")
    func crowd() {
        var reports: [AdvertisingReport] = []
        var generator = SeededGenerator(seed: 9)
        for number in 0..<UInt64(DiscoveryReports.capacity * 2) {
            let bytes = (0..<31).map { _ in UInt8.random(in: 0...255, using: &generator) }
            reports.append(
                self.packet(
                    ByteBuffer(bytes: bytes),
                    isScannable: false,
                    from: DeviceAddress(number, kind: .random)
                )
            )
        }
        #expect(self.sightings(reports).count == DiscoveryReports.capacity * 2)
    }

    @Test("of one advertiser too many, the quarter that was silent longest is forgotten; who was heard lately is not")
    func forgotten() {
        let capacity = UInt64(DiscoveryReports.capacity)
        func packet(_ number: UInt64) -> AdvertisingReport {
            self.packet(
                self.data(name: "\(number)"),
                isScannable: false,
                from: DeviceAddress(number, kind: .random)
            )
        }
        let order = Array(0..<capacity) + [0, capacity, 0, capacity / 4 + 1, capacity / 4, capacity, 1]
        let names = self.sightings(order.map(packet)).map(\.peer.name)
        #expect(names.count == Int(capacity) + 3)
        #expect(names.suffix(3) == ["\(capacity)", "\(capacity / 4)", "1"])
    }

    @Test("4.3 a device that can be connected to no longer is shown as such, where duplicates are reported")
    func connectable() {
        let filter = ScanFilter(allowsDuplicates: true)
        let data = self.data(name: "A")
        var other = self.packet(data, isScannable: false)
        other.isConnectable = false
        let reports = [self.packet(data, isScannable: false), other, other]
        #expect(self.sightings(reports, filter: filter).map(\.advertisement.isConnectable) == [true, false, false])
        #expect(self.sightings(reports).count == 1)
    }
}
