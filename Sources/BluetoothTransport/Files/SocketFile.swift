// The file of a Unix socket. It has to be removed when its server ends, also when the process ends by `exit`; but not
// if it belongs to another server. So each file is registered with its inode number, and removed only while that is
// still the one at the path. On Linux the file is kept open meanwhile, since the system reuses the inode number of a
// removed file.

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The file of a socket on which this process listens.
package final class SocketFile: Sendable {
    private struct Record: Hashable {
        var path: String
        var device: UInt64
        var file: UInt64
        // A forked child that exits must not remove its parent's socket.
        var process: pid_t
        // Keeps the inode number from being reused; -1 if there is nothing.
        var descriptor: CInt
    }

    private static let records = Mutex<[Record]>([])
    private static let exitHook: Void = {
        atexit { SocketFile.removeAll() }
    }()

    private let record: Record?

    /// Registers the socket that was just bound at `path`.
    init(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            self.record = nil
            return
        }
        let record = Record(
            path: path,
            device: UInt64(truncatingIfNeeded: status.st_dev),
            file: UInt64(truncatingIfNeeded: status.st_ino),
            process: getpid(),
            descriptor: Self.hold(path)
        )
        self.record = record
        _ = Self.exitHook
        Self.records.withLock { $0.append(record) }
    }

    /// Removes the file, if it is still the one that was bound.
    func remove() {
        guard let record else { return }
        Self.records.withLock { records in
            guard let index = records.firstIndex(of: record) else { return }
            records.remove(at: index)
            Self.end(record)
        }
    }

    /// Removes all registered files.
    static func removeAll() {
        Self.records.withLock { records in
            for record in records { Self.end(record) }
            records.removeAll()
        }
    }

    private static func hold(_ path: String) -> CInt {
        #if os(Linux)
        // `O_PATH`, which the C library's module does not export: a reference to the file without opening the socket.
        open(path, 0o10_000_000 | O_NOFOLLOW | O_CLOEXEC)
        #else
        -1
        #endif
    }

    private static func end(_ record: Record) {
        guard record.process == getpid() else { return }
        var status = stat()
        if lstat(record.path, &status) == 0,
            UInt64(truncatingIfNeeded: status.st_dev) == record.device,
            UInt64(truncatingIfNeeded: status.st_ino) == record.file
        {
            unlink(record.path)
        }
        if record.descriptor >= 0 { close(record.descriptor) }
    }

    /// Removes a dead socket at `path`.
    ///
    /// - Throws: ``TransportError`` if something at `path` must stay: a socket on which a process listens, or a
    ///   file that is not a socket.
    static func clear(_ path: String) throws(TransportError) {
        if let error = StreamAddress.unix(path: path).lengthError { throw error }
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw TransportError(.inUse, "\(path) is there and is not a socket: remove it or choose another path")
        }
        if Self.isAlive(path) {
            throw TransportError(.inUse, "\(path) is served by another process: end it or choose another path")
        }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw TransportError(errno: errno, "cannot remove the old socket \(path)")
        }
    }

    /// Listens at `path`, in place of a dead socket, until the process ends; the file is then removed.
    ///
    /// - Returns: The descriptor, which the caller has to close.
    package static func serve(at path: String) throws(TransportError) -> CInt {
        try Self.clear(path)
        let descriptor = try Self.listen(at: path)
        _ = SocketFile(path: path)
        return descriptor
    }

    /// Creates a socket that listens at `path`.
    ///
    /// SwiftNIO would remove whatever is at the path when it closes the socket.
    ///
    /// - Returns: The descriptor, which the caller has to close.
    static func listen(at path: String) throws(TransportError) -> CInt {
        let descriptor = Self.makeSocket()
        guard descriptor >= 0 else { throw TransportError(errno: errno, "cannot make a socket") }
        let result = Self.withAddress(of: path) { bind(descriptor, $0, $1) }
        guard result == 0, systemListen(descriptor, 128) == 0 else {
            let number = errno
            close(descriptor)
            throw TransportError(listeningAt: .unix(path: path), errno: number)
        }
        return descriptor
    }

    /// Whether a process listens on the socket: only a refused connection proves that none does.
    private static func isAlive(_ path: String) -> Bool {
        let descriptor = Self.makeSocket()
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        // Do not wait for a server that is busy with other connections.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        return Self.withAddress(of: path) { connect(descriptor, $0, $1) } == 0 || errno != ECONNREFUSED
    }

    private static func makeSocket() -> CInt {
        #if canImport(Glibc)
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return descriptor
    }

    private static func withAddress(
        of path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { field in
            // The last octet stays zero.
            field.copyBytes(from: Array(path.utf8.prefix(StreamAddress.maximumPathLength)))
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

private func systemListen(_ descriptor: CInt, _ backlog: CInt) -> CInt { listen(descriptor, backlog) }

/// Information about Unix sockets.
package enum UnixSocket {
    /// Whether there is a socket at `path`, alive or not.
    package static func exists(at path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
}
