// Files at a path that the user chooses and that may contain keys or traffic: captures, traces, descriptions with
// values. They are private from the first octet on: mode 0600, not through a symbolic link, and never a file that
// others may have opened already.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension PrivateFile {
    /// How often a file that others can read is replaced, before it is clear that all files of this file system are
    /// readable.
    private static let replacementLimit = 8

    /// Checks that an output file can be written. Creates a missing file, and does not change an existing one.
    ///
    /// - Throws: ``TransportError`` if it cannot be written.
    package static func checkOutput(_ path: String, as noun: String) throws(TransportError) {
        close(try Self.openOutput(path, noun).descriptor)
    }

    /// Writes an output file.
    ///
    /// - Throws: ``TransportError`` if it cannot be written, or another process is writing it.
    package static func writeOutput(_ path: String, as noun: String, _ octets: [UInt8]) throws(TransportError) {
        let descriptor = try Self.createOutput(path, as: noun)
        defer { close(descriptor) }
        let failure = octets.withUnsafeBytes { octets in
            CaptureFile.failure(ofWriting: octets) { write(descriptor, $0, $1) }
        }
        if let failure { throw TransportError(errno: failure, "cannot write the \(noun) \(path)") }
    }

    /// Opens an empty output file.
    ///
    /// - Returns: The descriptor, which the caller has to close, and which locks the file until then.
    /// - Throws: ``TransportError`` if it cannot be opened, or another process is writing it.
    package static func createOutput(_ path: String, as noun: String) throws(TransportError) -> CInt {
        guard let descriptor = try Self.createOutputUnlessInUse(path, as: noun) else {
            throw TransportError(.inUse, "\(path) is being written by another process: choose another name")
        }
        return descriptor
    }

    /// As ``createOutput(_:as:)``; `nil` if another process is writing the file.
    static func createOutputUnlessInUse(_ path: String, as noun: String) throws(TransportError) -> CInt? {
        for _ in 0..<Self.replacementLimit {
            let (descriptor, status) = try Self.openOutput(path, noun)
            guard status.st_mode & S_IFMT == S_IFREG else { return descriptor }
            let lockFailure = FileLock.failureToLock(descriptor)
            guard lockFailure == 0 else {
                close(descriptor)
                if lockFailure == EWOULDBLOCK { return nil }
                throw TransportError(errno: lockFailure, "cannot lock the \(noun) \(path)")
            }
            var present = stat()
            let isPresent =
                lstat(path, &present) == 0 && present.st_ino == status.st_ino && present.st_dev == status.st_dev
            if isPresent, present.st_mode & 0o077 == 0, present.st_nlink == 1 {
                ftruncate(descriptor, 0)
                return descriptor
            }
            // A process that has it open, or knows another name of it, could read everything written from now on.
            let isRemoved = !isPresent || unlink(path) == 0
            let failure = errno
            close(descriptor)
            guard isRemoved else {
                throw TransportError(errno: failure, "cannot replace \(path), which others may read")
            }
        }
        throw TransportError(.noPermission, "others may read all files in the folder of \(path): choose another one")
    }

    /// Opens an output file without changing it.
    private static func openOutput(
        _ path: String,
        _ noun: String
    ) throws(TransportError) -> (descriptor: CInt, status: stat) {
        guard !path.isEmpty else { throw TransportError(.badName, "the \(noun) has no name: give it one") }
        // A link to a descriptor that the user has opened.
        let isDescriptor = path.hasPrefix("/dev/fd/") || path == "/dev/stdout" || path == "/dev/stderr"
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (isDescriptor ? 0 : O_NOFOLLOW)
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            if errno == ELOOP {
                throw TransportError(.noPermission, "\(path) is a symbolic link: name the file, or remove the link")
            }
            throw TransportError(errno: errno, "cannot write the \(noun) \(path)")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let failure = errno
            close(descriptor)
            throw TransportError(errno: failure, "cannot look at \(path)")
        }
        // A device, such as /dev/null, belongs to the system.
        guard status.st_uid == geteuid() || status.st_mode & S_IFMT == S_IFCHR || isDescriptor else {
            close(descriptor)
            throw TransportError(.noPermission, "\(path) belongs to another user: choose another name")
        }
        return (descriptor, status)
    }
}
