// The descriptors of a program on the whole screen: as many are open behind a screen as before it. Each test is a
// process of its own, with a pseudo-terminal for its standard error.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("Descriptors behind a screen")
struct DescriptorsTests {
    @Test("A terminal that is given back leaves no descriptor open, also without a screen", arguments: [true, false])
    func restored(hasScreen: Bool) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            @MainActor [hasScreen] in
            endProcess(after: 60)
            let terminal = try StandardErrorTerminal()
            // What is opened once for the whole process is so by now.
            terminal.arm(hasScreen: hasScreen)
            TerminalRestoration.restore()
            let before = openDescriptorCount()
            terminal.arm(hasScreen: hasScreen)
            let meanwhile = openDescriptorCount()
            TerminalRestoration.restore()
            for _ in 1...20 {
                terminal.arm(hasScreen: hasScreen)
                TerminalRestoration.restore()
            }
            print(meanwhile - before, openDescriptorCount() - before)
            exit(0)
        }
        // The file of the lines, and standard error as it was.
        #expect(try #require(result).lines == [hasScreen ? "2 0" : "0 0"])
    }

    @Test("A screen that takes the terminal again gives it back before, and leaves nothing open of the first time")
    func takenAgain() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            endProcess(after: 60)
            let terminal = try StandardErrorTerminal()
            terminal.arm(leaving: "")
            let once = openDescriptorCount()
            for _ in 1...20 { terminal.arm(leaving: "") }
            print(openDescriptorCount() - once)
            TerminalRestoration.restore()
            exit(0)
        }
        #expect(try #require(result).lines == ["0"])
    }
}
