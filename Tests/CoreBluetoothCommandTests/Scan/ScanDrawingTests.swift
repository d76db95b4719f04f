// The table of `corebluetooth scan` as a session draws it: over and over into an output in virtual time, and on the
// whole screen with its last row, in the order that a key has asked for.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("The drawing of a scan")
struct ScanDrawingTests {
    // MARK: In the terminal's lines

    /// Anna from the beginning to 3 s, Bert from 2 s on.
    @MainActor
    private static func scan(timeout: Double, order: String?) throws -> SessionRun {
        var run = SessionRun()
        let device = run.world.addDevice("tool")
        let advertisement = ScriptedPeripheral.Advertisement(interval: .seconds(1))
        let anna = run.world.addPeripheral(ScriptedPeripheral(name: "Anna", advertisement: advertisement))
        let bert = run.world.addPeripheral(ScriptedPeripheral(name: "Bert", advertisement: advertisement), distance: 12)
        bert.isPowered = false
        run.world.after(.seconds(2)) { bert.isPowered = true }
        run.world.after(.seconds(3)) { anna.isPowered = false }
        run.start(on: device) {
            let session = ScanSession(
                filter: ScanSession.Filter(services: [], name: nil, rssi: nil),
                presentation: .table,
                order: order.flatMap(ScanOrder.init),
                duplicates: false,
                timeout: timeout,
                output: OutputFormat(isJSON: false, isVerbose: false)
            )
            session.start()
            return session
        }
        return run
    }

    /// The tables, one behind the other, without what moves the cursor.
    private static func tables(_ lines: [String]) -> [[String]] {
        var tables: [[String]] = []
        for line in lines {
            let plain = line.replacing(#/\u{1B}\[[0-9;]*[A-Za-z]|\r/#, with: "")
            if plain.hasPrefix("NAME") { tables.append([]) }
            if !tables.isEmpty { tables[tables.count - 1].append(plain) }
        }
        return tables
    }

    @Test(
        "Four times a second the table is drawn over the last one: who comes, and who is gone 10 s after it was heard",
        arguments: [nil, "rssi", "name", "time"] as [String?]
    )
    func table(order: String?) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [order = order as String?] in
            try await ScanDrawingTests.scan(timeout: 15, order: order).passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        let tables = Self.tables(process.lines)
        // 60 times within 15 s, and at the end.
        #expect((60...62).contains(tables.count), "\(tables.count)")
        #expect(tables.first?.contains("nothing heard yet") == true)
        let names = tables.map { $0.dropFirst().map { $0.prefix(4) } }
        #expect(names.contains(["Anna"]))
        let last = try #require(tables.last)
        #expect(last.count >= 3)
        #expect(last.contains { $0.hasPrefix("Anna ") && $0.contains(" gone") })
        #expect(last.contains { $0.hasPrefix("Bert ") && !$0.contains(" gone") })
        let rows = last.dropFirst().prefix(2).map { String($0.prefix(4)) }
        let isBertFirst = order == "time" || order == "rssi"
        #expect(rows == (isBertFirst ? ["Bert", "Anna"] : ["Anna", "Bert"]))
    }

    // MARK: On the whole screen

    @MainActor
    private static func session(_ order: ScanOrder?, name: String? = nil) -> ScanSession {
        ScanSession(
            filter: ScanSession.Filter(services: [], name: name, rssi: nil),
            presentation: .table,
            order: order,
            duplicates: false,
            timeout: nil,
            output: OutputFormat(isJSON: false, isVerbose: false) { _ in }
        )
    }

    private static func discovery(_ number: UInt8, _ name: String) -> Discovery {
        let identifier = UUID(uuid: (number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number))
        return Discovery(identifier: identifier, name: name, rssi: -60)
    }

    @MainActor
    private static func drawn(_ session: ScanSession, rows: Int = 8, columns: Int = 60) -> [String] {
        var canvas = Canvas(size: ScreenSize(rows: rows, columns: columns))
        session.draw(on: &canvas)
        return canvas.text
    }

    @Test("The last row has how many devices there are, in which order, and the keys")
    @MainActor
    func lastRow() {
        let session = Self.session(.rssi)
        let keys = "; r n t sort, q ends"
        #expect(Self.drawn(session).last == "0 devices, by rssi" + keys)
        #expect(Self.drawn(session).contains("nothing heard yet"))
        session.show(Self.discovery(1, "b"))
        #expect(Self.drawn(session).last == "1 device, by rssi" + keys)
        session.show(Self.discovery(1, "b"))
        #expect(Self.drawn(session).last == "1 device, by rssi" + keys)
        session.show(Self.discovery(2, "a"))
        #expect(Self.drawn(session).last == "2 devices, by rssi" + keys)
        #expect(Self.drawn(session, columns: 12).last == "2 devices, …")
        #expect(Self.drawn(session).first?.hasPrefix("NAME") == true)
        #expect(Self.drawn(Self.session(nil)).last == "0 devices, by " + keys)
    }

    @Test("A device that does not pass the filter is not in the table")
    @MainActor
    func filter() {
        let session = Self.session(.name, name: "an")
        session.show(Self.discovery(1, "Anna"))
        session.show(Self.discovery(2, "Bert"))
        let lines = Self.drawn(session)
        #expect(lines.last?.hasPrefix("1 device, ") == true)
        #expect(!lines.contains { $0.contains("Bert") })
    }

    @Test("Keys change the order; others do not")
    @MainActor
    func keys() {
        let session = Self.session(.rssi)
        session.show(Self.discovery(1, "b"))
        session.show(Self.discovery(2, "a"))
        func names() -> [String] { Self.drawn(session)[1...2].map { String($0.prefix(1)) } }
        let cases: [(key: Key, isTaken: Bool, order: String, names: [String]?)] = [
            (.character("n"), true, "name", ["a", "b"]), (.character("x"), false, "name", ["a", "b"]),
            (.character("t"), true, "time", ["a", "b"]), (.character("N"), false, "time", ["a", "b"]),
            (.character("r"), true, "rssi", nil), (.control("n"), false, "rssi", nil),
            (.character("n"), true, "name", ["a", "b"]),
        ]
        for (number, entry) in cases.enumerated() {
            let isTaken = session.sorts(by: entry.key)
            #expect(isTaken == entry.isTaken, "\(number)")
            #expect(Self.drawn(session).last?.contains("by \(entry.order);") == true, "\(number)")
            if let expected = entry.names { #expect(names() == expected, "\(number)") }
        }
        session.show(Self.discovery(3, "c"))
        _ = session.sorts(by: .character("t"))
        #expect(Self.drawn(session)[1...3].map { String($0.prefix(1)) } == ["c", "a", "b"])
        _ = session.sorts(by: .character("n"))
        #expect(Self.drawn(session)[1...3].map { String($0.prefix(1)) } == ["a", "b", "c"])
    }

    @Test("Rows that do not fit are counted above the last row", arguments: [3, 4, 5, 6])
    @MainActor
    func rows(rows: Int) {
        let session = Self.session(.name)
        for number in 1...4 as ClosedRange<UInt8> { session.show(Self.discovery(number, "n\(number)")) }
        let lines = Self.drawn(session, rows: rows)
        #expect(lines.count == rows)
        #expect(lines.last?.hasPrefix("4 devices, by name") == true)
        let room = rows - 2
        let shown = lines.dropFirst().dropLast().map { String($0.prefix(2)) }
        let fitting = (1...4).prefix(room >= 4 ? 4 : room - 1).map { "n\($0)" }
        #expect(shown == (room >= 4 ? fitting : fitting + ["an"]))
        if room < 4 { #expect(lines[rows - 2] == "and \(4 - fitting.count) more") }
    }
}
