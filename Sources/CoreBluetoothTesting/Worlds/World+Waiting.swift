// Waiting in tests with `async` code, while virtual time passes.

import NIOConcurrencyHelpers

extension World {
    /// Lets time pass until an `async` operation has ended, and returns its result.
    ///
    /// For code that wraps Core Bluetooth in `async` functions. The operation is isolated to the test's actor, if there
    /// is one.
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
    /// The operation runs as far as it can before each millisecond of virtual time. It may use the world's devices: the
    /// operation and the world take turns.
    ///
    /// - Throws: What the operation throws, or ``WorldError`` if it has not ended within `limit`; it is then cancelled.
    public func wait<Result>(
        within limit: Duration = World.defaultLimit,
        isolation: isolated (any Actor)? = #isolation,
        file: StaticString = #fileID,
        line: UInt = #line,
        for operation: @escaping () async throws -> Result
    ) async throws -> Result {
        let outcome = Outcome<Result>()
        // The operation and the world take turns and never run concurrently.
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
            // A resumed task may resume others, and so on.
            for _ in 0..<8 where !outcome.isSet { await Task.yield() }
            do {
                try self.throwMistake(at: (file, line))
            } catch {
                task.cancel()
                throw error
            }
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
    /// Lets time pass until a condition is true, in `async` tests.
    ///
    /// ```swift
    /// try await world.wait(until: reader.temperature == 21)
    /// ```
    ///
    /// Like `run(until:within:)`; other tasks of the present actor run before each millisecond of virtual time.
    ///
    /// - Throws: ``WorldError`` if it does not become true within `limit`.
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
            try self.throwMistake(at: (file, line))
            guard self.now < end else {
                throw self.notInTime("the condition did not become true", limit, file, line)
            }
            self.advance(by: .milliseconds(1))
            await Task.yield()
        }
        try self.throwMistake(at: (file, line))
    }
}

/// The result of an operation; `nil` while it runs.
private final class Outcome<Value>: @unchecked Sendable {
    // Unchecked: the lock protects the result, which the operation hands to the waiting world.
    private let lock = NIOLock()
    private var result: Swift.Result<Value, any Error>?

    var isSet: Bool { self.lock.withLock { self.result != nil } }

    func get() -> Swift.Result<Value, any Error>? { self.lock.withLock { self.result } }

    func set(_ result: Swift.Result<Value, any Error>) { self.lock.withLock { self.result = result } }
}
