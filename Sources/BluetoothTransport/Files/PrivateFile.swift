// Small private files, which are read and replaced as a whole: a new file is written and synced, then it is renamed,
// and the name is synced before the call returns. Even if the process is killed or the machine loses power, a reader
// finds either the old content or the new one, and the new one once the call has returned. All persistent state is
// written here.

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
    /// A text as part of a file name: letters, digits and `_` stay, any other octet becomes `%` and two digits.
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
    /// - Returns: Its octets; `nil` if there is no file.
    /// - Throws: ``TransportError`` if it cannot be read, is not a regular file, or has more octets than `limit`.
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

    /// The failures that a write survives once the call has returned.
    package enum Durability: Sendable {
        /// The end of the process and a power failure.
        case powerFailure
        /// The end of the process, for whatever reason. After a power failure within the time that the system
        /// takes to write, the file may have its old content, or none: for content that changes with each packet.
        case endOfProcess
    }

    /// The system calls that write to disk, so that a test can observe them and let them fail.
    package struct Calls {
        var sync: (Int32) -> Int32 = { fsync($0) }
        var rename: (String, String) -> Int32 = { Self.renameFile($0, $1) }
        var remove: (String) -> Int32 = { unlink($0) }

        package init() {}

        private static func renameFile(_ old: String, _ new: String) -> Int32 {
            #if canImport(Glibc)
            Glibc.rename(old, new)
            #elseif canImport(Musl)
            Musl.rename(old, new)
            #elseif canImport(Darwin)
            Darwin.rename(old, new)
            #endif
        }
    }

    /// Writes or replaces a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - octets: The new content.
    ///   - durability: What the new content survives.
    /// - Throws: ``TransportError`` if it cannot be written. The old content stays, unless the error says that the
    ///   folder could not be written.
    package static func replace(
        _ path: String,
        with octets: [UInt8],
        durability: Durability = .powerFailure,
        calls: Calls = Calls()
    ) throws(TransportError) {
        // The name is unique, since other processes may write at the same time. A killed process may have had the
        // same identifier; its file is overwritten.
        let new = "\(path)\(Self.unfinishedMark)\(getpid())"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw TransportError(errno: errno, "cannot write \(new)") }
        // The lock shows others that the writing process is alive.
        defer { close(descriptor) }
        _ = FileLock.failureToLock(descriptor)
        let isWritten = octets.withUnsafeBytes { octets in
            Self.transfer(octets.count) { offset in
                pwrite(descriptor, octets.baseAddress?.advanced(by: offset), octets.count - offset, off_t(offset))
            } == octets.count
        }
        let isComplete = isWritten && (durability == .endOfProcess || calls.sync(descriptor) == 0)
        let failure = errno
        guard isComplete else {
            unlink(new)
            throw TransportError(errno: failure, "cannot write \(new)")
        }
        guard calls.rename(new, path) == 0 else {
            let failure = errno
            unlink(new)
            throw TransportError(errno: failure, "cannot rename \(new)")
        }
        if durability == .powerFailure { try self.syncFolder(of: path, calls) }
    }

    /// Stands between the name of a file and the identifier of the process that writes its new content.
    private static let unfinishedMark = ".new-"

    /// Removes the files in a folder that killed processes were writing: they may contain keys.
    static func removeUnfinished(in folder: String) {
        for name in SystemFolder(path: folder).entries {
            guard let mark = name.ranges(of: Self.unfinishedMark).last?.upperBound, let process = pid_t(name[mark...]),
                process > 0, kill(process, 0) != 0, errno == ESRCH
            else { continue }
            // A process in another container may have an identifier that is free here; it holds the lock.
            let descriptor = open("\(folder)/\(name)", O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            if FileLock.failureToLock(descriptor) == 0 { unlink("\(folder)/\(name)") }
            close(descriptor)
        }
    }

    /// Removes a file if it exists.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - durability: What the removal survives.
    /// - Throws: ``TransportError`` if it cannot be removed.
    package static func remove(
        _ path: String,
        durability: Durability = .powerFailure,
        calls: Calls = Calls()
    ) throws(TransportError) {
        guard calls.remove(path) == 0 else {
            if errno == ENOENT { return }
            throw TransportError(errno: errno, "cannot remove \(path)")
        }
        if durability == .powerFailure { try self.syncFolder(of: path, calls) }
    }

    /// Renames a file; the new name survives a power failure.
    ///
    /// - Throws: ``TransportError`` if it cannot be renamed.
    package static func rename(_ path: String, to new: String) throws(TransportError) {
        let calls = Calls()
        guard calls.rename(path, new) == 0 else { throw TransportError(errno: errno, "cannot rename \(path)") }
        try self.syncFolder(of: new, calls)
    }

    /// Writes the folder of a file to disk, which has the file's name.
    static func syncFolder(of path: String, _ calls: Calls = Calls()) throws(TransportError) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw TransportError(errno: errno, "cannot open the folder \(folder)") }
        defer { close(descriptor) }
        // Some file systems cannot sync a folder.
        guard calls.sync(descriptor) == 0 || errno == EINVAL else {
            throw TransportError(errno: errno, "cannot write the folder \(folder)")
        }
    }

    /// Repeats a system call that transfers octets from an offset on, until all are transferred or it transfers none.
    ///
    /// - Returns: The number of octets; `nil` if a call failed.
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
