// Tests that fail with some seeds, which the tests of sweeps start in processes of their own.

import CoreBluetoothTesting
import Foundation
import Testing
import XCTest

enum PlantedFaults {
    static let isWanted = ProcessInfo.processInfo.environment["WORLD_SWEEP_PLANTED"] != nil

    /// A user who waits for the temperature for 1.8 s, where a fifth of all packets is lost.
    static func read(_ world: World) throws {
        world.loss = 0.2
        world.addPeripheral(.probedThermometer)
        let reader = world.addDevice("phone").run { WorldProbe() }
        try world.run(until: !reader.values.isEmpty, within: .milliseconds(1800))
    }

    /// Adds a seed to the file that the environment names.
    static func log(_ seed: UInt64) throws {
        guard let path = ProcessInfo.processInfo.environment["WORLD_SWEEP_PLANTED"] else { return }
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
        defer { close(file) }
        let line = Array("\(seed)\n".utf8)
        guard write(file, line, line.count) == line.count else { throw CocoaError(.fileWriteUnknown) }
    }
}

@Suite("Planted faults", .enabled(if: PlantedFaults.isWanted))
struct PlantedFaultTests {
    @Test("a lossy air")
    func lossy() throws {
        try withWorlds { world in try PlantedFaults.read(world) }
    }

    @Test @MainActor
    func lossyAsync() async throws {
        try await withWorlds { world in
            await Task.yield()
            try PlantedFaults.read(world)
        }
    }

    @Test func expectation() throws {
        try withWorlds { world in #expect(world.seed % 7 != 5, "the seed is \(world.seed)") }
    }

    @Test func trap() throws {
        try withWorlds { world in precondition(world.seed % 7 != 6, "the seed is \(world.seed)") }
    }

    @Test func none() throws {
        try sweepSeeds { seed in try PlantedFaults.log(seed) }
    }

    @Test func twice() throws {
        try sweepSeeds { seed in try PlantedFaults.log(seed) }
        try sweepSeeds { seed in try PlantedFaults.log(100 + seed) }
    }

    @Test func inAFunction() throws { try Self.helper() }

    private static func helper() throws { try sweepSeeds { _ in } }
}

@Test(.enabled(if: PlantedFaults.isWanted)) func global() throws {
    try sweepSeeds { seed in #expect(seed != 3) }
}

@Test(.enabled(if: PlantedFaults.isWanted)) func `what's a seed?`() throws {
    try sweepSeeds { seed in #expect(seed != 3) }
}

final class PlantedXCTests: XCTestCase {
    func testPlantedFault() throws {
        try XCTSkipUnless(PlantedFaults.isWanted)
        try withWorlds { world in XCTAssertNotEqual(world.seed % 7, 4, "the seed is \(world.seed)") }
    }
}
