// What a scan shows: lines, JSON, the table of a terminal, and the filters.

import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("corebluetooth scan")
struct ScanTests {
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    private func identifier(_ number: Int) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number)))
    }

    private var heart: Discovery {
        Discovery(
            identifier: self.identifier(1),
            name: "Heart",
            rssi: -61,
            services: [
                CBUUID(string: "180D"), CBUUID(string: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"), CBUUID(string: "FFF0"),
            ],
            manufacturerData: Data([0x4C, 0x00, 0x02, 0x15]),
            serviceData: [(CBUUID(string: "180F"), Data([0x57]))],
            txPower: 4
        )
    }

    @Test("B15: an ATT error code of an application is named")
    func applicationError() throws {
        let code = try #require(CBATTError.Code(rawValue: 0x80))
        #expect(ErrorText.text(CBATTError(code)).hasSuffix(" 0x80"))
    }

    @Test("C2: a device is found by the whole of a name that its advertisement shortened")
    func shortenedName() {
        #expect(DeviceQuery("Crystal 🔮").matches(name: "Crystal", identifier: UUID()))
        #expect(!DeviceQuery("Crystal 🔮").matches(name: "Cryst", identifier: UUID()))
        #expect(!DeviceQuery("Onyx").matches(name: "Crystal", identifier: UUID()))
    }

    @Test("A line has the identifier first, then strength, name, and what is known by name")
    func line() {
        #expect(
            self.heart.line
                == "00000000-0000-0000-0000-000000000001  -61 dBm  \"Heart\"; Heart Rate, Nordic UART, FFF0; "
                + "Apple 02 15; Battery: 57"
        )
        let faint = Discovery(
            identifier: self.identifier(2),
            isConnectable: false,
            manufacturerData: Data([0x12, 0x34])
        )
        #expect(
            faint.line
                == "00000000-0000-0000-0000-000000000002  ? dBm  (no name), not connectable; company 0x3412"
        )
        let broken = Discovery(identifier: self.identifier(3), name: "a\u{1B}[2Jb", manufacturerData: Data([0x12]))
        #expect(!broken.line.unicodeScalars.contains("\u{1B}"))
        #expect(broken.line.hasSuffix("; 12"))
    }

    @Test("The JSON of a device is one valid line with every part")
    func json() throws {
        let text = self.heart.object.text
        #expect(!text.contains("\n"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["event"] as? String == "discovered")
        #expect(object["rssi"] as? Int == -61)
        #expect(object["txPower"] as? Int == 4)
        #expect(object["connectable"] as? Bool == true)
        let services = try #require(object["services"] as? [[String: Any]])
        #expect(services.map { $0["uuid"] as? String } == ["180D", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E", "FFF0"])
        #expect(services.map { $0["name"] as? String } == ["Heart Rate", "Nordic UART", nil])
        let manufacturer = try #require(object["manufacturer"] as? [String: Any])
        #expect(manufacturer["company"] as? Int == 0x4C)
        #expect(manufacturer["name"] as? String == "Apple")
        #expect(manufacturer["data"] as? String == "0215")
        #expect(object["serviceData"] as? [String: String] == ["180F": "57"])
    }

    @Test("A device keeps its row and what it said before; the newest strength counts")
    func rows() {
        var table = ScanTable()
        table.add(self.heart, at: self.start)
        table.add(Discovery(identifier: self.identifier(2), name: "Other", rssi: -80), at: self.start)
        table.add(Discovery(identifier: self.identifier(1), rssi: -50), at: self.start + 1)
        let lines = table.lines(width: 120, height: 24, now: self.start + 2)
        #expect(
            lines.map(\.text) == [
                "NAME        RSSI  IDENTIFIER                            SERVICES AND MANUFACTURER",
                "Heart  ▂▄▆█  -50  00000000-0000-0000-0000-000000000001  Heart Rate, Nordic UART, FFF0; Apple 02 15",
                "Other  ▂▄▆█  -80  00000000-0000-0000-0000-000000000002",
            ]
        )
        func row(_ number: Int, _ seconds: Double) -> String {
            table.lines(width: 80, height: 24, now: self.start + seconds)[number].text
        }
        #expect(row(1, 10.5) == "Heart  ▂▄▆█  -50  00000000  Heart Rate, Nordic UART, FFF0; Apple 02 15")
        #expect(row(2, 10.5) == "Other       gone  00000000")
        // Ten seconds after its last report a device is gone, not before.
        #expect(row(2, 9.999).contains(" -80  "))
        #expect(row(2, 10).contains(" gone  "))
        // One whose strength is not known was heard all the same.
        table.add(Discovery(identifier: self.identifier(3)), at: self.start)
        #expect(row(3, 0) == "-              ?  00000000")
        #expect(ScanTable().lines(width: 80, height: 24, now: self.start).last?.text == "nothing heard yet")
        #expect(ScanTable().lines(width: 11, height: 24, now: self.start).last?.text == "nothing h…")
    }

    @Test(
        "Columns are counted as a terminal does, and the strength is there in forty of them",
        arguments: [
            (40, "Wärme 日本語  ▂▄▆█  -61  00000000  Hea…"), (30, "Wärme 日本語  ▂▄▆█  -61"), (16, "Wär…  ▂▄▆█  -61"),
        ]
    )
    func wide(width: Int, line: String) {
        var table = ScanTable()
        var heart = self.heart
        heart.name = "Wärme 日本語"
        table.add(heart, at: self.start)
        #expect(table.lines(width: width, height: 24, now: self.start)[1].text == line)
    }

    @Test("Columns come and grow at these widths, for a short name and for a long one")
    func columns() {
        func changes(_ name: String) -> [String] {
            var table = ScanTable()
            table.add(Discovery(identifier: self.identifier(1), name: name, rssi: -40), at: self.start)
            var lines: [String] = []
            var before = ""
            for width in 1...130 {
                let header = table.lines(width: width, height: 24, now: self.start)[0].text
                // A header that is cut, or has a letter more, is the same one.
                let parts =
                    "\(header.contains("IDENTIFIER")) \(header.contains("SERVICES"))"
                    + " \(header.firstRange(of: "RSSI")?.lowerBound.utf16Offset(in: header) ?? 0)"
                    + " \(header.firstRange(of: "SERV")?.lowerBound.utf16Offset(in: header) ?? 0)"
                if parts != before { lines.append("\(width): \(parts)") }
                before = parts
            }
            return lines
        }
        #expect(
            changes("Anna") == [
                "1: false false 0 0", "16: false false 11 0", "33: false false 11 27", "37: false true 11 27",
                "101: true true 11 55",
            ]
        )
        let long = changes(String(repeating: "n", count: 30))
        #expect(long.prefix(2) == ["1: false false 0 0", "16: false false 11 0"])
        // A column of the name comes with each column of the terminal, up to 24 of them.
        #expect(long[2..<22] == (17...36).map { "\($0): false false \($0 - 5) 0" }[...])
        #expect(long[22...] == ["53: false false 31 47", "57: false true 31 47", "101: true true 31 75"])
    }

    @Test("Devices are in an order; silent ones are last by strength, and one report moves none of them")
    func order() {
        var table = ScanTable()
        for (number, name, rssi) in [(1, "b", -70), (2, nil, -40), (3, "A", -50), (4, "c", -50)] {
            table.add(Discovery(identifier: self.identifier(number), name: name, rssi: rssi), at: self.start + 5)
        }
        func names(_ order: ScanOrder?, after seconds: Double = 5) -> [String] {
            table.ordered(by: order, now: self.start + seconds).map { $0.discovery.name ?? "-" }
        }
        #expect(names(nil) == ["b", "-", "A", "c"])
        #expect(names(.rssi) == ["-", "A", "c", "b"])
        #expect(names(.name) == ["A", "b", "c", "-"])
        #expect(names(.time) == ["c", "A", "-", "b"])
        table.add(Discovery(identifier: self.identifier(2), rssi: -60), at: self.start + 12)
        #expect(names(.rssi, after: 12) == ["-", "A", "c", "b"])
        for _ in 0..<20 { table.add(Discovery(identifier: self.identifier(2), rssi: -90), at: self.start + 12) }
        #expect(names(.rssi, after: 12) == ["A", "c", "b", "-"])
        #expect(names(.rssi, after: 15).first == "-")
        let few = table.lines(width: 80, height: 5, now: self.start + 12, order: .name).map(\.text)
        #expect(few[1].hasPrefix("A"))
        #expect(few.last == "and 2 more")
    }

    @Test(
        "Bars and colours follow the strength",
        arguments: [
            (-60, 4, .green), (-61, 3, .green), (-70, 3, .green), (-71, 2, .yellow), (-80, 2, .yellow), (-81, 1, .red),
            (-90, 1, .red), (-91, 0, .red), (20, 4, .green),
        ] as [(Int, Int, TextColor)]
    )
    func bars(rssi: Int, bars: Int, color: TextColor) {
        #expect(SignalText.bars(rssi) == bars)
        let text = SignalText.text(rssi)
        #expect(text.text.count == SignalText.columns)
        #expect(text.rendered(hasColors: true).contains("\u{1B}[0;\(30 + color.rawValue)m") == (bars > 0))
        #expect(!text.rendered(hasColors: false).contains(";3"))
    }

    @Test("No line is wider than the terminal, and no table higher", arguments: [(20, 5), (80, 24), (1, 1), (200, 3)])
    func size(width: Int, height: Int) {
        var table = ScanTable()
        for number in 0..<40 {
            let name = String(repeating: "n", count: number)
            table.add(Discovery(identifier: self.identifier(number), name: name, rssi: -40), at: self.start)
        }
        let lines = table.lines(width: width, height: height, now: self.start)
        #expect(lines.allSatisfy { ColumnWidth.columns(of: $0.text) <= max(1, width - 1) })
        #expect(lines.count <= max(3, height))
        #expect(lines.last?.text.hasPrefix(width > 5 ? "and " : "…") == true)
    }

    @Test("A table whose devices just fit shows them all; with one more, the newest and a count")
    func fullTable() {
        func names(_ count: Int) -> [String] {
            var table = ScanTable()
            for number in 0..<count {
                table.add(Discovery(identifier: self.identifier(number), name: "n\(number)", rssi: -40), at: self.start)
            }
            let lines = table.lines(width: 80, height: 5, now: self.start)
            return lines.dropFirst().map { $0.text.split(separator: "  ").first.map(String.init) ?? "" }
        }
        #expect(names(3) == ["n0", "n1", "n2"])
        #expect(names(4) == ["n2", "n3", "and 2 more before them"])
    }

    @Test("A report without a part keeps what an earlier one said of it")
    func merging() {
        var known = self.heart
        known.merge(Discovery(identifier: self.identifier(1)))
        #expect(known.line == self.heart.line)
        #expect(known.object.text == self.heart.object.text)
        known.merge(Discovery(identifier: self.identifier(1), rssi: -40, isConnectable: false))
        #expect(known.rssi == -40 && !known.isConnectable)
    }

    @Test("A table is drawn over the last one")
    func drawing() {
        func drawing(_ lines: [String], over previous: Int) -> String {
            ScanTable.drawing(lines.map { StyledText($0) }, over: previous, hasColors: true)
        }
        #expect(drawing(["a", "b"], over: 0) == "a\u{1B}[K\nb\u{1B}[K\n\u{1B}[J")
        #expect(drawing(["c"], over: 2) == "\u{1B}[2A\rc\u{1B}[K\n\u{1B}[J")
    }

    @Test("A filter asks for part of the name in any case, and for a strength that is known")
    @MainActor
    func filters() {
        func filter(_ name: String?, _ rssi: Int?) -> ScanSession.Filter {
            ScanSession.Filter(services: [], name: name, rssi: rssi)
        }
        #expect(filter(nil, nil).passes(self.heart))
        #expect(filter("EAR", -61).passes(self.heart))
        #expect(!filter("bear", nil).passes(self.heart))
        #expect(!filter(nil, -60).passes(self.heart))
        #expect(!filter(nil, -90).passes(Discovery(identifier: self.identifier(1))))
        #expect(!filter("x", nil).passes(Discovery(identifier: self.identifier(1))))
    }

    @Test("A device is meant by its name, its identifier, or four and more characters of that")
    func wanted() {
        let identifier = UUID(uuidString: "A3A7496F-261F-4BC3-BBB0-055FA5EF31CF") ?? UUID()
        func matches(_ text: String) -> Bool { DeviceQuery(text).matches(name: "Crystal", identifier: identifier) }
        #expect(matches("Crystal"))
        #expect(matches("crystal"))
        #expect(!matches("Cryst"))
        #expect(matches("a3a7496f-261f-4bc3-bbb0-055fa5ef31cf"))
        #expect(matches("A3A7"))
        #expect(matches("a3a7496f-2"))
        #expect(!matches("A3A"))
        #expect(!matches("B3A7"))
        // A name may look like the beginning of an identifier.
        #expect(DeviceQuery("BEEF").matches(name: "beef", identifier: identifier))
    }

    @Test("Octets are written with or without separators")
    func hexadecimal() {
        #expect(Hexadecimal.octets("0x0aFf") == Data([0x0A, 0xFF]))
        #expect(Hexadecimal.octets("0A ff:1-2") == nil)
        #expect(Hexadecimal.octets("0A ff:12-34") == Data([0x0A, 0xFF, 0x12, 0x34]))
        #expect(Hexadecimal.octets("") == Data())
        #expect(Hexadecimal.octets("abc") == nil)
        #expect(Hexadecimal.octets("zz") == nil)
        #expect(Hexadecimal.octets("１２") == nil)
        #expect(Hexadecimal.digits([0x00, 0x1F]) == "001F")
        #expect(Hexadecimal.text(Data([0x00, 0x1F])) == "00 1F")
    }

    @Test("Services are named by UUID or by name; what is neither is wrong usage")
    func uuids() throws {
        #expect(try Arguments.uuid("180D") == CBUUID(string: "180D"))
        #expect(try Arguments.uuid("heart rate") == CBUUID(string: "180D"))
        #expect(try Arguments.uuid("Battery Level") == CBUUID(string: "2A19"))
        #expect(throws: (any Error).self) { try Arguments.uuid("Heart") }
        #expect(throws: (any Error).self) { try Arguments.uuid("") }
    }
}
