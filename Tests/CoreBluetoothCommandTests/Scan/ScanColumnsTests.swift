// The columns of a scan's table: from which width on the identifier is there, for names of any length, and when it is
// whole.

import Fixtures
import Foundation
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("The columns of a scan")
struct ScanColumnsTests {
    private static let start = Date(timeIntervalSinceReferenceDate: 0)
    private static let identifier = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7))

    /// The row of a device in a terminal.
    private static func row(_ name: String, width: Int) -> String {
        var table = ScanTable()
        table.add(Discovery(identifier: identifier, name: name, rssi: -40), at: start)
        let lines = table.lines(width: width, height: 24, now: start)
        return lines.count > 1 ? lines[1].text : ""
    }

    @Test(
        "Eight digits of the identifier are there as soon as they fit beside the name and the strength",
        arguments: [(1, 4), (4, 4), (5, 5), (10, 10), (23, 23), (24, 24), (25, 24), (40, 24)]
    )
    func identifiers(length: Int, columns: Int) {
        let name = String(repeating: "n", count: length)
        // The name, two spaces, the strength, two spaces and the digits; the last column of a terminal stays empty.
        let least = columns + 2 + SignalText.columns + 2 + 8 + 1
        let (without, with) = (Self.row(name, width: least - 1), Self.row(name, width: least))
        #expect(without.hasSuffix("  -40"), "\(without)")
        #expect(with == without + "  00000000")
        #expect(Self.row(name, width: 100).hasSuffix("  00000000"))
        #expect(Self.row(name, width: 101).hasSuffix("  00000000-0000-0000-0000-000000000007"))
        for width in least...101 { RunRecord.note("\(width) \(Self.row(name, width: width))") }
    }

    @Test("A name takes 24 columns at most, and what is left of it is marked")
    func names() {
        let row = Self.row(String(repeating: "n", count: 25), width: 120)
        #expect(row.hasPrefix(String(repeating: "n", count: 23) + "…  "), "\(row)")
        let whole = Self.row(String(repeating: "n", count: 24), width: 120)
        #expect(whole.hasPrefix(String(repeating: "n", count: 24) + "  "), "\(whole)")
    }
}
