// Sweeps as users run them: this program of tests is started with WORLD_SEEDS and a filter for a test that fails.

import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@Suite("Sweep over seeds", .serialized)
struct SweepTests {
    private typealias Run = (status: Int32, output: String)

    private let folder: TemporaryFolder

    init() throws { self.folder = try TemporaryFolder() }

    private func run(_ arguments: [String], _ variables: [String: String]) throws -> Run {
        let defaults = [
            "WORLD_SWEEP_PLANTED": self.folder("seeds"), "WORLD_WORKERS": "2",
            "COREBLUETOOTH_CAPTURES": self.folder.path, "SWIFT_BACKTRACE": "enable=no",
        ]
        return try runTests(arguments, defaults.merging(variables) { $1 })
    }

    private func sweep(
        _ test: String,
        _ variables: [String: String],
        _ further: [String] = [],
        suite: String = "PlantedFaultTests/"
    ) throws -> Run {
        let filter = "^SystemTests\\.\(suite)`?\(test)`?\\("
        return try self.run(["--testing-library", "swift-testing", "--filter", filter] + further, variables)
    }

    /// The smallest seed with which a user of the lossy air waits without success.
    private static func smallestLossySeed() -> UInt64? {
        (1...1000).first { seed in
            do {
                try PlantedFaults.read(World(seed: seed))
                return false
            } catch {
                return true
            }
        }
    }

    @Test(
        "names the smallest seed that fails, and keeps its trace and captures",
        arguments: ["lossy", "lossyAsync"]
    )
    func smallest(test: String) throws {
        let seed = try #require(Self.smallestLossySeed())
        #expect(seed > 1)
        let run = try self.sweep(test, ["WORLD_SEEDS": "1-1000"])
        #expect(run.status != 0)
        #expect(run.output.contains("Seed \(seed) fails"))
        #expect(
            run.output.contains(
                "WORLD_SEEDS=\(seed) swift test --filter '^SystemTests\\.(.*/)?`?\(test)`?(\\(|$)'"
            )
        )
        let kept = self.folder("\(test)-seed-\(seed)")
        #expect(run.output.contains("Trace and captures: \(kept)"))
        // Nothing is kept of seeds that hold.
        #expect(self.folder.content == ["\(test)-seed-\(seed)"])
        let files = try FileManager.default.contentsOfDirectory(atPath: kept).sorted()
        #expect(files == ["output.txt", "seed-\(seed)-Thermo.btsnoop", "seed-\(seed)-phone.btsnoop", "trace.txt"])
        let trace = try String(contentsOfFile: "\(kept)/trace.txt", encoding: .utf8)
        #expect(trace.contains("the air loses 20 % of all packets"))
        // What it says to run fails in the same way.
        let again = try self.sweep(test, ["WORLD_SEEDS": "\(seed)"])
        #expect(again.status != 0 && again.output.contains("Seed \(seed) fails"))
    }

    @Test("finds seeds that fail by expectations and by traps", arguments: [("expectation", 5), ("trap", 6)])
    func otherWays(test: String, first: UInt64) throws {
        let run = try self.sweep(test, ["WORLD_SEEDS": "1-20", "WORLD_FAILURES": "all"])
        #expect(run.status != 0)
        #expect(run.output.contains("3 seeds fail, the first is \(first); 20 of 20 seeds were run"))
        #expect(run.output.contains("Seed \(first + 7):"))
        #expect(run.output.contains("the seed is \(first)"))
        if test == "trap" { #expect(run.output.matches(of: #/Seed \d+: ended with signal/#).count == 3) }
    }

    @Test(
        "sweeps tests without a suite and with a text as name",
        arguments: ["global", "what's a seed\\?"]
    )
    func names(test: String) throws {
        let run = try self.sweep(test, ["WORLD_SEEDS": "1-20"], suite: "")
        #expect(run.status != 0)
        #expect(run.output.contains("Seed 3 fails"))
        // What is to be run again stands in quotes of the shell.
        #expect(run.output.contains(test.prefix(6).replacingOccurrences(of: "'", with: "'\\''")))
    }

    @Test("sweeps tests of XCTest")
    func xctest() throws {
        let run = try self.run(["SystemTests.PlantedXCTests/testPlantedFault"], ["WORLD_SEEDS": "1-20"])
        #expect(run.status != 0)
        #expect(run.output.contains("Seed 4 fails"))
    }

    @Test("reports the seed, makes missing folders, and removes what is temporary")
    func report() throws {
        let (temporary, captures, report) = (
            self.folder("temporary/below"), self.folder("captures/below"), self.folder("report.xml")
        )
        let run = try self.sweep(
            "expectation",
            ["WORLD_SEEDS": "1-7", "TMPDIR": temporary, "COREBLUETOOTH_CAPTURES": captures],
            ["--xunit-output", report]
        )
        #expect(run.status != 0 && run.output.contains("Seed 5 fails"))
        let text = try String(contentsOfFile: report, encoding: .utf8)
        #expect(text.contains("failures=\"1\"") && text.contains("Seed 5 fails"))
        let files = FileManager.default
        #expect(try files.contentsOfDirectory(atPath: captures) == ["expectation-seed-5"])
        #expect(try files.contentsOfDirectory(atPath: temporary).filter { $0.hasPrefix("world-sweep-") } == [])
    }

    /// The seeds that the planted test without a fault ran with.
    private func seeds() throws -> [UInt64] {
        let text = try String(contentsOfFile: self.folder("seeds"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { UInt64($0) }
    }

    @Test("runs the seeds of a shard, once for each call of a test")
    func shards() throws {
        let run = try self.sweep("twice", ["WORLD_SEEDS": "1-20", "WORLD_SHARD": "2/3"])
        #expect(run.status == 0 && run.output.contains("of shard 2/3"))
        let shard = [2, 5, 8, 11, 14, 17, 20] as [UInt64]
        #expect(try self.seeds().sorted() == shard + shard.map { $0 + 100 })
    }

    @Test("runs one seed in the process of the tests without WORLD_SEEDS")
    func one() throws {
        let run = try self.sweep("none", [:])
        #expect(run.status == 0)
        #expect(try self.seeds() == [1])
    }

    @Test("refuses a wrong WORLD_SEEDS before it runs a seed")
    func refused() throws {
        let run = try self.sweep("none", ["WORLD_SEEDS": "many"])
        #expect(run.status != 0 && run.output.contains("WORLD_SEEDS is \"many\"; it has to be"))
        #expect(!FileManager.default.fileExists(atPath: self.folder("seeds")))
    }

    @Test("says so if the call is not in the test itself")
    func helper() throws {
        let run = try self.sweep("inAFunction", ["WORLD_SEEDS": "1-4"])
        #expect(run.status != 0)
        #expect(run.output.contains("call it in the test itself"))
    }
}
