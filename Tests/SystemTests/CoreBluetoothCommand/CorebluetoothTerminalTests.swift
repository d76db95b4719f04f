// What the surroundings of a process decide: the terminal on standard output, and the environment.

import BluetoothTransport
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand
@testable import Lessons

@Suite("The surroundings of corebluetooth")
struct CorebluetoothTerminalTests {
    @Test("give the size of the terminal, or 80 columns and 24 rows if it does not say both, or there is none")
    func size() async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
            func report() {
                let size = Terminal.size
                Console.report("\(size.columns) \(size.rows) \(Terminal.width ?? -1)")
            }
            let terminal = try TestTerminal(at: [STDOUT_FILENO])
            for (rows, columns) in [(30, 100), (1, 1), (0, 0), (30, 0), (0, 100)] {
                terminal.resize(rows: rows, columns: columns)
                report()
            }
            guard dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO) >= 0 else { exit(2) }
            report()
            Console.report("\(Terminal.hasCursor) \(Terminal.hasColors)")
            exit(0)
        }
        let sizes = ["100 30 100", "1 1 1", "80 24 80", "80 24 80", "80 24 80", "80 24 -1"]
        #expect(result.errorLines == sizes + ["false false"])
    }

    @Test(
        "permit a cursor unless the terminal is dumb, colours unless NO_COLOR is set, and bold headings unless either"
    )
    func abilities() async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
            let terminal = try TestTerminal(at: [STDOUT_FILENO])
            let cases: [(String?, String?)] = [
                (nil, nil), ("xterm", nil), ("dumb", nil), ("xterm", ""), ("xterm", "1"), ("dumb", "0"),
            ]
            for (kind, noColor) in cases {
                for (name, value) in [("TERM", kind), ("NO_COLOR", noColor)] {
                    if let value { setenv(name, value, 1) } else { unsetenv(name) }
                }
                LessonOutput(isJSON: false).beginTrace()
                let isBold = terminal.text().contains("\u{1B}[1mThe run\u{1B}[0m")
                Console.report("\(Terminal.hasCursor) \(Terminal.hasColors) \(isBold)")
            }
            exit(0)
        }
        #expect(
            result.errorLines == [
                "true true true", "true true true", "false true false", "true true true", "true false false",
                "false false false",
            ]
        )
    }

    @Test("name the adapter if no option does")
    func adapter() async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            for variable in [nil, "", "air", "hci3", "air:/run/a", "usb0"] as [String?] {
                if let variable {
                    setenv("COREBLUETOOTH_ADAPTER", variable, 1)
                } else {
                    unsetenv("COREBLUETOOTH_ADAPTER")
                }
                let names = [nil, "hci1"].map { given in
                    (try? Arguments.adapter(given)).map { "\($0)" } ?? "none"
                }
                Console.print(names.joined(separator: " "))
            }
            exit(0)
        }
        let names = ["air", "air", "air", "hci3", "air:/run/a", "none"]
        #expect(result.lines == names.map { $0 + " hci1" })
    }
}
