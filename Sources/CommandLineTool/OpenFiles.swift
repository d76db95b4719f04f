// The limit of open files. If it is too low, creating an event loop ends the process without a message.

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

/// Raises the limit of open files.
package enum OpenFiles {
    /// The number that each program needs: for standard streams, event loops, libraries, sockets, captures.
    package static let needed: rlim_t = 64

    /// Raises the limit to the number that each program needs.
    ///
    /// - Throws: ``Failure`` if the system does not allow it.
    static func require() throws { try self.raise(self.raised) }

    /// Raises the limit.
    ///
    /// - Parameter raised: Returns the new limit for the current one, `nil` if that is high enough.
    /// - Throws: The error of `raised`, or ``Failure`` if the system does not allow it.
    package static func raise(_ raised: (rlimit) throws -> rlim_t?) throws {
        var limit = rlimit()
        guard getrlimit(openFiles, &limit) == 0, let raised = try raised(limit) else { return }
        limit.rlim_cur = raised
        guard setrlimit(openFiles, &limit) == 0 else {
            throw Failure("cannot raise the limit of open files to \(raised): \(String(cString: strerror(errno)))")
        }
    }

    /// The limit that a program needs; `nil` if the current one is high enough.
    static func raised(_ limit: rlimit) throws -> rlim_t? {
        try self.raised(
            limit,
            to: self.needed,
            tooFew: "for Bluetooth; raise the limit to \(self.needed) or more with ulimit -n"
        )
    }

    /// The limit that is needed; `nil` if the current one is high enough.
    ///
    /// - Parameters:
    ///   - limit: The current limit.
    ///   - needed: The number that is needed.
    ///   - tooFew: What the system's hard limit is too low for, and what to do about it.
    /// - Throws: ``Failure`` if the system's hard limit is lower.
    package static func raised(_ limit: rlimit, to needed: rlim_t, tooFew: String) throws -> rlim_t? {
        guard limit.rlim_cur < needed else { return nil }
        guard limit.rlim_max >= needed else {
            throw Failure("the system allows \(limit.rlim_max) open files, too few \(tooFew)")
        }
        return needed
    }
}
