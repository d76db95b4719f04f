// The settings of a sweep, from the environment.

import Testing

@testable import CoreBluetoothTesting

@Suite("SweepSettings")
struct SweepSettingsTests {
    @Test("reads the environment, with defaults for the machine")
    func settings() throws {
        let plain = try SweepSettings([:], processors: 4)
        #expect(plain.seeds == nil && plain.shard == .whole && plain.failureLimit == 1 && plain.workers == 4)
        let full = try SweepSettings(
            [
                "WORLD_SEEDS": "1-10000", "WORLD_SHARD": "3/20", "WORLD_FAILURES": "all", "WORLD_WORKERS": "2",
                "WORLD_SEED_LIMIT": "9",
            ],
            processors: 4
        )
        #expect(full.seeds?.count == 10000 && full.shard.description == "3/20" && full.failureLimit == .max)
        #expect(full.workers == 2 && full.secondsPerSeed == 9)
        #expect(try SweepSettings(["WORLD_SEEDS": ""], processors: 0).seeds == nil)
    }

    @Test(
        "requires numbers from 1 in digits, and says what a variable has to be",
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
        // `all` is a valid number of failures, other words are not.
        let all = try? SweepSettings([name: "all"], processors: 3)
        #expect(all?.failureLimit == (name == "WORLD_FAILURES" ? Int.max : nil))
    }

    @Test("rejects invalid seeds and shards with a valid example")
    func forms() {
        for (name, form) in [
            ("WORLD_SEEDS", "a seed, a range or several: 7, 1-10000 or 1-10,40"),
            ("WORLD_SHARD", "one of so many shards, counted from 1: 3/20"),
        ] {
            let error = #expect(throws: SweepError.self) { _ = try SweepSettings([name: "x"], processors: 1) }
            #expect(error?.description == "\(name) is \"x\"; it has to be \(form)")
        }
    }

    @Test("limits the time of a process by the limit of a seed for each of its seeds")
    func limit() throws {
        var settings = try SweepSettings([:], processors: 1)
        #expect(settings.secondsPerSeed == 600)
        #expect(!settings.isOverdue(after: 600, seeds: 1) && settings.isOverdue(after: 600.5, seeds: 1))
        settings.secondsPerSeed = 2
        for (seconds, seeds, isOverdue) in [
            (1.9, 1, false), (2, 1, false), (2.1, 1, true), (2.1, 2, false), (4, 2, false), (4.1, 2, true),
            (512, 256, false), (513, 256, true),
        ] as [(Double, Int, Bool)] {
            #expect(settings.isOverdue(after: seconds, seeds: seeds) == isOverdue, "\(seconds) \(seeds)")
        }
    }

    @Test("gives a process its part by its environment")
    func part() throws {
        for folder in [nil, "/tmp/kept"] {
            let part = SweepPart(
                site: "A/B.swift:7 c()",
                seeds: SeedSet([3, 1, 2, 9]),
                mark: "/tmp/mark",
                folder: folder
            )
            #expect(part.variables["WORLD_SWEEP_SEEDS"] == "1-3,9")
            let read = try #require(SweepPart(part.variables))
            #expect(read.site == part.site && read.seeds == part.seeds && read.mark == part.mark)
            #expect(read.folder == folder)
            for name in [SweepPart.siteVariable, SweepPart.seedsVariable, SweepPart.markVariable] {
                #expect(SweepPart(part.variables.filter { $0.key != name }) == nil, "\(name)")
            }
            #expect(SweepPart(part.variables.merging([SweepPart.seedsVariable: "three"]) { $1 }) == nil)
        }
    }
}
