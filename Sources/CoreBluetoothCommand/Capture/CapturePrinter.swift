// Packets in words, a line each, and a copy of them in a file.

import ArgumentParser
import BluetoothHost
import BluetoothTransport
import CommandLineTool
import Foundation
import NIOCore

/// A layer by its name on the command line.
enum LayerName: String, ExpressibleByArgument, CaseIterable {
    case hci, gap, l2cap, att, gatt, smp

    init?(argument: String) { self.init(rawValue: argument.lowercased()) }

    /// The layer; the procedures of GATT are packets of ATT.
    var layer: PacketDescription.Layer {
        switch self {
        case .hci: .hci
        case .gap: .gap
        case .l2cap: .l2cap
        case .att, .gatt: .att
        case .smp: .smp
        }
    }
}

/// Prints records.
final class CapturePrinter {
    private let output: OutputFormat
    private let layers: Set<PacketDescription.Layer>
    private let file: CaptureCopy?
    private var describer = PacketFormatter()
    private var first: Int64?

    /// - Parameters:
    ///   - layers: The layers to show; empty for all.
    ///   - file: Gets a copy of all records.
    init(output: OutputFormat, layers: Set<PacketDescription.Layer> = [], file: CaptureCopy? = nil) {
        self.output = output
        self.layers = layers
        self.file = file
    }

    /// Prints a record.
    func print(_ record: BTSnoop.Record) {
        file?.write(record)
        if let line = self.line(record) { Console.print(line) }
    }

    /// A packet in words. One of which only a part was kept is shown as such, not as malformed.
    private func description(of record: BTSnoop.Record) -> PacketDescription {
        let direction: PacketFormatter.Direction = record.direction == .toController ? .toController : .toHost
        guard record.missingOctetCount > 0 else { return describer.describe(record.packet, direction) }
        // The formatter's state must not see an incomplete packet.
        var copy = describer
        var description = copy.describe(record.packet, direction)
        let kept = record.packet.bytes.readableBytes
        description.text =
            "only \(kept) of \(kept + record.missingOctetCount) octets were kept: "
            + HexadecimalText.digits(record.packet.bytes.readableBytesView)
        return description
    }

    /// The line of a record, if its layer is shown; the first record has the time 0.
    func line(_ record: BTSnoop.Record) -> String? {
        let description = description(of: record)
        let microseconds = record.time.microsecondsSince1970
        let start = first ?? microseconds
        first = start
        guard layers.isEmpty || layers.contains(description.layer) else { return nil }
        if output.isJSON {
            return JSONValue.object([
                ("event", "packet"), ("microseconds", .integer(Int(microseconds))),
                ("direction", record.direction == .toController ? "toController" : "toHost"),
                ("layer", .string(description.layer.rawValue)),
                ("handle", JSONValue(description.handle.map { Int($0.rawValue) })),
                ("text", .string(description.text)),
                ("packet", .string(HexadecimalText.digits(record.packet.bytes.readableBytesView))),
            ]).text
        }
        let seconds = String(format: "%11.6f", Double(microseconds - start) / 1e6)
        let layer = description.layer.rawValue
        let padded = layer + String(repeating: " ", count: max(1, 6 - layer.count))
        let arrow = record.direction == .toController ? ">" : "<"
        return "\(seconds) \(arrow) \(padded)\(PrintableText.text(description.text))"
    }
}

/// A btsnoop file that gets records of others.
final class CaptureCopy {
    private let handle: FileHandle

    init(_ path: String) throws {
        do {
            handle = FileHandle(
                fileDescriptor: try PrivateFile.createOutput(path, as: "capture file"),
                closeOnDealloc: true
            )
        } catch {
            throw Failure(error.message)
        }
        var bytes = ByteBuffer()
        BTSnoopWriter.writeFileHeader(into: &bytes)
        handle.write(Data(bytes.readableBytesView))
    }

    /// Adds a record.
    func write(_ record: BTSnoop.Record) {
        var bytes = ByteBuffer()
        BTSnoopWriter.write(
            record.packet,
            record.direction,
            at: record.time,
            drops: record.drops,
            into: &bytes
        )
        try? handle.write(contentsOf: Data(bytes.readableBytesView))
    }
}
