// Runs the processes of a sweep, as many at once as there are cores, and reports progress on standard error. It blocks
// only the calling thread, and needs neither the main thread nor the cooperative pool.

import Foundation
import NIOConcurrencyHelpers

final class SweepRunner {
    /// A running process.
    private struct Child {
        var process: Process
        var job: SweepPlan.Job
        var started: ContinuousClock.Instant
        /// The file of its output.
        var output: URL
        var mark: URL
        var folder: URL?
        /// Keeps the process alive: it ends when this end of its input is closed.
        var input: Pipe
        /// Whether it was killed because it took too long.
        var isOverdue = false
    }

    /// Only one sweep runs at a time.
    private static let turn = NIOLock()

    private let site: TestSite
    private let settings: SweepSettings
    private let command: (program: String, arguments: [String])
    /// The folder for traces and captures of failed seeds.
    private let folder: URL
    /// The folder for files that are deleted after the sweep.
    private let temporary: URL
    private var plan: SweepPlan
    private var children: [Child] = []
    private var count = 0
    private let clock = ContinuousClock()
    private let ended = DispatchSemaphore(value: 0)

    init(_ site: TestSite, _ seeds: SeedSet, _ settings: SweepSettings, command: (String, [String]), folder: URL) {
        self.site = site
        self.settings = settings
        self.command = command
        self.folder = folder
        self.temporary = FileManager.default.temporaryDirectory
            .appendingPathComponent("world-sweep-\(UUID().uuidString)", isDirectory: true)
        self.plan = SweepPlan(seeds, settings.shard, failureLimit: settings.failureLimit)
    }

    /// - Throws: ``SweepError`` if a seed fails or the test cannot be started.
    func run() throws {
        try Self.turn.withLock {
            try FileManager.default.createDirectory(at: self.temporary, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: self.temporary) }
            defer { self.endAll { _ in true } }
            let start = self.clock.now
            var display = ProgressDisplay()
            var isDone = false
            repeat {
                while self.children.count < self.settings.workers, let job = self.plan.next() { try self.start(job) }
                if !self.children.isEmpty { _ = self.ended.wait(timeout: .now() + 0.2) }
                try self.collect()
                self.endAll { self.plan.isNeedless($0.job) }
                isDone = self.children.isEmpty && !self.hasWork
                display.show(self.progress(start), isLast: isDone)
            } while !isDone
            if let error = self.failure { throw error }
        }
    }

    /// Whether there is more to start.
    private var hasWork: Bool {
        var plan = self.plan
        return plan.next() != nil
    }

    private func progress(_ start: ContinuousClock.Instant) -> SweepProgress {
        SweepProgress(
            name: self.site.function,
            finished: self.plan.finished,
            total: self.plan.total,
            failures: self.plan.failures.count,
            shard: self.settings.shard,
            seconds: (self.clock.now - start) / .seconds(1)
        )
    }

    // MARK: Processes

    private func start(_ job: SweepPlan.Job) throws {
        self.count += 1
        let name = "\(self.count)"
        let output = self.temporary.appendingPathComponent(name + ".txt")
        let mark = self.temporary.appendingPathComponent(name + ".mark")
        // The files to keep are written before it is known whether the seed fails.
        let folder = job.isKept ? self.folder(of: job.seeds[0]) : nil
        if let folder {
            try? FileManager.default.removeItem(at: folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        let part = SweepPart(
            site: self.site.description,
            seeds: SeedSet(job.seeds),
            mark: mark.path,
            folder: folder?.path
        )
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: self.command.program)
        process.arguments = self.command.arguments
        // The variables of an exit test would turn child processes into the same exit test.
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SWT_") }
            .merging(part.variables) { $1 }
        let input = Pipe()
        let file = try FileHandle(forWritingTo: output)
        defer { try? file.close() }
        process.standardInput = input
        process.standardOutput = file
        process.standardError = file
        let ended = self.ended
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        self.children.append(
            Child(
                process: process,
                job: job,
                started: self.clock.now,
                output: output,
                mark: mark,
                folder: folder,
                input: input
            )
        )
    }

    private func folder(of seed: UInt64) -> URL {
        self.folder.appendingPathComponent("\(fileName(self.site.function))-seed-\(seed)", isDirectory: true)
    }

    /// Handles ended processes, and kills those that take too long.
    private func collect() throws {
        for index in self.children.indices.reversed() {
            let child = self.children[index]
            let seconds = (self.clock.now - child.started) / .seconds(1)
            guard !child.process.isRunning else {
                if self.settings.isOverdue(after: seconds, seeds: child.job.seeds.count), !child.isOverdue {
                    self.children[index].isOverdue = true
                    kill(child.process.processIdentifier, SIGKILL)
                }
                continue
            }
            self.children.remove(at: index)
            try self.ended(child, after: seconds)
        }
    }

    private func ended(_ child: Child, after seconds: Double) throws {
        let output = String(decoding: (try? Data(contentsOf: child.output)) ?? Data(), as: UTF8.self)
        guard FileManager.default.fileExists(atPath: child.mark.path) else {
            throw SweepError(
                """
                The sweep of \(self.site.description) was not reached in a process of its own; call it in the \
                test itself, not in a function that the test calls. \(SweepOutput.reason(in: output))
                """
            )
        }
        child.process.waitUntilExit()
        let end = SweepEnd(
            status: child.process.terminationStatus,
            isSignal: child.process.terminationReason == .uncaughtSignal,
            isOverdue: child.isOverdue,
            output: output
        )
        if let folder = child.folder {
            if end.holds {
                try? FileManager.default.removeItem(at: folder)
            } else {
                try? Data(output.utf8).write(to: folder.appendingPathComponent("output.txt"))
            }
        }
        let verdict = end.verdict(
            onSeeds: child.job.seeds.count,
            secondsPerSeed: self.settings.secondsPerSeed,
            folder: child.folder?.path
        )
        self.plan.ended(child.job, verdict, after: seconds)
    }

    /// Kills and removes the processes that meet a condition.
    private func endAll(_ condition: (Child) -> Bool) {
        for child in self.children where condition(child) {
            kill(child.process.processIdentifier, SIGKILL)
            child.process.waitUntilExit()
            if let folder = child.folder { try? FileManager.default.removeItem(at: folder) }
        }
        self.children.removeAll(where: condition)
    }

    // MARK: The end

    private var failure: SweepError? {
        for needless in self.plan.failures.dropFirst(self.settings.failureLimit) {
            needless.folder.map { try? FileManager.default.removeItem(atPath: $0) }
        }
        let failures = Array(self.plan.failures.prefix(self.settings.failureLimit))
        guard let first = failures.first, let seed = first.seeds.first else { return nil }
        let seeds = failures.count == 1 ? "Seed \(seed) fails" : "\(failures.count) seeds fail, the first is \(seed)"
        var error = SweepError("\(seeds); \(self.plan.finished) of \(self.plan.total) seeds were run")
        error.failures = failures
        let filter = self.site.filter.replacingOccurrences(of: "'", with: "'\\''")
        error.command = "WORLD_SEEDS=\(seed) swift test --filter '\(filter)'"
        return error
    }
}

/// Shows the progress of a sweep, at most once a second.
///
/// On a terminal it updates one line; otherwise it writes a line every ten seconds and one at the end.
struct ProgressDisplay {
    private let isTerminal: Bool
    private let clock = ContinuousClock()
    private var next: ContinuousClock.Instant?

    init(isTerminal: Bool = isatty(2) == 1) { self.isTerminal = isTerminal }

    mutating func show(_ progress: SweepProgress, isLast: Bool) {
        guard let text = self.text(of: progress, isLast: isLast, at: self.clock.now) else { return }
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    /// The text to write at an instant; `nil` if it is too early for another line.
    mutating func text(of progress: SweepProgress, isLast: Bool, at now: ContinuousClock.Instant) -> String? {
        guard isLast || now >= self.next ?? now else { return nil }
        self.next = now + (self.isTerminal ? .seconds(1) : .seconds(10))
        return self.isTerminal ? "\r\u{1B}[K\(progress.line)\(isLast ? "\n" : "")" : progress.line + "\n"
    }
}

/// The end of a sweep's process.
struct SweepEnd {
    /// Its exit status, or the number of the signal that ended it.
    var status: Int32
    var isSignal: Bool
    /// Whether it was killed because it took too long.
    var isOverdue: Bool
    /// Its output.
    var output: String

    /// Whether its seeds pass.
    var holds: Bool { !self.isSignal && self.status == 0 }

    /// The verdict on a number of seeds; `folder` has their trace.
    func verdict(onSeeds count: Int, secondsPerSeed: Int, folder: String?) -> SweepPlan.Verdict {
        guard !self.holds else { return .holds }
        let reason = SweepOutput.reason(in: self.output)
        guard !self.isOverdue else {
            let late = "did not end within \(secondsPerSeed) s of real time. \(reason)"
            // A single seed has no trace, since that is written at the end.
            return count > 1 ? .fails(reason: late, folder: folder) : .neverEnds(reason: late)
        }
        return .fails(reason: self.isSignal ? "ended with signal \(self.status). \(reason)" : reason, folder: folder)
    }
}

/// The output of a test process.
enum SweepOutput {
    private static let lineLimit = 12

    /// The lines that say why a test failed; the last ones if there are none.
    static func reason(in output: String) -> String {
        let lines = output.split(whereSeparator: \.isNewline).map(plain).filter { !$0.isEmpty }
        let first = lines.firstIndex(where: self.saysWhy)
        let chosen = first.map { lines[$0...].prefix(self.lineLimit) } ?? lines.suffix(self.lineLimit)
        return chosen.joined(separator: "\n")
    }

    /// All lines from the first that says why a test failed; the last ones if there are none.
    static func failure(in output: String) -> [String] {
        let lines = output.split(whereSeparator: \.isNewline).map(self.withoutColours)
        guard let first = lines.firstIndex(where: self.saysWhy) else { return lines.suffix(self.lineLimit) }
        let isOfRunner =
            #/^. (?:Test|Suite) .* (?:started\.$|(?:passed|failed) after [0-9.]+ seconds)|^Test (?:Case|Suite) '/#
        return lines[first...].filter { $0.firstMatch(of: isOfRunner) == nil }
    }

    private static func saysWhy(_ line: String) -> Bool {
        ["recorded an issue", "Caught error", ": error:", "Fatal error", "Precondition failed"].contains(
            where: line.contains
        )
    }

    /// A line without terminal colours.
    private static func withoutColours(_ line: Substring) -> String {
        String(line.replacing(#/\u{1B}\[[0-9;]*[A-Za-z]/#, with: ""))
    }

    private static func plain(_ line: Substring) -> String {
        self.withoutColours(line).trimmingCharacters(in: .whitespaces)
    }
}
