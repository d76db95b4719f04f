import CommandLineTool
import Dispatch
import Testing

@testable import CoreBluetoothCommand

@Suite("A pending answer")
@MainActor
struct TimedWaitTests {
    @Test("A8: keeps an end that comes before a call waits for it, and counts the first one")
    func earlyEnd() async throws {
        let answer = TimedWait()
        answer.end(.failure(Failure("the adapter was lost")))
        // The first end counts.
        answer.end(.success(()))
        var hasStarted = false
        await #expect(throws: Failure.self) {
            try await answer.wait(nil, late: Failure("")) { hasStarted = true }
        }
        #expect(!hasStarted)
        // The next call waits for an end of its own.
        try await answer.wait(nil, late: Failure("")) {
            hasStarted = true
            answer.end(.success(()))
        }
        #expect(hasStarted)
    }

    @Test("H4: counts a limit from its own call, whichever timer an earlier one has left", arguments: [0.01, 60])
    func limits(earlier: Double) async throws {
        let answer = TimedWait()
        try await answer.wait(earlier, late: Failure("")) { answer.end(.success(())) }
        let end = DispatchTime.now() + 0.03
        await #expect(throws: Failure.self) { try await answer.wait(0.03, late: Failure("")) {} }
        #expect(DispatchTime.now() >= end)
    }
}
