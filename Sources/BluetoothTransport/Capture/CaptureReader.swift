// Reads a capture of any format that people have: btsnoop, which Android and this project write, that of Linux's btmon,
// Apple's PacketLogger, pcap and pcapng. Octets come in pieces of any size, since a file may grow and a pipe has no
// end. Of a capture that ends inside a record, the whole records before it are read.

import BluetoothTypes
public import NIOCore

/// A file that cannot be read as a capture, and why, in one line.
public struct CaptureError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line.
    public var description: String

    /// An error with its line.
    public init(_ description: String) { self.description = description }
}

/// The packets of a whole capture.
public struct CaptureContent: Sendable {
    /// The packets.
    public var records: [BTSnoop.Record]
    /// Says that the capture ends inside a record, which is not among them; `nil` if it ends with a whole one.
    public var cut: String?
}

/// A capture of any of these formats.
public struct CaptureReader: Sendable {
    private enum Format: Sendable {
        /// Too few octets are there to tell.
        case unknown(ByteBuffer)
        case btsnoop(BTSnoopReader)
        case linuxMonitor(LinuxMonitorReader)
        case packetLogger(PacketLoggerReader)
        case packetFile(PacketFileReader)
    }

    private static let btsnoopHeaderLength = 16
    private static let foreign = CaptureError(
        "this is no capture: no btsnoop, PacketLogger, pcap or pcapng file begins like this"
    )

    private var format = Format.unknown(ByteBuffer())
    private var count = 0

    /// A reader to which octets are given by ``append(_:)``.
    public init() {}

    /// Takes the next octets of the capture.
    public mutating func append(_ octets: ByteBuffer) {
        switch self.format {
        case .unknown(var bytes):
            bytes.appendCapture(octets)
            self.format = .unknown(bytes)
        case .btsnoop(var reader):
            reader.append(octets)
            self.format = .btsnoop(reader)
        case .linuxMonitor(var reader):
            reader.append(octets)
            self.format = .linuxMonitor(reader)
        case .packetLogger(var reader):
            reader.append(octets)
            self.format = .packetLogger(reader)
        case .packetFile(var reader):
            reader.append(octets)
            self.format = .packetFile(reader)
        }
    }

    /// Says that all octets that are there now were appended; more may come if the capture grows.
    ///
    /// A file with packets of several adapters is read from then on: those of the adapter with the most data until
    /// here.
    ///
    /// - Throws: ``CaptureError`` if the octets are too few for any capture.
    public mutating func reachEnd() throws(CaptureError) {
        try self.recognize()
        switch self.format {
        case .unknown(let bytes):
            guard bytes.readableBytes > 0, !Self.isHeaderBegun(bytes) else { break }
            throw Self.foreign
        case .linuxMonitor(var reader):
            reader.reachEnd()
            self.format = .linuxMonitor(reader)
        case .packetFile(var reader):
            reader.reachEnd()
            self.format = .packetFile(reader)
        case .btsnoop, .packetLogger: break
        }
    }

    /// Whether a file begins like one of a format with a header that is not whole.
    private static func isHeaderBegun(_ bytes: ByteBuffer) -> Bool {
        let view = bytes.readableBytesView
        return BTSnoop.magic.octets.starts(with: view.prefix(8)) || PacketFileReader.isBeginning(bytes) == true
    }

    /// Finds out the format as soon as its beginning is there.
    private mutating func recognize() throws(CaptureError) {
        guard case .unknown(let bytes) = self.format, bytes.readableBytes > 0 else { return }
        let start = bytes.readerIndex
        if BTSnoop.magic.octets.starts(with: bytes.readableBytesView.prefix(8)) {
            guard bytes.readableBytes >= Self.btsnoopHeaderLength else { return }
            if bytes.getInteger(at: start + 8, as: UInt32.self) == BTSnoop.version,
                bytes.getInteger(at: start + 12, as: UInt32.self) == LinuxMonitorReader.dataLink
            {
                var rest = bytes
                rest.moveReaderIndex(forwardBy: Self.btsnoopHeaderLength)
                self.format = .linuxMonitor(LinuxMonitorReader(rest))
                return
            }
            do {
                self.format = .btsnoop(try BTSnoopReader(bytes))
            } catch {
                throw CaptureError("this is a btsnoop file of another kind: \(error)")
            }
        } else if PacketFileReader.isBeginning(bytes) == true {
            guard bytes.readableBytes >= PacketFileReader.pcapHeaderLength else { return }
            do {
                self.format = .packetFile(try PacketFileReader(bytes))
            } catch {
                throw CaptureError("this is a pcap file without HCI packets: \(error)")
            }
        } else {
            guard PacketLoggerReader.isBeginning(bytes) else { throw Self.foreign }
            guard bytes.readableBytes >= PacketLoggerReader.beginningLength else { return }
            do { self.format = .packetLogger(try PacketLoggerReader(bytes)) } catch { throw Self.foreign }
        }
    }

    /// The next packet; `nil` until the octets of a whole one are there.
    ///
    /// - Throws: ``CaptureError`` if this is no capture, or it is damaged.
    public mutating func next() throws(CaptureError) -> BTSnoop.Record? {
        try self.recognize()
        let record: BTSnoop.Record?
        do throws(MalformedBytes) {
            switch self.format {
            case .unknown: return nil
            case .btsnoop(var reader):
                record = try reader.next()
                self.format = .btsnoop(reader)
            case .linuxMonitor(var reader):
                record = try reader.next()
                self.format = .linuxMonitor(reader)
            case .packetLogger(var reader):
                record = try reader.next()
                self.format = .packetLogger(reader)
            case .packetFile(var reader):
                record = try reader.next()
                self.format = .packetFile(reader)
            }
        } catch {
            if error.reason == .truncated { return nil }
            throw CaptureError("the capture is damaged \(self.place): \(error)")
        }
        if record != nil { self.count += 1 }
        return record
    }

    private var place: String { "after \(self.count) packet\(self.count == 1 ? "" : "s")" }

    /// Says that the octets end inside a record; `nil` if they end with a whole one.
    ///
    /// To be asked after ``reachEnd()``, when ``next()`` has no more.
    public var cut: String? {
        let pending =
            switch self.format {
            case .unknown(let bytes): bytes.readableBytes
            case .btsnoop(let reader): reader.pendingOctetCount
            case .linuxMonitor(let reader): reader.pendingOctetCount
            case .packetLogger(let reader): reader.pendingOctetCount
            case .packetFile(let reader): reader.pendingOctetCount
            }
        return pending > 0 ? "the capture ends inside a record, \(self.place)" : nil
    }

    /// The packets of a whole capture.
    ///
    /// - Throws: ``CaptureError`` if this is no capture, or it is damaged.
    public static func content(of bytes: ByteBuffer) throws(CaptureError) -> CaptureContent {
        guard bytes.readableBytes > 0 else { throw CaptureError("the capture is empty") }
        var reader = CaptureReader()
        reader.append(bytes)
        try reader.reachEnd()
        var records: [BTSnoop.Record] = []
        while let record = try reader.next() { records.append(record) }
        return CaptureContent(records: records, cut: reader.cut)
    }
}
