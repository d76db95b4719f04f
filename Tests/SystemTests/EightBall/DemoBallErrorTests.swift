// An error of the ball in `eightball demo`: it ends the demonstration as one of the central does. The test is a process
// of its own, in virtual time.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import eightball

@Suite("An error of the ball in eightball demo")
struct DemoBallErrorTests {
    /// A demonstration whose central is too far away to find the ball.
    @MainActor
    private static func demo() -> SessionRun {
        var run = SessionRun()
        run.startDemo { world in world["central"]?.distance = 1000 }
        run.mark("- 4.9", at: 4.9)
        run.mark("- 5.1", at: 5.1)
        return run
    }

    @Test("A ball whose adapter is lost ends it at once, with 1 and the reason")
    func lostAdapter() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = await DemoBallErrorTests.demo()
            let ball = run.world["ball"]
            run.world.after(.seconds(5)) { ball?.isPowered = false }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.lines.contains("- 4.9") && !process.lines.contains("- 5.1"))
        #expect(process.errorLines.count == 1, "\(process.errorLines)")
        #expect(process.errorLines.first?.hasSuffix("Bluetooth is not available") == true)
    }
}
