import Fixtures
import Testing

@testable import CoreBluetooth

@Suite("Whole apps")
struct AppSimulationTests {
    @Test(
        "1.6 6.6 7.3 each callback fits the calls before it, each call ends once, and in the end a connection comes about",
        arguments: simulationSeeds(3)
    )
    func apps(seed: UInt64) throws {
        // Many of the random calls are misuse.
        try CapturedLog().capture {
            let simulation = AppSimulation(seed: seed)
            try simulation.run(actions: 400)
            let log = simulation.log
            #expect(log.violations.isEmpty, "seed \(seed): \(log.violations)\n\(log.trace)")
        }
    }
}
