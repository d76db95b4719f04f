// The descriptors of a program on the whole screen: as many are open behind a screen as before it. Each test is a
// process of its own, with a pseudo-terminal for its standard error.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("Descriptors behind a screen")
struct DescriptorsTests {
    /// How many descriptors are open; the one with which that is found out is among them.
    private static func count() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
    }

    @Test("A terminal that is given back leaves no descriptor open, also without a screen", arguments: [true, false])
    func restored(hasScreen: Bool) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            @MainActor [hasScreen] in
            endProcess(after: 60)
            let pair = try PseudoTerminalPair()
            let slave = open(pair.path, O_RDWR | O_NOCTTY)
            var settings = termios()
            tcgetattr(slave, &settings)
            dup2(slave, STDERR_FILENO)
            // What is opened once for the whole process is so by now.
            TerminalRestoration.arm(slave, settings, leaving: "<left>", hasScreen: hasScreen)
            TerminalRestoration.restore()
            let before = DescriptorsTests.count()
            TerminalRestoration.arm(slave, settings, leaving: "<left>", hasScreen: hasScreen)
            let meanwhile = DescriptorsTests.count()
            TerminalRestoration.restore()
            for _ in 1...20 {
                TerminalRestoration.arm(slave, settings, leaving: "<left>", hasScreen: hasScreen)
                TerminalRestoration.restore()
            }
            print(meanwhile - before, DescriptorsTests.count() - before)
            exit(0)
        }
        // The file of the lines, and standard error as it was.
        #expect(try #require(result).lines == [hasScreen ? "2 0" : "0 0"])
    }

    @Test("A screen that takes the terminal again gives it back before, and leaves nothing open of the first time")
    func takenAgain() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            endProcess(after: 60)
            let pair = try PseudoTerminalPair()
            let slave = open(pair.path, O_RDWR | O_NOCTTY)
            var settings = termios()
            tcgetattr(slave, &settings)
            dup2(slave, STDERR_FILENO)
            TerminalRestoration.arm(slave, settings, leaving: "", hasScreen: true)
            let once = DescriptorsTests.count()
            for _ in 1...20 { TerminalRestoration.arm(slave, settings, leaving: "", hasScreen: true) }
            print(DescriptorsTests.count() - once)
            TerminalRestoration.restore()
            exit(0)
        }
        #expect(try #require(result).lines == ["0"])
    }
}
