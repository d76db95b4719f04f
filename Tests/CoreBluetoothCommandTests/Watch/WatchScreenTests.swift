import CoreBluetooth
import Foundation
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("The screen of scan --watch")
struct WatchScreenTests {
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    /// Anna at -60 dBm with a battery, Bert at -50 dBm.
    private func screen(_ order: ScanOrder = .rssi) -> WatchScreen {
        var screen = WatchScreen(order: order)
        let battery = [CBUUID(string: "180F")]
        screen.table.add(
            ScannedDevice(identifier: ScannedDevice.identifier(1), name: "Anna", rssi: -60, services: battery),
            at: start
        )
        screen.table.add(ScannedDevice(identifier: ScannedDevice.identifier(2), name: "Bert", rssi: -50), at: start)
        return screen
    }

    private func drawn(_ screen: WatchScreen, rows: Int = 8, columns: Int = 60) -> [String] {
        var (screen, canvas) = (screen, Canvas(size: ScreenSize(rows: rows, columns: columns)))
        screen.draw(on: &canvas, now: start)
        return canvas.text
    }

    /// The screen after keys, and the action of the last one.
    private func after(
        _ keys: [Key],
        _ screen: WatchScreen? = nil
    ) -> (screen: WatchScreen, action: WatchScreen.Action?) {
        var screen = screen ?? self.screen()
        var action: WatchScreen.Action?
        for key in keys { action = screen.receive(key, now: start) }
        return (screen, action)
    }

    // MARK: Devices

    private static let allKeys = "2 devices, by rssi   Enter open   / filter   ↑↓ choose   r n t sort   q quit   ? keys"

    @Test(
        "shows the devices with the chosen one, the strength over time if there is room, and the keys that fit",
        arguments: [
            (40, 2, "", "00000000", "2 devices, by rssi   Enter open   ? keys"),
            (80, 13, "▆  ", "00000000", allKeys.replacing("   ", with: "  ")),
            (120, 21, "▆  ", "00000000", allKeys),
            (200, 21, "▆  ", "00000000-0000-0000-0000-000000000002", allKeys),
        ]
    )
    func devices(columns: Int, spaces: Int, trend: String, identifier: String, keys: String) {
        let shown = drawn(screen(), columns: columns)
        let row = "▸ Bert  ▂▄▆█  -50" + String(repeating: " ", count: spaces) + trend + identifier
        #expect(shown[1] == row && shown.last == keys)
        #expect(shown[0].hasPrefix("  NAME") && shown[2].hasPrefix("  An"))
        #expect(drawn(WatchScreen(), columns: 40)[1] == "  nothing heard yet")
        #expect(drawn(WatchScreen(), columns: 40).last == "0 devices, by rssi   Enter open   ? keys")
    }

    @Test(
        "orders and chooses by keys, and opens the chosen device, the first one until one is chosen",
        arguments: [
            ("", "▸ Bert", 2), ("j", "▸ Anna", 1), ("jj", "▸ Anna", 1), ("jk", "▸ Bert", 2), ("n", "▸ Anna", 1),
            ("jt", "▸ Anna", 1), ("G", "▸ Anna", 1), ("Gg", "▸ Bert", 2), ("nGr", "▸ Bert", 2), ("x", "▸ Bert", 2),
        ]
    )
    func choice(keys: String, row: String, device: Int) {
        let (screen, action) = after(keys.map { .character($0) })
        #expect(action == nil)
        #expect(drawn(screen).contains { $0.hasPrefix(row) })
        let opened = after([.enter], screen)
        #expect(opened.action == .open(ScannedDevice.identifier(device)))
        #expect(opened.screen.page?.identifier == ScannedDevice.identifier(device))
    }

    @Test("keeps the chosen device in sight and chosen when others come and go")
    func scrolling() {
        var screen = screen(.name)
        for number in 3..<50 {
            let name = "Device \(number)"
            let device = ScannedDevice(identifier: ScannedDevice.identifier(number), name: name, rssi: -40)
            screen.table.add(device, at: start)
        }
        for _ in 0..<20 { screen = after([.down], screen).screen }
        let row = drawn(screen).first { $0.hasPrefix("▸") }
        screen.table.add(ScannedDevice(identifier: ScannedDevice.identifier(99), name: "Aaron", rssi: -40), at: start)
        #expect(drawn(screen).first { $0.hasPrefix("▸") } == row && row != nil)
        #expect(drawn(screen, rows: 1).count == 1)
    }

    @Test(
        "shows devices with a text in the name, a service or the identifier, while it is typed",
        arguments: [
            ("ann", ["Anna"]), ("N", ["Anna"]), ("er", ["Bert", "Anna"]), ("180f", ["Anna"]), ("battery", ["Anna"]),
            ("00000000002", ["Bert"]), ("", ["Bert", "Anna"]), ("zz", []),
        ]
    )
    func filter(text: String, names: [String]) {
        let typed = after([.character("/"), .text(text)]).screen
        func shown(_ screen: WatchScreen) -> [String] {
            drawn(screen).dropFirst().compactMap { row in ["Anna", "Bert"].first { row.dropFirst(2).hasPrefix($0) } }
        }
        #expect(shown(typed) == names)
        #expect(drawn(typed).last == (text.isEmpty ? ">" : "> \(text)"))
        let kept = after([.enter], typed).screen
        #expect(shown(kept) == names)
        let count = text.isEmpty ? "2 devices" : "\(names.count) of 2 devices"
        #expect(drawn(kept).last?.hasPrefix(count) == true)
        if names.isEmpty { #expect(drawn(kept)[1] == "  no device has \"zz\"") }
        // Escape shows all, while it is typed and later.
        #expect(shown(after([.escape], typed).screen) == ["Bert", "Anna"])
        #expect(shown(after([.escape], kept).screen) == ["Bert", "Anna"])
        #expect(names.isEmpty == (after([.enter], kept).action == nil))
    }

    @Test("ends by q among the devices, and leaves the page of a device by q and Escape")
    func ends() {
        #expect(after([.character("q")]).action == .quit)
        for key in [Key.character("q"), .escape] {
            let left = after([.down, .enter, key])
            #expect(left.action == .request(.close) && left.screen.page == nil)
            #expect(drawn(left.screen).contains { $0.hasPrefix("▸ Anna") })
        }
    }

    // MARK: A page

    /// The page of Bert, with one characteristic.
    private var opened: WatchScreen {
        var screen = after([.enter]).screen
        screen.page?.link = .connected
        let value = DevicePage.Characteristic(target: "0x0010", label: "FFF1", properties: [.read, .write])
        screen.page?.update([.service("FFF0"), .characteristic(value)], at: start)
        return screen
    }

    @Test(
        "asks for what is typed on a page",
        arguments: [
            ("r", .request(.read("0x0010"))), ("w0102\r", .request(.line("write 0x0010 --as hex -- 0102"))),
            ("W01\r", .request(.line("write 0x0010 --as hex --without-response -- 01"))),
            (":phy 2m\r", .request(.line("phy 2m"))), (":ph\t", .complete("ph")),
            (":q\u{1B}r", .request(.read("0x0010"))),
            ("w01\u{1B}", nil), ("?", nil),
        ] as [(String, WatchScreen.Action?)]
    )
    func typing(text: String, action: WatchScreen.Action?) {
        let keys = text.map { character -> Key in
            switch character {
            case "\r": .enter
            case "\t": .tab
            case "\u{1B}": .escape
            default: .character(character)
            }
        }
        #expect(after(keys, opened).action == action)
    }

    @Test("completes a command, and recalls those that were given")
    func commands() {
        var screen = after([.character(":"), .text("ph")], opened).screen
        screen.complete(LineCompletion(replacedCount: 2, candidates: ["phy"]))
        #expect(drawn(screen).last == "> phy")
        screen.complete(LineCompletion(replacedCount: 0, candidates: ["1m", "2m"]))
        #expect(drawn(screen, rows: 12).contains("1m  2m"))
        let again = after([.enter, .character(":"), .up], screen).screen
        #expect(drawn(again).last == "> phy")
    }

    @Test("has a question in the last rows before everything else, whose answer it returns, or none for Escape")
    func questions() {
        var screen = after([.character(":"), .text("wa")], opened).screen
        screen.ask("Six digits that \"Bert\" shows: ")
        #expect(drawn(screen)[6].hasPrefix("Six digits that \"Bert\" shows:"))
        let answered = after([.text("123456"), .enter], screen)
        #expect(answered.action == .answer("123456"))
        #expect(drawn(answered.screen).last == "> wa")
        #expect(after([.escape], screen).action == .answer(nil))
        screen.withdrawQuestion()
        #expect(drawn(screen).last == "> wa")
    }

    @Test("shows the keys by ?, scrolls them by arrows, and hides them by other keys", arguments: [40, 80, 120, 200])
    func help(columns: Int) {
        for screen in [self.screen(), opened] {
            let help = after([.character("?")], screen).screen
            let before = drawn(help, rows: 40, columns: columns)
            #expect(before[0].hasPrefix("↑ ↓, k j") && before.last == "↑↓ scroll   other keys close this")
            #expect(before.allSatisfy { ColumnWidth.columns(of: $0) <= columns })
            let scrolled = after([.down], help).screen
            #expect(drawn(scrolled, rows: 6, columns: columns)[0] == before[1])
            #expect(drawn(after([.up], scrolled).screen, rows: 6, columns: columns)[0] == before[0])
            #expect(drawn(after([.character("x")], help).screen) == drawn(screen))
        }
    }
}
