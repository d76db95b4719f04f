import Fixtures
import Foundation
import NIOCore
import Testing

@testable import BluetoothTransport

@Suite("Private folders")
struct PrivateFolderTests {
    @Test("rejects a folder of another user", .enabled(if: geteuid() == 0))
    func owner() throws {
        let folder = try TemporaryFolder()
        mkdir(folder("theirs"), 0o700)
        #expect(chown(folder("theirs"), 12_345, 12_345) == 0)
        let error = #expect(throws: TransportError.self) { try PrivateFolder.make(folder("theirs")) }
        #expect(error?.code == .noPermission)
    }

    private static func state(_ variables: [String: String]) throws -> (path: String, problem: TransportError?) {
        try PrivateFolder.state { variables[$0] }
    }

    private static func runtime(_ variables: [String: String]) throws -> String {
        try PrivateFolder.runtime { variables[$0] }
    }

    @Test("ignores a relative state folder in favour of the home folder's, and that in favour of the temporary one")
    func relative() throws {
        let folder = try TemporaryFolder()
        let home = try Self.state(["XDG_STATE_HOME": "relative", "HOME": folder("home"), "TMPDIR": folder.path])
        #expect(home.path == folder("home/.local/state/corebluetooth") && home.problem == nil)
        let temporary = try Self.state(["XDG_STATE_HOME": "relative", "HOME": "home", "TMPDIR": folder.path])
        #expect(temporary.path == folder("corebluetooth-\(geteuid())/state"))
        #expect(temporary.problem?.code == .notFound && temporary.problem?.errorNumber == nil)
        #expect(temporary.problem?.message == "neither XDG_STATE_HOME nor HOME is set")
        let named = try Self.state(["XDG_STATE_HOME": folder("state"), "HOME": "home", "TMPDIR": folder.path])
        #expect(named.path == folder("state/corebluetooth") && named.problem == nil)
    }

    @Test("reports an unusable state folder, and uses the temporary one")
    func problems() throws {
        let folder = try TemporaryFolder()
        #expect(FileManager.default.createFile(atPath: folder("file"), contents: nil))
        let inFile = try Self.state(["XDG_STATE_HOME": folder("file"), "TMPDIR": folder.path])
        #expect(inFile.path == folder("corebluetooth-\(geteuid())/state"))
        #expect(inFile.problem?.code == .notFound && inFile.problem?.errorNumber == ENOTDIR)
        #expect(mkdir(folder("open"), 0o700) == 0 && mkdir(folder("open/corebluetooth"), 0o700) == 0)
        #expect(chmod(folder("open/corebluetooth"), 0o777) == 0)
        let open = try Self.state(["XDG_STATE_HOME": folder("open"), "TMPDIR": folder.path])
        #expect(open.path == folder("corebluetooth-\(geteuid())/state") && open.problem?.code == .noPermission)
        #expect(mkdir(folder("link"), 0o700) == 0)
        symlink(folder("open"), folder("link/corebluetooth"))
        let link = try Self.state(["XDG_STATE_HOME": folder("link"), "TMPDIR": folder.path])
        #expect(link.path == folder("corebluetooth-\(geteuid())/state") && link.problem?.code == .inUse)
        // The home folder is not tried if the other one is set.
        let both = try Self.state(["XDG_STATE_HOME": folder("file"), "HOME": folder("home"), "TMPDIR": folder.path])
        #expect(both.path == inFile.path && !folder.content.contains("home"))
    }

    @Test(
        "ignores a session folder that is a file, relative, missing or another user's, but follows a link"
    )
    func runtimeFolders() throws {
        let folder = try TemporaryFolder()
        #expect(FileManager.default.createFile(atPath: folder("file"), contents: nil))
        #expect(mkdir(folder("run"), 0o700) == 0 && mkdir(folder("theirs"), 0o777) == 0)
        symlink(folder("run"), folder("link"))
        symlink(folder("none"), folder("broken"))
        let temporary = folder("corebluetooth-\(geteuid())")
        var rows = [("run", true), ("link", true), ("file", false), ("none", false), ("broken", false)]
        if geteuid() == 0 {
            #expect(chown(folder("theirs"), 12_345, 12_345) == 0)
            rows.append(("theirs", false))
        }
        for (name, isTaken) in rows {
            let path = try Self.runtime(["XDG_RUNTIME_DIR": folder(name), "TMPDIR": folder.path])
            #expect(path == (isTaken ? folder("\(name)/corebluetooth") : temporary), "\(name)")
        }
        #expect(try Self.runtime(["XDG_RUNTIME_DIR": ".", "TMPDIR": folder.path]) == temporary)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("run")) == ["corebluetooth"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("theirs")).isEmpty)
    }

    @Test("a session folder that others can write to is an error, and no other one is used")
    func openRuntimeFolder() throws {
        let folder = try TemporaryFolder()
        #expect(mkdir(folder("corebluetooth"), 0o700) == 0 && chmod(folder("corebluetooth"), 0o722) == 0)
        let error = #expect(throws: TransportError.self) {
            try Self.runtime(["XDG_RUNTIME_DIR": folder.path, "TMPDIR": folder.path])
        }
        #expect(error?.code == .noPermission)
        #expect(
            error?.message
                == "others can write in \(folder("corebluetooth")): look through it, then chmod 700 "
                + folder("corebluetooth")
        )
        #expect(folder.content == ["corebluetooth"])
    }

    @Test(
        "closes a folder that others can read or enter, and rejects one that they can write to",
        arguments: [
            (0o755, true), (0o711, true), (0o744, true), (0o500, true), (0o720, false), (0o702, false), (0o722, false),
        ]
    )
    func modes(mode: Int, isShut: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder("d")
        #expect(mkdir(path, 0o700) == 0 && chmod(path, mode_t(mode)) == 0)
        let isMade = (try? PrivateFolder.make(path)) == path
        var status = stat()
        #expect(stat(path, &status) == 0 && isMade == isShut)
        #expect(Int(status.st_mode) & 0o777 == (isShut ? 0o700 : mode))
    }

    @Test(
        "creates all missing folders, however the path is spelled, and changes nothing the second time",
        arguments: ["a/b", "a/b/", "a//b", "a/b/.", "a/./b", "a/b/../b", "a/../a/b"]
    )
    func spelling(name: String) throws {
        let folder = try TemporaryFolder()
        for _ in 0..<2 {
            #expect(try PrivateFolder.make(folder(name)) == folder(name))
            #expect(folder.content == ["a"])
            for made in ["a", "a/b"] { #expect(try folder.mode(made) == 0o700, "\(made)") }
        }
        // An existing folder keeps its mode.
        #expect(chmod(folder("a"), 0o755) == 0)
        try PrivateFolder.make(folder("a/c/d"))
        #expect(try [folder.mode("a"), folder.mode("a/c"), folder.mode("a/c/d")] == [0o755, 0o700, 0o700])
    }

    @Test("a file in the path, a dangling link, and a path without a name are errors, and nothing is created")
    func inTheWay() throws {
        let folder = try TemporaryFolder()
        try PrivateFile.replace(folder("file"), with: [1])
        symlink(folder("nothing"), folder("link"))
        for (path, number) in [
            (folder("file/b"), ENOTDIR), (folder("file/b/c"), ENOTDIR), (folder("link/b"), ENOENT), ("", ENOENT),
        ] {
            let error = #expect(throws: TransportError.self) { try PrivateFolder.make(path) }
            #expect(error?.errorNumber == number, "\(path)")
            #expect(error?.message.contains("cannot create the folder \(path)") == true, "\(path)")
        }
        #expect(folder.content == ["file", "link"])
    }
}
