import Fixtures
import Foundation
import TerminalScreen
import Testing

@testable import CommandLineTool

@Suite("A history in a file")
struct HistoryFileTests {
    /// The history of a test's own folder.
    private func file(_ folder: TemporaryFolder) throws -> HistoryFile {
        try #require(HistoryFile("connect") { $0 == "XDG_STATE_HOME" ? folder.path : nil })
    }

    @Test("keeps lines in a file that no other user can read, for later and parallel sessions")
    func lines() throws {
        let folder = try TemporaryFolder()
        let file = try file(folder)
        #expect(file.history.lines.isEmpty)
        for line in ["read FFF1", "read FFF1", "", "write FFF1 \"Grüße\" --text"] { file.add(line) }
        let other = try self.file(folder)
        #expect(other.history.lines == ["read FFF1", "write FFF1 \"Grüße\" --text"])
        other.add("rssi")
        file.add("quit")
        #expect(other.history.lines.suffix(2) == ["rssi", "quit"])
        #expect(folder.content == ["corebluetooth"])
        for (path, mode) in [(file.path, 0o600), (folder("corebluetooth"), 0o700)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == mode)
        }
    }

    @Test("keeps the last lines, as many as a session remembers")
    func limit() throws {
        let folder = try TemporaryFolder()
        let file = try file(folder)
        for number in 0...LineHistory.limit { file.add("\(number)") }
        #expect(file.history.lines == (1...LineHistory.limit).map(String.init))
    }

    @Test("ignores a file of more than 102,400 octets")
    func size() throws {
        let folder = try TemporaryFolder()
        let file = try file(folder)
        for (count, lineCount) in [(102_399, 1), (102_400, 1), (102_401, 0)] {
            try Data(repeating: 0x61, count: count).write(to: URL(fileURLWithPath: file.path))
            #expect(file.history.lines.map(\.count) == Array(repeating: count, count: lineCount), "\(count)")
        }
    }

    @Test("replaces a file that is not a history", arguments: [false, true])
    func damage(isLong: Bool) throws {
        let folder = try TemporaryFolder()
        let file = try file(folder)
        let octets = isLong ? Data(repeating: 0x61, count: 200_000) : Data([0xFF, 0x00, 0x0A, 0x1B, 0x5B])
        try octets.write(to: URL(fileURLWithPath: file.path))
        #expect(file.history.lines.count == (isLong ? 0 : 2))
        // A control character never becomes part of a line.
        var editor = LineEditor(history: file.history)
        _ = editor.receive(.up)
        #expect(editor.text == (isLong ? "" : "["))
        file.add("rssi")
        #expect(file.history.lines.last == "rssi")
    }

    @Test("is in the state folder under its name, and nowhere without such a folder")
    func place() throws {
        let folder = try TemporaryFolder()
        let file = try file(folder)
        #expect(file.path == folder("corebluetooth/history-connect"))
        let other = try #require(HistoryFile("central") { $0 == "XDG_STATE_HOME" ? folder.path : nil })
        other.add("list")
        #expect(file.history.lines.isEmpty && other.history.lines == ["list"])
        // There are no folders below a file.
        let plain = folder("plain")
        try Data().write(to: URL(fileURLWithPath: plain))
        let none = HistoryFile("connect") { $0 == "TMPDIR" ? plain : nil }
        #expect(none == nil)
    }

    @Test("ignores a line that it cannot keep")
    func unwritable() throws {
        let folder = try TemporaryFolder()
        let file = try file(folder)
        // A folder has the file's name.
        try FileManager.default.createDirectory(atPath: file.path + "/inside", withIntermediateDirectories: true)
        file.add("list")
        #expect(file.history.lines.isEmpty)
        #expect(FileManager.default.fileExists(atPath: file.path + "/inside"))
    }
}
