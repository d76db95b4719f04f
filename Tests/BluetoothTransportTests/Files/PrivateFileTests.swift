import Fixtures
import Foundation
import NIOCore
import Testing

@testable import BluetoothTransport

@Suite("Private files")
struct PrivateFileTests {
    @Test(
        "reads and replaces a file as a whole, and rejects what cannot be a file of ours",
        arguments: [PrivateFile.Durability.powerFailure, .endOfProcess]
    )
    func file(durability: PrivateFile.Durability) throws {
        let folder = try TemporaryFolder()
        let path = folder("a.json")
        #expect(try PrivateFile.read(path, limit: 4) == nil)
        for octets in [[1, 2, 3, 4], [], [5]] as [[UInt8]] {
            try PrivateFile.replace(path, with: octets, durability: durability)
            #expect(try PrivateFile.read(path, limit: 4) == octets)
        }
        #expect(try folder.mode("a.json") == 0o600)
        #expect(folder.content == ["a.json"])
        try PrivateFile.replace(path, with: [1, 2, 3, 4, 5], durability: durability)
        #expect(throws: TransportError.self) { try PrivateFile.read(path, limit: 4) }
        // Neither of these blocks.
        #expect(mkfifo(folder("pipe"), 0o600) == 0)
        for other in [folder.path, folder("pipe")] {
            let error = #expect(throws: TransportError.self) { try PrivateFile.read(other, limit: 4) }
            #expect(error?.message == "\(other) is not a file: move it away")
        }
        symlink(path, folder("link"))
        #expect(throws: TransportError.self) { try PrivateFile.read(folder("link"), limit: 5) }
        // The target of a link is not overwritten.
        symlink(path, "\(path).new-\(getpid())")
        #expect(throws: TransportError.self) { try PrivateFile.replace(path, with: [6], durability: durability) }
        #expect(try PrivateFile.read(path, limit: 5) == [1, 2, 3, 4, 5])
        let error = #expect(throws: TransportError.self) { try PrivateFile.replace(folder("no/a"), with: [1]) }
        #expect(error?.code == .notFound)
        #expect(error?.errorNumber == ENOENT)
        try PrivateFile.rename(path, to: folder("b.json"))
        try PrivateFile.remove(folder("b.json"), durability: durability)
        try PrivateFile.remove(folder("b.json"), durability: durability)
        #expect(folder.content == ["a.json.new-\(getpid())", "link", "pipe"])
    }

    /// The system calls that write a file to disk, in order, some of which fail.
    private final class Disk {
        var steps: [String] = []
        var failing: String?
        var error = EIO

        private func step(_ name: String, _ call: () -> Int32) -> Int32 {
            self.steps.append(name)
            guard self.failing != name else {
                errno = self.error
                return -1
            }
            return call()
        }

        var calls: PrivateFile.Calls {
            let system = PrivateFile.Calls()
            var calls = system
            calls.sync = { descriptor in
                var status = stat()
                fstat(descriptor, &status)
                let isFolder = status.st_mode & S_IFMT == S_IFDIR
                return self.step(isFolder ? "sync folder" : "sync \(status.st_size)") { system.sync(descriptor) }
            }
            calls.rename = { old, new in self.step("rename") { system.rename(old, new) } }
            calls.remove = { path in self.step("remove") { system.remove(path) } }
            return calls
        }
    }

    @Test("syncs a file before its rename, and its folder afterwards")
    func durable() throws {
        let folder = try TemporaryFolder()
        let disk = Disk()
        let path = folder("a")
        try PrivateFile.replace(path, with: [1, 2, 3], durability: .powerFailure, calls: disk.calls)
        #expect(disk.steps == ["sync 3", "rename", "sync folder"])
        disk.steps = []
        try PrivateFile.replace(path, with: [4], durability: .endOfProcess, calls: disk.calls)
        #expect(disk.steps == ["rename"])
        disk.steps = []
        try PrivateFile.remove(path, durability: .powerFailure, calls: disk.calls)
        #expect(disk.steps == ["remove", "sync folder"])
        disk.steps = []
        try PrivateFile.remove(path, durability: .powerFailure, calls: disk.calls)
        #expect(disk.steps == ["remove"])
    }

    @Test("a disk failure is an error, and leaves the old content", arguments: ["sync 2", "rename", "sync folder"])
    func failingDisk(step: String) throws {
        let folder = try TemporaryFolder()
        let disk = Disk()
        try PrivateFile.replace(folder("a"), with: [1], durability: .powerFailure, calls: disk.calls)
        disk.failing = step
        let error = #expect(throws: TransportError.self) {
            try PrivateFile.replace(folder("a"), with: [2, 2], durability: .powerFailure, calls: disk.calls)
        }
        #expect(error?.errorNumber == EIO)
        #expect(folder.content == ["a"])
        #expect(try PrivateFile.read(folder("a"), limit: 9) == (step == "sync folder" ? [2, 2] : [1]))
    }

    @Test("a folder that cannot be synced is not an error")
    func folderWithoutSync() throws {
        let folder = try TemporaryFolder()
        let disk = Disk()
        (disk.failing, disk.error) = ("sync folder", EINVAL)
        try PrivateFile.replace(folder("a"), with: [1], durability: .powerFailure, calls: disk.calls)
        #expect(try PrivateFile.read(folder("a"), limit: 9) == [1])
        #expect(disk.steps == ["sync 1", "rename", "sync folder"])
    }

    @Test("the error names a folder that is missing, not a folder or not writable, and the failed step")
    func folderFailures() throws {
        let folder = try TemporaryFolder()
        try PrivateFile.replace(folder("file"), with: [1])
        for (name, number) in [("none/a", ENOENT), ("file/a", ENOTDIR)] {
            let error = #expect(throws: TransportError.self) { try PrivateFile.syncFolder(of: folder(name)) }
            #expect(error?.errorNumber == number)
            #expect(error?.message.hasPrefix("cannot open the folder \(folder.path)/") == true)
        }
        let disk = Disk()
        disk.failing = "sync folder"
        let error = #expect(throws: TransportError.self) { try PrivateFile.syncFolder(of: folder("a"), disk.calls) }
        #expect(error?.errorNumber == EIO)
        #expect(error?.message.hasPrefix("cannot write the folder \(folder.path)/") == true)
    }

    @Test("the folder of a name is the path before it, else the working directory")
    func folderOfName() throws {
        let folder = try TemporaryFolder()
        func isSame(_ path: String, _ expected: String) throws -> Bool {
            var (synced, status) = (stat(), stat())
            #expect(stat(expected, &status) == 0)
            var calls = PrivateFile.Calls()
            calls.sync = { descriptor in
                fstat(descriptor, &synced)
                return 0
            }
            try PrivateFile.syncFolder(of: path, calls)
            return synced.st_dev == status.st_dev && synced.st_ino == status.st_ino
        }
        #expect(try isSame(folder("a"), folder.path))
        #expect(try isSame("a", "."))
        #expect(try isSame("/a", "/"))
        #expect(try !isSame(folder("a"), "/"))
    }

    @Test("a file that cannot be removed or renamed is an error, but removing a missing file is not")
    func removeFailures() throws {
        let folder = try TemporaryFolder()
        let disk = Disk()
        (disk.failing, disk.error) = ("remove", EACCES)
        let removed = #expect(throws: TransportError.self) {
            try PrivateFile.remove(folder("a"), durability: .powerFailure, calls: disk.calls)
        }
        #expect(removed?.errorNumber == EACCES && disk.steps == ["remove"])
        #expect(removed?.message.hasPrefix("cannot remove \(folder("a"))") == true)
        disk.error = ENOENT
        try PrivateFile.remove(folder("a"), durability: .powerFailure, calls: disk.calls)
        #expect(disk.steps == ["remove", "remove"])
        let renamed = #expect(throws: TransportError.self) { try PrivateFile.rename(folder("a"), to: folder("b")) }
        #expect(renamed?.errorNumber == ENOENT)
        #expect(renamed?.message.hasPrefix("cannot rename \(folder("a"))") == true)
        // Without `powerFailure` the folder is not synced.
        try PrivateFile.replace(folder("a"), with: [1], durability: .endOfProcess)
        (disk.failing, disk.steps) = (nil, [])
        try PrivateFile.remove(folder("a"), durability: .endOfProcess, calls: disk.calls)
        #expect(disk.steps == ["remove"] && folder.content == [])
    }

    @Test(
        "octets that cannot be written are an error; the new file is removed, and the old content stays",
        arguments: [PrivateFile.Durability.powerFailure, .endOfProcess]
    )
    func write(durability: PrivateFile.Durability) throws {
        let folder = try TemporaryFolder()
        let path = folder("a.json")
        try PrivateFile.replace(path, with: [1, 2], durability: durability)
        // A pipe cannot be written at an offset. With a reader it is opened immediately.
        let new = "\(path).new-\(getpid())"
        #expect(mkfifo(new, 0o600) == 0)
        let reader = open(new, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }
        let error = #expect(throws: TransportError.self) {
            try PrivateFile.replace(path, with: [3, 4], durability: durability)
        }
        #expect(error?.code == .failed && error?.errorNumber == ESPIPE)
        #expect(error?.message.hasPrefix("cannot write \(new): ") == true)
        #expect(folder.content == ["a.json"])
        #expect(try PrivateFile.read(path, limit: 2) == [1, 2])
    }

    /// A kernel file that has a length and cannot be read: the loopback interface has no speed.
    private static let unreadable = "/sys/class/net/lo/speed"

    private static let hasUnreadable: Bool = {
        let descriptor = open(unreadable, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        var octet: UInt8 = 0
        return fstat(descriptor, &status) == 0 && status.st_size > 0 && pread(descriptor, &octet, 1, 0) < 0
    }()

    @Test("octets that cannot be read are an error", .enabled(if: hasUnreadable))
    func read() {
        let error = #expect(throws: TransportError.self) {
            try PrivateFile.read(Self.unreadable, limit: 1 << 20)
        }
        #expect(error?.code == .failed && error?.errorNumber == EINVAL)
        #expect(error?.message.hasPrefix("cannot read \(Self.unreadable): ") == true)
    }

    @Test("a rename is an error if the folder cannot be synced afterwards")
    func renameIsWritten() throws {
        let folder = try TemporaryFolder()
        #expect(mkdir(folder("d"), 0o700) == 0)
        // The path of the new name leads through the folder that is renamed, and no longer exists.
        let error = #expect(throws: TransportError.self) {
            try PrivateFile.rename(folder("d"), to: folder("d/../b"))
        }
        #expect(error?.errorNumber == ENOENT)
        #expect(error?.message.hasPrefix("cannot open the folder \(folder("d/.."))/") == true)
        #expect(folder.content == ["b"])
    }
}
