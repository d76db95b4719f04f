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
    @Test("permit bold headings if the terminal can move its cursor and NO_COLOR is not set")
    func headings() async throws {
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
                Console.report("\(terminal.text().contains("\u{1B}[1mThe run\u{1B}[0m"))")
            }
            exit(0)
        }
        #expect(result.errorLines == ["false", "true", "false", "true", "false", "false"])
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
