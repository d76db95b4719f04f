// A pseudo-terminal as the standard error of a program on the whole screen: what is written there, what the terminal
// gets, and how many descriptors are open. It takes that of the whole process: for tests that are processes of their own.

import Fixtures
import Foundation
import Testing

@testable import TerminalScreen

/// A pseudo-terminal in the place of standard error.
@MainActor
final class StandardErrorTerminal {
    private let pair: PseudoTerminalPair
    let slave: CInt
    private var settings = termios()

    init() throws {
        pair = try PseudoTerminalPair()
        slave = open(pair.path, O_RDWR | O_NOCTTY)
        dup2(slave, STDERR_FILENO)
        tcgetattr(slave, &settings)
    }

    /// Has it given back at the end.
    func arm(leaving text: String = "<left>", hasScreen: Bool = true) {
        TerminalRestoration.arm(slave, settings, leaving: text, hasScreen: hasScreen)
    }

    /// What was written to it since the last call.
    func text() -> String { pair.text() }

    /// Writes to standard error.
    func write(_ text: String) { _ = text.withCString { Foundation.write(STDERR_FILENO, $0, strlen($0)) } }

    /// Prints the last line, and what the terminal has got.
    func print() {
        Swift.print("\(TerminalRestoration.lastLine ?? "-") \(text().debugDescription)")
    }
}

/// How many descriptors are open; the one with which that is found out is among them.
func openDescriptorCount() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
}
