import BluetoothHost
import Testing

@testable import CoreBluetooth

@Suite("Invalidations of services")
struct InvalidatedHandlesTests {
    private func range(_ number: Int) -> AttributeHandleRange {
        AttributeHandle(UInt16(number))...AttributeHandle(UInt16(number))
    }

    @Test("concerns only calls made before the invalidation")
    func order() {
        var invalidations = InvalidatedHandles()
        #expect(!invalidations.contains(after: 0) { _ in true })
        for number in 1...3 { invalidations.append(self.range(number)) }
        for known in 0...3 {
            for number in 1...3 {
                let isConcern = invalidations.contains(after: known) { $0.contains(self.range(number).lowerBound) }
                #expect(isConcern == (number > known))
            }
        }
    }

    @Test("keeps a bounded number of ranges, and forgets none that a call may have missed")
    func limit() {
        var invalidations = InvalidatedHandles()
        let count = 4 * InvalidatedHandles.limit
        for number in 1...count { invalidations.append(self.range(number)) }
        var kept = 0
        _ = invalidations.contains(after: 0) { _ in
            kept += 1
            return false
        }
        #expect(kept == InvalidatedHandles.limit)
        for known in 0..<count {
            for number in stride(from: known + 1, through: count, by: 97) {
                #expect(invalidations.contains(after: known) { $0.contains(self.range(number).lowerBound) })
            }
        }
        // The oldest ranges became one.
        #expect(!invalidations.contains(after: count) { _ in true })
        let merged = count - InvalidatedHandles.limit + 1
        #expect(!invalidations.contains(after: merged) { $0.contains(self.range(merged).lowerBound) })
        #expect(invalidations.contains(after: merged - 1) { $0.contains(self.range(1).lowerBound) })
    }

    @Test("covers both ranges with a merged one")
    func merged() {
        for (first, second) in [(5, 2), (2, 5)] {
            var invalidations = InvalidatedHandles()
            for number in [first, second] { invalidations.append(self.range(number)) }
            for _ in 0..<InvalidatedHandles.limit { invalidations.append(self.range(9)) }
            for number in 2...5 {
                #expect(invalidations.contains(after: 0) { $0.contains(self.range(number).lowerBound) }, "\(number)")
            }
        }
    }

    @Test("counts a lost link as the invalidation of all handles, and knows which calls were made before it")
    func loss() {
        var invalidations = InvalidatedHandles(lostAfter: 3)
        #expect(invalidations.count == 4)
        #expect([2, 3, 4].map { invalidations.isBeforeLoss($0) } == [true, true, false])
        #expect(invalidations.contains(after: 3) { $0.contains(0x7777) })
        #expect(!invalidations.contains(after: 4) { _ in true })
        invalidations.append(self.range(1))
        #expect(!invalidations.isBeforeLoss(4))
        invalidations.appendLoss()
        #expect(invalidations.isBeforeLoss(5) && !invalidations.isBeforeLoss(6))
    }
}
