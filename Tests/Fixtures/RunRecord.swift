// What tests do, on record. A test that is on record notes what happens in it: packets with their times, callbacks,
// output. In `Tests/Records` stands a digest of it, and a run in which anything else happens fails: a change that no
// expectation names is noticed as well. Whether it is meant, a person decides, and records it again:
//
//     TEST_RECORDS=write swift test --filter SUITE      records what these tests do now
//     TEST_RECORDS=vary swift test                      takes out of the record what differs from run to run
//     TEST_RECORDS=print swift test --filter SUITE      prints what is noted, for a comparison with an earlier commit

import Foundation
import NIOConcurrencyHelpers
package import Testing

/// What happens in one test, or in one case of it.
package final class RunRecord: Sendable {
    /// The record of the test that runs.
    @TaskLocal package static var current: RunRecord?

    private struct State {
        var count = 0
        var digest: UInt64 = 0
        var lines: [String] = []
        var isDiscarded = false
    }

    private let state = NIOLockedValueBox(State())
    private let printsLines: Bool

    init(printsLines: Bool) { self.printsLines = printsLines }

    /// Takes the run off the record: it does what somebody has asked for, and not what it does as a rule.
    package static func discard() { self.current?.state.withLockedValue { $0.isDiscarded = true } }

    /// Notes what happens in the test that runs.
    package static func note(_ line: @autoclosure () -> String) { self.current?.note(line()) }

    /// Notes what happens. What happens at one time may be noted in any order.
    package func note(_ line: String) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for octet in line.utf8 { hash = (hash ^ UInt64(octet)) &* 0x0000_0100_0000_01B3 }
        self.add(hash) { line }
    }

    /// Notes octets that pass at a time, in nanoseconds, from or to somebody.
    package func note(_ octets: UnsafeRawBufferPointer, _ name: UInt64, at time: UInt64) {
        var hash = (0xCBF2_9CE4_8422_2325 ^ name) &* 0x0000_0100_0000_01B3
        hash = (hash ^ time) &* 0x0000_0100_0000_01B3
        for octet in octets { hash = (hash ^ UInt64(octet)) &* 0x0000_0100_0000_01B3 }
        self.add(hash) { "\(time) \(name) \(octets.map(\.hexDigits).joined(separator: " "))" }
    }

    private func add(_ hash: UInt64, _ line: () -> String) {
        let line = self.printsLines ? line() : nil
        // The sum does not depend on the order; the mixing keeps small differences from cancelling each other.
        let mixed = (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15
        self.state.withLockedValue { state in
            state.count += 1
            state.digest &+= mixed ^ mixed >> 29
            if let line { state.lines.append(line) }
        }
    }

    /// The digest, or `nil` where nothing was noted.
    var digest: String? { self.state.withLockedValue { $0.count == 0 ? nil : $0.digest.hexDigits } }

    var isDiscarded: Bool { self.state.withLockedValue { $0.isDiscarded } }

    var lines: [String] { self.state.withLockedValue { $0.lines } }
}

/// Holds a test against its record.
package struct OnRecord: TestTrait, SuiteTrait, TestScoping {
    /// Runs a test so that what it makes is noted in its record.
    package typealias Scope =
        @Sendable (_ record: RunRecord, _ test: @Sendable () async throws -> Void) async throws -> Void

    private let scope: Scope

    package init(scope: @escaping Scope = { try await $1() }) { self.scope = scope }

    package var isRecursive: Bool { true }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> OnRecord? { testCase == nil ? nil : self }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        // A suite within another one has the trait of both.
        guard RunRecord.current == nil else { return try await function() }
        let record = RunRecord(printsLines: RunRecords.mode == .print)
        try await RunRecord.$current.withValue(record) { try await self.scope(record, function) }
        guard !record.isDiscarded, let reason = RunRecords.shared.compare(record, of: "\(test.id)") else { return }
        Issue.record(Comment(rawValue: reason), sourceLocation: test.sourceLocation)
    }
}

extension Trait where Self == OnRecord {
    /// What happens in the tests is on record; see ``RunRecord``.
    package static var onRecord: OnRecord { OnRecord() }
}

/// The records of all tests: a file a module, a line a test, with a digest for each different run of its cases.
final class RunRecords: Sendable {
    enum Mode: String {
        case compare, write, vary, print
    }

    static let mode = ProcessInfo.processInfo.environment["TEST_RECORDS"].flatMap(Mode.init) ?? .compare
    static let shared = RunRecords()

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Records")
    /// In the place of digests, for a test that does something else each time.
    private static let varying = "varies"
    /// The digest of a case that notes nothing. A test whose cases all do so has no line.
    private static let nothing: Substring = "-"

    private struct Module {
        var digests: [Substring: Set<Substring>]
        /// The tests that were recorded anew in this process.
        var written: Set<Substring> = []

        init(_ text: String) {
            self.digests = [:]
            for line in text.split(separator: "\n") {
                let parts = line.split(separator: "\t")
                self.digests[parts[0]] = Set(parts.dropFirst().flatMap { $0.split(separator: " ") })
            }
        }

        var text: String {
            self.digests.filter { $0.value != [RunRecords.nothing] }
                .map { "\($0.key)\t\($0.value.sorted().joined(separator: " "))\n" }.sorted().joined()
        }
    }

    private let modules = NIOLockedValueBox<[Substring: Module]>([:])

    /// Compares what happened in a test with its record, or records it; returns what is wrong.
    func compare(_ record: RunRecord, of identifier: String) -> String? {
        // The identifier ends with the place in the sources, which may change.
        let parts = identifier.split(separator: "/", maxSplits: .max)
        let name = identifier.prefix(upTo: parts.last?.startIndex ?? identifier.endIndex).dropLast()
        guard let end = name.firstIndex(of: ".") else { return nil }
        let (module, test) = (name[..<end], name[name.index(after: end)...])
        let digest = record.digest.map { Substring($0) } ?? Self.nothing
        if Self.mode == .print {
            print("\(name) \(digest)\n" + record.lines.sorted().joined(separator: "\n"))
            return nil
        }
        return self.modules.withLockedValue { modules -> String? in
            let known = modules[module] ?? Self.load(module)
            modules[module] = known
            let digests = known.digests[test]
            guard digests != [Substring(Self.varying)] else { return nil }
            switch Self.mode {
            case .write:
                let isFirst = modules[module]?.written.insert(test).inserted == true
                modules[module]?.digests[test] = (isFirst ? [] : digests ?? []).union([digest])
                self.save(module, modules)
            case .vary:
                guard let digests, !digests.contains(digest) else { return nil }
                modules[module]?.digests[test] = [Substring(Self.varying)]
                self.save(module, modules)
            case .compare, .print:
                guard let digests, !digests.contains(digest) else { return nil }
                return """
                    What happens in this test is not what is on record. Where that is meant, record it again \
                    with TEST_RECORDS=write swift test --filter …; TEST_RECORDS=print prints what happens.
                    """
            }
            return nil
        }
    }

    private static func file(_ module: Substring) -> URL { self.folder.appendingPathComponent("\(module).txt") }

    private static func load(_ module: Substring) -> Module {
        Module((try? String(contentsOf: self.file(module), encoding: .utf8)) ?? "")
    }

    private func save(_ module: Substring, _ modules: [Substring: Module]) {
        guard let text = modules[module]?.text, !text.isEmpty else {
            try? FileManager.default.removeItem(at: Self.file(module))
            return
        }
        try? FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
        try? Data(text.utf8).write(to: Self.file(module), options: .atomic)
    }
}
