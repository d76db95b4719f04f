// Binary property lists of one dictionary, with each of their numbers at the edges of what is possible: the widths, the
// counts, the root, where the table begins, where an object is, and how long a text says it is.

import Fixtures
import Foundation
import Testing

@testable import BlueEar

@Suite("Property lists at their edges")
struct PropertyListEdgeTests {
    /// What a list is made of; everything that is not set is as it should be for `["a": "b"]`.
    private struct List {
        var key: [UInt8] = [0x51, 0x61]
        var value: [UInt8] = [0x51, 0x62]
        var dictionary: [UInt8] = [0xD1]
        var references: [UInt64] = [1, 2]
        var offsetWidth = 1
        var referenceWidth = 1
        var count: UInt64 = 3
        var root: UInt64 = 0
        /// Is added to where the table begins, and to where each object is.
        var tableShift = 0
        var offsetShifts = [0, 0, 0]
        /// Octets between the table and the trailer.
        var gap = 0

        var data: Data {
            var data = Data("bplist00".utf8)
            var offsets = [data.count]
            data += self.dictionary + self.references.flatMap { Self.number($0, self.referenceWidth) }
            for object in [self.key, self.value] {
                offsets.append(data.count)
                data += object
            }
            let table = data.count
            for (offset, shift) in zip(offsets, self.offsetShifts) {
                data += Self.number(UInt64(max(0, offset + shift)), self.offsetWidth)
            }
            data += Data(repeating: 0, count: self.gap + 6)
            data += [UInt8(truncatingIfNeeded: self.offsetWidth), UInt8(truncatingIfNeeded: self.referenceWidth)]
            data += Self.number(self.count, 8) + Self.number(self.root, 8)
            return data + Self.number(UInt64(max(0, table + self.tableShift)), 8)
        }

        static func number(_ number: UInt64, _ width: Int) -> [UInt8] {
            (0..<width).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: number >> (UInt64($0) * 8)) : 0 }
        }

        /// What is read of it.
        var message: [String: String]? {
            let message = PropertyListMessage.decode(self.data)
            RunRecord.note("\(self.data.hex) \(message.map { text($0) } ?? "none")")
            return message
        }
    }

    @Test("The numbers of offsets and references have one to eight octets")
    func widths() {
        for offsetWidth in 0...9 {
            for referenceWidth in 0...9 {
                let list = List(offsetWidth: offsetWidth, referenceWidth: referenceWidth)
                let isValid = (1...8).contains(offsetWidth) && (1...8).contains(referenceWidth)
                #expect(list.message == (isValid ? ["a": "b"] : nil), "\(offsetWidth) \(referenceWidth)")
            }
        }
    }

    @Test("The root is one of the objects, of which there are as many as the table has room for")
    func counts() {
        let numbers: [UInt64] = [0, 1, 2, 3, 4, 5, 255, 1 << 31, 1 << 62, 1 << 63, .max]
        for count in numbers {
            for root in [0, 1, 2, 3, 1 << 63, .max] as [UInt64] {
                for gap in 0...2 { _ = List(count: count, root: root, gap: gap).message }
            }
        }
        #expect(List(count: 3).message == ["a": "b"] && List(count: 4).message == nil)
        #expect(List(count: 4, gap: 1).message == ["a": "b"] && List(count: 5, gap: 1).message == nil)
        #expect(List(count: 2).message == nil && List(root: 1).message == nil && List(root: 3).message == nil)
    }

    @Test("The table begins behind the header and before the trailer, and objects are between header and table")
    func places() {
        for shift in -16...16 { _ = List(tableShift: shift).message }
        for object in 0..<3 {
            for shift in -10...10 {
                var list = List()
                list.offsetShifts[object] = shift
                _ = list.message
            }
        }
        for first in 0...4 { for second in 0...4 { _ = List(references: [UInt64(first), UInt64(second)]).message } }
        for references in [[], [1], [1, 2, 1, 2], [2, 1, 1, 2]] as [[UInt64]] {
            for count in 0...4 { _ = List(dictionary: [0xD0 | UInt8(count)], references: references).message }
        }
        #expect(List(dictionary: [0xD2], references: [2, 1, 1, 2]).message == ["b": "a", "a": "b"])
    }

    private static let octets: [[UInt8]] = [
        [], [0x61], [0x61, 0x62], [0, 0x61, 0, 0x62], [0xC3, 0xA9], [0xD8, 0x3D, 0xDE, 0x97],
    ]

    @Test("A text is ASCII, UTF-16 or UTF-8, and as long as it says, which is no longer than there are octets")
    func texts() {
        for kind in 0...15 as ClosedRange<UInt8> {
            for count in 0...15 as ClosedRange<UInt8> {
                for octets in Self.octets {
                    _ = List(value: [kind << 4 | count] + octets).message
                    _ = List(key: [kind << 4 | count] + octets).message
                }
            }
        }
        // A count of its own: an integer object of one, two, four or eight octets, and nothing else.
        for marker in 0...0x2F as ClosedRange<UInt8> {
            for width in [1, 2, 4, 8, 16] {
                for count in [0, 1, 2, 3, 1 << 62, .max] as [UInt64] {
                    for kind in [0x5F, 0x6F, 0x7F] as [UInt8] {
                        let value = [kind, marker] + List.number(count, width) + [0x61, 0x62, 0x63]
                        _ = List(value: value).message
                    }
                }
            }
        }
        #expect(List(value: [0x5F, 0x11, 0, 2, 0x61, 0x62]).message == ["a": "ab"])
        #expect(List(value: [0x5F, 0x11, 0, 3, 0x61, 0x62]).message == nil)
        #expect(List(value: [0x5F]).message == nil && List(value: [0x5F, 0x14, 1, 0x61]).message == nil)
        #expect(List(value: [0x51, 0x80]).message == nil && List(value: [0x51, 0x7F]).message == ["a": "\u{7F}"])
    }

    @Test("A dictionary has a count of its own where it has fifteen entries or more")
    func longDictionary() {
        for count in [0, 1, 14, 15, 16, 200] {
            for marker in [0x10, 0x11, 0x12, 0x13, 0x14, 0x20] as [UInt8] {
                let width = 1 << Int(marker & 0x0F)
                let dictionary = [0xDF, marker] + List.number(UInt64(count), width)
                for entries in [count, count - 1, count + 1] where entries >= 0 {
                    let references =
                        Array(repeating: 1 as UInt64, count: entries)
                        + Array(repeating: 2, count: entries)
                    let message = List(dictionary: dictionary, references: references, offsetWidth: 2).message
                    if entries == count, marker < 0x14 { #expect(message == (count == 0 ? [:] : ["a": "b"])) }
                }
            }
        }
    }

    @Test("The texts of a message have no more octets together than a message may have")
    func budget() {
        let half = BlueEarService.maximumMessageLength / 2
        for count in [half - 1, half, half + 1] {
            let text = [0x5F, 0x12] + List.number(UInt64(count), 4) + Array(repeating: 0x61, count: count)
            let list = List(key: text, references: [1, 1], offsetWidth: 4)
            #expect((PropertyListMessage.decode(list.data) != nil) == (count <= half), "\(count)")
            let wide = [0x6F, 0x12] + List.number(UInt64(count / 2), 4) + Array(repeating: 0x61, count: count / 2 * 2)
            let wideList = List(key: wide, references: [1, 1], offsetWidth: 4)
            #expect((PropertyListMessage.decode(wideList.data) != nil) == (count / 2 * 2 <= half), "\(count)")
        }
    }

    @Test("A list has the header of a binary one, and a trailer behind at least one octet")
    func headers() {
        let data = List().data
        for index in 0..<8 {
            var other = data
            other[index] ^= 1
            #expect(PropertyListMessage.decode(other) == nil)
        }
        for count in 0...60 {
            let message = PropertyListMessage.decode(data.suffix(count))
            let behind = PropertyListMessage.decode(Data("bplist00".utf8) + data.suffix(count))
            RunRecord.note("\(count) \(text(message ?? [:])) \(text(behind ?? [:]))")
        }
    }
}
