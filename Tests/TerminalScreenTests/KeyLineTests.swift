import TerminalScreen
import Testing

@Suite("A row of keys")
struct KeyLineTests {
    @Test(
        "leaves out keys before the last one until the others fit, closer together first",
        arguments: [
            (30, "a one   b two   c three"), (23, "a one   b two   c three"), (22, "a one  b two  c three"),
            (20, "a one   c three"), (14, "a one  c three"), (13, "c three"), (3, "c three"),
        ]
    )
    func fitting(columns: Int, row: String) {
        #expect(KeyLine.text(["a one", "b two", "c three"], columns: columns) == row)
    }
}
