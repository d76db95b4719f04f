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
            // The answer about a service that has become invalid is reported of the one that has its handle by then
            // (2), and a link that is lost and comes back at once leaves a reading of its signal unanswered until then
            // (33).
            withKnownIssue(isIntermittent: true) {
                #expect(log.violations.isEmpty, "seed \(seed): \(log.violations)\n\(log.trace)")
            } when: {
                [2, 33].contains(seed)
            }
        }
    }
}
