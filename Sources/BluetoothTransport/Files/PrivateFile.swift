// Small files of the user's own, which are read whole and replaced whole: a new file is written and then takes the
// name, so that a process may be killed at any instant, and a reader finds the old content or the new one.

import BluetoothTypes

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads and replaces files.
package enum PrivateFile {
    /// A text as part of a file's name: letters, digits and `_` stay, every other octet becomes `%` and two digits.
    package static func name(of text: String) -> String {
        var name = ""
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                name.unicodeScalars.append(Unicode.Scalar(octet))
            default: name += "%" + octet.hexadecimalDigits
            }
        }
        return name
    }

    /// Reads a file.
    ///
    /// - Returns: Its octets; `nil` where there is no file.
    /// - Throws: ``TransportError`` where it cannot be read, is not a file, or has more octets than `limit`.
    package static func read(_ path: String, limit: Int) throws(TransportError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw TransportError(errno: errno, "cannot read \(path)")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw TransportError(.failed, "\(path) is not a file: move it away")
        }
        guard status.st_size <= limit else {
            throw TransportError(.failed, "\(path) has \(status.st_size) octets: it is none of ours")
        }
        var octets = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = Self.transfer(octets.count) { offset in
            octets.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress?.advanced(by: offset), $0.count - offset, off_t(offset))
            }
        }
        guard let count else { throw TransportError(errno: errno, "cannot read \(path)") }
        return Array(octets.prefix(count))
    }

    /// Writes a file, or replaces one that is there.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - octets: Its new content.
    ///   - isDurable: Whether the content is on the disk before the file takes the name, so that it survives a power
    ///     failure, too.
    /// - Throws: ``TransportError`` where it cannot be written; what was there stays.
    package static func replace(
        _ path: String,
        with octets: [UInt8],
        isDurable: Bool = false
    ) throws(TransportError) {
        // Of its own name, since others may write at the same time; a process that was killed before may have had the
        // same number, and its file is written over.
        let new = "\(path).new-\(getpid())"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw TransportError(errno: errno, "cannot write \(new)") }
        let isWritten = octets.withUnsafeBytes { octets in
            Self.transfer(octets.count) { offset in
                pwrite(descriptor, octets.baseAddress?.advanced(by: offset), octets.count - offset, off_t(offset))
            } == octets.count
        }
        let isComplete = isWritten && (!isDurable || fsync(descriptor) == 0)
        let failure = errno
        close(descriptor)
        guard isComplete else {
            unlink(new)
            throw TransportError(errno: failure, "cannot write \(new)")
        }
        guard rename(new, path) == 0 else {
            let failure = errno
            unlink(new)
            throw TransportError(errno: failure, "cannot rename \(new)")
        }
    }

    /// Repeats a system call that transfers octets from an offset on until all are transferred, or none is any more.
    ///
    /// - Returns: How many were; `nil` where a call failed.
    private static func transfer(_ total: Int, _ call: (Int) -> Int) -> Int? {
        var offset = 0
        while offset < total {
            let count = call(offset)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            offset += count
        }
        return offset
    }
}
