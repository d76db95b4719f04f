// The records of Linux's Bluetooth monitor, which `btmon -w FILE` writes: btsnoop files with data link type 2001. The
// flags of a record are the number of an adapter and the kind of record; packets have no H4 type octet. A file may have
// the packets of several adapters, of which the one with the most data is read.

import BluetoothTypes
import NIOCore

/// Chooses the adapter whose packets are read.
struct MonitoredAdapters: Sendable {
    private var counts: [UInt16: Int] = [:]
    /// `nil` until it is chosen.
    private(set) var chosen: UInt16?

    /// Counts a record. Data weighs more than other packets.
    mutating func count(_ adapter: UInt16, _ kind: UInt16, _ octetCount: Int) {
        let kind = LinuxMonitorReader.kinds[kind]
        let isData = kind == .sentACLData || kind == .receivedACLData
        self.counts[adapter, default: 0] += isData && octetCount > 0 ? 1 << 20 : 1
    }

    /// Chooses the adapter with the highest count.
    mutating func choose() {
        self.chosen = self.counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        self.counts = [:]
    }
}

/// Parses a file of Linux's Bluetooth monitor, record by record.
struct LinuxMonitorReader: CaptureFormatReader {
    /// The kinds of records by their numbers.
    static let kinds: [UInt16: CapturedKind] = [2: .command, 3: .event, 4: .sentACLData, 5: .receivedACLData]

    static let dataLink: UInt32 = 2001

    var bytes: ByteBuffer
    private var choice = MonitoredAdapters()
    private var hasEnded = false

    /// Parses the octets after the file's header.
    init(_ bytes: ByteBuffer) { self.bytes = bytes }

    /// Chooses the adapter from the complete records so far.
    mutating func reachEnd() {
        self.hasEnded = true
        guard self.choice.chosen == nil else { return }
        var rest = self.bytes
        while let entry = ((try? BTSnoop.readEntry(&rest)) ?? nil) {
            self.choice.count(entry.adapter, entry.kind, entry.content.readableBytes)
        }
        self.choice.choose()
    }

    /// The next HCI packet of the adapter; `nil` at the end, or if no adapter is chosen yet.
    mutating func next() throws(MalformedBytes) -> BTSnoop.Record? {
        guard let adapter = self.choice.chosen else {
            // Throws for damage that leaves no adapter to choose.
            var rest = self.bytes
            while self.hasEnded, try BTSnoop.readEntry(&rest) != nil {}
            return nil
        }
        while let entry = try BTSnoop.readEntry(&self.bytes) {
            guard entry.adapter == adapter, let kind = Self.kinds[entry.kind] else { continue }
            var record = kind.record(of: entry.content, at: entry.time, drops: entry.drops)
            record.missingOctetCount = entry.missingOctetCount
            return record
        }
        return nil
    }
}

extension BTSnoop.Entry {
    fileprivate var adapter: UInt16 { UInt16(truncatingIfNeeded: self.flags >> 16) }
    fileprivate var kind: UInt16 { UInt16(truncatingIfNeeded: self.flags) }
}
