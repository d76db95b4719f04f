// The serialization of messages: a binary property list whose root is a dictionary of strings.
//
// Foundation writes it but does not read it: on Linux a few wrong octets can crash `PropertyListSerialization` (a set
// with elements that it must not contain is enough), and these octets come from another device. The reader below
// supports only dictionaries and strings, does not nest, and trusts no length.

import Foundation

/// Writes and reads messages.
internal enum PropertyListMessage {
    /// A message as a binary property list.
    ///
    /// - Throws: ``BlueEarError/tooLong(_:)``.
    static func encode(_ message: [String: String]) throws -> Data {
        let data: Data
        do {
            data = try PropertyListSerialization.data(fromPropertyList: message, format: .binary, options: 0)
        } catch {
            throw BlueEarError.bluetooth(error.localizedDescription)
        }
        guard data.count <= BlueEarService.maximumMessageLength else { throw BlueEarError.tooLong(data.count) }
        return data
    }

    /// Reads a message from a binary property list; `nil` if it is invalid.
    static func decode(_ data: Data) -> [String: String]? {
        data.withUnsafeBytes { BinaryPropertyList($0)?.dictionaryOfStrings() }
    }
}

/// A binary property list whose root is a dictionary of strings.
///
/// It has a header (`bplist00`), objects, a table of the objects' offsets, and a trailer of 32 octets with the width of
/// the numbers in the table and in references, the number of objects, the root, and the offset of the table. All
/// numbers are big-endian.
private struct BinaryPropertyList {
    private static let header = Array("bplist00".utf8)
    private static let trailerLength = 32

    private let octets: UnsafeRawBufferPointer
    /// The end of the objects, where the table of offsets begins.
    private let tableStart: Int
    private let offsetWidth: Int
    private let referenceWidth: Int
    private let objectCount: Int
    private let root: Int

    /// Reads header and trailer.
    init?(_ octets: UnsafeRawBufferPointer) {
        self.octets = octets
        let end = octets.count - Self.trailerLength
        guard end > Self.header.count, octets.starts(with: Self.header) else { return nil }
        self.offsetWidth = Int(octets[end + 6])
        self.referenceWidth = Int(octets[end + 7])
        guard
            (1...8).contains(self.offsetWidth), (1...8).contains(self.referenceWidth),
            let count = Self.number(octets, at: end + 8, width: 8),
            let root = Self.number(octets, at: end + 16, width: 8), root < count,
            let tableStart = Self.number(octets, at: end + 24, width: 8),
            tableStart > Self.header.count, tableStart <= end,
            count <= (end - tableStart) / self.offsetWidth
        else { return nil }
        self.objectCount = count
        self.root = root
        self.tableStart = tableStart
    }

    /// The root, if it is a dictionary whose keys and values are strings.
    func dictionaryOfStrings() -> [String: String]? {
        guard let (kind, count, start) = self.object(self.root), kind == 0xD else { return nil }
        // Each entry has two references; a count for which there is no space is invalid.
        guard count <= (self.tableStart - start) / (2 * self.referenceWidth) else { return nil }
        var result: [String: String] = [:]
        // One long string may be referenced many times, so the octets read are limited, too.
        var budget = BlueEarService.maximumMessageLength
        for index in 0..<count {
            let key = start + index * self.referenceWidth
            let value = start + (count + index) * self.referenceWidth
            guard
                let key = self.string(at: key, &budget), let value = self.string(at: value, &budget)
            else { return nil }
            result[key] = value
        }
        return result
    }

    /// The string that the reference at an offset points to.
    private func string(at place: Int, _ budget: inout Int) -> String? {
        guard
            let reference = Self.number(self.octets, at: place, width: self.referenceWidth),
            reference < self.objectCount,
            let (kind, count, start) = self.object(reference)
        else { return nil }
        let width = kind == 0x6 ? 2 : 1
        guard count <= (self.tableStart - start) / width, count * width <= budget else { return nil }
        budget -= count * width
        let text = UnsafeRawBufferPointer(rebasing: self.octets[start..<start + count * width])
        switch kind {
        case 0x5:
            return text.allSatisfy({ $0 < 0x80 }) ? String(decoding: text, as: UTF8.self) : nil
        case 0x6:
            let units = (0..<count).lazy.map { UInt16(text[$0 * 2]) << 8 | UInt16(text[$0 * 2 + 1]) }
            return String(decoding: units, as: UTF16.self)
        case 0x7:
            return String(decoding: text, as: UTF8.self)
        default:
            return nil
        }
    }

    /// An object's kind, its number of entries or characters, and their offset.
    private func object(_ index: Int) -> (kind: UInt8, count: Int, start: Int)? {
        let entry = self.tableStart + index * self.offsetWidth
        guard
            let offset = Self.number(self.octets, at: entry, width: self.offsetWidth),
            offset >= Self.header.count, offset < self.tableStart
        else { return nil }
        let marker = self.octets[offset]
        guard marker & 0x0F == 0x0F else { return (marker >> 4, Int(marker & 0x0F), offset + 1) }
        // A longer count follows as an integer object.
        let integer = self.octets[offset + 1]
        guard integer >> 4 == 0x1, integer & 0x0F <= 3 else { return nil }
        let width = 1 << Int(integer & 0x0F)
        guard
            offset + 2 + width <= self.tableStart,
            let count = Self.number(self.octets, at: offset + 2, width: width)
        else { return nil }
        return (marker >> 4, count, offset + 2 + width)
    }

    /// The number of some octets at an offset, if it fits.
    private static func number(_ octets: UnsafeRawBufferPointer, at place: Int, width: Int) -> Int? {
        guard place >= 0, place <= octets.count - width else { return nil }
        var result: UInt64 = 0
        for octet in octets[place..<place + width] { result = result << 8 | UInt64(octet) }
        return Int(exactly: result)
    }
}
