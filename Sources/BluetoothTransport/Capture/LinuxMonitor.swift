// The records of Linux's Bluetooth monitor, which `btmon -w FILE` writes: btsnoop files with data link type 2001. The
// flags of a record are the number of an adapter and what the record is; packets have no H4 type octet. A file may have
// the packets of several adapters, of which the one with the most data is read.

import BluetoothTypes
import NIOCore

/// Of several adapters, the one whose packets are read.
struct MonitoredAdapters: Sendable {
    private var counts: [UInt16: Int] = [:]
    /// The adapter; `nil` until it is chosen.
    private(set) var chosen: UInt16?

    /// Counts a record: data first, then anything, tell the adapter in use.
    mutating func count(_ adapter: UInt16, _ kind: UInt16, _ octetCount: Int) {
        let kind = LinuxMonitorReader.kinds[kind]
        let isData = kind == .sentACLData || kind == .receivedACLData
        self.counts[adapter, default: 0] += isData && octetCount > 0 ? 1 << 20 : 1
    }

    /// Chooses among those that were counted.
    mutating func choose() {
        self.chosen = self.counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        self.counts = [:]
    }
}

/// Reads a file of Linux's Bluetooth monitor, record by record.
struct LinuxMonitorReader: Sendable {
    /// What a record is, by the number that it has here.
    static let kinds: [UInt16: CapturedKind] = [2: .command, 3: .event, 4: .sentACLData, 5: .receivedACLData]

    static let dataLink: UInt32 = 2001

    private struct Header {
        var adapter: UInt16
        var kind: UInt16
        var drops: UInt32
        var time: Int64
        var missingOctetCount: Int
    }

    private var bytes: ByteBuffer
    private var choice = MonitoredAdapters()
    private var hasEnded = false

    /// Takes what follows the header of the file.
    init(_ bytes: ByteBuffer) { self.bytes = bytes }

    /// The octets that wait for the rest of their record.
    var pendingOctetCount: Int { self.bytes.readableBytes }

    /// Takes what follows.
    mutating func append(_ octets: ByteBuffer) { self.bytes.appendCapture(octets) }

    /// Chooses the adapter whose packets are read, from the whole records that are there.
    mutating func reachEnd() {
        self.hasEnded = true
        guard self.choice.chosen == nil else { return }
        var rest = self.bytes
        while let (header, content) = ((try? Self.read(&rest)) ?? nil) {
            self.choice.count(header.adapter, header.kind, content.readableBytes)
        }
        self.choice.choose()
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
                time: time,
                missingOctetCount: Int(original - included)
            ), content
        )
    }

    /// The next HCI packet of the adapter; `nil` at the end, and until the adapter is chosen.
    mutating func next() throws(MalformedBytes) -> BTSnoop.Record? {
        guard let adapter = self.choice.chosen else {
            // Damage at the beginning leaves no adapter to choose.
            var rest = self.bytes
            while self.hasEnded, try Self.read(&rest) != nil {}
            return nil
        }
        while let (header, content) = try Self.read(&self.bytes) {
            guard header.adapter == adapter, let kind = Self.kinds[header.kind] else { continue }
            let time = BTSnoop.Timestamp(microsecondsSince1970: header.time &- BTSnoop.epoch)
            var record = kind.record(of: content, at: time, drops: header.drops)
            record.missingOctetCount = header.missingOctetCount
            return record
        }
        return nil
    }
}
