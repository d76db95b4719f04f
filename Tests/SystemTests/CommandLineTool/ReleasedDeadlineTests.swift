// What a limit of time holds, in virtual time: until it is over or called off, and not longer.

import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("What a limit of time holds")
struct ReleasedDeadlineTests {
    /// Tells when nobody holds it any more.
    private final class Held: Sendable {
        deinit { Console.print("released") }
    }

    @Test("What is done at the limit is released when it was done, or when the limit is called off")
    func released() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = await MainActor.run { () -> SessionRun in
                let run = SessionRun()
                // Time is the world's from its first use on.
                _ = run.world.now
                func at(_ milliseconds: Int, _ body: @escaping @MainActor () -> Void) {
                    run.world.after(.milliseconds(milliseconds)) {
                        DispatchQueue.main.async { MainActor.assumeIsolated(body) }
                    }
                }
                at(1_000) {
                    let held = Held()
                    _ = Deadline(after: 2) { withExtendedLifetime(held) { Console.print("over") } }
                }
                at(10_000) {
                    let held = Held()
                    let deadline = Deadline(after: 60) { withExtendedLifetime(held) { Console.print("never") } }
                    deadline.cancel()
                }
                for time in [2_000, 4_000, 9_000, 11_000] { at(time) { Console.print("\(time)") } }
                return run
            }
            run.passMinute()
        }
        #expect(try #require(result).lines == ["2000", "over", "released", "4000", "9000", "released", "11000"])
    }
}
