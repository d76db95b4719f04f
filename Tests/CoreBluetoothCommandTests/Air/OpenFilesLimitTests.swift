// How many files an air needs, against what the system allows this process.

import CommandLineTool
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The limit of open files")
struct OpenFilesLimitTests {
    /// How many files a process may allow itself.
    private static let allowed: rlim_t = {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit.rlim_max : 0
    }()

    @Test(
        "a connection has a file at each listener, another one where its packets are captured, and the process has 64",
        .enabled(if: (1_000...1 << 20).contains(allowed)),
        arguments: [(2, false), (1, true), (2, true), (1, false)]
    )
    func limit(listeners: Int, isCapturing: Bool) throws {
        let most = (Int(Self.allowed) - 64) / (listeners * (isCapturing ? 2 : 1))
        try OpenFilesLimit.require(connections: most, listeners: listeners, isCapturing: isCapturing)
        #expect(throws: Failure.self) {
            try OpenFilesLimit.require(connections: most + 1, listeners: listeners, isCapturing: isCapturing)
        }
    }
}
