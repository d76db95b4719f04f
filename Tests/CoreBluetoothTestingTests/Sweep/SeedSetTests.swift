// The seeds that WORLD_SEEDS and WORLD_SHARD name.

import Testing

@testable import CoreBluetoothTesting

@Suite("SeedSet")
struct SeedSetTests {
    @Test(
        "names each seed once, in order",
        arguments: [
            ("7", "7", [7]),
            ("1-3", "1-3", [1, 2, 3]),
            ("5,1-2", "1-2,5", [1, 2, 5]),
            ("1-3,2-4,5", "1-5", [1, 2, 3, 4, 5]),
            ("5-7,1-4", "1-7", [1, 2, 3, 4, 5, 6, 7]),
            ("1-3,5-6", "1-3,5-6", [1, 2, 3, 5, 6]),
            ("4,4,4", "4", [4]),
            (
                "18446744073709551614,18446744073709551615", "18446744073709551614-18446744073709551615",
                [.max - 1, .max]
            ),
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

    @Test(
        "counts seeds up to the largest number",
        arguments: [
            ("0-18446744073709551615", .max), ("1-18446744073709551615", .max), ("1-18446744073709551614", .max - 1),
            ("0,2-18446744073709551615", .max),
        ] as [(String, UInt64)]
    )
    func counts(text: String, count: UInt64) throws {
        #expect(try #require(SeedSet(text)).count == count)
    }

    @Test(
        "refuses other texts",
        arguments: ["", "a", "-1", "1-", "3-1", "1,,2", "1;2", " 1", "1.5", "+1", "18446744073709551616", "1-2-3"]
    )
    func refuse(text: String) {
        #expect(SeedSet(text) == nil)
    }

    @Test(
        "divides seeds into shards, each seed once",
        arguments: [1, 3, 20] as [UInt64],
        [0, 1, 20, 61] as [UInt64]
    )
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

    @Test("counts shards from 1", arguments: ["", "0/3", "4/3", "3", "1/0", "1/2/3", "a/b", "-1/3"])
    func refuseShard(text: String) {
        #expect(SeedShard(text) == nil)
    }

    @Test("has no position beyond the largest number")
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
}
