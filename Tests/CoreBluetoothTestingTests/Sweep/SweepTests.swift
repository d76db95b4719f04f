// Sweeps as users run them: the program of these tests is started with WORLD_SEEDS, and a filter for a test that fails
// with some seeds.

import CoreBluetoothTesting
import Fixtures
import Foundation
import Testbed
import Testing

@Suite("Sweep over seeds")
struct SweepTests {
    private struct Run {
        var status: Int32
        var output: String
    }

    private let folder: TemporaryFolder

    init() throws { self.folder = try TemporaryFolder() }

    private func run(_ arguments: [String], _ variables: [String: String]) throws -> Run {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        let defaults = [
            "WORLD_SWEEP_PLANTED": self.folder("seeds"), "WORLD_WORKERS": "2",
            "COREBLUETOOTH_CAPTURES": self.folder.path, "SWIFT_BACKTRACE": "enable=no",
        ]
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SWT_") }
            .merging(defaults) { $1 }.merging(variables) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Run(status: process.terminationStatus, output: text)
    }

    private func sweep(
        _ test: String,
        _ variables: [String: String],
        _ further: [String] = [],
        suite: String = "PlantedFaultTests/"
    ) throws -> Run {
        let filter = "^CoreBluetoothTestingTests\\.\(suite)`?\(test)`?\\("
        return try self.run(["--testing-library", "swift-testing", "--filter", filter] + further, variables)
    }

    /// The smallest seed with which a user of the lossy air waits in vain.
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
        "the smallest seed that fails is named, and its trace and captures are kept",
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
                "WORLD_SEEDS=\(seed) swift test --filter '^CoreBluetoothTestingTests\\.(.*/)?`?\(test)`?(\\(|$)'"
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

    @Test("seeds fail by expectations and by traps, too", arguments: [("expectation", 5), ("trap", 6)])
    func otherWays(test: String, first: UInt64) throws {
        let run = try self.sweep(test, ["WORLD_SEEDS": "1-20", "WORLD_FAILURES": "all"])
        #expect(run.status != 0)
        #expect(run.output.contains("3 seeds fail, the first is \(first); 20 of 20 seeds were run"))
        #expect(run.output.contains("Seed \(first + 7):"))
        #expect(run.output.contains("the seed is \(first)"))
        if test == "trap" { #expect(run.output.matches(of: #/Seed \d+: ended with signal/#).count == 3) }
    }

    @Test(
        "a test that is no suite's, and one whose name is a text, are swept",
        arguments: ["global", "what's a seed\\?"]
    )
    func names(test: String) throws {
        let run = try self.sweep(test, ["WORLD_SEEDS": "1-20"], suite: "")
        #expect(run.status != 0)
        #expect(run.output.contains("Seed 3 fails"))
        // What is to be run again stands in quotes of the shell.
        #expect(run.output.contains(test.prefix(6).replacingOccurrences(of: "'", with: "'\\''")))
    }

    @Test("tests of XCTest are swept, too")
    func xctest() throws {
        let run = try self.run(["CoreBluetoothTestingTests.PlantedXCTests/testPlantedFault"], ["WORLD_SEEDS": "1-20"])
        #expect(run.status != 0)
        #expect(run.output.contains("Seed 4 fails"))
    }

    @Test("the report of the test run has the seed")
    func report() throws {
        let path = self.folder("report.xml")
        let run = try self.sweep("expectation", ["WORLD_SEEDS": "1-20"], ["--xunit-output", path])
        #expect(run.status != 0)
        let report = try String(contentsOfFile: path, encoding: .utf8)
        #expect(report.contains("failures=\"1\"") && report.contains("Seed 5 fails"))
    }

    @Test("a seed that does not end is ended, and named")
    func endless() throws {
        let run = try self.sweep("endless", ["WORLD_SEEDS": "3", "WORLD_SEED_LIMIT": "2"])
        #expect(run.status != 0)
        #expect(run.output.contains("Seed 3 fails") && run.output.contains("did not end within 2 s"))
        // It has no trace, which is written at the end; so it is not run again.
        #expect(!run.output.contains("Trace and captures") && self.folder.content.isEmpty)
    }

    @Test("shards run all seeds once")
    func shards() throws {
        for number in 1...3 {
            let run = try self.sweep("none", ["WORLD_SEEDS": "1-100", "WORLD_SHARD": "\(number)/3"])
            #expect(run.status == 0)
            #expect(run.output.contains("of shard \(number)/3"))
        }
        let seeds = try String(contentsOfFile: self.folder("seeds"), encoding: .utf8)
        #expect(seeds.split(separator: "\n").compactMap { UInt64($0) }.sorted() == Array(1...100))
    }

    @Test("a test that sweeps twice runs each of its calls with each seed once")
    func twice() throws {
        let run = try self.sweep("twice", ["WORLD_SEEDS": "1-10"])
        #expect(run.status == 0)
        let seeds = try String(contentsOfFile: self.folder("seeds"), encoding: .utf8)
        #expect(seeds.split(separator: "\n").compactMap { UInt64($0) }.sorted() == Array(1...10) + Array(101...110))
    }

    @Test("folders that are not there are made, and what is temporary is gone at the end")
    func folders() throws {
        let temporary = self.folder("temporary/below")
        let captures = self.folder("captures/below")
        let run = try self.sweep(
            "expectation",
            ["WORLD_SEEDS": "1-7", "TMPDIR": temporary, "COREBLUETOOTH_CAPTURES": captures]
        )
        #expect(run.status != 0 && run.output.contains("Seed 5 fails"))
        let files = FileManager.default
        #expect(try files.contentsOfDirectory(atPath: captures) == ["expectation-seed-5"])
        #expect(try files.contentsOfDirectory(atPath: temporary).filter { $0.hasPrefix("world-sweep-") } == [])
    }

    @Test("without WORLD_SEEDS a test runs with one seed, in the process of the test run")
    func one() throws {
        let run = try self.sweep("none", [:])
        #expect(run.status == 0)
        #expect(try String(contentsOfFile: self.folder("seeds"), encoding: .utf8) == "1\n")
    }

    @Test("a wrong WORLD_SEEDS is refused with one line")
    func refused() throws {
        let run = try self.sweep("none", ["WORLD_SEEDS": "many"])
        #expect(run.status != 0)
        #expect(run.output.contains("WORLD_SEEDS is \"many\"; it has to be a seed, a range or several"))
        #expect(!FileManager.default.fileExists(atPath: self.folder("seeds")))
    }

    @Test("a call that is not in the test itself says so")
    func helper() throws {
        let run = try self.sweep("inAFunction", ["WORLD_SEEDS": "1-4"])
        #expect(run.status != 0)
        #expect(run.output.contains("call it in the test itself"))
    }
}
