// The limit of open files. Below some number not even an event loop can be made, which ends a process without a word.

import Foundation

#if canImport(Glibc)
package import Glibc
private let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#elseif canImport(Musl)
package import Musl
private let openFiles = RLIMIT_NOFILE
#elseif canImport(Darwin)
package import Darwin
private let openFiles = RLIMIT_NOFILE
#endif

/// The files that a program may have open.
package enum OpenFiles {
    /// The number that each program needs: standard streams, event loops, libraries, sockets, captures.
    package static let needed: rlim_t = 64

    /// Raises the limit to what each program needs.
    ///
    /// - Throws: ``Failure`` if the system does not allow it.
    static func require() throws { try self.raise(self.raised) }

    /// Raises the limit.
    ///
    /// - Parameter raised: The number that the present limit is raised to, `nil` if it is high enough; or it throws.
    /// - Throws: What `raised` throws, or ``Failure`` if the system does not allow it.
    package static func raise(_ raised: (rlimit) throws -> rlim_t?) throws {
        var limit = rlimit()
        guard getrlimit(openFiles, &limit) == 0, let raised = try raised(limit) else { return }
        limit.rlim_cur = raised
        guard setrlimit(openFiles, &limit) == 0 else {
            throw Failure("cannot raise the limit of open files to \(raised): \(String(cString: strerror(errno)))")
        }
    }

    /// The number that a limit has to be raised to; `nil` if it is high enough.
    static func raised(_ limit: rlimit) throws -> rlim_t? {
        try self.raised(
            limit,
            to: self.needed,
            tooFew: "for Bluetooth; raise the limit to \(self.needed) or more with ulimit -n"
        )
    }

    /// The number that a limit has to be raised to; `nil` if it is high enough.
    ///
    /// - Parameters:
    ///   - limit: The present limit.
    ///   - needed: The number that is needed.
    ///   - tooFew: What the system's own limit does not suffice for, and what to do about it.
    /// - Throws: ``Failure`` if the system does not allow as many.
    package static func raised(_ limit: rlimit, to needed: rlim_t, tooFew: String) throws -> rlim_t? {
        guard limit.rlim_cur < needed else { return nil }
        guard limit.rlim_max >= needed else {
            throw Failure("the system allows \(limit.rlim_max) open files, too few \(tooFew)")
        }
        return needed
    }
}
