// Which seeds run together, which alone, and when a sweep is over: without a process.

import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Plan of a sweep")
struct SweepPlanTests {
    private static func plan(_ seeds: String, failureLimit: Int = 1) throws -> SweepPlan {
        SweepPlan(try #require(SeedSet(seeds)), .whole, failureLimit: failureLimit)
    }

    /// What a plan has next; there is something.
    private static func next(_ plan: inout SweepPlan) throws -> SweepPlan.Job {
        let job = plan.next()
        return try #require(job)
    }

    /// Runs a plan, `workers` jobs at once, of which the last one that was started ends first.
    private static func run(
        _ plan: inout SweepPlan,
        workers: Int = 1,
        seconds: Double = 0.1,
        fails: ([UInt64]) -> Bool
    ) -> [SweepPlan.Job] {
        var jobs: [SweepPlan.Job] = []
        var running: [SweepPlan.Job] = []
        while true {
            while running.count < workers, let job = plan.next() {
                running.append(job)
                jobs.append(job)
            }
            guard let job = running.popLast() else { return jobs }
            guard !plan.isNeedless(job) else { continue }
            let folder = job.isKept ? "kept \(job.seeds[0])" : nil
            plan.ended(job, fails(job.seeds) ? .fails(reason: "why", folder: folder) : .holds, after: seconds)
        }
    }

    @Test("all seeds run once where none fails, more and more of them in a process")
    func holds() throws {
        var plan = try Self.plan("1-1000")
        let jobs = Self.run(&plan) { _ in false }
        #expect(jobs.flatMap(\.seeds) == Array(1...1000))
        #expect(jobs.map(\.seeds.count).prefix(4) == [1, 2, 4, 8])
        #expect(jobs.map(\.seeds.count).max() == SweepPlan.largestSize)
        #expect(plan.finished == 1000 && plan.failures.isEmpty)
    }

    @Test("slow seeds have a process each")
    func slow() throws {
        var plan = try Self.plan("1-20")
        #expect(Self.run(&plan, seconds: 5) { _ in false }.count == 20)
    }

    @Test("the smallest seed that fails is found, also where a larger one is found first", arguments: 1...8)
    func smallest(workers: Int) throws {
        var plan = try Self.plan("1-10000")
        let bad: Set<UInt64> = [333, 340, 341, 700, 5000]
        let jobs = Self.run(&plan, workers: workers) { !bad.isDisjoint(with: $0) }
        #expect(plan.failures.first?.seeds == [333])
        #expect(plan.failures.first?.folder == "kept 333")
        // It does not go on to the end.
        #expect(jobs.flatMap(\.seeds).count < 4000)
        // A process for each seed would be more than 333.
        #expect(jobs.count < 60)
        // Every smaller seed has been run.
        #expect(Set(jobs.flatMap(\.seeds)).isSuperset(of: 1...333))
    }

    @Test("all seeds that fail are gathered, each once", arguments: 1...4)
    func gather(workers: Int) throws {
        var plan = try Self.plan("1-500", failureLimit: .max)
        let bad: Set<UInt64> = [1, 2, 77, 256, 500]
        _ = Self.run(&plan, workers: workers) { !bad.isDisjoint(with: $0) }
        #expect(plan.failures.map(\.seeds) == bad.sorted().map { [$0] })
        #expect(plan.finished == 500)
    }

    @Test("seeds that fail together, and none alone, are named together")
    func together() throws {
        var plan = try Self.plan("1-3")
        _ = Self.run(&plan) { $0 == [2, 3] }
        #expect(plan.failures.map(\.seeds) == [[2, 3]])
        #expect(plan.failures.first?.reason.hasPrefix("fail one after the other") == true)
    }

    @Test("a seed that fails once and not again is a test that cannot be repeated")
    func unrepeatable() throws {
        var plan = try Self.plan("1-3")
        var isFirst = true
        _ = Self.run(&plan) { seeds in
            defer { isFirst = isFirst && seeds != [1] }
            return seeds == [1] && isFirst
        }
        #expect(plan.failures.map(\.seeds) == [[1]])
        #expect(plan.failures.first?.reason.hasPrefix("failed once") == true && plan.finished == 1)
    }

    @Test("a line says how far a sweep is, and how long the rest takes")
    func progress() {
        var progress = SweepProgress(
            name: "reads()",
            finished: 0,
            total: 10000,
            failures: 0,
            shard: .whole,
            seconds: 0
        )
        #expect(progress.line == "reads(): 0 of 10000 seeds, no failure")
        progress.finished = 1000
        progress.seconds = 25
        progress.failures = 2
        progress.shard = SeedShard("3/20") ?? .whole
        #expect(
            progress.line
                == "reads(): 1000 of 10000 seeds of shard 3/20, 40 a second, 2 failures, 3 min 45 s left"
        )
    }

    @Test("a line says one failure, a slow rate with its tenths, and at the end how long it took")
    func lines() {
        var progress = SweepProgress(
            name: "reads()",
            finished: 99,
            total: 100,
            failures: 1,
            shard: .whole,
            seconds: 10
        )
        #expect(progress.line == "reads(): 99 of 100 seeds, 9.9 a second, 1 failure, 1 s left")
        progress.finished = 100
        #expect(progress.line == "reads(): 100 of 100 seeds, 10 a second, 1 failure, in 10 s")
        progress.seconds = 0
        #expect(progress.line == "reads(): 100 of 100 seeds, 1 failure, in 0 s")
    }

    @Test("as long as no seed has ended nothing is known of the rate, and of the time that is left")
    func rates() {
        for (finished, seconds, text, left) in [
            (0, 0, "0 of 10 seeds, no failure", nil), (0, 5, "0 of 10 seeds, no failure", nil),
            (1, 0, "1 of 10 seeds, no failure, 0 s left", 0),
            (1, 5, "1 of 10 seeds, 0.2 a second, no failure, 45 s left", 45),
            (10, 5, "10 of 10 seeds, 2 a second, no failure, in 5 s", 0),
            (11, 11, "11 of 10 seeds, 1 a second, no failure, 0 s left", 0),
        ] as [(UInt64, Double, String, Double?)] {
            let progress = SweepProgress(
                name: "reads()",
                finished: finished,
                total: 10,
                failures: 0,
                shard: .whole,
                seconds: seconds
            )
            #expect(progress.line == "reads(): \(text)" && progress.secondsLeft == left)
        }
    }

    @Test(
        "a duration has its two largest units, and is rounded up to seconds",
        arguments: [
            (0, "0 s"), (58.1, "59 s"), (59.1, "1 min 0 s"), (3599, "59 min 59 s"), (3600, "1 h 0 min"),
            (7322, "2 h 2 min"), (86_399, "23 h 59 min"), (86_400, "1 d 0 h"), (200_000, "2 d 7 h"),
            (1e12, "for ever"), (.infinity, "for ever"),
        ] as [(Double, String)]
    )
    func durations(seconds: Double, text: String) {
        #expect(SweepProgress.text(ofSeconds: seconds) == text)
    }

    @Test(
        "a process gets twice as many seeds where the last one took less than 0.75 s, half as many above 3 s",
        arguments: [(0.74, 8), (0.75, 4), (3, 4), (3.01, 2)]
    )
    func sizes(seconds: Double, size: Int) throws {
        var plan = try Self.plan("1-100")
        let small = try Self.next(&plan)
        plan.ended(small, .holds, after: 0.1)
        let second = try Self.next(&plan)
        plan.ended(second, .holds, after: 0.1)
        #expect(plan.size == 4)
        let job = try Self.next(&plan)
        #expect(job.seeds == [4, 5, 6, 7])
        plan.ended(job, .holds, after: seconds)
        #expect(plan.size == size)
        // One that was smaller says nothing of the others.
        plan.ended(small, .holds, after: 0.1)
        #expect(plan.size == size)
    }

    @Test("halves run in the order of their seeds, before new seeds, and a failure halves the size")
    func halves() throws {
        var plan = try Self.plan("1-100")
        for _ in 0..<3 {
            let job = try Self.next(&plan)
            plan.ended(job, .holds, after: 0.1)
        }
        let (first, second) = (try Self.next(&plan), try Self.next(&plan))
        #expect(first.seeds == Array(8...15) && second.seeds == Array(16...23))
        plan.ended(second, .fails(reason: "late", folder: nil), after: 0.1)
        #expect(plan.size == 4)
        plan.ended(first, .fails(reason: "early", folder: nil), after: 0.1)
        #expect(plan.size == 2 && plan.finished == 7)
        let halves = [plan.next(), plan.next(), plan.next(), plan.next(), plan.next()].map { $0?.seeds }
        #expect(halves == [Array(8...11), Array(12...15), Array(16...19), Array(20...23), [24, 25]])
    }

    @Test("a seed that never ends is a failure, which is not run again; nothing behind it is of interest")
    func neverEnds() throws {
        var plan = try Self.plan("1-100")
        for _ in 0..<2 {
            let job = try Self.next(&plan)
            plan.ended(job, .holds, after: 0.1)
        }
        let (job, behind) = (try Self.next(&plan), try Self.next(&plan))
        plan.ended(job, .fails(reason: "slow", folder: nil), after: 900)
        let half = try Self.next(&plan)
        #expect(half.seeds == [4, 5])
        plan.ended(half, .fails(reason: "slow", folder: nil), after: 900)
        let seeds = [try Self.next(&plan), try Self.next(&plan)]
        #expect(seeds.map(\.seeds) == [[4], [5]])
        plan.ended(seeds[1], .neverEnds(reason: "no end"), after: 600)
        #expect(plan.failures.map(\.seeds) == [[5]] && plan.failures.map(\.reason) == ["no end"])
        #expect(plan.finished == 4)
        #expect(plan.isNeedless(behind) && !plan.isNeedless(seeds[0]) && !plan.isNeedless(seeds[1]))
        // The smaller seed holds: its group has failed by the other one, and is no failure of its own.
        plan.ended(seeds[0], .holds, after: 0.1)
        #expect(plan.failures.map(\.seeds) == [[5]])
        #expect(plan.next() == nil)
    }

    @Test("a sweep goes on until it has as many failures as wanted")
    func failureLimit() throws {
        var plan = try Self.plan("1-100", failureLimit: 2)
        let bad: Set<UInt64> = [10, 20, 30]
        _ = Self.run(&plan) { !bad.isDisjoint(with: $0) }
        #expect(plan.failures.prefix(2).map(\.seeds) == [[10], [20]])
    }

    @Test(
        "a process gets twice as many seeds where it is quick, and half as many where it is slow",
        arguments: [(0.74, 8), (0.75, 4), (3, 4), (3.01, 2)] as [(Double, Int)]
    )
    func size(seconds: Double, size: Int) throws {
        var plan = try Self.plan("1-1000")
        for _ in 0..<2 { plan.ended(try Self.next(&plan), .holds, after: 0.1) }
        #expect(plan.size == 4)
        let job = try Self.next(&plan)
        plan.ended(job, .holds, after: seconds)
        #expect(plan.size == size)
    }

    @Test("fewer seeds than a process gets say nothing of how many it should get", arguments: [0.1, 5])
    func sizeOfTheRest(seconds: Double) throws {
        var plan = try Self.plan("1-5")
        for _ in 0..<2 { plan.ended(try Self.next(&plan), .holds, after: 0.1) }
        let job = try Self.next(&plan)
        #expect(plan.size == 4 && job.seeds == [4, 5])
        plan.ended(job, .holds, after: seconds)
        #expect(plan.size == 4)
    }

    @Test("where seeds fail a process gets half as many, one at least")
    func sizeAfterFailures() throws {
        var plan = try Self.plan("1-1000", failureLimit: .max)
        for _ in 0..<3 { plan.ended(try Self.next(&plan), .holds, after: 0.1) }
        #expect(plan.size == 8)
        var sizes: [Int] = []
        for _ in 0..<5 {
            plan.ended(try Self.next(&plan), .fails(reason: "why", folder: nil), after: 0.1)
            sizes.append(plan.size)
        }
        #expect(sizes == [4, 2, 1, 1, 1])
    }
}
