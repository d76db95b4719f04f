import CommandLineTool
import CoreBluetooth
import Foundation
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("The table of a scan")
struct ScanTableTests {
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    private func identifier(_ number: Int) -> UUID { ScannedDevice.identifier(number) }

    private var heart: ScannedDevice { .heart }

    @Test("keeps the row of a device, with the newest strength until 10 s after its last report")
    func rows() {
        var table = ScanTable()
        table.add(self.heart, at: self.start)
        table.add(ScannedDevice(identifier: self.identifier(2), name: "Other", rssi: -80), at: self.start)
        table.add(ScannedDevice(identifier: self.identifier(1), rssi: -50), at: self.start + 1)
        let lines = table.lines(width: 120, height: 24, now: self.start + 2)
        #expect(
            lines.map(\.text) == [
                "NAME        RSSI  IDENTIFIER                            SERVICES AND MANUFACTURER",
                "Heart  ▂▄▆█  -50  00000000-0000-0000-0000-000000000001  Heart Rate, Nordic UART, FFF0; Apple 02 15",
                "Other  ▂▄    -80  00000000-0000-0000-0000-000000000002",
            ]
        )
        let narrow = table.lines(width: 80, height: 24, now: self.start + 2)
        #expect(narrow[0].text == "NAME        RSSI  ID        SERVICES AND MANUFACTURER")
        func row(_ number: Int, _ seconds: Double) -> String {
            table.lines(width: 80, height: 24, now: self.start + seconds)[number].text
        }
        #expect(row(1, 10.5) == "Heart  ▂▄▆█  -50  00000000  Heart Rate, Nordic UART, FFF0; Apple 02 15")
        #expect(row(2, 10.5) == "Other       gone  00000000")
        #expect(row(2, 9.999).contains(" -80  "))
        #expect(row(2, 10).contains(" gone  "))
        table.add(ScannedDevice(identifier: self.identifier(3)), at: self.start)
        #expect(row(3, 0) == "-              ?  00000000")
        #expect(ScanTable().lines(width: 80, height: 24, now: self.start).last?.text == "nothing heard yet")
        #expect(ScanTable().lines(width: 11, height: 24, now: self.start).last?.text == "nothing h…")
    }

    @Test(
        "counts columns as a terminal does, and keeps the strength in few of them",
        arguments: [
            (40, "Wärme 日本語  ▂▄▆   -61  00000000  Hea…"), (30, "Wärme 日本語  ▂▄▆   -61"), (16, "Wär…  ▂▄▆   -61"),
        ]
    )
    func wide(width: Int, line: String) {
        var table = ScanTable()
        var heart = self.heart
        heart.name = "Wärme 日本語"
        table.add(heart, at: self.start)
        #expect(table.lines(width: width, height: 24, now: self.start)[1].text == line)
        heart.isNameShortened = true
        var marked = ScanTable()
        marked.add(heart, at: self.start)
        let name = width > 16 ? "Wärme 日本語…  " : "Wär…  "
        #expect(marked.lines(width: width, height: 24, now: self.start)[1].text.hasPrefix(name))
    }

    // MARK: Columns

    /// The row of a device in a terminal.
    private func row(_ name: String, width: Int) -> String {
        var table = ScanTable()
        table.add(ScannedDevice(identifier: identifier(7), name: name, rssi: -40), at: start)
        let lines = table.lines(width: width, height: 24, now: start)
        return lines.count > 1 ? lines[1].text : ""
    }

    @Test(
        "shows eight digits of the identifier as soon as they fit, and all of it from 101 columns on",
        arguments: [(1, 4), (4, 4), (5, 5), (10, 10), (23, 23), (24, 24), (25, 24), (40, 24)]
    )
    func identifiers(length: Int, columns: Int) {
        let name = String(repeating: "n", count: length)
        // The name, two spaces, the strength, two spaces and the digits; the last column of a terminal stays empty.
        let least = columns + 2 + SignalText.columns + 2 + 8 + 1
        let (without, with) = (row(name, width: least - 1), row(name, width: least))
        #expect(without.hasSuffix("  -40"), "\(without)")
        #expect(with == without + "  00000000")
        #expect(row(name, width: 100).hasSuffix("  00000000"))
        #expect(row(name, width: 101).hasSuffix("  00000000-0000-0000-0000-000000000007"))
    }

    @Test("shortens a name to 24 columns, with a mark")
    func names() {
        let row = self.row(String(repeating: "n", count: 25), width: 120)
        #expect(row.hasPrefix(String(repeating: "n", count: 23) + "…  "), "\(row)")
        let whole = self.row(String(repeating: "n", count: 24), width: 120)
        #expect(whole.hasPrefix(String(repeating: "n", count: 24) + "  "), "\(whole)")
    }

    // MARK: Rows

    @Test("orders devices, silent ones last by strength, and moves none of them for one report")
    func order() {
        var table = ScanTable()
        for (number, name, rssi) in [(1, "b", -70), (2, nil, -40), (3, "A", -50), (4, "c", -50)] {
            table.add(ScannedDevice(identifier: self.identifier(number), name: name, rssi: rssi), at: self.start + 5)
        }
        func names(_ order: ScanOrder?, after seconds: Double = 5) -> [String] {
            table.ordered(by: order, now: self.start + seconds).map { $0.discovery.name ?? "-" }
        }
        #expect(names(nil) == ["b", "-", "A", "c"])
        #expect(names(.rssi) == ["-", "A", "c", "b"])
        #expect(names(.name) == ["A", "b", "c", "-"])
        #expect(names(.time) == ["c", "A", "-", "b"])
        table.add(ScannedDevice(identifier: self.identifier(2), rssi: -60), at: self.start + 12)
        #expect(names(.rssi, after: 12) == ["-", "A", "c", "b"])
        for _ in 0..<20 { table.add(ScannedDevice(identifier: self.identifier(2), rssi: -90), at: self.start + 12) }
        #expect(names(.rssi, after: 12) == ["A", "c", "b", "-"])
        #expect(names(.rssi, after: 15).first == "-")
        let few = table.lines(width: 80, height: 5, now: self.start + 12, order: .name).map(\.text)
        #expect(few[1].hasPrefix("A"))
        #expect(few.last == "and 2 more")
    }

    @Test("is no wider and no higher than the terminal", arguments: [(20, 5), (80, 24), (1, 1), (200, 3)])
    func size(width: Int, height: Int) {
        var table = ScanTable()
        for number in 0..<40 {
            let name = String(repeating: "n", count: number)
            table.add(ScannedDevice(identifier: self.identifier(number), name: name, rssi: -40), at: self.start)
        }
        let lines = table.lines(width: width, height: height, now: self.start)
        #expect(lines.allSatisfy { ColumnWidth.columns(of: $0.text) <= max(1, width - 1) })
        #expect(lines.count <= max(3, height))
        #expect(lines.last?.text.hasPrefix(width > 5 ? "and " : "…") == true)
    }

    @Test("shows all devices that fit, or the newest and a count")
    func fullTable() {
        func names(_ count: Int) -> [String] {
            var table = ScanTable()
            for number in 0..<count {
                table.add(
                    ScannedDevice(identifier: self.identifier(number), name: "n\(number)", rssi: -40),
                    at: self.start
                )
            }
            let lines = table.lines(width: 80, height: 5, now: self.start)
            return lines.dropFirst().map { $0.text.split(separator: "  ").first.map(String.init) ?? "" }
        }
        #expect(names(3) == ["n0", "n1", "n2"])
        #expect(names(4) == ["n2", "n3", "and 2 more before them"])
    }

    @Test("is drawn over the last one")
    func drawing() {
        func drawing(_ lines: [String], over previous: Int) -> String {
            ScanTable.drawing(lines.map { StyledText($0) }, over: previous, hasColors: true)
        }
        #expect(drawing(["a", "b"], over: 0) == "a\u{1B}[K\nb\u{1B}[K\n\u{1B}[J")
        #expect(drawing(["c"], over: 2) == "\u{1B}[2A\rc\u{1B}[K\n\u{1B}[J")
    }
}
