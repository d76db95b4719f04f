// Sweeps at the edges of their numbers: positions that no number can say, variables that are empty or too large, and
// plans of a shard.

import Testing

@testable import CoreBluetoothTesting

@Suite("Edges of a sweep")
struct SweepEdgesTests {
    @Test("A position that no number can say is none")
    func positions() throws {
        let rows: [(shard: String, position: UInt64, expected: UInt64?)] = [
            ("1/1", UInt64.max, UInt64.max), ("1/1", 0, 0), ("2/2", 0, 1), ("2/2", UInt64.max, nil),
            // Three times this is the largest number.
            ("1/3", 6_148_914_691_236_517_205, UInt64.max), ("2/3", 6_148_914_691_236_517_205, nil),
            ("3/3", 6_148_914_691_236_517_204, UInt64.max - 1), ("1/3", 6_148_914_691_236_517_206, nil),
        ]
        for row in rows {
            let shard = try #require(SeedShard(row.shard))
            #expect(shard.position(row.position) == row.expected, "\(row.shard) \(row.position)")
        }
    }

    @Test("A shard has the seed at its number, and each one that is the number of shards behind it")
    func counts() throws {
        for (text, seeds, count) in [
            ("1/3", 0, 0), ("1/3", 1, 1), ("1/3", 3, 1), ("1/3", 4, 2), ("3/3", 2, 0), ("3/3", 3, 1), ("3/3", 5, 1),
            ("3/3", 6, 2), ("1/1", .max, .max), ("2/2", .max, 9_223_372_036_854_775_807),
        ] as [(String, UInt64, UInt64)] {
            let shard = try #require(SeedShard(text))
            #expect(shard.count(of: seeds) == count, "\(text) \(seeds)")
            #expect(shard.description == text)
        }
    }

    @Test("A plan of a shard has the seeds of that shard alone, and none where it has none")
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

    @Test("A variable that is empty counts as absent")
    func emptyVariables() throws {
        let names = ["WORLD_SEEDS", "WORLD_SHARD", "WORLD_FAILURES", "WORLD_WORKERS", "WORLD_SEED_LIMIT"]
        let settings = try SweepSettings(Dictionary(uniqueKeysWithValues: names.map { ($0, "") }), processors: 3)
        #expect(settings.seeds == nil && settings.shard == .whole && settings.failureLimit == 1)
        #expect(settings.workers == 3 && settings.secondsPerSeed == 600)
    }

    @Test(
        "A number of failures, processes or seconds is one at least, in digits, and what else it is to be is said",
        arguments: [
            ("WORLD_FAILURES", "how many failures to gather: 5, or all"),
            ("WORLD_WORKERS", "a number of processes: 4"), ("WORLD_SEED_LIMIT", "a number of seconds: 600"),
        ]
    )
    func numbers(name: String, form: String) throws {
        for number in [1, 5, Int.max] {
            let settings = try SweepSettings([name: "\(number)"], processors: 3)
            #expect(settings.failureLimit == (name == "WORLD_FAILURES" ? number : 1))
            #expect(settings.workers == (name == "WORLD_WORKERS" ? number : 3))
            #expect(settings.secondsPerSeed == (name == "WORLD_SEED_LIMIT" ? number : 600))
        }
        for text in ["0", "-1", "+1", "1.5", " 1", "ALL", "9223372036854775808", "18446744073709551616"] {
            let error = #expect(throws: SweepError.self) { _ = try SweepSettings([name: text], processors: 3) }
            #expect(error?.reason == "\(name) is \"\(text)\"; it has to be \(form)")
            #expect(error?.failures.isEmpty == true && error?.command == nil)
        }
        // All failures are a number, and nothing else is.
        let all = try? SweepSettings([name: "all"], processors: 3)
        #expect(all?.failureLimit == (name == "WORLD_FAILURES" ? Int.max : nil))
    }

    @Test("Seeds and shards that mean nothing are refused with what would")
    func forms() {
        for (name, form) in [
            ("WORLD_SEEDS", "a seed, a range or several: 7, 1-10000 or 1-10,40"),
            ("WORLD_SHARD", "one of so many shards, counted from 1: 3/20"),
        ] {
            let error = #expect(throws: SweepError.self) { _ = try SweepSettings([name: "x"], processors: 1) }
            #expect(error?.description == "\(name) is \"x\"; it has to be \(form)")
        }
    }

    @Test("A process whose seeds mean nothing is none of a sweep")
    func wrongPart() {
        let part = SweepPart(site: "A/B.swift:7 c()", seeds: SeedSet([3]), mark: "/tmp/mark", folder: nil)
        var variables = part.variables
        #expect(SweepPart(variables)?.seeds == SeedSet([3]) && variables[SweepPart.folderVariable] == nil)
        variables[SweepPart.seedsVariable] = "three"
        #expect(SweepPart(variables) == nil)
    }

    @Test("Ranges of seeds that overlap or touch are one range, in whatever order they stand")
    func ranges() throws {
        for (text, description) in [
            ("5-7,1-4", "1-7"), ("1-9,3-4", "1-9"), ("1-3,5-7", "1-3,5-7"), ("9,7,8", "7-9"), ("4,4,4", "4"),
            ("18446744073709551614,18446744073709551615", "18446744073709551614-18446744073709551615"),
            ("0-18446744073709551615,5", "0-18446744073709551615"),
        ] {
            #expect(try #require(SeedSet(text)).description == description)
        }
    }
}
