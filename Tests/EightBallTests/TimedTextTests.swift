import Fixtures
import Testing

@testable import eightball

@Suite("A text that disappears after some ticks")
struct TimedTextTests {
    @Test("lasts for its ticks, and disappears once", arguments: [1, 2, 50])
    func ticks(count: Int) {
        var text = TimedText<String>()
        text.show("no", for: count)
        // One tick too many at the end.
        let ends = (0...count).map { _ in
            let isShown = text.text == "no"
            return (isShown, text.tick())
        }
        #expect(ends.map(\.0) == Array(repeating: true, count: count) + [false])
        #expect(ends.map(\.1) == Array(repeating: false, count: count - 1) + [true, false])
        #expect(text.text == nil)
    }

    @Test("gives the next text its full time")
    func replaced() {
        var text = TimedText<String>()
        text.show("one", for: 2)
        _ = text.tick()
        text.show("two", for: 2)
        #expect(text.text == "two")
        let ends = (0..<2).map { _ in text.tick() }
        #expect(ends == [false, true])
    }
}
