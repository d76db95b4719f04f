// What the options that programs share take, and what they refuse.

import Fixtures
import Testing

@testable import CommandLineTool

@Suite("Options that programs share")
struct OptionsTests {
    @Test(
        "An adapter has a distance of up to 10 km or a position, and an identity with a name",
        arguments: [
            ([], true), (["--distance", "0.1"], true), (["--distance", "10000"], true), (["--distance", "0"], false),
            (["--distance", "10000.1"], false), (["--distance", "-1"], false), (["--position", "300,0"], true),
            (["--position", "300"], false), (["--distance", "1", "--position", "300,0"], false),
            (["--identity", "alice"], true), (["--identity", ""], false),
        ] as [([String], Bool)]
    )
    func radio(arguments: [String], isValid: Bool) {
        #expect(((try? RadioOptions.parse(arguments)) != nil) == isValid)
    }

    @Test(
        "A time limit is more than 0 and at most a day",
        arguments: [(nil, true), (0, false), (0.001, true), (86_400, true), (86_400.1, false), (-1, false)]
            as [(Double?, Bool)]
    )
    func limits(seconds: Double?, isValid: Bool) {
        #expect(((try? Deadline.validate(seconds)) != nil) == isValid)
    }

    @Test("A capture that cannot be written, and an adapter that is none, are refused before anything begins")
    func refused() throws {
        let failure = #expect(throws: Failure.self) { try RadioOptions.checkCapture("/nonexistent/a") }
        #expect(failure?.line == "cannot write the capture file /nonexistent/a: No such file or directory")
        #expect(throws: (any Error).self) { try RadioOptions.select("nothing") }
    }
}
