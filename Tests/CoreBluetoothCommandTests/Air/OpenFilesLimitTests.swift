// How many files an air needs, against what the system allows this process.

import CommandLineTool
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The limit of open files")
struct OpenFilesLimitTests {
    @Test(
        "it is raised where it is too low, to what is needed; where the system does not allow that, the reason is said",
        arguments: [
            (10, 1, false, 74, 74, nil), (10, 1, false, 73, 74, 74), (10, 2, false, 83, 84, 84),
            (10, 1, true, 0, 84, 84), (10, 2, true, 0, 104, 104), (10, 1, false, 75, 75, nil),
        ] as [(Int, Int, Bool, rlim_t, rlim_t, rlim_t?)]
    )
    func needed(
        connections: Int,
        listeners: Int,
        isCapturing: Bool,
        current: rlim_t,
        most: rlim_t,
        needed: rlim_t?
    ) throws {
        func value(_ limit: rlimit) throws -> rlim_t? {
            try OpenFilesLimit.needed(
                connections: connections,
                listeners: listeners,
                isCapturing: isCapturing,
                in: limit
            )
        }
        #expect(try value(rlimit(rlim_cur: current, rlim_max: most)) == needed)
        guard let needed else { return }
        let failure = #expect(throws: Failure.self) { try value(rlimit(rlim_cur: 0, rlim_max: needed - 1)) }
        #expect(failure?.line.hasPrefix("the system allows \(needed - 1) open files, too few for 10 hosts; ") == true)
    }

    @Test("more connections than there are numbers need more files than there can be")
    func overflow() {
        let limit = rlimit(rlim_cur: 1024, rlim_max: .max - 1)
        #expect(throws: Failure.self) {
            try OpenFilesLimit.needed(connections: .max, listeners: 2, isCapturing: false, in: limit)
        }
    }

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
