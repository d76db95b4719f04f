import Fixtures
import Foundation
import Logging
import Testing

@testable import CommandLineTool

@Suite("Lines of the log")
struct LogFormatTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000.25)
    private let program = Ending.program

    @Test("begins messages for a person with the program's name, except those that --verbose adds")
    func person() {
        let lines = { LogFormat.person.lines(["one", "two"], $0, from: "bluetooth.host", now: now) }
        for level in Logger.Level.allCases {
            #expect(lines(level) == (level >= .notice ? ["\(program): one", "two"] : ["one", "two"]))
        }
    }

    @Test("adds time, level and source to a log that was asked for")
    func timed() {
        let lines = LogFormat.timed.lines(["one", "two"], .debug, from: "bluetooth.air", now: now)
        let begin = "2023-11-14T22:13:20.250Z debug bluetooth.air: "
        #expect(lines == [begin + "one", begin + "two"])
    }

    @Test("gives the journal priorities, without time and program")
    func journal() {
        let lines = { LogFormat.journal.lines(["one", "two"], $0, from: program, now: now) }
        let priorities = [7, 7, 6, 5, 4, 3, 2]
        for (level, priority) in zip(Logger.Level.allCases, priorities) {
            #expect(lines(level) == ["<\(priority)>one", "<\(priority)>two"])
        }
        let foreign = LogFormat.journal.lines(["one"], .warning, from: "bluetooth.host", now: now)
        #expect(foreign == ["<4>bluetooth.host: one"])
    }

    @Test("takes standard error for the journal only if it is the stream that systemd names")
    func stream() throws {
        let file = try #require(FileHandle(forReadingAtPath: "/dev/null"))
        var status = stat()
        #expect(fstat(file.fileDescriptor, &status) == 0)
        let name = "\(status.st_dev):\(status.st_ino)"
        #expect(LogFormat.isJournal(name, file.fileDescriptor))
        for other in [nil, "", ":", "\(status.st_dev)", "\(status.st_dev):\(status.st_ino + 1)", name + ":1", "a:b"] {
            #expect(!LogFormat.isJournal(other, file.fileDescriptor), "\(other ?? "nothing")")
        }
        #expect(!LogFormat.isJournal(name, -1))
    }
}
