import BluetoothHost
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Invalidations of services")
struct InvalidationsTests {
    private func range(_ number: Int) -> AttributeHandleRange {
        AttributeHandle(UInt16(number))...AttributeHandle(UInt16(number))
    }

    @Test("Only what became invalid after a call was made concerns it")
    func order() {
        var invalidations = Invalidations()
        #expect(!invalidations.contains(after: 0) { _ in true })
        for number in 1...3 { invalidations.append(self.range(number)) }
        for known in 0...3 {
            for number in 1...3 {
                let isConcern = invalidations.contains(after: known) { $0.contains(self.range(number).lowerBound) }
                #expect(isConcern == (number > known))
            }
        }
    }

    @Test("Any number of them takes a bounded space; what a call may have missed still concerns it")
    func limit() {
        var invalidations = Invalidations()
        let count = 4 * Invalidations.limit
        for number in 1...count { invalidations.append(self.range(number)) }
        var kept = 0
        _ = invalidations.contains(after: 0) { _ in
            kept += 1
            return false
        }
        #expect(kept == Invalidations.limit)
        for known in 0..<count {
            // Everything later than what the call knows of.
            for number in stride(from: known + 1, through: count, by: 97) {
                #expect(invalidations.contains(after: known) { $0.contains(self.range(number).lowerBound) })
            }
        }
        // What is known is not held against the call, but for the oldest, which became one.
        #expect(!invalidations.contains(after: count) { _ in true })
        let merged = count - Invalidations.limit + 1
        #expect(!invalidations.contains(after: merged) { $0.contains(self.range(merged).lowerBound) })
        #expect(invalidations.contains(after: merged - 1) { $0.contains(self.range(1).lowerBound) })
    }

    @Test("What is merged covers both ranges, whichever begins first")
    func merged() {
        for (first, second) in [(5, 2), (2, 5)] {
            var invalidations = Invalidations()
            for number in [first, second] { invalidations.append(self.range(number)) }
            for _ in 0..<Invalidations.limit { invalidations.append(self.range(9)) }
            for number in 2...5 {
                #expect(invalidations.contains(after: 0) { $0.contains(self.range(number).lowerBound) }, "\(number)")
            }
        }
    }
}
