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
        arguments: [true, false]
    )
    func file(isDurable: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder("a.json")
        #expect(try PrivateFile.read(path, limit: 4) == nil)
        for octets in [[1, 2, 3, 4], [], [5]] as [[UInt8]] {
            try PrivateFile.replace(path, with: octets, isDurable: isDurable)
            #expect(try PrivateFile.read(path, limit: 4) == octets)
        }
        #expect(try self.mode(path) == 0o600)
        #expect(folder.content == ["a.json"])
        try PrivateFile.replace(path, with: [1, 2, 3, 4, 5], isDurable: isDurable)
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
        #expect(throws: TransportError.self) { try PrivateFile.replace(path, with: [6], isDurable: isDurable) }
        #expect(try PrivateFile.read(path, limit: 5) == [1, 2, 3, 4, 5])
        let error = #expect(throws: TransportError.self) { try PrivateFile.replace(folder("no/a"), with: [1]) }
        #expect(error?.code == .notFound)
        #expect(error?.errorNumber == ENOENT)
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
}
