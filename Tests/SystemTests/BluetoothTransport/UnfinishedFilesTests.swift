// Files that killed processes were writing.

import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Unfinished files of killed processes")
struct UnfinishedFilesTests {
    @Test("are removed when their folder is used next; those of a running process, and all others, stay")
    func removal() throws {
        let folder = try TemporaryFolder()
        let path = try PrivateFolder.make(folder("state"))
        // A free identifier: that of a process that has ended and was waited for.
        let ended = Process()
        ended.executableURL = URL(fileURLWithPath: "/bin/true")
        try ended.run()
        ended.waitUntilExit()
        let gone = ended.processIdentifier
        let kept = ["a.json", "a.json.new-\(getpid())", "b.new-", "b.new-x", "b.new-0", "b.new--1", "lock"]
        for name in kept + ["a.json.new-\(gone)", "a.new-b.new-\(gone)"] {
            try Data("key".utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        }
        // A process in another container has an identifier that is free here, and a lock.
        let held = "\(path)/held.new-\(gone)"
        let descriptor = open(held, O_WRONLY | O_CREAT, 0o600)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
        defer { close(descriptor) }
        try PrivateFolder.make(path)
        let content = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(content.sorted() == (kept + ["held.new-\(gone)"]).sorted())
    }
}
