import Testing

@testable import CommandLineTool

@Suite("The strength of a signal in bars")
struct SignalBarsTests {
    @Test(
        "has four bars from -60 dBm up, and one less for each 10 dB below",
        arguments: [
            (20, 4), (-55, 4), (-60, 4), (-61, 3), (-70, 3), (-71, 2), (-80, 2), (-81, 1), (-90, 1), (-91, 0),
        ]
    )
    func bars(strength: Int, count: Int) {
        #expect(SignalBars(strength: strength).count == count)
        #expect(SignalBars(strength: strength).text.text.count == count)
    }
}
