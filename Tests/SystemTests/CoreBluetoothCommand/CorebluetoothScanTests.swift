// corebluetooth scan as it ships: in lines, in a table that is drawn over and over, and on the whole screen.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand
@testable import TerminalScreen

@Suite("The session of corebluetooth scan")
struct CorebluetoothScanTests {
    @MainActor
    private static func session(
        _ presentation: ScanSession.Presentation,
        order: ScanOrder?,
        timeout: Double? = nil
    ) -> ScanSession {
        ScanSession(
            filter: ScanSession.Filter(services: [], name: nil, rssi: nil),
            presentation: presentation,
            order: order,
            duplicates: false,
            timeout: timeout,
            output: OutputFormat(isJSON: false, isVerbose: false)
        )
    }

    /// Anna at 1 m from the beginning, to 3 s if she leaves, and Bert at 12 m from 2 s on.
    @MainActor
    private static func scan(
        _ presentation: ScanSession.Presentation,
        order: String?,
        timeout: Double,
        annaLeaves: Bool = false,
        hasBluetooth: Bool = true
    ) throws -> SessionRun {
        var run = SessionRun()
        let device = run.world.addDevice("tool")
        device.isPowered = hasBluetooth
        let advertisement = ScriptedPeripheral.Advertisement(interval: .seconds(1))
        let anna = run.world.addPeripheral(ScriptedPeripheral(name: "Anna", advertisement: advertisement))
        let bert = run.world.addPeripheral(ScriptedPeripheral(name: "Bert", advertisement: advertisement), distance: 12)
        bert.isPowered = false
        run.world.after(.seconds(2)) { bert.isPowered = true }
        if annaLeaves { run.world.after(.seconds(3)) { anna.isPowered = false } }
        run.start(on: device) {
            let session = session(presentation, order: order.flatMap(ScanOrder.init), timeout: timeout)
            session.start()
            return session
        }
        return run
    }

    @Test(
        "prints a device when it is first heard, sorted ones at the end of the time, and none without Bluetooth",
        arguments: [
            (nil, true, ["Anna", "- 2.0", "Bert", "- 4.999"]), ("time", true, ["- 2.0", "- 4.999", "Bert", "Anna"]),
            ("rssi", true, ["- 2.0", "- 4.999", "Anna", "Bert"]), (nil, false, []),
        ] as [(String?, Bool, [String])]
    )
    func lines(order: String?, hasBluetooth: Bool, expected: [String]) async throws {
        let process = try await #require(processExitsWith: .exitCode(hasBluetooth ? 0 : 5), observing: .outputs) {
            [order = order as String?, hasBluetooth = hasBluetooth as Bool] in
            let run = try await CorebluetoothScanTests.scan(
                .lines,
                order: order,
                timeout: 5,
                hasBluetooth: hasBluetooth
            )
            run.markTimes([2, 4.999, 5.001])
            run.passMinute()
        }
        #expect(process.errorLines.isEmpty)
        let shown = process.lines.map { line in
            ["Anna", "Bert"].first { line.contains("dBm  \"\($0)\"") } ?? line
        }
        #expect(shown == expected)
    }

    /// The tables, one behind the other, without cursor movements.
    private static func tables(_ lines: [String]) -> [[String]] {
        var tables: [[String]] = []
        for line in lines {
            let plain = line.replacing(#/\u{1B}\[[0-9;]*[A-Za-z]|\r/#, with: "")
            if plain.hasPrefix("NAME") { tables.append([]) }
            if !tables.isEmpty { tables[tables.count - 1].append(plain) }
        }
        return tables
    }

    @Test("draws its table four times a second over the last one, with devices that are gone after 10 s")
    func table() async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) {
            try await CorebluetoothScanTests.scan(.table, order: "time", timeout: 15, annaLeaves: true).passMinute()
        }
        #expect(process.errorLines.isEmpty)
        let tables = Self.tables(process.lines)
        // 60 times within 15 s, and at the end.
        #expect((60...62).contains(tables.count), "\(tables.count)")
        #expect(tables.first?.contains("nothing heard yet") == true)
        #expect(tables.map { $0.dropFirst().map { $0.prefix(4) } }.contains(["Anna"]))
        let rows = try #require(tables.last).dropFirst()
        #expect(rows.prefix(2).map { $0.prefix(4) } == ["Bert", "Anna"])
        #expect(rows.prefix(2).map { $0.contains(" gone") } == [false, true])
    }

    @Test("opens a device on the whole screen by keys, shows values, and ends with q or Ctrl-C", arguments: [0, 130])
    func keys(status: Int32) async throws {
        let result = try await #require(processExitsWith: .exitCode(status), observing: [\.standardOutputContent]) {
            [status = status as Int32] in
            try await SessionRun.minute { run in
                let terminal = try TestTerminal(rows: 8, columns: 60)
                let shown = VirtualTerminal(rows: 8, columns: 60) { ColumnWidth.columns(of: $0) }
                let screen = try #require(Screen(input: terminal.slave, output: terminal.slave, hasColors: false))
                let characteristic = ScriptedPeripheral.Characteristic("FFF1", properties: .read, value: Data([7]))
                let service = ScriptedPeripheral.Service("FFF0", characteristics: [characteristic])
                run.world.addPeripheral(ScriptedPeripheral(name: "Anna", services: [service]))
                let device = run.world.addDevice("tool")
                let session = device.run { WatchSession(filter: ScanSession.Filter(), order: nil) }
                run.start(on: device) {
                    session.start()
                    session.open(screen)
                    return session
                }
                /// Presses a key, and prints whether the screen has a text a while later.
                @MainActor func press(_ key: Key?, at time: Int, showing text: String) {
                    run.at(time) { if let key { device.run { _ = screen.onKey?(key) } } }
                    run.at(time + 2000) {
                        shown.receive(terminal.text())
                        Console.print("\(text): \(shown.text.contains { $0.contains(text) })")
                    }
                }
                press(nil, at: 1000, showing: "▸ Anna")
                press(.enter, at: 4000, showing: "▸ FFF1")
                press(.character("r"), at: 7000, showing: "r--- 07")
                press(.escape, at: 10_000, showing: "1 device, by rssi")
                run.at(13_000) { _ = screen.onKey?(status == 0 ? .character("q") : .control("c")) }
            }
        }
        #expect(result.lines == ["▸ Anna", "▸ FFF1", "r--- 07", "1 device, by rssi"].map { $0 + ": true" })
    }
}
