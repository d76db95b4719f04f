#if os(Linux)
import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Descriptors of private files")
struct PrivateFileDescriptorTests {
    private let folder: TemporaryFolder

    init() throws { self.folder = try TemporaryFolder() }

    @Test("only the holder of a lock keeps its file open")
    func locks() throws {
        let path = self.folder("lock")
        var lock = try FileLock.take(path)
        lock?.writeProcessNumber()
        #expect(try self.folder.openDescriptorCount() == 1)
        for _ in 0..<3 {
            #expect(try FileLock.take(path) == nil)
            #expect(FileLock.isTaken(path))
            #expect(FileLock.processNumber(in: path) == Int(getpid()))
        }
        #expect(try self.folder.openDescriptorCount() == 1)
        lock = nil
        #expect(try self.folder.openDescriptorCount() == 0)
        #expect(!FileLock.isTaken(path))
        #expect(try self.folder.openDescriptorCount() == 0)
    }

    @Test("closes a file after reading it, even if reading fails")
    func reads() throws {
        let path = self.folder("a")
        try PrivateFile.replace(path, with: [1, 2, 3])
        #expect(try PrivateFile.read(path, limit: 3) == [1, 2, 3])
        #expect(throws: TransportError.self) { try PrivateFile.read(path, limit: 2) }
        #expect(throws: TransportError.self) { try PrivateFile.read(self.folder.path, limit: 2) }
        #expect(try self.folder.openDescriptorCount() == 0)
    }

    @Test(
        "closes a written file and its folder, whichever call fails",
        arguments: ["nothing", "file", "rename", "folder"]
    )
    func writes(failing: String) throws {
        let system = PrivateFile.Calls()
        var calls = system
        calls.sync = { descriptor in
            var status = stat()
            fstat(descriptor, &status)
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            guard failing != (isFolder ? "folder" : "file") else {
                errno = EIO
                return -1
            }
            return system.sync(descriptor)
        }
        calls.rename = { old, new in
            guard failing != "rename" else {
                errno = EIO
                return -1
            }
            return system.rename(old, new)
        }
        let path = self.folder("a")
        let result = Result { try PrivateFile.replace(path, with: [1], durability: .powerFailure, calls: calls) }
        #expect(((try? result.get()) != nil) == (failing == "nothing"))
        #expect(try self.folder.openDescriptorCount() == 0)
        try? PrivateFile.remove(path, durability: .powerFailure, calls: calls)
        #expect(try self.folder.openDescriptorCount() == 0)
    }

    @Test("closes a folder that was created or listed, and a file that was read there")
    func folders() throws {
        try PrivateFolder.make(self.folder("a/b"))
        let system = SystemFolder(path: self.folder.path)
        try PrivateFile.replace(self.folder("value"), with: Array("one\ntwo\n".utf8))
        #expect(Set(system.entries) == ["a", "value"])
        #expect(system.text("value") == "one" && system.lines("value") == ["one", "two"])
        #expect(try self.folder.openDescriptorCount() == 0)
    }
}
#endif
