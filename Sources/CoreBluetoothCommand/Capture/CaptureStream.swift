// Records of btsnoop out of a stream that brings them in pieces: a pipe, or a file that grows. A program with several
// adapters begins the format anew with each of them, so the beginning of a file may come at any record's place.

import BluetoothTransport
import CommandLineTool
import NIOCore

/// Cuts a stream into records.
struct CaptureStream {
    private static let headerLength = 16
    private static let recordHeaderLength = 24
    private static let magic = Array("btsnoop\0".utf8)
    /// HCI's longest packet has some 64 KiB; a greater length means that the stream is out of step.
    private static let longestRecord = 1 << 20

    private var bytes = ByteBuffer()
    private var header: ByteBuffer?

    /// Takes octets as they come.
    mutating func append(_ octets: some Sequence<UInt8>) { bytes.writeBytes(octets) }

    /// How many octets wait for the rest of their record.
    var pendingOctetCount: Int { bytes.readableBytes }

    /// The next record; `nil` until more octets come.
    mutating func next() throws -> BTSnoop.Record? {
        while true {
            if bytes.readableBytesView.starts(with: Self.magic) {
                guard let header = bytes.readSlice(length: Self.headerLength) else { return nil }
                // Throws where it is another kind of btsnoop.
                _ = try BTSnoopReader(header)
                self.header = header
                continue
            }
            guard let header else {
                if Self.magic.starts(with: bytes.readableBytesView) { return nil }
                throw Failure("this is no btsnoop file: it begins with other octets")
            }
            let start = bytes.readerIndex
            guard let length: UInt32 = bytes.getInteger(at: start + 4) else { return nil }
            guard length > 0, length <= Self.longestRecord else {
                throw Failure("the capture is damaged: a record announces \(length) octets")
            }
            guard let record = bytes.readSlice(length: Self.recordHeaderLength + Int(length)) else { return nil }
            bytes.discardReadBytes()
            var whole = header
            whole.writeImmutableBuffer(record)
            var reader = try BTSnoopReader(whole)
            return try reader.next()
        }
    }
}
