// Bars of ranges in which nothing was counted, and of none at all.

import Fixtures
import Testing

@testable import CoreBluetoothCommand

@Suite("Bars without times")
struct LatencyBarsTests {
    @Test("A range without a time has no bar, also where no range has one")
    func nothing() {
        let bars = LatencyText.bars([(0...1, 0), (1...2, 0)], columns: 40)
        #expect(bars == ["  0.00 to 1.00 ms  0", "  1.00 to 2.00 ms  0"])
        #expect(LatencyText.bars([], columns: 40).isEmpty)
    }

    @Test("A time has two digits behind the point below 10 ms, one below 100 ms, and none from there on")
    func digits() {
        let times = [0, 9.99, 10, 10.94, 99.9, 100, 100.4, 12_345]
        let words = ["0.00", "9.99", "10.0", "10.9", "99.9", "100", "100", "12345"]
        #expect(times.map(LatencyText.number) == words)
    }
}
