// The storage of an adapter as files: how long a document may be, in which order their names come, what one that cannot
// be read is called, and the lock by which processes take turns.

import BluetoothTransport
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("Storage in a folder, as files")
struct FolderStorageFilesTests {
    @Test("A document of 16 MiB is read, and one that is an octet longer is none", arguments: [0, 1])
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

    @Test("Names come in the order in which the documents were written, and those of one time in that of the names")
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
            // What is not there any more when it is looked at counts as the oldest.
            symlink("\(storage.folder)/none", "\(storage.folder)/z.json")
            #expect(try storage.names(withPrefix: "") == ["z.json"] + names)
        }
    }

    @Test(
        "A document that is set aside keeps its name and its extension, and has the second in which that was",
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

    @Test("The storage is locked while its content is changed, and free again when that has ended or failed")
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
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try storage.names(withPrefix: "").isEmpty)
        }
    }

    @Test("Where the lock cannot be opened, nothing is changed, and the reason is an error", arguments: [false, true])
    func lockThatIsNone(isLink: Bool) throws {
        try withFolderStorage { storage throws in
            let path = "\(storage.folder)/lock"
            let result = isLink ? symlink("\(storage.folder)/other", path) : mkdir(path, 0o700)
            try #require(result == 0)
            var isCalled = false
            let error = #expect(throws: TransportError.self) { try storage.withLock { isCalled = true } }
            #expect(error?.message.hasPrefix("cannot open the lock \(path): ") == true)
            #expect(error?.errorNumber == (isLink ? ELOOP : EISDIR) && !isCalled)
            // A link is not followed.
            #expect(try FileManager.default.contentsOfDirectory(atPath: storage.folder) == ["lock"])
        }
    }

    @Test("A claim is a lock beside the document that it stands for, named like that")
    func claim() throws {
        try withFolderStorage { storage throws in
            let path = "\(storage.folder)/central.lock"
            #expect(!FileLock.isTaken(path))
            var claim = try storage.claim("central")
            #expect(claim != nil && FileLock.isTaken(path))
            claim = nil
            #expect(claim == nil && !FileLock.isTaken(path))
        }
    }
}
