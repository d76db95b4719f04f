// A capture file on disk. Records are buffered and written when a turn of the loop ends, so that a killed process
// leaves complete records. A capture never disturbs the traffic: if writing fails, it ends with one line in the log.
//
// The format has no field for an adapter, and packets of two adapters in one file would be read as one device with
// mixed-up links. So each adapter has its own file: the first has the requested name, the next ones get a number,
// `run.btsnoop`, `run-2.btsnoop`. A lock on the file decides which is first, also among processes with the same name.

public import BluetoothHCI
package import Logging
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
/// Used only on the adapter's loop.
public final class CaptureFile {
    private enum State {
        case open(descriptor: CInt)
        case closed
    }

    /// The buffered octets that are written before the turn ends.
    private static let flushSize = 64 * 1024
    private static let maximumNumber = 99

    /// The path, with a number before the extension if the name was taken.
    package let path: String
    private var state: State
    private var buffer = ByteBuffer()
    // The file has complete records up to here.
    private var writtenOctets: off_t = 0
    private let now: () -> BTSnoop.Timestamp
    private let logger: Logger

    /// Creates the file, or truncates one that no other process is writing.
    ///
    /// - Parameters:
    ///   - path: The first name to try.
    ///   - now: The clock for timestamps.
    ///   - logger: Logs one line if writing fails.
    /// - Throws: ``TransportError`` if the file cannot be created.
    package init(
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

    /// Adds a packet; ``flush()`` writes it.
    public func record(_ packet: HCIPacket, _ direction: BTSnoop.Direction) {
        guard case .open = self.state else { return }
        BTSnoopWriter.write(packet, direction, at: self.now(), into: &self.buffer)
        if self.buffer.readableBytes >= Self.flushSize { self.flush() }
    }

    var needsFlush: Bool { self.buffer.readableBytes > 0 }

    /// Writes all added packets.
    public func flush() {
        guard case .open(let descriptor) = self.state, self.needsFlush else { return }
        let failure = self.buffer.withUnsafeReadableBytes { octets in
            Self.failure(ofWriting: octets) { octets, count in write(descriptor, octets, count) }
        }
        if let failure {
            // Remove a partially written record.
            ftruncate(descriptor, self.writtenOctets)
            self.logger.error("the capture \(self.path) ends here: \(systemErrorText(failure))")
            self.end(descriptor)
        } else {
            self.writtenOctets += off_t(self.buffer.readableBytes)
            self.buffer.clear()
        }
    }

    /// Repeats a write call until all octets are written.
    ///
    /// - Returns: The error number of the call that failed; `nil` if all octets were written.
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

    /// Flushes and closes the file.
    package func close() {
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
