// Files at paths that the user chooses: their modes, owners and links.

import BluetoothTransport
import Fixtures
import Foundation
import Testing

@Suite("Files that may contain keys or traffic")
struct PrivateOutputTests {
    private static func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private static func fill(_ path: String) throws {
        try PrivateFile.writeOutput(path, as: "trace", Array("new".utf8))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
    }

    @Test("are private, even if they replace a file that others could read")
    func modes() throws {
        let folder = try TemporaryFolder()
        let path = folder("a")
        try Self.fill(path)
        #expect(try Self.mode(path) == 0o600)
        for mode in [0o644, 0o620, 0o604, 0o666, 0o600] {
            try Data("old".utf8).write(to: URL(fileURLWithPath: path))
            chmod(path, mode_t(mode))
            // A process that has it open reads nothing of what is written now.
            let reader = try #require(FileHandle(forReadingAtPath: path))
            try Self.fill(path)
            #expect(try Self.mode(path) == 0o600)
            let seen = try reader.readToEnd()
            #expect(seen == Data((mode == 0o600 ? "new" : "old").utf8), "\(mode)")
        }
    }

    @Test("are checked without being changed")
    func check() throws {
        let folder = try TemporaryFolder()
        let path = folder("a")
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        chmod(path, 0o644)
        try PrivateFile.checkOutput(path, as: "trace")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "old" && Self.mode(path) == 0o644)
        try PrivateFile.checkOutput(folder("b"), as: "trace")
        #expect(try Self.mode(folder("b")) == 0o600)
    }

    @Test("are not written through a symbolic link, and another name of the file keeps its content")
    func links() throws {
        let folder = try TemporaryFolder()
        let (path, other) = (folder("a"), folder("other"))
        try Data("old".utf8).write(to: URL(fileURLWithPath: other))
        chmod(other, 0o600)
        symlink(other, path)
        for write in [PrivateFile.checkOutput, { try PrivateFile.writeOutput($0, as: $1, [1]) }] {
            let error = #expect(throws: TransportError.self) { try write(path, "trace") }
            #expect(error?.message == "\(path) is a symbolic link: name the file, or remove the link")
        }
        unlink(path)
        link(other, path)
        try Self.fill(path)
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "old")
    }

    @Test("are rejected if they belong to another user", .enabled(if: geteuid() == 0))
    func owner() throws {
        let folder = try TemporaryFolder()
        let path = folder("a")
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        chown(path, 65_534, 65_534)
        let error = #expect(throws: TransportError.self) {
            try PrivateFile.writeOutput(path, as: "trace", Array("new".utf8))
        }
        #expect(error?.message == "\(path) belongs to another user: choose another name")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
    }

    @Test("have one writer at a time, and a descriptor or a device is written as it is")
    func others() throws {
        let folder = try TemporaryFolder()
        let descriptor = try PrivateFile.createOutput(folder("a"), as: "trace")
        let error = #expect(throws: TransportError.self) {
            try PrivateFile.writeOutput(folder("a"), as: "trace", [1])
        }
        #expect(error?.message == "\(folder("a")) is being written by another process: choose another name")
        close(descriptor)
        let pipe = Pipe()
        try PrivateFile.writeOutput("/dev/fd/\(pipe.fileHandleForWriting.fileDescriptor)", as: "trace", [1])
        #expect(pipe.fileHandleForReading.availableData == Data([1]))
        try PrivateFile.writeOutput("/dev/null", as: "trace", [1])
    }
}
