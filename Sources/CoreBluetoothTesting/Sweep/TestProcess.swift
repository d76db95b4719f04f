// Runs a test again, alone in a process of its own: the test program with a filter for the test. The failure output of
// that process becomes the error of the original test.

import Foundation
import NIOConcurrencyHelpers

/// Where a test runs that must be alone in its process.
package enum TestProcess {
    /// In this process, which was started for this test.
    case here
    /// In another process.
    case elsewhere(TestProcessRunner)
    /// Not at all: this process is for another call in the same test.
    case nowhere

    static let siteVariable = "WORLD_PROCESS_SITE"
    static let folderVariable = "WORLD_PROCESS_FOLDER"

    /// - Throws: ``SweepError`` if the test cannot be started again.
    package init(function: String, fileID: String, line: Int) throws {
        let site = TestSite(function: function, fileID: fileID, line: line)
        if let started = ProcessInfo.processInfo.environment[Self.siteVariable] {
            guard started == site.description else {
                self = .nowhere
                return
            }
            SweepParent.follow()
            Self.write("", named: "mark")
            self = .here
            return
        }
        guard let command = site.command(of: .processInfo) else {
            throw SweepError("\(site.description) needs a test run, by `swift test`, that can be started again")
        }
        self = .elsewhere(TestProcessRunner(site, command))
    }

    /// Whether this process was started for one test only.
    package static var isAlone: Bool { ProcessInfo.processInfo.environment[Self.siteVariable] != nil }

    /// Stores a world's last trace lines for the test that started this process.
    package static func keep(_ world: World) {
        let last = world.trace.suffix(WorldError.lineCount).map(\.description)
        self.write(last.joined(separator: "\n"), named: "trace")
    }

    private static func write(_ text: String, named name: String) {
        guard let folder = ProcessInfo.processInfo.environment[Self.folderVariable] else { return }
        try? Data(text.utf8).write(to: URL(fileURLWithPath: folder).appendingPathComponent(name), options: .atomic)
    }
}

/// Runs a test in another process.
package final class TestProcessRunner: Sendable {
    private let site: TestSite
    private let program: String
    private let arguments: [String]

    init(_ site: TestSite, _ command: (program: String, arguments: [String])) {
        self.site = site
        self.program = command.program
        let isSwiftTesting = command.arguments.contains("--testing-library")
        self.arguments = command.arguments + (isSwiftTesting ? ["--no-parallel"] : [])
    }

    /// A test with arguments calls this once for each; the first call runs all of them.
    private static let results = NIOLockedValueBox<[TestSite: Outcome]>([:])

    private final class Outcome: Sendable {
        private let lock = NIOLock()
        private let result = NIOLockedValueBox<Result<Void, any Error>?>(nil)

        func get(_ run: () throws -> Void) throws {
            try self.lock.withLock {
                let result = self.result.withLockedValue { $0 } ?? Result { try run() }
                self.result.withLockedValue { $0 = result }
                try result.get()
            }
        }
    }

    /// - Throws: ``TestProcessError`` if the test fails.
    package func run() throws {
        let outcome = Self.results.withLockedValue { results in
            let outcome = results[self.site] ?? Outcome()
            results[self.site] = outcome
            return outcome
        }
        try outcome.get { try self.runOnce() }
    }

    /// Runs it on a separate thread, which keeps the actor and the cooperative pool free.
    package func runOnThread() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { continuation.resume(with: Result { try self.run() }) }
        }
    }

    private func runOnce() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("world-process-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: self.program)
        process.arguments = self.arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SWT_") }
            .merging([TestProcess.siteVariable: self.site.description, TestProcess.folderVariable: folder.path]) { $1 }
        // The other process ends when this end of its input is closed.
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        withExtendedLifetime(input) {}
        func kept(_ name: String) -> String? {
            (try? Data(contentsOf: folder.appendingPathComponent(name))).map { String(decoding: $0, as: UTF8.self) }
        }
        guard kept("mark") != nil else {
            throw TestProcessError(
                """
                \(self.site.description) was not reached in a process of its own; call it in the test itself, not in a \
                function that the test calls
                \(SweepOutput.reason(in: text))
                """
            )
        }
        let isSignal = process.terminationReason == .uncaughtSignal
        guard isSignal || process.terminationStatus != 0 else { return }
        throw TestProcessError(
            failureOf: text,
            signal: isSignal ? process.terminationStatus : nil,
            trace: kept("trace")
        )
    }
}

/// The failure of a test that ran in a process of its own.
public struct TestProcessError: Error, CustomStringConvertible, LocalizedError, Sendable {
    /// The output of that process: each failure with its line, and the last lines of the trace.
    public let description: String

    init(_ description: String) { self.description = description }

    /// - Parameters:
    ///   - output: The output of the process.
    ///   - signal: The signal that ended it; `nil` if it exited.
    ///   - trace: The last lines of the trace, if the test reached its end.
    init(failureOf output: String, signal: Int32?, trace: String?) {
        var lines = SweepOutput.failure(in: output)
        if let signal { lines.append("The process was ended by signal \(signal).") }
        if let trace, !trace.isEmpty, !lines.contains(where: { $0.contains("The last lines of the trace:") }) {
            lines += ["The last lines of the trace:", trace]
        }
        self.description = lines.joined(separator: "\n")
    }

    /// The same text.
    public var errorDescription: String? { self.description }
}
