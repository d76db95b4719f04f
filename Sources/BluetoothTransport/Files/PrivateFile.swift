// Small files of the user's own, which are read whole and replaced whole: a new file is written, is on the disk, and then
// takes the name, and so is the name before the call returns. A process may be killed and a machine may lose its power at
// any instant: a reader finds the old content or the new one, and the new one from the moment on at which it was reported
// as written. Everything that is kept is written here.

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

    /// How much of what was written has to be on the disk when a call returns.
    package enum Durability: Sendable {
        /// All of it: it survives the end of the process and a power failure.
        case powerFailure
        /// It survives the end of the process by whatever means. After a power failure within the time that the system
        /// takes to write, the content from before may be there, or none: for what changes with each packet.
        case endOfProcess
    }

    /// The system calls by which files get to the disk, so that a test can watch them and let them fail.
    struct Calls {
        var sync: (Int32) -> Int32 = { fsync($0) }
        var rename: (String, String) -> Int32 = { Self.renameFile($0, $1) }
        var remove: (String) -> Int32 = { unlink($0) }

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

    /// Writes a file, or replaces one that is there.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - octets: Its new content.
    ///   - durability: What the content survives from the moment on at which this returns.
    /// - Throws: ``TransportError`` where it cannot be written; what was there stays, unless the error says that the
    ///   folder could not be written.
    package static func replace(
        _ path: String,
        with octets: [UInt8],
        durability: Durability = .powerFailure
    ) throws(TransportError) {
        try self.replace(path, with: octets, durability: durability, calls: Calls())
    }

    /// Writes a file, or replaces one that is there, by these calls.
    static func replace(
        _ path: String,
        with octets: [UInt8],
        durability: Durability,
        calls: Calls
    ) throws(TransportError) {
        // Of its own name, since others may write at the same time; a process that was killed before may have had the
        // same number, and its file is written over.
        let new = "\(path)\(Self.unfinishedMark)\(getpid())"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw TransportError(errno: errno, "cannot write \(new)") }
        // Until it has its name, nobody takes it for the file of a process that was killed.
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

    /// What stands between the name of a file and the number of the process that is writing its new content.
    private static let unfinishedMark = ".new-"

    /// Removes the files in a folder that processes were writing when they were killed: they may hold keys.
    static func removeUnfinished(in folder: String) {
        for name in SystemFolder(path: folder).entries {
            guard let mark = name.ranges(of: Self.unfinishedMark).last?.upperBound, let process = pid_t(name[mark...]),
                process > 0, kill(process, 0) != 0, errno == ESRCH
            else { continue }
            // A process in another container may have a number that is free here; it holds the lock.
            let descriptor = open("\(folder)/\(name)", O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            if FileLock.failureToLock(descriptor) == 0 { unlink("\(folder)/\(name)") }
            close(descriptor)
        }
    }

    /// Removes a file, where there is one.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - durability: What does not bring it back.
    /// - Throws: ``TransportError`` where it cannot be removed.
    package static func remove(_ path: String, durability: Durability = .powerFailure) throws(TransportError) {
        try self.remove(path, durability: durability, calls: Calls())
    }

    /// Removes a file by these calls.
    static func remove(_ path: String, durability: Durability, calls: Calls) throws(TransportError) {
        guard calls.remove(path) == 0 else {
            if errno == ENOENT { return }
            throw TransportError(errno: errno, "cannot remove \(path)")
        }
        if durability == .powerFailure { try self.syncFolder(of: path, calls) }
    }

    /// Gives a file another name; it has that after a power failure, too.
    ///
    /// - Throws: ``TransportError`` where it cannot be renamed.
    package static func rename(_ path: String, to new: String) throws(TransportError) {
        let calls = Calls()
        guard calls.rename(path, new) == 0 else { throw TransportError(errno: errno, "cannot rename \(path)") }
        try self.syncFolder(of: new, calls)
    }

    /// Lets the names in the folder of a file be on the disk: a name is the folder's content.
    static func syncFolder(of path: String, _ calls: Calls = Calls()) throws(TransportError) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw TransportError(errno: errno, "cannot open the folder \(folder)") }
        defer { close(descriptor) }
        // There are file systems whose folders cannot be written by themselves; they do it in their own way.
        guard calls.sync(descriptor) == 0 || errno == EINVAL else {
            throw TransportError(errno: errno, "cannot write the folder \(folder)")
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
