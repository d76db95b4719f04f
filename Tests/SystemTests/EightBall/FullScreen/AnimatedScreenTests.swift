// What moves on the whole screen by itself: while a ball works on a question its mark turns with each tick, without
// anything having happened. The test is a process of its own, at a pseudo-terminal in virtual time.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import eightball

@Suite("What moves on the whole screen of eightball")
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
        let terminal = try AppTerminal()
        let device = world.addDevice("phone")
        run.start(on: device) {
            let session = FullScreenSession(screen: terminal.screen, agent: ScreenPairingAgent(), texts: .english)
            session.start()
            return session
        }
        for (milliseconds, text) in [(1000, "\r"), (14_000, "Rain?\r")] {
            world.onMain(after: .milliseconds(milliseconds)) { terminal.type(text, on: device) }
        }
        for milliseconds in shows {
            world.onMain(after: .milliseconds(milliseconds)) {
                let row = terminal.rows().first { $0.hasPrefix("▸ Crystal") } ?? ""
                Console.print(String(row.suffix(1)))
            }
        }
        return run
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
