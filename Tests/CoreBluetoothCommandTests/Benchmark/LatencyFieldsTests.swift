// Labels and values at the edge of a terminal: what stands beside its label, and what goes below it.

import Fixtures
import Testing

@testable import CoreBluetoothCommand

@Suite("A value beside its label")
struct LatencyFieldsTests {
    @Test("What leaves the last column empty stands beside its label, what reaches it stands below", arguments: 37...42)
    func lastColumn(columns: Int) {
        // 36 columns for the label, and three for the value.
        let text = LatencyText.fields("label", "b c", columns: columns)
        #expect(text == (columns > 39 ? "label" + String(repeating: " ", count: 31) + "b c" : "label\n  b c"))
    }
}
