// Code that awaits: a task runs, and virtual time passes for it.

import NIOConcurrencyHelpers

extension World {
    /// Lets time pass until an operation that awaits has ended, and gives its result.
    ///
    /// For code that wraps Core Bluetooth in `async` functions. The operation is isolated to the actor of the test, if
    /// that has one.
    ///
    /// ```swift
    /// @Test @MainActor func reads() async throws {
    ///     let world = World(seed: 1)
    ///     world.addPeripheral(thermometer())
    ///     let reader = world.addDevice("phone").run { AsyncReader() }
    ///     let temperature = try await world.wait { try await reader.readTemperature() }
    /// }
    /// ```
    ///
    /// Between two milliseconds of virtual time the operation runs as far as it can. It may use the devices of the
    /// world: it and the world take turns.
    ///
    /// - Throws: What the operation throws, or ``WorldError`` where it has not ended within `limit`; it is cancelled
    ///   then.
    public func wait<Result>(
        within limit: Duration = World.defaultLimit,
        isolation: isolated (any Actor)? = #isolation,
        file: StaticString = #fileID,
        line: UInt = #line,
        for operation: @escaping () async throws -> Result
    ) async throws -> Result {
        let outcome = Outcome<Result>()
        // The operation runs while the world waits for it, and never beside it.
        nonisolated(unsafe) let operation = operation
        let task = Task {
            do {
                outcome.set(.success(try await operation()))
            } catch {
                outcome.set(.failure(error))
            }
        }
        let end = self.now + limit
        while true {
            // What a callback resumes may resume something else, and so on.
            for _ in 0..<8 where !outcome.isSet { await Task.yield() }
            if let result = outcome.get() { return try result.get() }
            guard self.now < end else {
                task.cancel()
                throw self.notInTime("the operation has not ended", limit, file, line)
            }
            self.advance(by: .milliseconds(1))
        }
    }
}

extension World {
    /// Lets time pass until a condition is true, for tests that are `async`.
    ///
    /// ```swift
    /// try await world.wait(until: reader.temperature == 21)
    /// ```
    ///
    /// As `run(until:within:)`; between two milliseconds of virtual time other tasks run on the present actor.
    ///
    /// - Throws: ``WorldError`` where it does not become true within `limit`.
    public func wait(
        until condition: @autoclosure () throws -> Bool,
        within limit: Duration = World.defaultLimit,
        isolation: isolated (any Actor)? = #isolation,
        file: StaticString = #fileID,
        line: UInt = #line
    ) async throws {
        let end = self.now + limit
        self.advance(by: .zero)
        while try !condition() {
            try self.throwMistake()
            guard self.now < end else {
                throw self.notInTime("the condition did not become true", limit, file, line)
            }
            self.advance(by: .milliseconds(1))
            await Task.yield()
        }
        try self.throwMistake()
    }
}

/// What an operation has come to; `nil` while it goes on.
private final class Outcome<Value>: @unchecked Sendable {
    // Unchecked: the lock protects the result, and the value goes from the operation to the one who waits.
    private let lock = NIOLock()
    private var result: Swift.Result<Value, any Error>?

    var isSet: Bool { self.lock.withLock { self.result != nil } }

    func get() -> Swift.Result<Value, any Error>? { self.lock.withLock { self.result } }

    func set(_ result: Swift.Result<Value, any Error>) { self.lock.withLock { self.result = result } }
}
