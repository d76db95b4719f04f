// Sweeps over seeds of tests in process time: the exit test is inside, and gets the seed.

import CoreBluetoothProcessTime
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

/// Tests that fail with some seeds, started by those of sweeps in a process of their own.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["WORLD_SWEEP_PLANTED"] != nil))
struct PlantedProcessTimeTests {
    @Test func anHour() async throws {
        try await sweepSeeds { seed in
            await #expect(processExitsWith: .success) { [seed = seed as UInt64] in
                try withWorld("anHour", seed: seed, time: .process) { world in
                    let start = Date()
                    world.advance(by: .seconds(3_600))
                    #expect(Date().timeIntervalSince(start) == 3_600)
                    #expect(world.seed % 7 != 5)
                }
            }
        }
    }
}

@Suite("Sweep over seeds in process time")
struct ProcessTimeSweepTests {
    @Test("names the smallest seed that fails, and keeps its trace")
    func smallest() throws {
        let folder = try TemporaryFolder()
        let filter = "^CoreBluetoothProcessTimeTests\\.PlantedProcessTimeTests/"
        let variables = [
            "WORLD_SWEEP_PLANTED": "1", "WORLD_WORKERS": "2", "WORLD_SEEDS": "1-20",
            "COREBLUETOOTH_CAPTURES": folder.path,
        ]
        let run = try runTests(["--testing-library", "swift-testing", "--filter", filter], variables)
        #expect(run.status != 0)
        #expect(run.output.contains("Seed 5 fails"), "\(run.output)")
        #expect(FileManager.default.fileExists(atPath: folder("anHour-seed-5/trace.txt")))
    }
}
