// Which folder is chosen where the environment names one that cannot be it, and what is said of the one that was left.

import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Choice of the private folders")
struct FolderChoiceTests {
    private static func state(_ variables: [String: String]) throws -> (path: String, problem: TransportError?) {
        try PrivateFolder.state { variables[$0] }
    }

    private static func runtime(_ variables: [String: String]) throws -> String {
        try PrivateFolder.runtime { variables[$0] }
    }

    @Test("A folder for the state that is no whole path is left for the home's, and that for the temporary one")
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

    @Test("What is wrong with the folder for the state is said, and the temporary one serves")
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
        // The home is not tried where the other one is named.
        let both = try Self.state([
            "XDG_STATE_HOME": folder("file"), "HOME": folder("home"), "TMPDIR": folder.path,
        ])
        #expect(both.path == inFile.path && !folder.content.contains("home"))
    }

    @Test("A folder of the session that is a file, or not there, is left; one behind a link is taken")
    func runtimeFolders() throws {
        let folder = try TemporaryFolder()
        #expect(FileManager.default.createFile(atPath: folder("file"), contents: nil))
        #expect(mkdir(folder("run"), 0o700) == 0)
        symlink(folder("run"), folder("link"))
        symlink(folder("none"), folder("broken"))
        let temporary = folder("corebluetooth-\(geteuid())")
        for (name, isTaken) in [
            ("run", true), ("link", true), ("file", false), ("none", false), ("broken", false),
        ] {
            let path = try Self.runtime(["XDG_RUNTIME_DIR": folder(name), "TMPDIR": folder.path])
            #expect(path == (isTaken ? folder("\(name)/corebluetooth") : temporary), "\(name)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("run")) == ["corebluetooth"])
    }

    @Test("A folder of the session that is another user's is left", .enabled(if: geteuid() == 0))
    func foreignRuntimeFolder() throws {
        let folder = try TemporaryFolder()
        #expect(mkdir(folder("run"), 0o777) == 0 && chown(folder("run"), 12_345, 12_345) == 0)
        let path = try Self.runtime(["XDG_RUNTIME_DIR": folder("run"), "TMPDIR": folder.path])
        #expect(path == folder("corebluetooth-0"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("run")).isEmpty)
    }

    @Test("A folder of the session that others can write in is an error, and no other one is taken")
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
        "A folder that others can look into or enter is shut, and one in which they can write is refused",
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
}
