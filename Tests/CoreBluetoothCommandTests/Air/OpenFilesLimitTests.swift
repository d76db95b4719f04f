import CommandLineTool
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The limit of open files")
struct OpenFilesLimitTests {
    @Test(
        "is raised to what connections, listeners and captures need, and fails if the system forbids it",
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

    @Test("cannot be high enough for more connections than fit into a number")
    func overflow() {
        let limit = rlimit(rlim_cur: 1024, rlim_max: .max - 1)
        #expect(throws: Failure.self) {
            try OpenFilesLimit.needed(connections: .max, listeners: 2, isCapturing: false, in: limit)
        }
    }
}
