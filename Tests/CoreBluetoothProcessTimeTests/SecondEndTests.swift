// A clock that has ended and is ended once more, or is released only then, leaves the clocks of the next world alone.

import CoreBluetoothProcessTime
import CoreBluetoothTesting
import Foundation
import Testing

@Suite struct SecondEndTests {
    /// The next world has its clocks until it ends itself.
    @Test func endedTwice() async {
        await #expect(processExitsWith: .success) {
            var first: HeldProcess? = try HeldProcess()
            first?.end()
            let second = try HeldProcess(seed: 2)
            first?.end()
            first = nil
            try second.run(until: 1)
            #expect(LimitsTests.now() == 1)
            second.end()
            #expect(Date() > TimersTests.beginning + 365 * 86400)
        }
    }
}
