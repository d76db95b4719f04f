import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHCI

@Suite("Advertising reports")
struct LEReportsTests {
    private let address = DeviceAddress(0xC011_2233_4455, kind: .random)

    private func report(_ octets: Int) -> LEAdvertisingReport {
        LEAdvertisingReport(
            eventType: .connectableUndirected,
            address: self.address,
            data: ByteBuffer(repeating: 0xAB, count: octets),
            rssi: -50
        )
    }

    @Test("the packet of one report is that of an event with one report")
    func directPacket() {
        #expect(LEAdvertisingReports.packet(self.report(31)) == LEAdvertisingReports([self.report(31)]).packet())
    }

    @Test("a report shares the storage of its packet")
    func sharedStorage() throws {
        let event = LEAdvertisingReports([self.report(5), self.report(0), self.report(31)])
        guard case .leAdvertisingReports(let reports) = try HCIEvent(event.packet()) else {
            Issue.record("not an advertising report")
            return
        }
        #expect(reports.count == 3)
        #expect(Array(reports) == [self.report(5), self.report(0), self.report(31)])
        // A second iteration gives the same.
        #expect(reports.map(\.data.readableBytes) == [5, 0, 31])
    }

    @Test("rejects an event with one malformed report")
    func wrongReport() {
        let good = "00 01 55 44 33 22 11 C0 00 CE"
        for bad in ["00 04 55 44 33 22 11 C0 00 CE", "00 01 55 44 33 22 11 C0 01 CE", "00 01 55", ""] {
            var bytes = ByteBuffer(hex: "02 " + good + bad)
            #expect(throws: MalformedBytes.self) { try LEAdvertisingReports(parsing: &bytes) }
        }
        // Legacy advertising has at most 31 octets of data.
        var bytes = ByteBuffer(hex: "01 00 01 55 44 33 22 11 C0 20" + String(repeating: "00", count: 33))
        #expect(throws: MalformedBytes(.invalid, "Data_Length")) { try LEAdvertisingReports(parsing: &bytes) }
    }

    @Test("the data status of an extended report has its own bits")
    func dataStatus() throws {
        var type: LEExtendedAdvertisingReport.EventType = [.connectable, .legacy]
        #expect(type.dataStatus == .complete)
        type.dataStatus = .truncated
        #expect(type.rawValue == 0b0101_0001)
        #expect(type.dataStatus == .truncated)
        type.dataStatus = .incomplete
        #expect(type.rawValue == 0b0011_0001)
        #expect(type.contains([.connectable, .legacy]))
    }

    @Test("an undirected extended report ignores the direct address")
    func undirected() throws {
        let hex = "00 00 FF 00 00 00 00 00 00 01 00 FF 7F D3 00 00 77 01 02 03 04 05 06 00"
        var bytes = ByteBuffer(hex: "01" + hex)
        let reports = try LEExtendedAdvertisingReports(parsing: &bytes)
        let report = try #require(reports.first { _ in true })
        #expect(report.target == nil)
        #expect(report.address == nil)
        // The same in a directed report is malformed.
        bytes = ByteBuffer(hex: "01" + "04" + hex.dropFirst(2))
        #expect(throws: MalformedBytes(.invalid, "Direct_Address_Type")) {
            try LEExtendedAdvertisingReports(parsing: &bytes)
        }
    }

    /// An extended report with one octet of data and these kinds of address and direct address.
    private func extendedReport(eventType: UInt8, kind: UInt8, targetKind: UInt8) -> ByteBuffer {
        let address = "06 05 04 03 02 01"
        return ByteBuffer(
            hex: "\(eventType.hexDigits) 00 \(kind.hexDigits) \(address) 01 00 FF 7F D3 00 00"
                + " \(targetKind.hexDigits) \(address) 01 AA"
        )
    }

    @Test("accepts only the kinds of address that an extended report may have")
    func addressKinds() throws {
        for kind in UInt8.min...UInt8.max {
            for (report, isValid) in [
                (self.extendedReport(eventType: 0x04, kind: 1, targetKind: kind), kind <= 3 || kind == 0xFE),
                (self.extendedReport(eventType: 0x00, kind: kind, targetKind: 0), kind <= 3 || kind == 0xFF),
            ] {
                var one = report
                #expect(((try? LEExtendedAdvertisingReport(parsing: &one)) != nil) == isValid, "\(kind)")
                // The event validates its reports first.
                var event = ByteBuffer(bytes: [1])
                event.writeImmutableBuffer(report)
                #expect(((try? LEExtendedAdvertisingReports(parsing: &event)) != nil) == isValid, "\(kind)")
            }
        }
    }

    @Test("reads only the values for \"not available\" of an extended report as `nil`")
    func absentValues() throws {
        func report(_ fields: String) throws -> LEExtendedAdvertisingReport {
            var bytes = ByteBuffer(hex: "00 00 01 06 05 04 03 02 01 \(fields) 00 00 00 00 00 00 00 00")
            return try LEExtendedAdvertisingReport(parsing: &bytes)
        }
        // Secondary PHY, set, power, strength and periodic interval (Vol 4, Part E, 7.7.65.13).
        let none = try report("01 00 FF 7F 7F 00 00")
        #expect(none.primaryPHY == .le1M && none.secondaryPHY == nil && none.setIdentifier == nil)
        #expect(none.txPower == nil && none.rssi == nil && none.periodicInterval == nil)
        let all = try report("03 01 0F 7E 14 01 00")
        #expect(all.primaryPHY == .leCoded && all.secondaryPHY == .le1M && all.setIdentifier == 0x0F)
        #expect(all.txPower == 126 && all.rssi == RSSI(dBm: 20) && all.periodicInterval?.rawValue == 1)
        #expect(try report("01 02 00 81 80 00 01").secondaryPHY == .le2M)
        #expect(try report("01 02 00 81 80 00 01").periodicInterval?.rawValue == 0x0100)
    }

    @Test("rejects a report that is truncated at any octet", arguments: [0x00, 0x04] as [UInt8])
    func cutOff(eventType: UInt8) throws {
        let whole = self.extendedReport(eventType: eventType, kind: 1, targetKind: 1)
        for count in 0..<whole.readableBytes {
            var part = try #require(whole.getSlice(at: 0, length: count))
            #expect(throws: MalformedBytes.self, "\(count) octets") { try LEExtendedAdvertisingReport(parsing: &part) }
        }
        var bytes = whole
        #expect(try LEExtendedAdvertisingReport(parsing: &bytes).data == ByteBuffer(bytes: [0xAA]))
        #expect(bytes.readableBytes == 0)
        var legacy = ByteBuffer()
        self.report(2).encode(into: &legacy)
        for count in 0..<legacy.readableBytes {
            var part = try #require(legacy.getSlice(at: 0, length: count))
            #expect(throws: MalformedBytes.self, "\(count) octets") { try LEAdvertisingReport(parsing: &part) }
        }
    }

    @Test("skips exactly the octets that it reads, for reports with each octet changed")
    func skips() throws {
        func check<Report: LEReport>(_: Report.Type, _ whole: ByteBuffer) {
            for place in 0..<whole.readableBytes {
                for octet in [0x00, 0x01, 0x04, 0x1F, 0x20, 0x7F, 0x80, 0xFE, 0xFF] as [UInt8] {
                    var bytes = whole
                    bytes.setInteger(octet, at: place)
                    var (read, skipped, event) = (bytes, bytes, ByteBuffer(bytes: [2]))
                    for _ in 0..<2 { event.writeImmutableBuffer(bytes) }
                    let isRead = (try? Report(parsing: &read)) != nil
                    #expect(((try? Report.skip(in: &skipped)) != nil) == isRead, "\(bytes.hex)")
                    if isRead { #expect(read.readableBytes == skipped.readableBytes) }
                    guard let reports = try? LEReports<Report>(parsing: &event) else { continue }
                    #expect(reports.count == 2 && Array(reports).count == 2 && reports.underestimatedCount == 2)
                }
            }
        }
        var (legacy, directed) = (ByteBuffer(), ByteBuffer())
        self.report(3).encode(into: &legacy)
        LEDirectedAdvertisingReport(address: self.address, target: .unresolved(self.address), rssi: nil)
            .encode(into: &directed)
        check(LEAdvertisingReport.self, legacy)
        check(LEDirectedAdvertisingReport.self, directed)
        for eventType in [0x00, 0x04] as [UInt8] {
            check(
                LEExtendedAdvertisingReport.self,
                self.extendedReport(eventType: eventType, kind: 1, targetKind: 1)
            )
        }
    }

}
