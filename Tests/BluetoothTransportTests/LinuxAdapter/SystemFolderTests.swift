import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Kernel folders")
struct SystemFolderTests {
    private func write(_ octetCount: Int, to path: String) throws {
        // Numbered lines of 16 octets.
        let lines = (0..<octetCount / 16).map { number in
            let digits = String(number)
            return String(repeating: "0", count: 15 - digits.count) + digits + "\n"
        }
        try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: path))
    }

    @Test("reads all lines of a file that is longer than one read", arguments: [0, 16, 16_384, 16_400, 200_000])
    func lines(octetCount: Int) throws {
        let folder = try TemporaryFolder()
        try self.write(octetCount, to: folder("file"))
        let lines = SystemFolder(path: folder.path).lines("file")
        #expect(lines.count == octetCount / 16)
        #expect(lines.last.flatMap(Int.init) == (octetCount == 0 ? nil : octetCount / 16 - 1))
    }

    @Test("reads an endless file up to a megabyte")
    func limit() throws {
        let folder = try TemporaryFolder()
        try self.write(3 << 20, to: folder("file"))
        #expect(SystemFolder(path: folder.path).lines("file").count == (1 << 20) / 16)
        #expect(SystemFolder(path: "/dev").lines("zero").map(\.utf8.count) == [1 << 20])
    }

    @Test("a pipe without a writer reads as empty, without blocking")
    func pipe() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder("pipe"), 0o600) == 0)
        #expect(SystemFolder(path: folder.path).lines("pipe").isEmpty)
        #expect(SystemFolder(path: folder.path).text("pipe") == nil)
    }

    @Test("a missing file has no lines")
    func absent() throws {
        let folder = try TemporaryFolder()
        #expect(SystemFolder(path: folder.path).lines("file").isEmpty)
        #expect(SystemFolder(path: folder("none")).entries.isEmpty)
    }

    @Test("reads the first line of a value, of at most a page")
    func values() throws {
        let folder = try TemporaryFolder()
        let system = SystemFolder(path: folder.path)
        for (content, value) in [
            ("", nil), ("\n", nil), ("\na", nil), ("a", "a"), ("a\n", "a"), ("a\nb", "a"), (" a ", " a "),
            (String(repeating: "x", count: 4_096), String(repeating: "x", count: 4_096)),
            (String(repeating: "x", count: 4_097), String(repeating: "x", count: 4_096)),
        ] as [(String, String?)] {
            try Data(content.utf8).write(to: URL(fileURLWithPath: folder("file")))
            #expect(system.text("file") == value)
        }
        #expect(system.text("none") == nil)
        #expect(system["sub"].path == folder("sub"))
    }

    @Test("reads the target of a link, and its last component")
    func links() throws {
        let folder = try TemporaryFolder()
        let system = SystemFolder(path: folder.path)
        let links: [(String, String?)] = [("a", "a"), ("../bus/usb", "usb"), ("/x/", "x"), ("/", nil)]
        for (number, (target, name)) in links.enumerated() {
            symlink(target, folder("link\(number)"))
            #expect(system.target("link\(number)") == target)
            #expect(system.linkedName("link\(number)") == name)
        }
        try Data().write(to: URL(fileURLWithPath: folder("file")))
        #expect(system.target("file") == nil && system.linkedName("none") == nil)
        #expect(Set(system.entries) == ["file", "link0", "link1", "link2", "link3"])
    }
}
