// How many files, and so connections, the process may have open. Systems often give a process 1,024 and allow it to ask
// for more.

import CommandLineTool
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

/// The limit of open files.
enum OpenFilesLimit {
    /// What a process has open beside connections: standard streams, the event loop, libraries, captures.
    private static let others = 64

    /// Raises the limit so that each of `listeners` can have `connections`; throws a line for a person where the system
    /// does not allow that. A connection whose packets are captured has two files.
    static func require(connections: Int, listeners: Int, isCapturing: Bool) throws {
        var limit = rlimit()
        guard getrlimit(openFiles, &limit) == 0 else { return }
        let needed = try self.needed(
            connections: connections,
            listeners: listeners,
            isCapturing: isCapturing,
            in: limit
        )
        guard let needed else { return }
        limit.rlim_cur = needed
        guard setrlimit(openFiles, &limit) == 0 else {
            throw Failure("cannot raise the limit of open files to \(needed): \(String(cString: strerror(errno)))")
        }
    }

    /// What the limit has to be raised to; `nil` where it is enough.
    static func needed(connections: Int, listeners: Int, isCapturing: Bool, in limit: rlimit) throws -> rlim_t? {
        let (product, isTooLarge) = connections.multipliedReportingOverflow(by: isCapturing ? 2 * listeners : listeners)
        let needed = isTooLarge ? rlim_t.max : rlim_t(clamping: product) + rlim_t(others)
        guard limit.rlim_cur < needed else { return nil }
        guard limit.rlim_max >= needed else {
            throw Failure(
                "the system allows \(limit.rlim_max) open files, too few for \(connections) hosts; "
                    + "raise the limit with ulimit -Hn, or give --hosts a smaller number"
            )
        }
        return needed
    }
}
