import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Locks, private files and private folders")
struct FilesTests {
    func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test("A lock has one owner until it is released, and names its process")
    func lock() throws {
        let folder = try TemporaryFolder()
        var first = try FileLock.take(folder("lock"))
        #expect(first != nil)
        first?.writeProcessNumber()
        #expect(try FileLock.take(folder("lock")) == nil)
        #expect(FileLock.processNumber(in: folder("lock")) == Int(getpid()))
        #expect(try self.mode(folder("lock")) == 0o600)
        first = nil
        #expect(try FileLock.take(folder("lock")) != nil)
        #expect(throws: TransportError.self) { try FileLock.take(folder("no/lock")) }
        // A symbolic link is not followed.
        symlink(folder("lock"), folder("link"))
        #expect(throws: TransportError.self) { try FileLock.take(folder("link")) }
    }

    @Test(
        "A file is read whole and replaced whole, and what cannot be a file of ours is an error",
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
        #expect(try self.mode(path) == 0o600)
        #expect(folder.content == ["a.json"])
        try PrivateFile.replace(path, with: [1, 2, 3, 4, 5], durability: durability)
        #expect(throws: TransportError.self) { try PrivateFile.read(path, limit: 4) }
        // Neither of these is waited for.
        #expect(mkfifo(folder("pipe"), 0o600) == 0)
        for other in [folder.path, folder("pipe")] {
            let error = #expect(throws: TransportError.self) { try PrivateFile.read(other, limit: 4) }
            #expect(error?.message == "\(other) is not a file: move it away")
        }
        symlink(path, folder("link"))
        #expect(throws: TransportError.self) { try PrivateFile.read(folder("link"), limit: 5) }
        // What a link stands for is not written over.
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

    /// The calls by which a file gets to the disk, in order, some of which fail.
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
            return PrivateFile.Calls(
                sync: { descriptor in
                    var status = stat()
                    fstat(descriptor, &status)
                    let isFolder = status.st_mode & S_IFMT == S_IFDIR
                    return self.step(isFolder ? "sync folder" : "sync \(status.st_size)") { system.sync(descriptor) }
                },
                rename: { old, new in self.step("rename") { system.rename(old, new) } },
                remove: { path in self.step("remove") { system.remove(path) } }
            )
        }
    }

    @Test("What is to survive a power failure is on the disk before it takes its name, and then its name is")
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

    @Test("A disk that fails leaves what was there, and is an error", arguments: ["sync 2", "rename", "sync folder"])
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

    @Test("A folder that cannot be written by itself is no failure")
    func folderWithoutSync() throws {
        let folder = try TemporaryFolder()
        let disk = Disk()
        (disk.failing, disk.error) = ("sync folder", EINVAL)
        try PrivateFile.replace(folder("a"), with: [1], durability: .powerFailure, calls: disk.calls)
        #expect(try PrivateFile.read(folder("a"), limit: 9) == [1])
        #expect(disk.steps == ["sync 1", "rename", "sync folder"])
    }

    @Test("A folder that is not there, that is none, or that cannot be written is named with what could not be done")
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

    @Test("The folder of a name is what stands in front of it, else the one in which the process is")
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

    @Test("Files that cannot be removed or renamed are errors, and a file that is not there is removed")
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
        // What is in memory alone is removed without the folder's being written.
        try PrivateFile.replace(folder("a"), with: [1], durability: .endOfProcess)
        (disk.failing, disk.steps) = (nil, [])
        try PrivateFile.remove(folder("a"), durability: .endOfProcess, calls: disk.calls)
        #expect(disk.steps == ["remove"] && folder.content == [])
    }

    @Test("The folder of the session is under XDG_RUNTIME_DIR where that is ours, else under the temporary one")
    func runtime() throws {
        let folder = try TemporaryFolder()
        func path(_ variables: [String: String]) throws -> String {
            try PrivateFolder.runtime { variables[$0] }
        }
        #expect(try path(["XDG_RUNTIME_DIR": folder.path]) == folder("corebluetooth"))
        #expect(try self.mode(folder("corebluetooth")) == 0o700)
        let other = folder("corebluetooth-\(geteuid())")
        #expect(try path(["TMPDIR": folder.path]) == other)
        #expect(try path(["TMPDIR": folder.path, "XDG_RUNTIME_DIR": folder("none")]) == other)
        #expect(try path(["TMPDIR": folder.path, "XDG_RUNTIME_DIR": "relative"]) == other)
        #expect(try self.mode(other) == 0o700)
    }

    @Test("The folder of the state is made with those above it; where it cannot be, the temporary one serves")
    func state() throws {
        let folder = try TemporaryFolder()
        func state(_ variables: [String: String]) throws -> (path: String, problem: TransportError?) {
            try PrivateFolder.state { variables[$0] }
        }
        let home = try state(["HOME": folder("home")])
        #expect(home.path == folder("home/.local/state/corebluetooth"))
        #expect(home.problem == nil)
        #expect(try state(["XDG_STATE_HOME": folder("s"), "HOME": folder("home")]).path == folder("s/corebluetooth"))
        for path in ["home/.local/state/corebluetooth", "home/.local", "s/corebluetooth"] {
            #expect(try self.mode(folder(path)) == 0o700)
        }
        // A file where the folder should be.
        #expect(FileManager.default.createFile(atPath: folder("file"), contents: nil))
        let fallen = try state(["XDG_STATE_HOME": folder("file"), "TMPDIR": folder.path])
        #expect(fallen.path == folder("corebluetooth-\(geteuid())/state"))
        #expect(fallen.problem != nil)
        #expect(try state(["TMPDIR": folder.path]).problem?.code == .notFound)
    }

    @Test("A folder that others could write in is refused, one that they could look into is shut")
    func modes() throws {
        let folder = try TemporaryFolder()
        for (mode, isTaken) in [(0o755, true), (0o750, true), (0o700, true), (0o770, false), (0o777, false)] {
            let path = folder("d\(String(mode, radix: 8))")
            mkdir(path, 0o700)
            chmod(path, mode_t(mode))
            if isTaken {
                try PrivateFolder.make(path)
                #expect(try self.mode(path) == 0o700)
            } else {
                let error = #expect(throws: TransportError.self) { try PrivateFolder.make(path) }
                #expect(error?.message.contains("chmod 700 \(path)") == true)
            }
        }
        symlink(folder("d700"), folder("link"))
        try PrivateFile.replace(folder("file"), with: [1])
        for other in [folder("link"), folder("file")] {
            let error = #expect(throws: TransportError.self) { try PrivateFolder.make(other) }
            #expect(error?.message == "\(other) is not a folder: move it away")
        }
    }

    @Test("A folder of another user is refused", .enabled(if: geteuid() == 0))
    func owner() throws {
        let folder = try TemporaryFolder()
        mkdir(folder("theirs"), 0o700)
        #expect(chown(folder("theirs"), 12_345, 12_345) == 0)
        let error = #expect(throws: TransportError.self) { try PrivateFolder.make(folder("theirs")) }
        #expect(error?.code == .noPermission)
    }

    @Test("The number in a lock is what its content begins with; a longer content from before is gone")
    func lockNumbers() throws {
        let folder = try TemporaryFolder()
        let path = folder("lock")
        for (text, number) in [
            ("", nil), ("\n", nil), ("x1", nil), ("-5", nil), (" 5", nil), ("0", 0), ("12", 12), ("12\n", 12),
            ("12 34", 12), ("123456789012345678", 123_456_789_012_345_678), ("99999999999999999999", nil),
        ] as [(String, Int?)] {
            try PrivateFile.replace(path, with: Array(text.utf8))
            #expect(FileLock.processNumber(in: path) == number, "\(text)")
        }
        #expect(FileLock.processNumber(in: folder("none")) == nil && !FileLock.isTaken(folder("none")))
        try PrivateFile.replace(path, with: [UInt8](repeating: UInt8(ascii: "1"), count: 30))
        #expect(!FileLock.isTaken(path))
        var lock = try FileLock.take(path)
        lock?.writeProcessNumber()
        #expect(try PrivateFile.read(path, limit: 100) == Array("\(getpid())\n".utf8))
        // Who asks takes nothing, and a link is not followed.
        symlink(path, folder("link"))
        for _ in 0..<2 { #expect(FileLock.isTaken(path)) }
        #expect(!FileLock.isTaken(folder("link")) && FileLock.processNumber(in: folder("link")) == nil)
        lock = nil
        for _ in 0..<2 { #expect(!FileLock.isTaken(path)) }
        #expect(folder.content == ["link", "lock"])
    }
}
