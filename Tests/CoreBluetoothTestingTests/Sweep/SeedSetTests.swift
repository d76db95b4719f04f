// The seeds that WORLD_SEEDS and WORLD_SHARD name, and what is refused.

import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Seeds of a sweep")
struct SeedSetTests {
    @Test(
        "a text names seeds, each once and in order",
        arguments: [
            ("7", "7", [7]),
            ("1-3", "1-3", [1, 2, 3]),
            ("5,1-2", "1-2,5", [1, 2, 5]),
            ("1-3,2-4,5", "1-5", [1, 2, 3, 4, 5]),
            ("0,18446744073709551615", "0,18446744073709551615", [0, .max]),
        ] as [(String, String, [UInt64])]
    )
    func parse(text: String, description: String, seeds: [UInt64]) throws {
        let set = try #require(SeedSet(text))
        #expect(set.description == description)
        #expect(set.count == UInt64(seeds.count))
        #expect((0..<set.count).map { set[$0] } == seeds)
        #expect(set[set.count] == nil)
    }

    @Test("all seeds that there are fit")
    func all() throws {
        let set = try #require(SeedSet("0-18446744073709551615"))
        #expect(set.count == .max)
        #expect(set[.max] == .max)
        #expect(set.description == "0-18446744073709551615")
    }

    @Test(
        "other texts name none",
        arguments: ["", "a", "-1", "1-", "3-1", "1,,2", "1;2", " 1", "1.5", "+1", "18446744073709551616", "1-2-3"]
    )
    func refuse(text: String) {
        #expect(SeedSet(text) == nil)
    }

    @Test("shards have all seeds once", arguments: [1, 2, 3, 20] as [UInt64], [0, 1, 2, 19, 20, 61] as [UInt64])
    func shards(total: UInt64, seeds: UInt64) throws {
        var found: [UInt64] = []
        for number in 1...total {
            let shard = try #require(SeedShard("\(number)/\(total)"))
            let count = shard.count(of: seeds)
            #expect(count == seeds / total || count == seeds / total + 1)
            found += (0..<count).compactMap(shard.position)
        }
        #expect(found.sorted() == Array(0..<seeds))
    }

    @Test("a shard is counted from 1", arguments: ["", "0/3", "4/3", "3", "1/0", "1/2/3", "a/b", "-1/3"])
    func refuseShard(text: String) {
        #expect(SeedShard(text) == nil)
    }

    @Test("settings are those of the environment, or what suits the machine")
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

    @Test("a process of a sweep knows its part from its environment, and another one has none")
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
        }
    }

    @Test(
        "a variable that means nothing is refused with one line",
        arguments: [
            ("WORLD_SEEDS", "ten"), ("WORLD_SEEDS", "9-1"), ("WORLD_SHARD", "0/20"), ("WORLD_FAILURES", "0"),
            ("WORLD_WORKERS", "many"), ("WORLD_SEED_LIMIT", "-1"),
        ]
    )
    func refuseVariable(name: String, text: String) {
        #expect {
            try SweepSettings([name: text], processors: 4)
        } throws: { error in
            let text = "\(error)"
            return text.hasPrefix("\(name) is ") && !text.contains("\n")
        }
    }

    @Test("seeds are counted up to the largest number")
    func largeCounts() throws {
        #expect(try #require(SeedSet("1-18446744073709551615")).count == .max)
        #expect(try #require(SeedSet("1-18446744073709551614")).count == .max - 1)
        #expect(try #require(SeedSet("0,2-18446744073709551615")).count == .max)
    }
}
