// A lock that the system keeps on an open file and releases when the process ends, for whatever reason. It decides
// which process serves the user's air and which one uses an identity.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An exclusive lock on a file, held until the object is released.
///
/// Locks exclude each other within a process, too.
package final class FileLock: Sendable {
    private let descriptor: CInt

    private init(descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(self.descriptor) }

    /// Takes the lock without waiting. Creates a missing file, for this user only.
    ///
    /// - Returns: `nil` if the lock is taken.
    /// - Throws: ``TransportError`` if the file cannot be opened or locked.
    package static func take(_ path: String) throws(TransportError) -> FileLock? {
        try self.open(path, LOCK_EX | LOCK_NB)
    }

    /// Waits for the lock, then runs `body` with it.
    ///
    /// - Throws: ``TransportError`` if the file cannot be opened or locked.
    package static func with<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        try withExtendedLifetime(self.open(path, LOCK_EX)) { _ in try body() }
    }

    private static func open(_ path: String, _ operation: CInt) throws(TransportError) -> FileLock? {
        let descriptor = openLock(path)
        guard descriptor >= 0 else { throw TransportError(errno: errno, "cannot open the lock \(path)") }
        let failure = self.failure(descriptor, operation)
        guard failure != 0 else { return FileLock(descriptor: descriptor) }
        close(descriptor)
        if failure == EWOULDBLOCK { return nil }
        throw TransportError(errno: failure, "cannot lock \(path)")
    }

    /// Locks an open file until it is closed, without waiting.
    ///
    /// - Returns: 0, or the system's error: `EWOULDBLOCK` if the lock is taken.
    static func failureToLock(_ descriptor: CInt) -> CInt { self.failure(descriptor, LOCK_EX | LOCK_NB) }

    private static func failure(_ descriptor: CInt, _ operation: CInt) -> CInt {
        while flock(descriptor, operation) != 0 {
            guard errno == EINTR else { return errno }
        }
        return 0
    }

    /// Whether the lock is taken; `false` if the file is missing.
    package static func isTaken(_ path: String) -> Bool {
        let descriptor = openLock(path, isReader: true)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // A process that tries to take the lock at this moment fails, and tries again.
        return self.failure(descriptor, LOCK_SH | LOCK_NB) != 0
    }

    /// Writes the process identifier into the file, for processes that find the lock taken.
    package func writeProcessNumber() {
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(self.descriptor, 0)
        _ = pwrite(self.descriptor, text, text.count, 0)
    }

    /// The process identifier that the holder of a lock has written.
    package static func processNumber(in path: String) -> Int? {
        let descriptor = openLock(path, isReader: true)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: 24)
        let count = pread(descriptor, &octets, octets.count, 0)
        guard count > 0 else { return nil }
        let digits = octets[..<count].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}

private func openLock(_ path: String, isReader: Bool = false) -> CInt {
    isReader
        ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        : open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
}
