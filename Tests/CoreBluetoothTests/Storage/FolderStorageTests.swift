import BluetoothTransport
import BluetoothTypes
import Fixtures
import Testing

@testable import CoreBluetooth

@Suite("Storage in a folder")
struct FolderStorageTests {
    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("reads what was written last, and leaves folder and files to the user alone")
    func documents() throws {
        try withFolderStorage { storage throws in
            #expect(try storage.read("a.json") == nil)
            for text in ["one", "two, longer", ""] {
                try storage.write(Data(text.utf8), to: "a.json")
                #expect(try storage.read("a.json") == Data(text.utf8))
            }
            #expect(try self.mode(storage.folder) == 0o700)
            #expect(try self.mode("\(storage.folder)/a.json") == 0o600)
            // Nothing is left over from writing.
            #expect(try FileManager.default.contentsOfDirectory(atPath: storage.folder) == ["a.json"])
            for _ in 1...2 { try storage.remove("a.json") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: storage.folder).isEmpty)
        }
    }

    @Test("reads a document of 16 MiB, and none that is longer", arguments: [0, 1])
    func longest(more: Int) throws {
        try withFolderStorage { storage throws in
            try storage.write(Data([1]), to: "a.json")
            let result = truncate("\(storage.folder)/a.json", off_t(16_777_216 + more))
            try #require(result == 0)
            if more == 0 {
                #expect(try storage.read("a.json")?.count == 16_777_216)
            } else {
                let error = #expect(throws: TransportError.self) { try storage.read("a.json") }
                #expect(error?.message.contains("16777217 octets") == true)
            }
        }
    }

    @Test("lists documents by the time of their last change, then by name, and lists nothing else")
    func order() throws {
        try withFolderStorage { storage throws in
            for (name, seconds, milliseconds) in [
                ("b.json", 11, 5), ("a.json", 11, 6), ("d.json", 10, 999), ("f.json", 12, 0), ("e.json", 12, 0),
                ("c.json", 9, 0), ("x.txt", 1, 0), ("c.damaged-7.json", 1, 0), ("lock", 1, 0),
            ] {
                try storage.write(Data([1]), to: name)
                let time = timespec(tv_sec: seconds, tv_nsec: milliseconds * 1_000_000)
                let result = utimensat(AT_FDCWD, "\(storage.folder)/\(name)", [time, time], 0)
                try #require(result == 0)
            }
            let names = ["c.json", "d.json", "b.json", "a.json", "e.json", "f.json"]
            #expect(try storage.names(withPrefix: "") == names)
            #expect(try storage.names(withPrefix: "d") == ["d.json"])
            // A file that is gone when it is looked at counts as the oldest.
            symlink("\(storage.folder)/none", "\(storage.folder)/z.json")
            #expect(try storage.names(withPrefix: "") == ["z.json"] + names)
        }
    }

    @Test(
        "gives a document that is set aside a name with the present second, and keeps its octets and its extension",
        arguments: [("a.json", "a"), ("index", "index"), ("a.json.json", "a.json")]
    )
    func setAside(name: String, stem: String) throws {
        try withFolderStorage { storage throws in
            try storage.write(Data([1, 2]), to: name)
            let before = Int(Date().timeIntervalSince1970)
            let aside = try storage.setAside(name)
            let after = Int(Date().timeIntervalSince1970)
            #expect((before...max(before, after)).contains { aside == "\(stem).damaged-\($0).json" }, "\(aside)")
            #expect(try storage.read(name) == nil)
            #expect(try storage.read(aside) == Data([1, 2]))
            #expect(try storage.names(withPrefix: "").isEmpty)
            #expect(throws: TransportError.self) { try storage.setAside(name) }
        }
    }

    @Test("holds its lock while the content is changed, until that has ended or failed")
    func lock() throws {
        struct Refusal: Error {}
        try withFolderStorage { storage throws in
            let path = "\(storage.folder)/lock"
            for _ in 1...2 {
                let isTaken = try storage.withLock { FileLock.isTaken(path) }
                #expect(isTaken && !FileLock.isTaken(path))
                #expect(throws: Refusal.self) { try storage.withLock { () throws -> Void in throw Refusal() } }
                #expect(!FileLock.isTaken(path))
            }
            #expect(try self.mode(path) == 0o600)
            #expect(try storage.names(withPrefix: "").isEmpty)
        }
    }

    @Test("changes nothing if the lock is a folder, or a link, which is not followed", arguments: [false, true])
    func lockThatIsNone(isLink: Bool) throws {
        try withFolderStorage { storage throws in
            let path = "\(storage.folder)/lock"
            let result = isLink ? symlink("\(storage.folder)/other", path) : mkdir(path, 0o700)
            try #require(result == 0)
            var isCalled = false
            let error = #expect(throws: TransportError.self) { try storage.withLock { isCalled = true } }
            #expect(error?.message.hasPrefix("cannot open the lock \(path): ") == true)
            #expect(error?.errorNumber == (isLink ? ELOOP : EISDIR) && !isCalled)
            #expect(try FileManager.default.contentsOfDirectory(atPath: storage.folder) == ["lock"])
        }
    }

    @Test("gives a claim to one at a time, by a lock beside the document")
    func claim() throws {
        try withFolderStorage { storage throws in
            let path = "\(storage.folder)/central.lock"
            #expect(!FileLock.isTaken(path))
            var claim = try storage.claim("central")
            #expect(claim != nil && FileLock.isTaken(path))
            #expect(try storage.claim("central") == nil)
            #expect(try storage.claim("peripheral") != nil)
            claim = nil
            #expect(!FileLock.isTaken(path))
            #expect(try storage.claim("central") != nil)
            withExtendedLifetime(claim) {}
        }
    }

    @Test("is in XDG_STATE_HOME, else in HOME, else in the temporary folder, which a line reports")
    func place() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let address = DeviceAddress(0xC000_0000_0001, kind: .random)
        let base = folder("base")
        let named = try FolderStorage(adapter: address) { ["XDG_STATE_HOME": "\(base)/named"][$0] }
        #expect(named.folder == "\(base)/named/corebluetooth/C0:00:00:00:00:01")
        let home = try FolderStorage(adapter: address) {
            ["XDG_STATE_HOME": "relative", "HOME": "\(base)/home"][$0]
        }
        #expect(home.folder == "\(base)/home/.local/state/corebluetooth/C0:00:00:00:00:01")
        #expect(FileManager.default.createFile(atPath: folder("file"), contents: nil))
        let lines = CapturedLog()
        let temporary = try lines.capture {
            try FolderStorage(adapter: address) { ["XDG_STATE_HOME": folder("file"), "TMPDIR": folder.path][$0] }
        }
        #expect(temporary.folder.hasPrefix(folder.path))
        #expect(lines.all.first?.contains("what is known of peers is kept in \(folder.path)") == true)
    }
}
