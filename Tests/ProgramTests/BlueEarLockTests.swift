// Real processes: the electronic lock and its key.

import Foundation
import Testing

@Suite("blueear lock and key")
struct BlueEarLockTests {
    @Test("The lock opens when the key comes, and closes when the key is killed, away or ended")
    func comingAndGoing() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let lock = try testbed.start("blueear", ["lock", "--secret", "sesame"])
        try lock.line(with: "is closed and waits for its key")
        for visit in 1...2 {
            let key = try testbed.start("blueear", ["key", "--secret", "sesame"])
            try key.line(with: "Opened it")
            try lock.line(number: visit, with: "Open 🔓")
            #expect(lock.lines.last == "Open 🔓")
            key.send(visit == 1 ? SIGKILL : SIGINT)
            #expect(try key.end() == (visit == 1 ? -SIGKILL : 130))
            try lock.line(number: visit, with: "Closed 🔒")
        }
    }

    @Test("The wrong key is refused, with one line and a failure; the right one opens afterwards")
    func wrongKey() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let lock = try testbed.start("blueear", ["lock", "--secret", "sesame", "--json"])
        try lock.line(with: "ready")
        let thief = try testbed.start("blueear", ["key", "--secret", "please"])
        #expect(try thief.end() == 1)
        #expect(thief.errorLines == ["blueear: the lock refused: this is not the key; check --secret on both sides"])
        try lock.line(with: "refused")
        #expect(!lock.lines.contains { $0.contains("opened") })
        let owner = try testbed.start("blueear", ["key", "--secret", "sesame", "--json"])
        try owner.line(with: "opened")
        try lock.line(with: "opened")
    }

    @Test("A lock that is killed and started again is opened by the key that waits for it")
    func killedLock() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let first = try testbed.start("blueear", ["lock", "--secret", "sesame", "--identity", "door"])
        try first.line(with: "is closed")
        let key = try testbed.start("blueear", ["key", "--secret", "sesame"])
        try key.line(with: "Opened it")
        first.send(SIGKILL)
        try key.line(with: "Out of reach")
        let second = try testbed.start("blueear", ["lock", "--secret", "sesame", "--identity", "door"])
        try second.line(with: "Open 🔓")
        try key.line(number: 2, with: "Opened it")
    }

    @Test("The article's story: the key is killed while its owner is away, and started again; on return the lock opens")
    func restoredKey() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let arguments = ["key", "--secret", "sesame", "--restore", "home", "--identity", "phone"]
        let lock = try testbed.start("blueear", ["lock", "--secret", "sesame", "--identity", "door"])
        try lock.line(with: "is closed")
        let first = try testbed.start("blueear", arguments)
        try first.line(with: "Opened it")
        // Away: the lock cannot be heard any more.
        lock.send(SIGKILL)
        try first.line(with: "Out of reach")
        first.send(SIGKILL)
        #expect(try first.end() == -SIGKILL)
        // The next process takes the request up where the last one was: it does not look for any lock.
        let second = try testbed.start("blueear", arguments)
        try second.line(with: "Did restore state")
        let back = try testbed.start("blueear", ["lock", "--secret", "sesame", "--identity", "door"])
        try back.line(with: "Open 🔓")
        try second.line(with: "Opened it")
        #expect(second.lines.first == "Did restore state ♻️")
        #expect(!second.lines.contains { $0.contains("Looking for the lock") })
        #expect(second.errorLines.isEmpty)
    }

    @Test("A lock that is killed and comes back with its state opens to the key that waits")
    func restoredLock() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let arguments = ["lock", "--secret", "sesame", "--restore", "door", "--identity", "door"]
        let first = try testbed.start("blueear", arguments)
        try first.line(with: "is closed")
        let key = try testbed.start("blueear", ["key", "--secret", "sesame", "--identity", "phone"])
        try key.line(with: "Opened it")
        first.send(SIGKILL)
        try key.line(with: "Out of reach")
        let second = try testbed.start("blueear", arguments)
        try second.line(with: "Did restore state")
        try second.line(with: "Open 🔓")
        try key.line(number: 2, with: "Opened it")
    }
}
