// The records of Linux's Bluetooth monitor, which `btmon -w FILE` writes: btsnoop files with data link type 2001. The
// flags of a record are the number of an adapter and what the record is; packets have no H4 type octet. A file may have
// the packets of several adapters, of which the one with the most data is read.

import BluetoothTypes
import NIOCore

/// Reads a file of Linux's Bluetooth monitor, record by record.
struct LinuxMonitorReader: Sendable {
    /// What a record is, by the number that it has here.
    private static let kinds: [UInt16: CapturedKind] = [2: .command, 3: .event, 4: .sentACLData, 5: .receivedACLData]

    static let dataLink: UInt32 = 2001

    private struct Header {
        var adapter: UInt16
        var kind: UInt16
        var drops: UInt32
        var time: Int64
    }

    private var bytes: ByteBuffer
    private let adapter: UInt16

    /// Takes what follows the header of the file.
    init(_ bytes: ByteBuffer) {
        self.bytes = bytes
        // Data first, then anything: the adapter in use.
        var counts: [UInt16: Int] = [:]
        var rest = bytes
        while let (header, content) = try? Self.read(&rest) {
            let kind = Self.kinds[header.kind]
            let isData = kind == .sentACLData || kind == .receivedACLData
            counts[header.adapter, default: 0] += isData && content.readableBytes > 0 ? 1 << 20 : 1
        }
        self.adapter = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? 0
    }

    private static func read(_ bytes: inout ByteBuffer) throws(MalformedBytes) -> (Header, ByteBuffer)? {
        guard bytes.readableBytes > 0 else { return nil }
        var rest = bytes
        guard
            let (original, included, flags, drops, time) = rest.readMultipleIntegers(
                as: (UInt32, UInt32, UInt32, UInt32, Int64).self
            )
        else { throw MalformedBytes(.truncated, "Packet Record") }
        guard included <= original else { throw MalformedBytes(.invalid, "Included Length") }
        let content = try rest.readOctets(Int(included), "Packet Data")
        bytes = rest
        return (
            Header(
                adapter: UInt16(truncatingIfNeeded: flags >> 16),
                kind: UInt16(truncatingIfNeeded: flags),
                drops: drops,
                time: time
            ), content
        )
    }

    /// The next HCI packet of the adapter; `nil` at the end.
    mutating func next() throws(MalformedBytes) -> BTSnoop.Record? {
        while let (header, content) = try Self.read(&self.bytes) {
            guard header.adapter == self.adapter, let kind = Self.kinds[header.kind] else { continue }
            let time = BTSnoop.Timestamp(microsecondsSince1970: header.time &- BTSnoop.epoch)
            return kind.record(of: content, at: time, drops: header.drops)
        }
        return nil
    }
}
