import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The signal strength over time")
struct SignalHistoryTests {
    private let start = Date(timeIntervalSinceReferenceDate: 1000)

    private func history(_ samples: [(second: Double, strength: Int)]) -> SignalHistory {
        var history = SignalHistory()
        for sample in samples { history.add(sample.strength, at: start + sample.second) }
        return history
    }

    @Test("shows a strength as one of eight heights, the weakest as the lowest one")
    func heights() {
        let strengths = [-127, -100, -91, -90, -80, -60, -45, -31, -30, 20]
        let all = history(strengths.enumerated().map { (Double($0.offset), $0.element) })
        #expect(all.rows(columns: 10, height: 1, now: start + 9) == ["▁▁▁▂▃▅▆▇██"])
    }

    @Test("fills several rows from the bottom")
    func rows() {
        let rows = history([(0, -100), (1, -65), (2, -30)]).rows(columns: 4, height: 3, now: start + 2)
        #expect(rows == ["   █", "  ▄█", " ▁██"])
    }

    @Test(
        "repeats a strength until the device is gone, and takes the last one of a second",
        arguments: [
            (3, 4, "▆▆▆▆"), (9.9, 3, "▆▆▆"), (10, 3, "▆▆ "), (12, 14, " ▆▆▆▆▆▆▆▆▆▆   "), (30, 5, "     "), (0, 1, "▆"),
            (0, 0, ""),
        ] as [(Double, Int, String)]
    )
    func silence(second: Double, columns: Int, row: String) {
        let one = history([(0, -90), (0.9, -45)])
        #expect(one.rows(columns: columns, height: 1, now: start + second) == [row])
    }

    @Test("keeps two minutes")
    func limit() {
        let all = history((0..<500).map { (Double($0), -45) })
        #expect(all.rows(columns: 500, height: 1, now: start + 499) == [String(repeating: "▆", count: 120)])
    }
}
