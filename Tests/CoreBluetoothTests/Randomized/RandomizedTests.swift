import Fixtures
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Randomized")
struct RandomizedTests {
    /// The seeds: a few, or as `RANDOMIZED_SEEDS=FIRST-LAST` has them.
    static let seeds: [UInt64] = {
        let text = ProcessInfo.processInfo.environment["RANDOMIZED_SEEDS"] ?? "1-6"
        let ends = text.split(separator: "-").compactMap { UInt64($0) }
        guard let first = ends.first, let last = ends.last, first <= last else { return [] }
        return Array(first...last)
    }()

    /// How long each run takes in virtual time, where `RANDOMIZED_HOURS=24` or the like says so; else a number of actions.
    static let time = ProcessInfo.processInfo.environment["RANDOMIZED_HOURS"].flatMap { Int64($0) }
        .map { TimeAmount.hours($0) }

    /// Whether somebody has asked for other runs than those on record.
    private static let isAskedFor = ["RANDOMIZED_SEEDS", "RANDOMIZED_HOURS"]
        .contains { ProcessInfo.processInfo.environment[$0] != nil }

    @Test(
        "7.3 6.6 1.6 whatever is done, each callback fits the calls before it, and in the end a connection comes about",
        arguments: seeds
    )
    func test(seed: UInt64) {
        if Self.isAskedFor { RunRecord.discard() }
        // Many of the random calls are misuse.
        CapturedLog().capture {
            let start = DispatchTime.now().uptimeNanoseconds
            let test = RandomizedTest(seed: seed)
            test.run(for: Self.time)
            let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
            if Self.time != nil { print("seed \(seed): \(test.time.nanoseconds / 1_000_000_000) s in \(seconds) s") }
            if Self.seeds.count > 10, seconds > 5 || !test.log.violations.isEmpty {
                print("seed \(seed): \(seconds) s, at most \(test.busiestSecond) tasks in a second")
            }
            #expect(test.log.violations.isEmpty, "seed \(seed)\n\(test.log.trace)")
        }
    }
}
