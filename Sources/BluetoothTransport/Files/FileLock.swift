// A lock that the system keeps on an open file and releases when the process ends, in whatever way. It decides which
// process serves the user's air and which one has an identity.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An exclusive lock on a file, held until the object is released.
///
/// Two locks on one file exclude each other in one process just as between two.
package final class FileLock: Sendable {
    private let descriptor: CInt

    private init(descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(self.descriptor) }

    /// Takes the lock without waiting, creating the file for this user alone where it is not there.
    ///
    /// - Returns: `nil` where another process, or another object of this one, has it.
    /// - Throws: ``TransportError`` where the file cannot be opened or locked.
    package static func take(_ path: String) throws(TransportError) -> FileLock? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw TransportError(errno: errno, "cannot open the lock \(path)") }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            if number == EINTR { continue }
            close(descriptor)
            if number == EWOULDBLOCK { return nil }
            throw TransportError(errno: number, "cannot lock \(path)")
        }
        return FileLock(descriptor: descriptor)
    }

    /// Whether the lock is taken now; `false` for a file that is not there.
    package static func isTaken(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // A process that tries to take the lock at this moment finds it taken, and tries again.
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0
    }

    /// Writes this process's number into the file, for processes that find the lock taken.
    package func writeProcessNumber() {
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(self.descriptor, 0)
        _ = pwrite(self.descriptor, text, text.count, 0)
    }

    /// The process number that the holder of a lock wrote into it.
    package static func processNumber(in path: String) -> Int? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: 24)
        let count = pread(descriptor, &octets, octets.count, 0)
        guard count > 0 else { return nil }
        let digits = octets[..<count].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}
