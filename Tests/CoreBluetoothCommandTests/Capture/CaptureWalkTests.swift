// Captures of random packets on record: in pieces, damaged, as lines and objects, by layers,
// and copied into a file.

import BluetoothHCI
import BluetoothTransport
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CommandLineTool
@testable import CoreBluetoothCommand

@Suite("A walk through captures")
struct CaptureWalkTests {
    /// Packets of all layers.
    private static let packets: [(octets: [UInt8], direction: BTSnoop.Direction)] = [
        ([0x01, 0x03, 0x0C, 0x00], .toController), ([0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00], .toHost),
        ([0x01, 0x0A, 0x20, 0x01, 0x01], .toController),
        (
            [
                0x04, 0x3E, 0x13, 0x01, 0x00, 0x40, 0x00, 0x00, 0x00, 1, 2, 3, 4, 5, 6, 0x18, 0x00, 0x00, 0x00, 0x48,
                0x00, 0x00,
            ], .toHost
        ), ([0x02, 0x40, 0x00, 0x07, 0x00, 0x03, 0x00, 0x04, 0x00, 0x0A, 0x12, 0x00], .toController),
        ([0x02, 0x40, 0x20, 0x07, 0x00, 0x03, 0x00, 0x04, 0x00, 0x0B, 0x48, 0x69], .toHost),
        ([0x02, 0x40, 0x00, 0x0B, 0x00, 0x07, 0x00, 0x06, 0x00, 0x01, 3, 0, 1, 16, 0, 1], .toController),
        ([0x02, 0x40, 0x20, 0x0A, 0x00, 0x06, 0x00, 0x05, 0x00, 0x06, 0x01, 0x02, 0x00, 0x41, 0x00], .toHost),
        ([0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x16], .toHost), ([0x04, 0xFF, 0x01, 0x1B], .toHost),
    ]

    private static var file: [UInt8] {
        var bytes = ByteBuffer()
        BTSnoopWriter.writeFileHeader(into: &bytes)
        for (index, packet) in packets.enumerated() {
            BTSnoopWriter.write(
                HCIPacket(h4: ByteBuffer(bytes: packet.octets)),
                packet.direction,
                at: BTSnoop.Timestamp(microsecondsSince1970: 1_000_000_000 + Int64(index * index) * 777_777),
                into: &bytes
            )
        }
        return Array(bytes.readableBytesView)
    }

    /// What is read of a stream in pieces, until its end or its error.
    private func read(_ octets: [UInt8], _ sizes: () -> Int) -> String {
        var stream = CaptureStream()
        var rest = octets[...]
        var lines: [String] = []
        let printer = CapturePrinter(output: OutputFormat(isJSON: false, isVerbose: false))
        while !rest.isEmpty {
            let size = sizes()
            stream.append(rest.prefix(size))
            rest = rest.dropFirst(size)
            do {
                while let record = try stream.next() {
                    lines.append("\(record.time.microsecondsSince1970) \(record.drops) \(printer.line(record) ?? "-")")
                }
            } catch {
                return "\(lines) \((error as? Failure)?.line ?? "\(error)")"
            }
        }
        return "\(lines) \(stream.pendingOctetCount)"
    }

    @Test("Whole, cut at any octet, or with another octet, in pieces of any size")
    func streams() {
        let file = Self.file
        let whole = read(file) { file.count }
        RunRecord.note(whole)
        for size in [1, 2, 7, 15, 16, 17, 23, 24, 25, 64] {
            let again = read(file) { size }
            #expect(again == whole)
        }
        for count in 0..<file.count { RunRecord.note("\(count) \(read(Array(file.prefix(count))) { 50 })") }
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<600 {
            var changed = file
            let index = Int.random(in: 0..<min(200, file.count), using: &generator)
            changed[index] = [0, 1, 2, 0x10, 0x20, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
            RunRecord.note("\(index) \(read(changed) { Int.random(in: 1...80, using: &generator) })")
        }
        // The limit of a record, and the beginning of another file in the place of a record.
        for length in [0, 1, 1 << 20, 1 << 20 + 1] as [UInt32] {
            let head = withUnsafeBytes(of: length.bigEndian) { Array($0) }
            RunRecord.note(read(Array(file.prefix(16)) + [0, 0, 0, 9] + head + [0, 0, 0, 0]) { 3 })
        }
        RunRecord.note(read(file + file) { 11 })
        RunRecord.note(read(file + file.prefix(7)) { 11 })
    }

    @Test("A packet of each layer is a line and an object, where its layer is among those that are shown")
    func printed() throws {
        for isJSON in [false, true] {
            for layers in [[], [.hci], [.gap], [.l2cap], [.att], [.smp], [.gap, .smp]] as [[LayerName]] {
                let output = OutputFormat(isJSON: isJSON, isVerbose: false)
                let printer = CapturePrinter(output: output, layers: Set(layers.map(\.layer)))
                var stream = CaptureStream()
                stream.append(Self.file)
                while let record = try stream.next() { RunRecord.note("\(layers) \(printer.line(record) ?? "-")") }
            }
        }
        for name in ["hci", "GAP", "L2cap", "att", "GATT", "smp", "", "x"] {
            let layer = LayerName(argument: name)
            RunRecord.note("\(name) \(layer?.rawValue ?? "-") \(layer?.layer.rawValue ?? "-")")
        }
    }

    @Test("A copy has the same records, at the same times")
    func copy() throws {
        let folder = try TemporaryFolder()
        let copy = try CaptureCopy(folder("copy"))
        var stream = CaptureStream()
        stream.append(Self.file)
        while let record = try stream.next() { copy.write(record) }
        let octets = try #require(FileManager.default.contents(atPath: folder("copy")))
        #expect([UInt8](octets) == Self.file)
        #expect(throws: Failure.self) { try CaptureCopy("/nowhere/at/all") }
    }
}
