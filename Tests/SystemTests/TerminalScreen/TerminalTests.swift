import Fixtures
import Foundation
import Testing

@testable import TerminalScreen

@Suite("The terminal at a descriptor")
struct TerminalTests {
    @Test("has the size that it reports, else 24 rows and 80 columns, and no width if it is not a terminal")
    func size() throws {
        let terminal = try TestTerminal()
        let shown = Terminal(terminal.slave)
        for (said, size) in [
            ((30, 100), (30, 100)), ((1, 1), (1, 1)), ((0, 0), (24, 80)), ((30, 0), (30, 80)), ((0, 100), (24, 100)),
        ] {
            terminal.resize(rows: said.0, columns: said.1)
            #expect(shown.size == ScreenSize(rows: size.0, columns: size.1) && shown.width == size.1)
        }
        let null = open("/dev/null", O_WRONLY)
        defer { close(null) }
        #expect(Terminal(null).size == ScreenSize(rows: 24, columns: 80) && Terminal(null).width == nil)
        #expect(!Terminal(null).isTerminal)
    }

    @Test("moves its cursor if its type is known and not dumb, and then has colours unless NO_COLOR is set")
    func abilities() throws {
        let cases: [(kind: String?, noColor: String?, hasCursor: Bool, hasColors: Bool)] = [
            (nil, nil, false, false), ("", nil, false, false), ("dumb", nil, false, false), ("xterm", nil, true, true),
            ("xterm", "", true, true), ("xterm", "0", true, false), ("dumb", "", false, false),
        ]
        let terminal = try TestTerminal()
        let null = open("/dev/null", O_WRONLY)
        defer { close(null) }
        for (kind, noColor, hasCursor, hasColors) in cases {
            var environment: [String: String] = [:]
            environment["TERM"] = kind
            environment["NO_COLOR"] = noColor
            let shown = Terminal(terminal.slave, environment: environment)
            #expect(shown.hasCursor == hasCursor && shown.hasColors == hasColors, "\(environment)")
            let none = Terminal(null, environment: environment)
            #expect(!none.hasCursor && !none.hasColors, "\(environment)")
        }
    }
}
