// A screen whose terminal takes nothing for a while, in virtual time: a picture that was due then comes when it takes it,
// without being asked for again. The test is a process of its own.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("A screen whose terminal takes something again", .onRecord)
struct LaterPictureTests {
    /// A pseudo-terminal with a screen, which prints when it is asked to draw.
    @MainActor
    private final class Terminal {
        /// Holds the clocks of the process from its first use on.
        private(set) lazy var run = SessionRun()
        private let pair: PseudoTerminalPair
        let slave: CInt
        let screen: Screen

        init() throws {
            pair = try PseudoTerminalPair()
            slave = open(pair.path, O_RDWR | O_NOCTTY)
            var size = winsize(ws_row: 4, ws_col: 20, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
            screen = try #require(Screen(input: slave, output: slave, hasColors: false))
        }

        func printDrawing() {
            let world = run.world
            screen.onDraw = { canvas in
                Console.print("draws at \(Self.milliseconds(world.now))")
                canvas.write("text", row: 0, column: 0)
            }
        }

        static func milliseconds(_ time: Duration) -> Int64 {
            time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
        }

        /// Does something at a time of the world, in milliseconds.
        func at(_ milliseconds: Int, _ body: @escaping @MainActor () -> Void) {
            run.world.after(.milliseconds(milliseconds)) {
                DispatchQueue.main.async { MainActor.assumeIsolated(body) }
            }
        }
    }

    @Test("It is tried again every 33 ms, until the terminal takes the picture")
    func later() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                let terminal = try Terminal()
                terminal.printDrawing()
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
