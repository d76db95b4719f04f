// A test in process time, which runs once more in a process of its own.

public import BluetoothAir
public import CoreBluetoothTesting

/// Runs a test in a world that has the time of the process, alone in a process of its own.
///
/// ```swift
/// @Test func looksOnceInAMinute() throws {
///     try withProcessTime(seed: 7) { world in
///         …
///     }
/// }
/// ```
///
/// Call it in the test itself: the process is the tests' program again, with a filter for the calling function. What
/// fails there fails the test here: each failure with its line, the last lines of the trace, which threads are awake
/// and where, and the paths of captures are in the error.
///
/// A test with arguments runs all of them in one process.
///
/// - Parameters:
///   - seed: Equal seeds give equal runs.
///   - settings: How the air treats time and loss.
///   - function: The test; leave it out.
///   - fileID: Where it is; leave it out.
///   - line: Where it is; leave it out.
///   - body: The test.
/// - Throws: `WorldError` where `body` throws, or `TestProcessError` with what the other process has written.
public func withProcessTime(
    seed: UInt64 = 1,
    settings: AirSettings = .realistic,
    function: String = #function,
    fileID: String = #fileID,
    line: Int = #line,
    _ body: (World) throws -> Void
) throws {
    switch try place(function, fileID, line) {
    case .here:
        try withWorld(function, seed: seed, settings: settings, time: .process) { world in
            defer { TestProcess.keep(world) }
            try body(world)
        }
    case .elsewhere(let runner): try runner.run()
    case .nowhere: break
    }
}

/// Runs a test that awaits in a world that has the time of the process, alone in a process of its own.
///
/// The same as the one for tests that do not await. The main actor is free while the other process runs.
@MainActor
public func withProcessTime(
    seed: UInt64 = 1,
    settings: AirSettings = .realistic,
    function: String = #function,
    fileID: String = #fileID,
    line: Int = #line,
    _ body: @MainActor (World) async throws -> Void
) async throws {
    switch try place(function, fileID, line) {
    case .here:
        try await withWorld(function, seed: seed, settings: settings, time: .process) { world in
            defer { TestProcess.keep(world) }
            try await body(world)
        }
    case .elsewhere(let runner): try await runner.runOnThread()
    case .nowhere: break
    }
}

private func place(_ function: String, _ fileID: String, _ line: Int) throws -> TestProcess {
    // A process that has nothing else to do needs no other one.
    if !TestProcess.isAlone, HeldClock.mayRunAlone { return .here }
    return try TestProcess(function: function, fileID: fileID, line: line)
}
