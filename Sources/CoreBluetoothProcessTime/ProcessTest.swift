// A test in process time, which runs again in a process of its own.

public import BluetoothAir
public import CoreBluetoothTesting

/// Runs a test in a world in process time, alone in a process of its own.
///
/// ```swift
/// @Test func looksOnceInAMinute() throws {
///     try withProcessTime(seed: 7) { world in
///         …
///     }
/// }
/// ```
///
/// Call it in the test itself: the other process runs the test program with a filter for the calling function. Its
/// failures fail this test: the error has each failure with its line, the last lines of the trace, the threads that are
/// awake, and the paths of captures.
///
/// A test with arguments runs with all of them in one process.
///
/// - Parameters:
///   - seed: Equal seeds give equal runs.
///   - settings: How the air treats time and loss.
///   - function: The test; use the default.
///   - fileID: Its file; use the default.
///   - line: Its line; use the default.
///   - body: The test.
/// - Throws: `WorldError` if `body` throws, or `TestProcessError` with the output of the other process.
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

/// Runs an `async` test in a world in process time, alone in a process of its own.
///
/// Like the function for synchronous tests. The main actor is free while the other process runs.
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
    // No other process is needed if this one runs nothing else.
    if !TestProcess.isAlone, HeldClock.mayRunAlone { return .here }
    return try TestProcess(function: function, fileID: fileID, line: line)
}
