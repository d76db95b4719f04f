// Which seeds run together, which alone, and when a sweep ends.

import Testing

@testable import CoreBluetoothTesting

@Suite("SweepPlan")
struct SweepPlanTests {
    private static func plan(_ seeds: String, failureLimit: Int = 1) throws -> SweepPlan {
        SweepPlan(try #require(SeedSet(seeds)), .whole, failureLimit: failureLimit)
    }

    /// The next job of a plan, which must exist.
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

    @Test("finds the smallest seed that fails, even if a larger one fails first", arguments: [1, 3, 8])
    func smallest(workers: Int) throws {
        var plan = try Self.plan("1-10000")
        let bad: Set<UInt64> = [333, 340, 341, 700, 5000]
        let jobs = Self.run(&plan, workers: workers) { !bad.isDisjoint(with: $0) }
        #expect(plan.failures.first?.seeds == [333])
        #expect(plan.failures.first?.folder == "kept 333")
        // It does not run to the end.
        #expect(jobs.flatMap(\.seeds).count < 4000)
        // A process for each seed would be more than 333.
        #expect(jobs.count < 60)
        // Every smaller seed has been run.
        #expect(Set(jobs.flatMap(\.seeds)).isSuperset(of: 1...333))
    }

    @Test("collects all failing seeds, each once", arguments: 1...4)
    func gather(workers: Int) throws {
        var plan = try Self.plan("1-500", failureLimit: .max)
        let bad: Set<UInt64> = [1, 2, 77, 256, 500]
        _ = Self.run(&plan, workers: workers) { !bad.isDisjoint(with: $0) }
        #expect(plan.failures.map(\.seeds) == bad.sorted().map { [$0] })
        #expect(plan.finished == 500)
    }

    @Test("names seeds together that fail only together")
    func together() throws {
        var plan = try Self.plan("1-3")
        _ = Self.run(&plan) { $0 == [2, 3] }
        #expect(plan.failures.map(\.seeds) == [[2, 3]])
        #expect(plan.failures.first?.reason.hasPrefix("fail one after the other") == true)
    }

    @Test("reports a seed that fails once and not again")
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

    @Test(
        "gives a process twice as many seeds below 0.75 s, half as many above 3 s",
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
        // A smaller one does not affect the others.
        plan.ended(small, .holds, after: 0.1)
        #expect(plan.size == size)
    }

    @Test("runs halves in the order of their seeds, before new seeds")
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

    @Test("reports a seed that never ends without running it again, and nothing behind it")
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
        // The smaller seed passes: the other one failed the group, which is not a separate failure.
        plan.ended(seeds[0], .holds, after: 0.1)
        #expect(plan.failures.map(\.seeds) == [[5]])
        #expect(plan.next() == nil)
    }

    @Test("has the seeds of its shard only")
    func plans() throws {
        let seeds = try #require(SeedSet("1-4,10,20-22,30"))
        var plan = SweepPlan(seeds, try #require(SeedShard("2/3")), failureLimit: 1)
        #expect(plan.total == 3)
        var found: [UInt64] = []
        while let job = plan.next() {
            found += job.seeds
            plan.ended(job, .holds, after: 1)
        }
        #expect(found == [2, 10, 22] && plan.finished == 3)
        var empty = SweepPlan(SeedSet([1, 2]), try #require(SeedShard("3/3")), failureLimit: 1)
        let none = empty.next()
        #expect(empty.total == 0 && none == nil)
    }
}
