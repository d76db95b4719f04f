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

    @Test("a packet of one report is the packet of an event with one report")
    func directPacket() {
        #expect(LEAdvertisingReports.packet(self.report(31)) == LEAdvertisingReports([self.report(31)]).packet())
    }

    @Test("reports share the storage of their packet")
    func sharedStorage() throws {
        let event = LEAdvertisingReports([self.report(5), self.report(0), self.report(31)])
        guard case .leAdvertisingReports(let reports) = try HCIEvent(event.packet()) else {
            Issue.record("not an advertising report")
            return
        }
        #expect(reports.count == 3)
        #expect(Array(reports) == [self.report(5), self.report(0), self.report(31)])
        // Walking twice gives the same.
        #expect(reports.map(\.data.readableBytes) == [5, 0, 31])
    }

    @Test("one wrong report makes the event malformed")
    func wrongReport() {
        let good = "00 01 55 44 33 22 11 C0 00 CE"
        for bad in ["00 04 55 44 33 22 11 C0 00 CE", "00 01 55 44 33 22 11 C0 01 CE", "00 01 55", ""] {
            var bytes = ByteBuffer(hex: "02 " + good + bad)
            #expect(throws: MalformedBytes.self) { try LEAdvertisingReports(parsing: &bytes) }
        }
        // More than 31 octets of data are not legacy advertising.
        var bytes = ByteBuffer(hex: "01 00 01 55 44 33 22 11 C0 20" + String(repeating: "00", count: 33))
        #expect(throws: MalformedBytes(.invalid, "Data_Length")) { try LEAdvertisingReports(parsing: &bytes) }
    }

    @Test("the data status of an extended report has bits of its own")
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

    @Test("an undirected extended report ignores the direct address, whatever stands there")
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
}
