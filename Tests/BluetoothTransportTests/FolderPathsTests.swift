// Paths of private folders in unusual spellings, and paths that cannot be made: each folder on the way that is missing
// is made private, and what is in the way is an error with its number.

import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Paths of private folders")
struct FolderPathsTests {
    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test(
        "All that is missing is made, however the path is spelled, and a second time nothing changes",
        arguments: ["a/b", "a/b/", "a//b", "a/b/.", "a/./b", "a/b/../b", "a/../a/b"]
    )
    func spelling(name: String) throws {
        let folder = try TemporaryFolder()
        for _ in 0..<2 {
            #expect(try PrivateFolder.make(folder(name)) == folder(name))
            #expect(folder.content == ["a"])
            for made in ["a", "a/b"] { #expect(try self.mode(folder(made)) == 0o700, "\(made)") }
        }
    }

    @Test("A folder that exists keeps its mode where only a folder inside it is made")
    func existing() throws {
        let folder = try TemporaryFolder()
        #expect(mkdir(folder("a"), 0o700) == 0 && chmod(folder("a"), 0o755) == 0)
        try PrivateFolder.make(folder("a/b/c"))
        #expect(try self.mode(folder("a")) == 0o755)
        #expect(try self.mode(folder("a/b")) == 0o700)
        #expect(try self.mode(folder("a/b/c")) == 0o700)
    }

    @Test("A file in the way, a link to nothing, and a path without a name are errors, and nothing is made")
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
