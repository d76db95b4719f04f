// The processes of a sweep that ends early, or that take too long; a shell stands for the program of tests.

import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothTesting

@Suite("The processes of a sweep")
struct SweepChildrenTests {
    /// Says which process it is, in a file, and waits to be ended.
    private static func staysScript(_ folder: TemporaryFolder) -> String {
        "echo $$ > \(folder("new")) && mv \(folder("new")) \(folder("process")) && exec sleep 100"
    }

    /// Waits for the file, and ends without having come to the call of the sweep.
    private static func endsScript(_ folder: TemporaryFolder) -> String {
        "while [ ! -f \(folder("process")) ]; do sleep 0.01; done; exit 0"
    }

    /// Sweeps over the seeds 1 and 2 with processes that run a script; what was thrown.
    private static func sweep(_ script: String, _ folder: TemporaryFolder, limit: Int = 600) async -> String? {
        let path = folder.path
        let outcome = Watched<String?>(nil)
        Thread.detachNewThread {
            let thrown: String
            do {
                let settings = try SweepSettings(["WORLD_WORKERS": "2", "WORLD_SEED_LIMIT": "\(limit)"], processors: 1)
                let runner = SweepRunner(
                    TestSite(function: "reads()", fileID: "MyTests/ReaderTests.swift", line: 7),
                    SeedSet([1, 2]),
                    settings,
                    command: ("/bin/sh", ["-c", script]),
                    folder: URL(fileURLWithPath: path, isDirectory: true)
                )
                try runner.run()
                thrown = "nothing"
            } catch {
                thrown = "\(error)"
            }
            outcome.update { $0 = thrown }
        }
        #expect(await outcome.wait { $0 != nil }, "the sweep has not ended")
        return outcome.value
    }

    /// Whether the process that has said which one it is has ended.
    private static func hasEnded(_ folder: TemporaryFolder) throws -> Bool {
        let text = try String(contentsOfFile: folder("process"), encoding: .utf8)
        let process = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        let hasEnded = kill(process, 0) == -1 && errno == ESRCH
        if !hasEnded { kill(process, SIGKILL) }
        return hasEnded
    }

    private static let reason = "The sweep of MyTests/ReaderTests.swift:7 reads() was not reached in a process"

    @Test("ends the other processes if one does not come to the call")
    func others() async throws {
        let folder = try TemporaryFolder()
        let stays = Self.staysScript(folder)
        let script = "[ \"$WORLD_SWEEP_SEEDS\" = 2 ] && { \(stays); }; \(Self.endsScript(folder))"
        let thrown = await Self.sweep(script, folder)
        #expect(thrown?.hasPrefix(Self.reason) == true, "\(thrown ?? "")")
        #expect(try Self.hasEnded(folder))
        #expect(folder.content == ["process"])
    }

    @Test("keeps nothing of a seed whose second run is ended")
    func kept() async throws {
        let folder = try TemporaryFolder()
        // The first seed fails, and is run again for its trace; the second one ends then.
        let fails = "if [ -z \"$WORLD_SWEEP_FOLDER\" ]; then : > \"$WORLD_SWEEP_MARK\"; exit 1; fi"
        let script = """
            if [ "$WORLD_SWEEP_SEEDS" = 1 ]; then
            \(fails)
            : > "$WORLD_SWEEP_FOLDER/trace.txt"
            \(Self.staysScript(folder))
            fi
            \(Self.endsScript(folder))
            """
        let thrown = await Self.sweep(script, folder)
        #expect(thrown?.hasPrefix(Self.reason) == true, "\(thrown ?? "")")
        #expect(try Self.hasEnded(folder))
        #expect(folder.content == ["process"])
    }

    @Test("ends a process that takes longer than the limit, and names its seed")
    func endless() async throws {
        let folder = try TemporaryFolder()
        let stays = "[ \"$WORLD_SWEEP_SEEDS\" = 1 ] && { \(Self.staysScript(folder)); }; exit 0"
        let thrown = await Self.sweep(": > \"$WORLD_SWEEP_MARK\"; \(stays)", folder, limit: 5)
        #expect(thrown?.contains("Seed 1: did not end within 5 s of real time") == true, "\(thrown ?? "")")
        #expect(try Self.hasEnded(folder))
        #expect(folder.content == ["process"])
    }
}
