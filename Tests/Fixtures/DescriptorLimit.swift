// How many descriptors a process may have open, for tests of what a program does where no more can be opened. It
// changes the whole process: for tests that are processes of their own.

import Foundation

/// Sets how many descriptors may be open from now on, and gives how many it was before; ends the process where that
/// cannot be done.
@discardableResult
package func limitDescriptors(to count: UInt64) -> UInt64 {
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(kind, &limit) == 0 else { exit(2) }
    let before = limit.rlim_cur
    limit.rlim_cur = rlim_t(count)
    guard setrlimit(kind, &limit) == 0 else { exit(3) }
    return UInt64(before)
}
