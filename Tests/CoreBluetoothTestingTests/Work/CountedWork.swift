// Work as a test hands it over, the way code outside of Swift does: a function, and an argument that the test keeps.

import CDispatchWork
import Fixtures

@testable import CoreBluetoothTesting

extension WorkOwner {
    /// Whom the first start on the first device of a world belongs to.
    static func first(_ work: WorldWork) -> WorkOwner {
        WorkOwner(work, order: WorkOrder(device: 0, start: 1), streams: 1, surroundings: nil)
    }
}

extension WorldWork {
    /// Hands over work that adds one to a count; whether it was taken.
    func handOver(
        counting count: Watched<Int>,
        to queue: UnsafeMutableRawPointer,
        isWaiting: Bool = false,
        owner: WorkOwner? = nil,
        task: UInt64 = 0
    ) -> Bool {
        self.handOver(
            to: queue,
            isBarrier: false,
            isWaiting: isWaiting,
            owner: owner ?? WorkOwner.first(self),
            task: task,
            { argument in
                guard let argument else { return }
                Unmanaged<Watched<Int>>.fromOpaque(argument).takeUnretainedValue().update { $0 += 1 }
            },
            Unmanaged.passUnretained(count).toOpaque()
        )
    }
}
