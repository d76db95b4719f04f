// Which seeds run together, which alone, and when a sweep is over: without a process.

import Testing

@testable import CoreBluetoothTesting

@Suite("Plan of a sweep")
struct SweepPlanTests {
    private static func plan(_ seeds: String, failureLimit: Int = 1) throws -> SweepPlan {
        SweepPlan(try #require(SeedSet(seeds)), .whole, failureLimit: failureLimit)
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
        #expect(plan.failures.first?.reason.hasPrefix("failed once") == true)
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
        #expect(SweepProgress.text(ofSeconds: 7322) == "2 h 2 min")
        #expect(SweepProgress.text(ofSeconds: 200_000) == "2 d 7 h")
    }
}
