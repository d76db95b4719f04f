import Testing

@testable import Lessons

@Suite("Lines page by page")
struct PagerTests {
    @Test(
        "asks in the last row of each full screen if there are more lines, and never without a terminal",
        arguments: [
            (4, ["1", "2", "3", "?", "4", "5", "6", "?", "7"]), (8, ["1", "2", "3", "4", "5", "6", "7"]),
            (1, ["1", "?", "2", "?", "3", "?", "4", "?", "5", "?", "6", "?", "7"]),
            (nil, ["1", "2", "3", "4", "5", "6", "7"]),
        ] as [(Int?, [String])]
    )
    func pages(rows: Int?, shown: [String]) {
        var lines: [String] = []
        func goOn() -> Bool {
            lines.append("?")
            return true
        }
        let pager = Pager(rows: rows, print: { lines.append($0) }, goOn: goOn)
        for number in 1...7 { pager.write("\(number)") }
        #expect(lines == shown)
    }
}
