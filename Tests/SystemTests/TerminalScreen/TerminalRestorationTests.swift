// What a program on the whole screen does with its standard error: nothing stands in the middle of the screen, and
// nothing is lost. Each test is a process of its own, with a pseudo-terminal for its standard error.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("A terminal that is given back")
struct TerminalRestorationTests {
    @Test("Lines on standard error stay off the screen, the last one is known, and all of them stand below it")
    func lines() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let terminal = try StandardErrorTerminal()
            terminal.print()
            terminal.arm(hasScreen: true)
            terminal.print()
            terminal.write("one\ntwo\n")
            terminal.print()
            terminal.write("three")
            terminal.print()
            TerminalRestoration.restore()
            terminal.print()
            // It is given back once, and lines go where they went before.
            TerminalRestoration.restore()
            terminal.write("four\n")
            terminal.print()
        }
        #expect(
            try #require(result).lines == [
                #"- """#, #"- """#, #"two """#, #"three """#, #"- "<left>one\r\ntwo\r\nthree""#, #"- "four\r\n""#,
            ]
        )
    }

    @Test("Below a line alone standard error is left as it is")
    func withoutScreen() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let terminal = try StandardErrorTerminal()
            terminal.arm(hasScreen: false)
            terminal.write("one\n")
            terminal.print()
            TerminalRestoration.restore()
            terminal.print()
        }
        #expect(try #require(result).lines == [#"- "one\r\n""#, #"- "<left>""#])
    }

    @Test("More than a mebibyte of lines is not kept, and those that come later are", arguments: [0, 1])
    func manyLines(more: Int) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor [more] in
            let terminal = try StandardErrorTerminal()
            terminal.arm(hasScreen: true)
            terminal.write(String(repeating: "x", count: (1 << 20) - 4 + more) + "\nend")
            terminal.print()
            terminal.write("\nlast\n")
            terminal.print()
            TerminalRestoration.restore()
            terminal.print()
        }
        let shown = [
            [#"end """#, #"- """#, #"- "<left>""#], [#"- """#, #"last """#, #"- "<left>\r\nlast\r\n""#],
        ]
        #expect(try #require(result).lines == shown[more])
    }
}
