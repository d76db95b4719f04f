import Fixtures
import Foundation
import Logging
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("The log and the end of a program")
struct EndingTests {
    /// A choice of the user, and the log lines that follow, without times.
    struct Choice: Codable, Sendable {
        var variable: String?
        var options: [String] = []
        var isJournal = false
        var lines: [String]
    }

    @Test(
        "logs at the level and in the form that the user has chosen",
        arguments: [
            .init(lines: ["P: it is notable a=1", "P: it is wrong a=2 b=3", "P: it failed\u{FFFD}"]),
            .init(
                options: ["--verbose"],
                lines: ["it happens a=1", "P: it is notable a=1", "P: it is wrong a=2 b=3", "P: it failed\u{FFFD}"]
            ),
            .init(
                variable: "error",
                lines: ["TIME error test: it is wrong a=2 b=3", "TIME error P: it failed\u{FFFD}"]
            ),
            .init(options: ["--log-level", "critical"], lines: ["TIME error P: it failed\u{FFFD}"]),
            .init(
                isJournal: true,
                lines: ["<5>test: it is notable a=1", "<3>test: it is wrong a=2 b=3", "<3>it failed\u{FFFD}"]
            ),
        ] as [Choice]
    )
    func levels(choice: Choice) async throws {
        let result = try await #require(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            [choice] in
            if let variable = choice.variable { setenv("COREBLUETOOTH_LOG_LEVEL", variable, 1) }
            if choice.isJournal {
                var status = stat()
                fstat(STDERR_FILENO, &status)
                setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino)", 1)
            }
            ProgramLog.begin()
            _ = try OutputOptions.parse(choice.options)
            var logger = Logger(label: "test")
            logger[metadataKey: "a"] = "1"
            logger.debug("it is small")
            logger.info("it happens")
            logger.notice("it is notable")
            logger.error("it is wrong", metadata: ["b": "3", "a": "2"])
            Ending.fail(Failure("it failed\u{7}"))
        }
        let time = #/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]*Z/#
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        let lines = text.replacing(time, with: "TIME").replacing(#/[^ >\n]*\.xctest/#, with: "P")
        #expect(lines.split(separator: "\n").map(String.init) == choice.lines)
    }

    @Test("ends with its status, without another line", arguments: [0, 1])
    func ends(status: CInt) async throws {
        let result = try await #require(processExitsWith: .exitCode(status), observing: .outputs) { [status] in
            if status == 0 { Ending.succeed() }
            Ending.failAsSaid()
        }
        #expect(result.errorLines.isEmpty)
    }

    @Test(
        "uses the level of the last choice, else of the variable, else notice",
        arguments: [
            (nil, "notice", "info"), ("loud", "notice", "info"), ("DEBUG", "debug", "debug"),
            ("critical", "critical", "info"),
        ] as [(String?, String, String)]
    )
    func choices(variable: String?, level: String, verbose: String) async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [variable = variable as String?] in
            unsetenv("COREBLUETOOTH_LOG_LEVEL")
            if let variable { setenv("COREBLUETOOTH_LOG_LEVEL", variable, 1) }
            Console.print("\(ProgramLog.shownLevel)")
            ProgramLog.choose(nil, isVerbose: true)
            Console.print("\(ProgramLog.shownLevel)")
            for level in [Logger.Level.trace, .error] {
                for isVerbose in [false, true] {
                    ProgramLog.choose(level, isVerbose: isVerbose)
                    Console.print("\(ProgramLog.shownLevel)")
                }
            }
            ProgramLog.choose(nil, isVerbose: false)
            Console.print("\(ProgramLog.shownLevel)")
            exit(0)
        }
        #expect(result.lines == [level, verbose, "trace", "trace", "error", "error", level])
    }
}
