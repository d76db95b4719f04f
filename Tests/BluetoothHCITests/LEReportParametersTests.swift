// Advertising reports are parsed word by word, and described parameter by parameter. Here the lists of parameters
// parse them, too, with the same result.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHCI

@Suite("Advertising reports: parameter by parameter")
struct LEReportParametersTests {
    /// Event type, address, PHYs, set, powers, periodic interval and direct address: everything before the data.
    private static let heads = [
        "10 00 01 06 05 04 03 02 01 01 00 FF 7F D3 00 00 00 00 00 00 00 00 00",
        "13 00 00 06 05 04 03 02 01 01 01 0F 7E 7F 01 00 77 01 02 03 04 05 06",
        "24 00 FF 06 05 04 03 02 01 03 02 00 81 80 00 01 FE 16 15 14 13 12 41",
        "44 00 03 06 05 04 03 02 01 01 03 0E 00 14 FF FF 01 16 15 14 13 12 C1",
    ]

    /// Parses a report with the list of its parameters; also returns the number of remaining octets.
    private func listed<Report: LEReport>(
        _: Report.Type,
        _ bytes: ByteBuffer
    ) throws(MalformedBytes) -> (report: Report, rest: Int) {
        var reader = HCIParameterReader<Report>(bytes)
        let report = try Report(&reader)
        return (report, reader.bytes.readableBytes)
    }

    @Test("an extended report is the same, parsed word by word and parameter by parameter", arguments: Self.heads)
    func extended(head: String) throws {
        let bytes = ByteBuffer(hex: head + " 02 AA BB CC")
        var words = bytes
        let report = try LEExtendedAdvertisingReport(parsing: &words)
        let listed = try self.listed(LEExtendedAdvertisingReport.self, bytes)
        #expect(listed.report == report)
        #expect(report.data == ByteBuffer(hex: "AA BB"))
        #expect(listed.rest == 1 && words.readableBytes == 1)
        for count in 0..<26 {
            let part = try #require(bytes.getSlice(at: 0, length: count))
            #expect(throws: MalformedBytes.self, "\(count) octets") {
                try self.listed(LEExtendedAdvertisingReport.self, part)
            }
        }
    }

    @Test("a legacy report is the same, parsed word by word and parameter by parameter")
    func legacy() throws {
        for (hex, rssi) in [
            ("04 01 55 44 33 22 11 C0 02 AA BB CE", -50), ("00 00 55 44 33 22 11 C0 00 7F", nil),
            ("03 03 55 44 33 22 11 C0 01 00 14", 20),
        ] as [(String, Int8?)] {
            let bytes = ByteBuffer(hex: hex + " CC")
            var words = bytes
            let report = try LEAdvertisingReport(parsing: &words)
            let listed = try self.listed(LEAdvertisingReport.self, bytes)
            #expect(listed.report == report)
            #expect(report.rssi == rssi.map { RSSI(dBm: $0) })
            #expect(listed.rest == 1 && words.readableBytes == 1)
        }
    }

    @Test("rejects more than 229 octets of data in an extended report, and more than 31 in a legacy one")
    func longestData() throws {
        for (count, isValid) in [(228, true), (229, true), (230, false), (255, false)] {
            var bytes = ByteBuffer(hex: Self.heads[0])
            bytes.writeInteger(UInt8(count))
            bytes.writeRepeatingByte(0xAB, count: count)
            let listed = try? self.listed(LEExtendedAdvertisingReport.self, bytes)
            #expect((listed != nil) == isValid, "\(count) octets")
        }
        for (count, isValid) in [(30, true), (31, true), (32, false), (255, false)] {
            var bytes = ByteBuffer(hex: "00 01 55 44 33 22 11 C0")
            bytes.writeInteger(UInt8(count))
            bytes.writeRepeatingByte(0xAB, count: count + 1)
            let listed = try? self.listed(LEAdvertisingReport.self, bytes)
            #expect((listed != nil) == isValid, "\(count) octets")
        }
    }
}
