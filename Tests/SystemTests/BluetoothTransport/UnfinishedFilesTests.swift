// What processes leave that are killed while they write.

import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Files that a killed process has not finished")
struct UnfinishedFilesTests {
    @Test("are removed when their folder is used next; those of a process that runs, and all others, stay")
    func removal() throws {
        let folder = try TemporaryFolder()
        let path = try PrivateFolder.make(folder("state"))
        // A number that no process has: that of one that has ended and was waited for.
        let ended = Process()
        ended.executableURL = URL(fileURLWithPath: "/bin/true")
        try ended.run()
        ended.waitUntilExit()
        let gone = ended.processIdentifier
        let kept = ["a.json", "a.json.new-\(getpid())", "b.new-", "b.new-x", "b.new-0", "b.new--1", "lock"]
        for name in kept + ["a.json.new-\(gone)", "a.new-b.new-\(gone)"] {
            try Data("key".utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        }
        // One of a process in another container has a number that is free here, and a lock.
        let held = "\(path)/held.new-\(gone)"
        let descriptor = open(held, O_WRONLY | O_CREAT, 0o600)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
        defer { close(descriptor) }
        try PrivateFolder.make(path)
        let content = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(content.sorted() == (kept + ["held.new-\(gone)"]).sorted())
    }
}
