// The limit of open files, and so of connections. Systems often give a process 1,024 and allow it to ask
// for more.

import CommandLineTool
import Foundation

/// The limit of open files.
enum OpenFilesLimit {
    /// Raises the limit so that each of `listeners` can have `connections`; throws ``Failure`` if the system
    /// does not allow that. A connection whose packets are captured has two files.
    static func require(connections: Int, listeners: Int, isCapturing: Bool) throws {
        try OpenFiles.raise {
            try self.needed(connections: connections, listeners: listeners, isCapturing: isCapturing, in: $0)
        }
    }

    /// The number that the limit has to be raised to; `nil` if it is high enough.
    static func needed(connections: Int, listeners: Int, isCapturing: Bool, in limit: rlimit) throws -> rlim_t? {
        let (product, isTooLarge) = connections.multipliedReportingOverflow(by: isCapturing ? 2 * listeners : listeners)
        let needed = isTooLarge ? rlim_t.max : rlim_t(clamping: product) + OpenFiles.needed
        let advice = "raise the limit with ulimit -Hn, or give --hosts a smaller number"
        return try OpenFiles.raised(limit, to: needed, tooFew: "for \(connections) hosts; \(advice)")
    }
}
