// Parses captures of all common formats: btsnoop, which Android and this project write, Linux's btmon, Apple's
// PacketLogger, pcap and pcapng. Octets come in pieces of any size, since a file may grow and a pipe has no end. If a
// capture ends inside a record, the complete records before it are read.

import BluetoothTypes
package import NIOCore

/// Why a file cannot be read as a capture, in one line.
package struct CaptureError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
    package init(_ description: String) { self.description = description }
}

/// The packets of a whole capture.
package struct CaptureContent: Sendable {
    package var records: [BTSnoop.Record]
    /// The message if the capture ends inside a record, which is omitted; `nil` if it is complete.
    package var cut: String?
}

/// Reads one format, record by record.
protocol CaptureFormatReader: Sendable {
    /// The octets that were not read yet.
    var bytes: ByteBuffer { get set }

    /// The next HCI packet; `nil` at the end.
    ///
    /// - Throws: `MalformedBytes`, `truncated` if the octets end inside a record.
    mutating func next() throws(MalformedBytes) -> BTSnoop.Record?

    /// Called when all octets that are available were appended.
    mutating func reachEnd()
}

extension CaptureFormatReader {
    mutating func reachEnd() {}
}

/// A reader of any of these formats.
package struct CaptureReader: Sendable {
    private static let btsnoopHeaderLength = 16
    private static let foreign = CaptureError(
        "this is no capture: no btsnoop, PacketLogger, pcap or pcapng file begins like this"
    )

    /// `nil` while there are too few octets to recognize the format.
    private var reader: (any CaptureFormatReader)?
    /// The octets until then.
    private var beginning = ByteBuffer()
    private var count = 0

    /// A reader without octets.
    package init() {}

    /// Adds the next octets of the capture.
    package mutating func append(_ octets: ByteBuffer) {
        if self.reader == nil {
            self.beginning.appendCapture(octets)
        } else {
            self.reader?.bytes.appendCapture(octets)
        }
    }

    /// Call this when all available octets were appended. More may follow if the capture grows.
    ///
    /// A file with packets of several adapters is read from then on, for the adapter with the most data so far.
    ///
    /// - Throws: ``CaptureError`` if there are too few octets for any capture.
    package mutating func reachEnd() throws(CaptureError) {
        try self.recognize()
        self.reader?.reachEnd()
        guard self.reader != nil || self.beginning.readableBytes == 0 || Self.isHeaderBegun(self.beginning) else {
            throw Self.foreign
        }
    }

    /// Whether the octets are an incomplete header.
    private static func isHeaderBegun(_ bytes: ByteBuffer) -> Bool {
        let view = bytes.readableBytesView
        return BTSnoop.magic.octets.starts(with: view.prefix(8)) || PacketFileReader.isBeginning(bytes) == true
    }

    /// Recognizes the format once the header is complete.
    private mutating func recognize() throws(CaptureError) {
        guard self.reader == nil, self.beginning.readableBytes > 0 else { return }
        defer { if self.reader != nil { self.beginning = ByteBuffer() } }
        let bytes = self.beginning
        let start = bytes.readerIndex
        if BTSnoop.magic.octets.starts(with: bytes.readableBytesView.prefix(8)) {
            guard bytes.readableBytes >= Self.btsnoopHeaderLength else { return }
            if bytes.getInteger(at: start + 8, as: UInt32.self) == BTSnoop.version,
                bytes.getInteger(at: start + 12, as: UInt32.self) == LinuxMonitorReader.dataLink
            {
                var rest = bytes
                rest.moveReaderIndex(forwardBy: Self.btsnoopHeaderLength)
                self.reader = LinuxMonitorReader(rest)
                return
            }
            do {
                self.reader = try BTSnoopReader(bytes)
            } catch {
                throw CaptureError("this is a btsnoop file of another kind: \(error)")
            }
        } else if PacketFileReader.isBeginning(bytes) == true {
            guard bytes.readableBytes >= PacketFileReader.pcapHeaderLength else { return }
            do {
                self.reader = try PacketFileReader(bytes)
            } catch {
                throw CaptureError("this is a pcap file without HCI packets: \(error)")
            }
        } else {
            guard PacketLoggerReader.isBeginning(bytes) else { throw Self.foreign }
            guard bytes.readableBytes >= PacketLoggerReader.beginningLength else { return }
            do { self.reader = try PacketLoggerReader(bytes) } catch { throw Self.foreign }
        }
    }

    /// The next packet; `nil` if it is incomplete.
    ///
    /// - Throws: ``CaptureError`` if this is not a capture, or it is damaged.
    package mutating func next() throws(CaptureError) -> BTSnoop.Record? {
        try self.recognize()
        do throws(MalformedBytes) {
            guard let record = try self.reader?.next() else { return nil }
            self.count += 1
            return record
        } catch {
            if error.reason == .truncated { return nil }
            throw CaptureError("the capture is damaged \(self.place): \(error)")
        }
    }

    private var place: String { "after \(self.count) packet\(self.count == 1 ? "" : "s")" }

    /// The message if the octets end inside a record; `nil` if they are complete.
    ///
    /// Valid after ``reachEnd()``, when ``next()`` has returned `nil`.
    package var cut: String? {
        let pending = (self.reader?.bytes ?? self.beginning).readableBytes
        return pending > 0 ? "the capture ends inside a record, \(self.place)" : nil
    }

    /// The packets of a whole capture.
    ///
    /// - Throws: ``CaptureError`` if this is not a capture, or it is damaged.
    package static func content(of bytes: ByteBuffer) throws(CaptureError) -> CaptureContent {
        guard bytes.readableBytes > 0 else { throw CaptureError("the capture is empty") }
        var reader = CaptureReader()
        reader.append(bytes)
        try reader.reachEnd()
        var records: [BTSnoop.Record] = []
        while let record = try reader.next() { records.append(record) }
        return CaptureContent(records: records, cut: reader.cut)
    }
}
