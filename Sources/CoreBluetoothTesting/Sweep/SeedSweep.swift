// Tests that run with one seed, or with thousands if the environment says so.

public import BluetoothAir
import Foundation

/// Runs a test with one seed, or with each of many seeds.
///
/// Normally `body` is called once, with `seed`. If the environment has `WORLD_SEEDS`, it is called with each of those
/// seeds, in separate processes, one for each core:
///
/// ```swift
/// @Test func comesBackAfterALostLink() throws {
///     try sweepSeeds { seed in
///         let world = World(seed: seed)
///         …
///     }
/// }
/// ```
///
/// ```
/// WORLD_SEEDS=1-10000 swift test --filter comesBackAfterALostLink
/// ```
///
/// Call it in the test itself: the processes run the test program with a filter for the calling function. A seed fails
/// if its process does, like any test: with an error, an expectation, a trap. It is then run again, alone, to keep its
/// trace, its captures (of worlds that `withWorld` or `withWorlds` creates) and its output. The sweep stops at the
/// first failure, once it is sure that no smaller seed fails; `WORLD_FAILURES=all` collects all of them.
///
/// - Parameters:
///   - seed: The seed without `WORLD_SEEDS`.
///   - function: The test; use the default.
///   - fileID: Its file; use the default.
///   - line: Its line; use the default.
///   - body: The test, called with a seed.
/// - Throws: What `body` throws, if it is called once; ``SweepError`` if a seed of a sweep fails or an environment
///   variable is invalid.
public func sweepSeeds(
    _ seed: UInt64 = 1,
    function: String = #function,
    fileID: String = #fileID,
    line: Int = #line,
    _ body: (UInt64) throws -> Void
) throws {
    let sweep = try SeedSweep(TestSite(function: function, fileID: fileID, line: line), seed: seed)
    switch sweep {
    case .here(let seeds): for seed in seeds { try body(seed) }
    case .elsewhere(let runner): try runner.run()
    case .nowhere: break
    }
}

/// Runs an `async` test with one seed, or with each of many seeds.
///
/// Like the function for synchronous tests. The calling actor, usually the main actor, is free while a sweep runs in
/// other processes.
public func sweepSeeds(
    _ seed: UInt64 = 1,
    function: String = #function,
    fileID: String = #fileID,
    line: Int = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (UInt64) async throws -> Void
) async throws {
    let sweep = try SeedSweep(TestSite(function: function, fileID: fileID, line: line), seed: seed)
    switch sweep {
    case .here(let seeds): for seed in seeds { try await body(seed) }
    case .elsewhere(let runner): try await runner.runOnThread()
    case .nowhere: break
    }
}

/// Runs a test in a world of its own, or in one for each of many seeds; see `sweepSeeds` and `withWorld`.
///
/// ```swift
/// @Test func comesBackAfterALostLink() throws {
///     try withWorlds(seed: 7) { world in
///         …
///     }
/// }
/// ```
///
/// - Parameters:
///   - seed: The seed without `WORLD_SEEDS`.
///   - settings: How the air treats time and loss.
///   - function: The test; use the default.
///   - fileID: Its file; use the default.
///   - line: Its line; use the default.
///   - body: The test.
/// - Throws: ``WorldError`` if `body` throws, ``SweepError`` if a seed of a sweep fails.
public func withWorlds(
    seed: UInt64 = 1,
    settings: AirSettings = .realistic,
    function: String = #function,
    fileID: String = #fileID,
    line: Int = #line,
    _ body: (World) throws -> Void
) throws {
    try sweepSeeds(seed, function: function, fileID: fileID, line: line) { seed in
        try withWorld(function, seed: seed, settings: settings, body)
    }
}

/// Runs an `async` test in a world of its own, or in one for each of many seeds; see `sweepSeeds` and `withWorld`.
@MainActor
public func withWorlds(
    seed: UInt64 = 1,
    settings: AirSettings = .realistic,
    function: String = #function,
    fileID: String = #fileID,
    line: Int = #line,
    _ body: @MainActor (World) async throws -> Void
) async throws {
    try await sweepSeeds(seed, function: function, fileID: fileID, line: line) { seed in
        try await withWorld(function, seed: seed, settings: settings, body)
    }
}

/// Where a call runs its seeds.
private enum SeedSweep {
    /// In this process, one after the other.
    case here([UInt64])
    /// In other processes.
    case elsewhere(SweepRunner)
    /// Not at all: this process is for another call.
    case nowhere

    init(_ site: TestSite, seed: UInt64) throws {
        let environment = ProcessInfo.processInfo.environment
        if let part = SweepPart(environment) {
            guard part.site == site.description else {
                self = .nowhere
                return
            }
            SweepParent.follow()
            _ = FileManager.default.createFile(atPath: part.mark, contents: nil)
            self = .here(part.seeds.ranges.flatMap(Array.init))
            return
        }
        let processors = ProcessInfo.processInfo.activeProcessorCount
        let settings = try SweepSettings(environment, processors: processors)
        guard let seeds = settings.seeds else {
            self = .here([seed])
            return
        }
        guard settings.shard.count(of: seeds.count) > 0 else {
            self = .nowhere
            return
        }
        guard let command = site.command(of: .processInfo) else {
            throw SweepError(
                "The seeds \(seeds) of \(site.description) need a test run, by `swift test`, that can be started again"
            )
        }
        let folder = URL(fileURLWithPath: World.captureFolder, isDirectory: true)
        self = .elsewhere(SweepRunner(site, seeds, settings, command: command, folder: folder))
    }
}

extension SweepRunner {
    /// Runs on a separate thread, which keeps the actor and the cooperative pool free.
    fileprivate func runOnThread() async throws {
        // Only that thread uses the runner until it has ended.
        nonisolated(unsafe) let runner = self
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { continuation.resume(with: Result { try runner.run() }) }
        }
    }
}

/// The process that started this one.
enum SweepParent {
    /// Ends this process when its parent ends in any way: the parent holds the other end of the standard input.
    static func follow() { _ = self.thread }

    private static let thread: Void = Thread.detachNewThread {
        var octet: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &octet, 1)
            // A signal, such as one that stops the threads of a trapping process, is not the end.
            if count == 0 || count < 0 && errno != EINTR { _exit(1) }
        }
    }
}
