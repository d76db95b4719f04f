// A full-screen program's terminal, a pseudo-terminal in virtual time: when it is drawn, and what it gets and gives back.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("A screen of one's own")
struct ScreenTests {
    @Test("It is drawn when it is opened, and 33 ms after the last time at the earliest, once for all that has changed")
    func frames() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                let terminal = try TerminalWithScreen()
                terminal.printDrawing()
                terminal.at(49) { terminal.screen.setNeedsDraw() }
                terminal.at(50) { terminal.screen.open() }
                // Opened twice is opened once.
                terminal.at(51) { terminal.screen.open() }
                for milliseconds in [60, 70, 100, 110, 200, 233, 300] {
                    terminal.at(milliseconds) { terminal.screen.setNeedsDraw() }
                }
                terminal.at(400) { terminal.screen.close() }
                terminal.at(401) { terminal.screen.setNeedsDraw() }
                return terminal.run
            }
            run.passMinute()
        }
        let lines = try #require(result).lines
        #expect(lines == [50, 83, 116, 200, 233, 300].map { "draws 4 by 20 at \($0)" })
    }

    @Test("What is known to stand on it is not written again, until that is forgotten")
    func drawing() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                let terminal = try TerminalWithScreen()
                terminal.printDrawing()
                terminal.screen.open()
                terminal.at(100) {
                    Console.print(terminal.written().debugDescription)
                    terminal.screen.setNeedsDraw()
                }
                terminal.at(200) {
                    Console.print(terminal.written().debugDescription)
                    terminal.screen.redraw()
                }
                terminal.at(300) {
                    Console.print(terminal.written().debugDescription)
                    terminal.screen.close()
                    Console.print(terminal.written().debugDescription)
                    terminal.screen.close()
                }
                terminal.at(400) { Console.print(terminal.written().debugDescription) }
                return terminal.run
            }
            run.passMinute()
        }
        let lines = try #require(result).lines
        let text = #"\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1;1H\u{1B}[0mtext\u{1B}[0m"#
        #expect(
            lines == [
                "draws 4 by 20 at 0", #""\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[?25l\#(text)""#,
                "draws 4 by 20 at 100", #""\u{1B}[?25l""#, "draws 4 by 20 at 200", "\"\(text)\"",
                #""\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l""#, #""""#,
            ]
        )
    }

    @Test("It gets keys one by one, also a lone Escape, and gives the terminal back as it was")
    func keys() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            @MainActor in
            let terminal = try TerminalWithScreen()
            var keys: [Key] = []
            terminal.screen.onKey = { keys.append($0) }
            Console.print("raw \(terminal.isRaw)")
            terminal.screen.open()
            Console.print("raw \(terminal.isRaw)")
            for text in ["ab\u{1B}[A", "\u{1B}", "\u{1B}", "\u{1B}[", "B", "\u{3}"] {
                let count = keys.count
                terminal.type(text)
                // What is no key yet has been read when the next octets come, or with them.
                let deadline = ContinuousClock.now + .seconds(60)
                while text != "\u{1B}[", keys.count == count, ContinuousClock.now < deadline { await Task.yield() }
            }
            terminal.screen.close()
            Console.print("raw \(terminal.isRaw) \(keys)")
            terminal.type("c")
            exit(99)
        }
        let keys = [Key.character("a"), .character("b"), .up, .escape, .escape, .down, .control("c")]
        #expect(try #require(result).lines == ["raw false", "raw true", "raw false \(keys)"])
    }

    @Test("A terminal that takes nothing is not written to")
    func full() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                let terminal = try TerminalWithScreen()
                terminal.printDrawing()
                terminal.screen.open()
                terminal.at(50) {
                    // As with Ctrl-S.
                    tcflow(terminal.slave, TCOOFF)
                    terminal.screen.setNeedsDraw()
                }
                terminal.at(950) {
                    Console.print("later")
                    // It is given back as the process ends.
                    tcflow(terminal.slave, TCOON)
                }
                return terminal.run
            }
            run.passMinute()
        }
        let lines = try #require(result).lines
        #expect(lines == ["draws 4 by 20 at 0", "later"])
    }

    @Test("A terminal that does not say its size has 24 rows of 80 columns", arguments: [(0, 80), (24, 0), (24, 80)])
    func size(rows: Int, columns: Int) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [rows, columns] in
            try await MainActor.run {
                let terminal = try TerminalWithScreen(rows: UInt16(rows), columns: UInt16(columns))
                Console.print("\(terminal.screen.size)")
                exit(0)
            }
        }
        #expect(try #require(result).lines == ["ScreenSize(rows: 24, columns: 80)"])
    }

    @Test("What is no terminal, or a dumb one, has no screen", arguments: [nil, "", "dumb"])
    func dumb(kind: String?) async throws {
        await #expect(processExitsWith: .success) { [kind] in
            try await MainActor.run {
                let terminal = try TerminalWithScreen()
                dup2(terminal.slave, STDIN_FILENO)
                dup2(terminal.slave, STDOUT_FILENO)
                #expect(Screen(environment: kind.map { ["TERM": $0] } ?? [:]) == nil)
                #expect(Screen(environment: ["TERM": "xterm"]) != nil)
                let file = open("/dev/null", O_RDWR)
                #expect(Screen(input: file, output: terminal.slave, hasColors: true) == nil)
                #expect(Screen(input: terminal.slave, output: file, hasColors: true) == nil)
                exit(0)
            }
        }
    }
}
