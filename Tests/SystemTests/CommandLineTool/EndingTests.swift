// How a program logs and ends, each case in a process of its own: which levels are shown, in which form, and the exit
// status.

import Fixtures
import Foundation
import Logging
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("The log and the end of a program")
struct EndingTests {
    /// What the user has chosen.
    struct Choice: Codable, Sendable {
        var variable: String?
        var option: String?
        var isVerbose = false
        var stream: String?
    }

    @Test(
        "The level is that of the option, else of the variable, else notice; --verbose is info at least",
        arguments: [
            .init(), .init(isVerbose: true), .init(variable: ""), .init(variable: "nothing"), .init(variable: "DEBUG"),
            .init(variable: "error"), .init(variable: "error", isVerbose: true),
            .init(variable: "trace", isVerbose: true),
            .init(option: "critical"), .init(option: "trace"), .init(option: "warning", isVerbose: true),
            .init(variable: "debug", option: "error"), .init(stream: "own"), .init(option: "info", stream: "own"),
            .init(stream: "1:1"),
        ] as [Choice]
    )
    func levels(choice: Choice) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [choice] in
            if let variable = choice.variable { setenv("COREBLUETOOTH_LOG_LEVEL", variable, 1) }
            if let stream = choice.stream {
                var status = stat()
                fstat(STDERR_FILENO, &status)
                setenv("JOURNAL_STREAM", stream == "own" ? "\(status.st_dev):\(status.st_ino)" : stream, 1)
            }
            ProgramLog.begin()
            let options = choice.option.map { ["--log-level", $0] } ?? []
            let output = try OutputOptions.parse(options + (choice.isVerbose ? ["--verbose"] : []))
            Console.print("\(output.format.isVerbose) \(output.format.isJSON) \(ProgramLog.shownLevel)")
            var logger = Logger(label: "bluetooth.test")
            logger[metadataKey: "b"] = "2"
            logger[metadataKey: "a"] = "1"
            for level in Logger.Level.allCases {
                logger.log(level: level, "a \(level)\u{1B}", metadata: ["a": "3", "c": "4"])
            }
            Console.print("\(logger[metadataKey: "a"].map { "\($0)" } ?? "-") \(logger.logLevel)")
            logger.logLevel = .trace
            logger.trace("its own level")
            Console.warn("a warning")
            Console.inform("what happens")
            output.format.report("what happens in between")
            Console.report("a question")
            Console.report(prompt: "a prompt ")
            Console.prompt("on standard output ")
            output.format.print("event", [("key", .integer(1))], line: "a line")
            output.format.print("nothing", line: nil)
            OutputFormat(isJSON: true, isVerbose: false).print("event", [("key", .integer(1))], line: "a line")
            OutputFormat(isJSON: true, isVerbose: false).print("nothing", line: nil)
            Ending.fail(Failure("it failed\u{7}"))
        }
        let process = try #require(result)
        let time = #/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]*Z/#
        let errors = String(decoding: process.standardErrorContent, as: UTF8.self).replacing(time, with: "TIME")
        RunRecord.note(errors.replacing(#/[^ >]*\.xctest/#, with: "PROGRAM"))
        RunRecord.note(process.lines.joined(separator: "\n"))
        #expect(errors.contains("it failed\u{FFFD}"))
    }

    @Test("An end has its status, and says why only where nobody else has", arguments: [0, 1])
    func ends(status: CInt) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(status),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [status] in
            if status == 0 { Ending.succeed() }
            Ending.failAsSaid()
        }
        #expect(try #require(result).errorLines.isEmpty)
    }
}
