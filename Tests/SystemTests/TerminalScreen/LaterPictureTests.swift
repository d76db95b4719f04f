// A screen whose terminal takes nothing for a while, in virtual time: a picture that was due then comes when it takes it,
// without being asked for again. The test is a process of its own.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("A screen whose terminal takes something again")
struct LaterPictureTests {
    @Test("It is tried again every 33 ms, until the terminal takes the picture")
    func later() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                let terminal = try TerminalWithScreen()
                terminal.printDrawing(showsSize: false)
                terminal.screen.open()
                terminal.at(50) {
                    // As with Ctrl-S, and then with Ctrl-Q.
                    tcflow(terminal.slave, TCOOFF)
                    terminal.screen.setNeedsDraw()
                }
                terminal.at(150) { _ = tcflow(terminal.slave, TCOON) }
                terminal.at(900) { terminal.screen.close() }
                return terminal.run
            }
            run.passMinute()
        }
        // At 50, 83, 116 and 149 ms the terminal takes nothing.
        #expect(try #require(result).lines == ["draws at 0", "draws at 182"])
    }
}
