import Foundation
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("The strength of a signal in a table")
struct SignalTextTests {
    @Test(
        "has bars and a colour by the strength",
        arguments: [
            (-60, 4, .green), (-61, 3, .green), (-70, 3, .green), (-71, 2, .yellow), (-80, 2, .yellow), (-81, 1, .red),
            (-90, 1, .red), (-91, 0, .red), (20, 4, .green),
        ] as [(Int, Int, TextColor)]
    )
    func bars(rssi: Int, bars: Int, color: TextColor) {
        let text = SignalText.text(rssi)
        #expect(text.text.count == SignalText.columns)
        #expect(text.text.prefix { $0 != " " }.count == bars)
        #expect(text.rendered(hasColors: true).contains("\u{1B}[0;\(30 + color.rawValue)m") == (bars > 0))
        #expect(!text.rendered(hasColors: false).contains(";3"))
    }

    @Test("has the same number of columns for every strength, with the number at the end")
    func columns() {
        for rssi in [-1200, -999, -100, -99, -9, 0, 9, 20, 100] {
            let text = SignalText.text(rssi).text
            #expect(ColumnWidth.columns(of: text) == 9 && text.hasSuffix(" \(max(-999, rssi))"), "\(text)")
        }
        #expect(SignalText.text(nil).text == "        ?")
    }
}
