// What a test waits on: a value that other threads change, and a wait for a condition with a deadline.

import Dispatch
import Synchronization
import Testing

/// A value that can be changed on any thread and waited on.
package final class Watched<Value: Sendable>: Sendable {
    private struct PendingWait: Sendable {
        var number: Int
        var isMet: @Sendable (Value) -> Bool
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State: Sendable {
        var value: Value
        var waiters: [PendingWait] = []
        var lastNumber = 0
    }

    private let state: Mutex<State>

    /// Starts with a value.
    package init(_ value: Value) { self.state = Mutex(State(value: value)) }

    /// The value as it is now.
    package var value: Value { self.state.withLock { $0.value } }

    /// Changes the value, and resumes the waits whose condition it meets.
    package func update(_ change: @Sendable (inout Value) -> Void) {
        let met = self.state.withLock { state in
            change(&state.value)
            let met = state.waiters.filter { $0.isMet(state.value) }
            let numbers = Set(met.map(\.number))
            state.waiters.removeAll { numbers.contains($0.number) }
            return met
        }
        for waiter in met { waiter.continuation.resume(returning: true) }
    }

    /// Waits for the condition; if it is not met before the deadline, the test fails and the result is false.
    @discardableResult
    package func wait(
        seconds: Double = 120,
        fileID: String = #fileID,
        filePath: String = #filePath,
        line: Int = #line,
        column: Int = #column,
        until isMet: @escaping @Sendable (Value) -> Bool
    ) async -> Bool {
        let wasMet = await self.isMet(within: seconds, isMet)
        if !wasMet {
            let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
            Issue.record("the condition was not met within \(seconds) s: \(self.value)", sourceLocation: place)
        }
        return wasMet
    }

    private func isMet(within seconds: Double, _ isMet: @escaping @Sendable (Value) -> Bool) async -> Bool {
        await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            let number: Int? = self.state.withLock { state in
                if isMet(state.value) { return nil }
                state.lastNumber += 1
                state.waiters.append(PendingWait(number: state.lastNumber, isMet: isMet, continuation: continuation))
                return state.lastNumber
            }
            guard let number else {
                continuation.resume(returning: true)
                return
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) {
                let late = self.state.withLock { state in
                    let index = state.waiters.firstIndex { $0.number == number }
                    return index.map { state.waiters.remove(at: $0) }
                }
                late?.continuation.resume(returning: false)
            }
        }
    }
}
