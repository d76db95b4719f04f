// The limit of open files of this process, which is raised to what is needed where that is more, and stays where it is
// enough.

import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("Raising the limit of open files")
struct OpenFilesRaisedTests {
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    private static func limit() -> rlimit {
        var limit = rlimit()
        let result = getrlimit(resource, &limit)
        #expect(result == 0)
        return limit
    }

    /// How many files this process may have open, where it has allowed itself all that it may; else zero.
    private static let allowed: rlim_t = {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur == limit.rlim_max else { return 0 }
        return limit.rlim_max
    }()

    @Test("A limit that is one too low is raised to what is needed", .enabled(if: (1_000...1 << 20).contains(allowed)))
    func raised() throws {
        var limit = Self.limit()
        // One file less is all that other tests miss meanwhile.
        limit.rlim_cur = Self.allowed - 1
        let result = setrlimit(Self.resource, &limit)
        try #require(result == 0)
        try OpenFilesLimit.require(connections: Int(Self.allowed) - 64, listeners: 1, isCapturing: false)
        #expect(Self.limit().rlim_cur == Self.allowed && Self.limit().rlim_max == Self.allowed)
        try OpenFilesLimit.require(connections: 1, listeners: 1, isCapturing: false)
        #expect(Self.limit().rlim_cur == Self.allowed)
    }
}
