// Reads a capture of any format that people have: btsnoop, which Android and this project write, that of Linux's btmon,
// and Apple's PacketLogger. A file that is neither, or that ends inside a record, is refused in one line.

import BluetoothTypes
public import NIOCore

/// A file that cannot be read as a capture, and why, in one line.
public struct CaptureError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line.
    public var description: String

    /// An error with its line.
    public init(_ description: String) { self.description = description }
}

/// A capture of any of these formats.
public struct CaptureReader: Sendable {
    private enum Format: Sendable {
        case btsnoop(BTSnoopReader)
        case linuxMonitor(LinuxMonitorReader)
        case packetLogger(PacketLoggerReader)
    }

    private var format: Format
    private var count = 0

    /// Checks the beginning of a file.
    ///
    /// - Throws: ``CaptureError`` where it is neither a btsnoop file of version 1, with H4 packets or of btmon, nor one
    ///   of PacketLogger.
    public init(_ bytes: ByteBuffer) throws(CaptureError) {
        guard bytes.readableBytes > 0 else { throw CaptureError("the capture is empty") }
        if bytes.readableBytesView.starts(with: "btsnoop\0".utf8) {
            let start = bytes.readerIndex
            if bytes.getInteger(at: start + 8, as: UInt32.self) == BTSnoop.version,
                bytes.getInteger(at: start + 12, as: UInt32.self) == LinuxMonitorReader.dataLink
            {
                var rest = bytes
                rest.moveReaderIndex(forwardBy: 16)
                self.format = .linuxMonitor(LinuxMonitorReader(rest))
                return
            }
            do {
                self.format = .btsnoop(try BTSnoopReader(bytes))
            } catch {
                throw CaptureError("this is a btsnoop file of another kind: \(error)")
            }
        } else {
            do {
                self.format = .packetLogger(try PacketLoggerReader(bytes))
            } catch {
                throw CaptureError("this is no capture: neither a btsnoop nor a PacketLogger file begins like this")
            }
        }
    }

    /// The next packet; `nil` at the end.
    ///
    /// - Throws: ``CaptureError`` where the file is damaged, or ends inside a record.
    public mutating func next() throws(CaptureError) -> BTSnoop.Record? {
        let record: BTSnoop.Record?
        do throws(MalformedBytes) {
            switch self.format {
            case .btsnoop(var reader):
                record = try reader.next()
                self.format = .btsnoop(reader)
            case .linuxMonitor(var reader):
                record = try reader.next()
                self.format = .linuxMonitor(reader)
            case .packetLogger(var reader):
                record = try reader.next()
                self.format = .packetLogger(reader)
            }
        } catch {
            throw CaptureError(
                error.reason == .truncated
                    ? "the capture ends inside a record, behind \(self.count) packets"
                    : "the capture is damaged behind \(self.count) packets: \(error)"
            )
        }
        if record != nil { self.count += 1 }
        return record
    }

    /// All packets.
    ///
    /// - Throws: ``CaptureError``, as ``next()``.
    public static func records(of bytes: ByteBuffer) throws(CaptureError) -> [BTSnoop.Record] {
        var reader = try CaptureReader(bytes)
        var records: [BTSnoop.Record] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }
}
