// What moves on the whole screen by itself: while a ball works on a question its mark turns with each tick, without
// anything having happened. The test is a process of its own, at a pseudo-terminal in virtual time.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen
@testable import eightball

@Suite("What moves on the whole screen of eightball", .onRecord)
struct AnimatedScreenTests {
    /// A ball that is answered by hand, and the app as a central that asks it after 14 s; the sign at the end of the
    /// ball's row is printed at times, in milliseconds.
    @MainActor
    private static func app(shows: [Int]) throws -> SessionRun {
        var run = SessionRun()
        let world = run.world
        run.start(on: world.addDevice("ball")) {
            let part = PeripheralPart(texts: .english, name: "Crystal", onChange: {})
            part.setAnsweredByHand(true)
            return part
        }
        let pair = try PseudoTerminalPair()
        let slave = open(pair.path, O_RDWR | O_NOCTTY)
        var size = winsize(ws_row: 12, ws_col: 60, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
        let terminal = VirtualTerminal(rows: 12, columns: 60) { ColumnWidth.columns(of: $0) }
        let device = world.addDevice("phone")
        let screen = try #require(Screen(input: slave, output: slave, hasColors: false))
        run.start(on: device) {
            let session = FullScreenSession(screen: screen, agent: ScreenPairingAgent(), texts: .english)
            session.start()
            return session
        }
        for (milliseconds, text) in [(1000, "\r"), (14_000, "Rain?\r")] {
            Self.at(milliseconds, world) {
                var parser = KeyParser()
                for key in parser.receive(text.utf8) { device.run { screen.onKey?(key) } }
            }
        }
        for milliseconds in shows {
            Self.at(milliseconds, world) {
                terminal.receive(pair.text())
                let row = terminal.text.first { $0.hasPrefix("▸ Crystal") } ?? ""
                Console.print(String(row.suffix(1)))
            }
        }
        return run
    }

    /// Does something on the main thread at a time of the world.
    private static func at(_ milliseconds: Int, _ world: World, _ body: @escaping @MainActor () -> Void) {
        world.after(.milliseconds(milliseconds)) { DispatchQueue.main.async { MainActor.assumeIsolated(body) } }
    }

    @Test("The mark of a ball that works on a question has four signs, one behind the other, ten in a second")
    func turns() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(99),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            // Between two ticks, each time.
            let shows = (0..<9).map { 20_060 + 100 * $0 }
            try await AnimatedScreenTests.app(shows: shows).passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        let signs = process.lines
        let circle = ["|", "/", "-", "\\"]
        let index = circle.firstIndex { $0 == signs.first }
        let first = try #require(index, "\(signs)")
        #expect(signs == (0..<9).map { circle[(first + $0) % 4] })
    }
}
