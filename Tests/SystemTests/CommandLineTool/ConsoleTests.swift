import Fixtures
import Foundation
import SessionTestbed
import TerminalScreen
import Testing

@testable import CommandLineTool

extension TestTerminal {
    /// A terminal as standard output, standard error or both; the other one goes to the original standard output.
    static func console(_ descriptors: [CInt], columns: Int = 80) throws -> TestTerminal {
        dup2(STDOUT_FILENO, STDERR_FILENO)
        return try TestTerminal(at: descriptors, columns: columns, isPlain: true)
    }

    /// Reports the terminal's input since the last call.
    func tellText(_ label: String) {
        // The other stream may have written an unfinished line before it.
        tell("\n\(label) \(text().debugDescription)")
    }
}

@Suite("The cursor's row of a terminal")
struct ConsoleTests {
    private static let acts = [
        "draft", "no draft", "finished", "status", "no status", "print", "prompt", "report", "report prompt", "log",
        "end draft",
    ]

    private static func act(_ name: String) {
        switch name {
        case "draft": Console.show(.shown("> ab"))
        case "no draft": Console.show(.shown(""))
        case "finished": Console.show(.finished("> abc"))
        case "status": Console.show(status: "half")
        case "no status": Console.show(status: "")
        case "print": Console.print("line")
        case "prompt": Console.prompt("ask")
        case "report": Console.report("said")
        case "report prompt": Console.report(prompt: "asked")
        case "log": Console.log("logged")
        default: Console.endDraft()
        }
    }

    /// Each action after each other one, and the terminal's input from both.
    private func pairs(_ descriptors: [CInt]) async throws -> [String] {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [descriptors = descriptors as [CInt]] in
            let terminal = try TestTerminal.console(descriptors)
            for first in ConsoleTests.acts {
                for second in ConsoleTests.acts {
                    ConsoleTests.act("no draft")
                    ConsoleTests.act("no status")
                    _ = terminal.text()
                    ConsoleTests.act(first)
                    ConsoleTests.act(second)
                    terminal.tellText("\(first), \(second)")
                }
            }
            exit(0)
        }
        return result.lines.filter { !$0.isEmpty }
    }

    @Test("removes a draft or progress for each line, and shows it again below")
    func both() async throws {
        let lines = try await pairs([STDOUT_FILENO, STDERR_FILENO])
        let (erasing, draft, status) = (#"\r\u{1B}[K"#, #"\r\u{1B}[K> ab"#, #"\r\u{1B}[Khalf"#)
        #expect(lines.count == Self.acts.count * Self.acts.count)
        for line in [
            #"draft, print "\#(draft)\#(erasing)line\n> ab""#, #"draft, prompt "\#(draft)\#(erasing)ask> ab""#,
            #"draft, report "\#(draft)\#(erasing)said\n> ab""#,
            #"draft, report prompt "\#(draft)\#(erasing)asked> ab""#,
            #"draft, log "\#(draft)\#(erasing)logged\n> ab""#, #"draft, no draft "\#(draft)\#(erasing)""#,
            #"draft, finished "\#(draft)\#(erasing)> abc\n""#, #"draft, end draft "\#(draft)\n""#,
            // The line being typed takes precedence.
            #"draft, status "\#(draft)""#, #"draft, no status "\#(draft)""#, #"status, draft "\#(status)\#(draft)""#,
            #"status, print "\#(status)\#(erasing)line\nhalf""#, #"status, prompt "\#(status)\#(erasing)askhalf""#,
            #"status, report "\#(status)\#(erasing)said\nhalf""#, #"status, log "\#(status)\#(erasing)logged\nhalf""#,
            #"status, no status "\#(status)\#(erasing)""#, #"status, status "\#(status)\#(status)""#,
            #"status, no draft "\#(status)""#, #"status, finished "\#(status)\#(erasing)> abc\n""#,
            #"status, end draft "\#(status)""#,
            // If the row is empty, nothing is erased.
            #"no draft, no draft """#, #"no draft, no status """#, #"no draft, end draft """#,
            #"print, print "line\nline\n""#, #"log, report "logged\nsaid\n""#, #"end draft, log "logged\n""#,
            #"finished, print "\#(erasing)> abc\nline\n""#,
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test("writes only the lines to a file or a pipe", arguments: [[STDOUT_FILENO], [STDERR_FILENO], []])
    func one(descriptors: [CInt]) async throws {
        let lines = try await pairs(descriptors)
        let (hasOutput, hasErrors) = (descriptors.contains(STDOUT_FILENO), descriptors.contains(STDERR_FILENO))
        let (erasing, draft, status) = (#"\r\u{1B}[K"#, #"\r\u{1B}[K> ab"#, #"\r\u{1B}[Khalf"#)
        // The terminal's input from each.
        let draftLog = hasOutput ? draft : hasErrors ? erasing + #"logged\n> ab"# : ""
        let statusPrint = hasErrors ? status : hasOutput ? #"line\n"# : ""
        let print = hasOutput ? #"line\nline\n"# : ""
        let log = hasErrors ? #"logged\nsaid\n"# : ""
        for line in [
            "draft, log \"\(draftLog)\"", "status, print \"\(statusPrint)\"", "print, print \"\(print)\"",
            "log, report \"\(log)\"",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test("removes the progress once, when the program ends", arguments: [true, false])
    func end(isShown: Bool) async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) { [isShown] in
            _ = try TestTerminal.console([])
            Console.show(status: "half")
            if !isShown { Console.show(status: "") }
            Console.report("|")
            exit(0)
        }
        let octets = result.standardOutputContent
        let text = String(decoding: octets, as: UTF8.self)
        let erasing = "\r\u{1B}[K"
        #expect(text.contains(isShown ? "\(erasing)half|\n\(erasing)" : "\(erasing)half\(erasing)|\n"))
        #expect(text.components(separatedBy: erasing).count == 3)
    }

    // Exit handlers cannot capture anything; each process runs one test, which sets this first.
    nonisolated(unsafe) private static var terminal: TestTerminal?

    @Test("does not show progress again after the end")
    func status() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            ConsoleTests.terminal = try TestTerminal.console([STDERR_FILENO])
            // The handler that is registered first runs last.
            atexit {
                Console.report("behind")
                Console.log("logged")
                ConsoleTests.terminal?.tellText("end")
            }
            Console.show(status: "half")
            exit(0)
        }
        let lines = result.lines.filter { !$0.isEmpty }
        #expect(lines == [#"end "\r\u{1B}[Khalf\r\u{1B}[Kbehind\nlogged\n""#])
    }

    @Test("ends a draft once, and does not show it again")
    func draft() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let terminal = try TestTerminal.console([STDOUT_FILENO, STDERR_FILENO])
            Console.show(.shown("> ab"))
            Console.endDraft()
            Console.endDraft()
            terminal.tellText("ended")
            Console.print("line")
            Console.report("said")
            Console.log("logged")
            terminal.tellText("behind")
            // Progress would be shown again even if no line is written.
            Console.show(status: "half")
            terminal.tellText("status")
            Console.show(status: "")
            exit(0)
        }
        let lines = result.lines.filter { !$0.isEmpty }
        #expect(
            lines == [
                #"ended "\r\u{1B}[K> ab\n""#, #"behind "line\nsaid\nlogged\n""#, #"status "\r\u{1B}[Khalf""#,
            ]
        )
    }
}
