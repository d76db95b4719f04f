import CoreBluetooth
import Foundation
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("The page of an opened device")
struct DevicePageTests {
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    private static func characteristic(
        _ target: String,
        _ properties: CBCharacteristicProperties,
        _ value: String? = nil,
        isNotifying: Bool = false
    ) -> DevicePage.Row {
        .characteristic(
            DevicePage.Characteristic(
                target: target,
                label: "FFF" + target.suffix(1),
                properties: properties,
                value: value,
                isNotifying: isNotifying
            )
        )
    }

    private static let rows: [DevicePage.Row] = [
        .service("FFF0"), characteristic("0x0001", [.read, .write], "01"), .service("180F"),
        characteristic("0x0002", .notify, isNotifying: true),
        characteristic("0x0003", [.writeWithoutResponse, .indicate]),
    ]

    private func page(_ rows: [DevicePage.Row] = Self.rows) -> DevicePage {
        var page = DevicePage(ScannedDevice.identifier(1))
        page.link = .connected
        page.update(rows, at: start)
        return page
    }

    private func drawn(_ page: DevicePage, rows: Int, columns: Int) -> [String] {
        var (page, table) = (page, ScanTable())
        table.add(ScannedDevice(identifier: page.identifier, name: "Thermo", rssi: -45), at: start)
        var canvas = Canvas(size: ScreenSize(rows: rows, columns: columns))
        page.draw(on: &canvas, table.rows[0], isFresh: true, height: rows, now: start)
        return canvas.text
    }

    // MARK: Keys

    @Test(
        "moves the choice among characteristics alone, and no farther than the last one",
        arguments: [
            ([], "0x0001"), ([.up], "0x0001"), ([.down], "0x0002"), ([.down, .character("j")], "0x0003"),
            ([.pageDown], "0x0003"), ([.end, .character("k")], "0x0002"), ([.character("G"), .home], "0x0001"),
            ([.down, .pageUp], "0x0001"), ([.down, .down, .down, .character("g")], "0x0001"),
        ] as [([Key], String)]
    )
    func choice(keys: [Key], target: String) {
        var page = page()
        for key in keys { #expect(page.receive(key) == nil) }
        #expect(page.chosen?.target == target)
    }

    @Test(
        "asks for what a key stands for",
        arguments: [
            (0, .enter, .read("0x0001")), (0, .character("r"), .read("0x0001")), (0, .character("R"), .readAll),
            (0, .character("s"), .subscribe("0x0001")), (1, .character("s"), .unsubscribe("0x0002")),
            (0, .character("c"), nil), (0, .character("x"), nil),
        ] as [(Int, Key, DevicePage.Request?)]
    )
    func requests(moves: Int, key: Key, request: DevicePage.Request?) {
        var page = page()
        for _ in 0..<moves { _ = page.receive(.down) }
        #expect(page.receive(key) == request)
    }

    @Test("connects again by Enter once the connection has ended, and asks for nothing without characteristics")
    func ended() {
        var page = page()
        page.link = .ended("out of range")
        #expect(page.receive(.enter) == .connect && page.receive(.character("c")) == .connect)
        #expect(page.keys.first == "Enter connect")
        let shown = drawn(page, rows: 10, columns: 80)
        #expect(shown[0].hasSuffix("not connected"))
        #expect(shown[2] == " Not connected: out of range. Enter connects again.")
        var empty = self.page([])
        for key in [Key.enter, .down, .end, .character("s"), .character("r")] { #expect(empty.receive(key) == nil) }
        #expect(drawn(empty, rows: 10, columns: 80)[2] == " The device has no services.")
    }

    @Test("names the keys that the chosen characteristic takes")
    func keys() {
        var page = page()
        let others = ["? keys", ": command", "↑↓ choose", "Esc devices"]
        #expect(page.keys == ["r read", "w write"] + others)
        _ = page.receive(.down)
        #expect(page.keys == ["s unsubscribe"] + others)
        _ = page.receive(.down)
        #expect(page.keys == ["s subscribe", "W without response"] + others)
        page.link = .discovering
        #expect(page.keys == others)
    }

    // MARK: Rows

    @Test("keeps the choice while rows change, and knows when a value changed")
    func update() {
        var page = page()
        _ = page.receive(.down)
        page.update([Self.characteristic("0x0009", .read)] + Self.rows, at: start + 5)
        #expect(page.chosen?.target == "0x0002" && page.chosen?.changeTime == nil)
        let rows = [Self.rows[0], Self.characteristic("0x0002", .notify, "07")]
        page.update(rows, at: start + 6)
        page.update(rows, at: start + 7)
        #expect(page.chosen?.changeTime == start + 6)
        page.update([Self.rows[1]], at: start + 8)
        #expect(page.chosen?.target == "0x0001")
    }

    // MARK: Sizes

    @Test("has the strength over time, the characteristics and the chosen one on a screen of 80 columns")
    func screen() {
        var page = page()
        page.say("sends on 2M")
        page.say("refused", isFailure: true)
        #expect(
            drawn(page, rows: 20, columns: 60) == [
                " Thermo" + String(repeating: " ", count: 43) + "connected",
                " ▂▄▆█  -45 dBm  00000000-0000-0000-0000-000000000001",
                "  -30" + String(repeating: " ", count: 53) + "▃",
                String(repeating: " ", count: 58) + "█",
                " -100" + String(repeating: " ", count: 53) + "█",
                "FFF0",
                "▸ FFF1 r-w- 01",
                "180F",
                " ●FFF2 -s--",
                "  FFF3 -s-W",
                "", "", "", "", "", "",
                String(repeating: "─", count: 60),
                " FFF1, 0x0001: read, write = 01",
                "sends on 2M",
                "refused",
            ]
        )
    }

    @Test(
        "has the chosen characteristic in sight, and is never wider or higher than the screen",
        arguments: [1, 2, 3, 5, 8, 12, 24, 60],
        [1, 10, 40, 80, 120, 200]
    )
    func sizes(rows: Int, columns: Int) {
        let label = String(repeating: "7E57D001-8C1F-4F2A-9C1B-日本語", count: 2)
        let many = (0..<100).map { number in
            DevicePage.Row.characteristic(
                DevicePage.Characteristic(target: "\(number)", label: label, properties: .read, value: label)
            )
        }
        var page = page(many)
        page.link = .ended(label)
        for _ in 0..<50 { page.say(label) }
        for _ in 0..<50 { _ = page.receive(.down) }
        let shown = drawn(page, rows: rows, columns: columns)
        #expect(shown.allSatisfy { ColumnWidth.columns(of: $0) <= columns } && shown.count == rows)
        if rows >= 8, columns >= 10 { #expect(shown.count { $0.hasPrefix("▸") } == 1) }
    }
}
