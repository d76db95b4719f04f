// How a test waits for event loops and for conditions: never by sleeping, and never for ever.

package import NIOCore

extension EventLoop {
    /// Runs `body` on the loop and waits for what it returns.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await self.submit(body).get()
    }

    /// Runs `body` on the loop and waits for the future, whose value stays there.
    package func started<Value>(
        _ body: @escaping @Sendable () -> EventLoopFuture<Value>
    ) async throws -> NIOLoopBound<Value> {
        try await self.flatSubmit {
            body().assumeIsolated().map { NIOLoopBound($0, eventLoop: self) }.nonisolated()
        }.get()
    }
}

/// A condition that was not met before the deadline.
package struct ConditionNotMet: Error, CustomStringConvertible {
    package let description: String
}

/// Waits until the condition is met; throws after two minutes, which the busiest of machines does not need.
package func eventually(
    fileID: String = #fileID,
    line: Int = #line,
    _ isMet: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while try await !isMet() {
        guard ContinuousClock.now < deadline else {
            throw ConditionNotMet(description: "the condition at \(fileID):\(line) was not met within two minutes")
        }
        await Task.yield()
    }
}
