import Fixtures
import Foundation
import Testbed
import Testing

@testable import BlueEar

@Suite("Messages as property lists")
struct PropertyListMessageTests {
    private static let messages: [[String: String]] = [
        [:], ["Hello": "Darkness"], ["Yo": "Lo"], ["": ""], ["é☂": "🎱 \u{0}\u{7F}"],
        ["a": "a", "b": "a", "c": "b"], ["long": String(repeating: "x", count: 70_000)],
        ["wide": String(repeating: "é", count: 300)],
        Dictionary(uniqueKeysWithValues: (0..<1000).map { ("key \($0)", "value \($0 % 7)") }),
    ]

    @Test("reads a list that Foundation writes", arguments: messages.indices)
    func roundTrip(index: Int) throws {
        let message = Self.messages[index]
        let data = try PropertyListMessage.encode(message)
        #expect(data.starts(with: Data("bplist00".utf8)))
        #expect(PropertyListMessage.decode(data) == message)
        // A slice of other data, whose first index is not zero.
        #expect(PropertyListMessage.decode((Data([1, 2, 3]) + data + [4]).dropFirst(3).dropLast()) == message)
    }

    @Test("writes the article's octets")
    func article() throws {
        let hello =
            "62706c6973743030d101025548656c6c6f584461726b6e657373080b11000000000000010100000000000000030000000000000000"
            + "000000000000001a"
        #expect(try PropertyListMessage.encode(["Hello": "Darkness"]).hex == normalized(hello))
    }

    @Test("D12: encodes a message of the maximum length, and refuses a longer one")
    func maximumLength() throws {
        func message(_ count: Int) -> [String: String] { ["k": String(repeating: "x", count: count)] }
        let limit = BlueEarService.maximumMessageLength
        // The overhead of the list is the same for texts of this length.
        let overhead = try PropertyListMessage.encode(message(limit - 1_000)).count - (limit - 1_000)
        let longest = try PropertyListMessage.encode(message(limit - overhead))
        #expect(longest.count == limit)
        #expect(PropertyListMessage.decode(longest) == message(limit - overhead))
        #expect(throws: BlueEarError.tooLong(limit + 1)) {
            try PropertyListMessage.encode(message(limit - overhead + 1))
        }
    }

    @Test("rejects lists of other values")
    func otherThings() throws {
        let things: [Any] = [
            [1, 2, 3], ["a": 1], ["a": ["b": "c"]], "text", 5, ["a": Data([1])], ["a": true],
        ]
        for thing in things {
            let data = try PropertyListSerialization.data(fromPropertyList: thing, format: .binary, options: 0)
            #expect(PropertyListMessage.decode(data) == nil, "\(thing)")
        }
    }

    @Test("rejects XML and old-style lists")
    func otherFormats() throws {
        let xml = try PropertyListSerialization.data(fromPropertyList: ["a": "b"], format: .xml, options: 0)
        #expect(PropertyListMessage.decode(xml) == nil)
        #expect(PropertyListMessage.decode(Data("{a = b;}".utf8)) == nil)
        #expect(PropertyListMessage.decode(Data()) == nil)
        #expect(PropertyListMessage.decode(Data(String(repeating: "(", count: 1_000_000).utf8)) == nil)
    }

    @Test("rejects every proper prefix of a message")
    func truncated() throws {
        let data = try PropertyListMessage.encode(["Hello": "Darkness", "é": "☂"])
        for length in 0..<data.count {
            // A truncated list could happen to end in a trailer; this one contains none.
            #expect(PropertyListMessage.decode(data.prefix(length)) == nil, "\(length)")
        }
    }

    @Test(
        "reads mutated lists without a trap, and encodes what it reads to the same message",
        arguments: simulationSeeds(5)
    )
    func fuzz(seed: UInt64) throws {
        var generator = SeededNumbers(seed)
        let seeds = try Self.messages.filter { $0.count < 10 }.map { try PropertyListMessage.encode($0) }
            .filter { $0.count < 1000 }
        var read = 0
        for _ in 0..<3_000 {
            var data = seeds.randomElement(using: &generator)!
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<data.count, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: data[index] = .random(in: 0...255, using: &generator)
                case 1: data[index] ^= UInt8(1) << UInt8.random(in: 0...7, using: &generator)
                case 2: data.insert(.random(in: 0...255, using: &generator), at: index)
                case 3: data.remove(at: index)
                // The trailer matters most.
                default: data[data.count - 1 - index % min(32, data.count)] = .random(in: 0...255, using: &generator)
                }
                if data.isEmpty { data = Data([0]) }
            }
            guard let message = PropertyListMessage.decode(data) else { continue }
            read += 1
            #expect(PropertyListMessage.decode(try PropertyListMessage.encode(message)) == message)
        }
        #expect(read > 0)
    }

    @Test("rejects a dictionary whose entries reach into the table of offsets")
    func entriesBehindTheObjects() {
        // Object 0 is the text "a", object 2 a dictionary of one entry directly before the table, whose octets could be
        // taken for references.
        let table: [UInt8] = [8, 8, 10, 8, 8, 8, 8, 8, 8]
        var data = Data("bplist00".utf8) + Data([0x51, 0x61, 0xD1])
        let start = data.count
        data += Data(table) + Data([0, 0, 0, 0, 0, 0, 1, 1])
        for number in [table.count, 2, start] {
            data += Data((0..<8).reversed().map { UInt8(number >> ($0 * 8) & 0xFF) })
        }
        #expect(PropertyListMessage.decode(data) == nil)
        // With two references before the table, it is a message.
        var whole = Data("bplist00".utf8) + Data([0x51, 0x61, 0xD1, 0, 0])
        let end = whole.count
        whole += Data([8, 10]) + Data([0, 0, 0, 0, 0, 0, 1, 1])
        for number in [2, 1, end] { whole += Data((0..<8).reversed().map { UInt8(number >> ($0 * 8) & 0xFF) }) }
        #expect(PropertyListMessage.decode(whole) == ["a": "a"])
    }
}
