import Foundation
import Testing

@testable import BlueEar

@Suite("Octets of property lists")
struct PropertyListEdgeTests {
    /// The parts of a list, by default those of `["a": "b"]`.
    private struct List {
        var key: [UInt8] = [0x51, 0x61]
        var value: [UInt8] = [0x51, 0x62]
        var dictionary: [UInt8] = [0xD1]
        var references: [UInt64] = [1, 2]
        var offsetWidth = 1
        var referenceWidth = 1
        var count: UInt64 = 3
        var root: UInt64 = 0
        /// Added to the offsets of the table and of each object.
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

        var message: [String: String]? { PropertyListMessage.decode(self.data) }
    }

    @Test("reads offsets and references of one to eight octets")
    func widths() {
        for offsetWidth in 0...9 {
            for referenceWidth in 0...9 {
                let list = List(offsetWidth: offsetWidth, referenceWidth: referenceWidth)
                let isValid = (1...8).contains(offsetWidth) && (1...8).contains(referenceWidth)
                #expect(list.message == (isValid ? ["a": "b"] : nil), "\(offsetWidth) \(referenceWidth)")
            }
        }
    }

    @Test("rejects a root or a number of objects that the table cannot hold")
    func counts() {
        #expect(List(count: 3).message == ["a": "b"] && List(count: 4).message == nil)
        #expect(List(count: 4, gap: 1).message == ["a": "b"] && List(count: 5, gap: 1).message == nil)
        #expect(List(count: 2).message == nil && List(root: 1).message == nil && List(root: 3).message == nil)
        for number in [0, 255, 1 << 31, 1 << 62, 1 << 63, .max] as [UInt64] {
            #expect(List(count: number).message == nil)
            if number > 0 { #expect(List(root: number).message == nil) }
        }
    }

    @Test("rejects a table or an object at another offset")
    func places() {
        for shift in -16...16 where shift != 0 { #expect(List(tableShift: shift).message == nil, "\(shift)") }
        for shift in [-10, -9, 9, 10] {
            for object in 0..<3 {
                var list = List()
                list.offsetShifts[object] = shift
                #expect(list.message == nil, "\(object) \(shift)")
            }
        }
        #expect(List(references: [2, 1]).message == ["b": "a"] && List(references: [1, 3]).message == nil)
        #expect(List(references: [0, 2]).message == nil && List(references: [1]).message == nil)
        #expect(List(dictionary: [0xD2], references: [2, 1, 1, 2]).message == ["b": "a", "a": "b"])
    }

    @Test("reads a text of the right length, and rejects one of another length or kind")
    func texts() {
        #expect(List(value: [0x62, 0, 0x61, 0, 0x62]).message == ["a": "ab"])
        #expect(List(value: [0x62, 0xD8, 0x3D, 0xDE, 0x97]).message == ["a": "\u{1F697}"])
        #expect(List(value: [0x72, 0xC3, 0xA9]).message == ["a": "é"])
        #expect(List(value: [0x5F, 0x11, 0, 2, 0x61, 0x62]).message == ["a": "ab"])
        #expect(List(value: [0x5F, 0x11, 0, 3, 0x61, 0x62]).message == nil)
        #expect(List(value: [0x5F]).message == nil && List(value: [0x5F, 0x14, 1, 0x61]).message == nil)
        #expect(List(value: [0x51, 0x80]).message == nil && List(value: [0x51, 0x7F]).message == ["a": "\u{7F}"])
        for kind in [0x0, 0x1, 0x2, 0x3, 0x4, 0x8, 0xA, 0xD, 0xF] as [UInt8] {
            #expect(List(value: [kind << 4 | 1, 0x61, 0x62]).message == nil, "\(kind)")
        }
        for count in [1 << 31, 1 << 62, .max] as [UInt64] {
            for kind in [0x5F, 0x6F, 0x7F] as [UInt8] {
                #expect(List(value: [kind, 0x13] + List.number(count, 8) + [0x61, 0x62]).message == nil)
            }
        }
    }

    @Test("reads a separate count of fifteen entries or more")
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

    @Test("rejects texts that are longer together than a message")
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

    @Test("rejects a list that refers to one long text twenty thousand times")
    func amplification() {
        let (count, length) = (20_000, 65_000)
        let text = [0x5F, 0x12] + List.number(UInt64(length), 4) + Array(repeating: 0x61, count: length)
        let dictionary = [0xDF, 0x12] + List.number(UInt64(count), 4)
        let list = List(
            key: text,
            dictionary: dictionary,
            references: Array(repeating: 1, count: 2 * count),
            offsetWidth: 4
        )
        #expect(list.data.count < BlueEarService.maximumMessageLength && list.message == nil)
    }

    @Test("rejects another header, and a trailer without an octet before it")
    func headers() {
        let data = List().data
        for index in 0..<8 {
            var other = data
            other[index] ^= 1
            #expect(PropertyListMessage.decode(other) == nil)
        }
        for count in 0...32 { #expect(PropertyListMessage.decode(Data("bplist00".utf8) + data.suffix(count)) == nil) }
    }
}
