// Where the file of a history is, and a history that cannot be kept; how a trace begins its file, and its times.

import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("The place of a history, and the beginning of a trace")
struct HistoryPlaceTests {
    @Test("A history is in the folder for what lasts, by its name, and there is none where there is no such folder")
    func place() throws {
        let folder = try TemporaryFolder()
        let path: String = folder.path
        let file = try #require(HistoryFile("connect") { $0 == "XDG_STATE_HOME" ? path : nil })
        #expect(file.path == path + "/corebluetooth/history-connect")
        let other = try #require(HistoryFile("central") { $0 == "XDG_STATE_HOME" ? path : nil })
        other.add("list")
        #expect(file.history.lines.isEmpty && other.history.lines == ["list"])
        // Below a file there are no folders.
        let plain = folder("plain")
        try Data().write(to: URL(fileURLWithPath: plain))
        let none = HistoryFile("connect") { $0 == "TMPDIR" ? plain : nil }
        #expect(none == nil)
    }

    @Test("A line that cannot be kept is no error, and takes nothing away")
    func unwritable() throws {
        let folder = try TemporaryFolder()
        let path: String = folder.path
        let file = try #require(HistoryFile("connect") { $0 == "XDG_STATE_HOME" ? path : nil })
        // A folder stands in the file's place.
        try FileManager.default.createDirectory(atPath: file.path + "/inside", withIntermediateDirectories: true)
        file.add("list")
        #expect(file.history.lines.isEmpty)
        #expect(FileManager.default.fileExists(atPath: file.path + "/inside"))
    }

    @Test("A trace begins its file anew, and nothing of an earlier one is left")
    func trace() throws {
        let folder = try TemporaryFolder()
        let path = folder("trace.jsonl")
        for texts in [["one", "two", "three"], ["four"]] {
            let timeline = try Timeline(.file(path), device: "phone")
            for text in texts { timeline.app(text) }
        }
        #expect(try TimelineFile.read(path).map(\.text) == ["four"])
    }

    @Test("The time of an entry is that at which it is made, in microseconds since 1970, where none is given")
    func time() {
        let before = Date().timeIntervalSince1970
        let entry = TimelineEntry(.app, of: "phone", layer: "app", "text")
        let after = Date().timeIntervalSince1970
        // Rounded to whole microseconds.
        #expect(Double(entry.time) >= before * 1e6 - 2 && Double(entry.time) <= after * 1e6 + 2)
        #expect(TimelineEntry(.app, of: "phone", layer: "app", "text", at: 7).time == 7)
    }
}
