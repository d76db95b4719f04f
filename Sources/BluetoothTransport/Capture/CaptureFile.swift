// A capture file on disk. Records are gathered and written whole when a turn of the loop ends, so that a process that
// is killed leaves complete records. A capture never disturbs what it watches: where writing fails, one line is logged
// and the traffic goes on without it.
//
// The format has no place for the number of an adapter, and packets of two adapters in one file would be read as one
// device with mixed-up links. So each adapter has a file of its own: the first has the name that was asked for, the
// next ones get a number, `run.btsnoop`, `run-2.btsnoop`. A lock on the file decides which is first, also among
// processes that were given the same name.

public import BluetoothHCI
public import Logging
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A capture file of one adapter, which outlives the adapter's channels.
///
/// It is used on the adapter's loop alone.
public final class CaptureFile {
    private enum State {
        case open(descriptor: CInt)
        case closed
    }

    /// More octets than this are written before the turn ends.
    private static let flushSize = 64 * 1024
    private static let maximumNumber = 99

    /// Where the file is; it has a number before its extension where the name was taken.
    public let path: String
    private var state: State
    private var buffer = ByteBuffer()
    // Everything up to here are whole records.
    private var writtenOctets: off_t = 0
    private let now: () -> BTSnoop.Timestamp
    private let logger: Logger

    /// Creates the file, or empties one that no capture is written to.
    ///
    /// - Parameters:
    ///   - path: The name to begin with.
    ///   - now: The clock of the traffic.
    ///   - logger: Gets one line where writing fails.
    /// - Throws: ``TransportError`` where no file can be made there.
    public init(
        path: String,
        now: @escaping () -> BTSnoop.Timestamp = BTSnoop.Timestamp.now,
        logger: Logger
    ) throws(TransportError) {
        (self.path, self.state) = try Self.open(path)
        self.now = now
        self.logger = logger
        BTSnoopWriter.writeFileHeader(into: &self.buffer)
        self.flush()
    }

    deinit { self.close() }

    private static func open(_ wanted: String) throws(TransportError) -> (String, State) {
        guard !wanted.isEmpty else { throw TransportError(.badName, "the capture file has no name: give it one") }
        for number in 1...Self.maximumNumber {
            let path = number == 1 ? wanted : Self.numbered(wanted, number)
            if let descriptor = try PrivateFile.createOutputUnlessInUse(path, as: "capture file") {
                return (path, .open(descriptor: descriptor))
            }
        }
        throw TransportError(
            .inUse,
            "\(Self.maximumNumber) captures are being written as \(wanted): choose another name"
        )
    }

    /// `run.btsnoop` becomes `run-2.btsnoop`.
    private static func numbered(_ path: String, _ number: Int) -> String {
        let nameStart = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        guard let dot = path[nameStart...].lastIndex(of: "."), dot != nameStart else { return "\(path)-\(number)" }
        return "\(path[..<dot])-\(number)\(path[dot...])"
    }

    /// Adds a packet, which is on the disk after the next ``flush()``.
    public func record(_ packet: HCIPacket, _ direction: BTSnoop.Direction) {
        guard case .open = self.state else { return }
        BTSnoopWriter.write(packet, direction, at: self.now(), into: &self.buffer)
        if self.buffer.readableBytes >= Self.flushSize { self.flush() }
    }

    /// Whether something waits for a ``flush()``.
    var needsFlush: Bool { self.buffer.readableBytes > 0 }

    /// Writes what was added.
    public func flush() {
        guard case .open(let descriptor) = self.state, self.needsFlush else { return }
        let failure = self.buffer.withUnsafeReadableBytes { octets in
            Self.failure(ofWriting: octets) { octets, count in write(descriptor, octets, count) }
        }
        if let failure {
            // Part of a record may be in the file; what a reader finds must be whole.
            ftruncate(descriptor, self.writtenOctets)
            self.logger.error("the capture \(self.path) ends here: \(systemErrorText(failure))")
            self.end(descriptor)
        } else {
            self.writtenOctets += off_t(self.buffer.readableBytes)
            self.buffer.clear()
        }
    }

    /// Repeats a system call that writes octets until all are written.
    ///
    /// - Returns: The error number of the call that wrote none of the rest; `nil` where all were written.
    static func failure(
        ofWriting octets: UnsafeRawBufferPointer,
        by call: (UnsafeRawPointer?, Int) -> Int
    ) -> CInt? {
        var done = 0
        while done < octets.count {
            let count = call(octets.baseAddress.map { $0 + done }, octets.count - done)
            if count > 0 {
                done += count
            } else if count == 0 || errno != EINTR {
                return errno
            }
        }
        return nil
    }

    /// Writes what was added and ends the capture.
    public func close() {
        self.flush()
        if case .open(let descriptor) = self.state { self.end(descriptor) }
    }

    private func end(_ descriptor: CInt) {
        closeDescriptor(descriptor)
        self.state = .closed
        self.buffer = ByteBuffer()
    }
}

private func closeDescriptor(_ descriptor: CInt) {
    close(descriptor)
}
