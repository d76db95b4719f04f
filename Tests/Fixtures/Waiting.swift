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

/// Looks again and again until the condition is met or a minute is over: all tests of a busy machine run beside one
/// another.
package func eventually(_ isMet: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try await !isMet(), ContinuousClock.now < deadline { await Task.yield() }
}
