// The limit of open files. Below some number not even an event loop can be made, which ends a process without a word.

import Foundation

#if canImport(Glibc)
import Glibc
private let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#elseif canImport(Musl)
import Musl
private let openFiles = RLIMIT_NOFILE
#elseif canImport(Darwin)
import Darwin
private let openFiles = RLIMIT_NOFILE
#endif

/// The files that a program may have open.
package enum OpenFiles {
    /// The number that each program needs: standard streams, event loops, libraries, sockets, captures.
    static let needed: rlim_t = 64

    /// Raises the limit to what each program needs.
    ///
    /// - Throws: ``Failure`` if the system does not allow it.
    package static func require() throws {
        var limit = rlimit()
        guard getrlimit(openFiles, &limit) == 0, let raised = try raised(limit) else { return }
        limit.rlim_cur = raised
        guard setrlimit(openFiles, &limit) == 0 else {
            throw Failure("cannot raise the limit of open files to \(raised): \(String(cString: strerror(errno)))")
        }
    }

    /// The limit that has to be set; `nil` if it is high enough.
    static func raised(_ limit: rlimit) throws -> rlim_t? {
        guard limit.rlim_cur < needed else { return nil }
        guard limit.rlim_max >= needed else {
            throw Failure(
                "the system allows \(limit.rlim_max) open files, too few for Bluetooth; "
                    + "raise the limit to \(needed) or more with ulimit -n"
            )
        }
        return needed
    }
}
