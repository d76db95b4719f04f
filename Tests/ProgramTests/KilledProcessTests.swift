// Real processes that are killed as hard as can be: what was going on comes back with the next one.

import Foundation
import Testing

@Suite("13.1 restoration of killed processes")
struct KilledProcessTests {
    /// Another process serves the air, so that it does not end with a process that is killed.
    private func withTestbed(_ body: (ProcessTestbed) throws -> Void) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let server = try testbed.eightball("peripheral", "--name", "Bystander")
        try server.line(with: "is a Magic 8-Ball now")
        try body(testbed)
    }

    @Test("13.1 a central that is killed: the next one is restored and connected again")
    func central() throws {
        try self.withTestbed { testbed in
            let peripheral = try testbed.start("blueear", ["peripheral", "--identity", "alice"], input: true)
            try peripheral.line(with: "Start advertising")
            let arguments = ["central", "--stay", "--identity", "bob", "--restore", "talk"]
            let first = try testbed.start("blueear", arguments, input: true)
            try peripheral.line(with: "  Yo=Lo")
            first.send(SIGKILL)
            #expect(try first.end() == -SIGKILL)
            let second = try testbed.start("blueear", arguments, input: true)
            try second.line(with: "Did restore state")
            try second.line(with: "Did connect to: ")
            // Connecting was not asked for again, so nothing was searched for.
            #expect(!second.lines.contains { $0.contains("Start scanning") })
            second.write(line: "after=the end")
            try peripheral.line(with: "  after=the end")
            peripheral.write(line: "welcome=back")
            try second.line(with: "  welcome=back")
        }
    }

    @Test("13.1 a central that is killed while the peripheral is away waits for it in the next process")
    func pending() throws {
        try self.withTestbed { testbed in
            let arguments = ["key", "--secret", "sesame", "--identity", "bob", "--restore", "door"]
            let lock = try testbed.start("blueear", ["lock", "--secret", "sesame", "--identity", "door"])
            try lock.line(with: "is closed")
            let first = try testbed.start("blueear", arguments)
            try first.line(with: "Opened it")
            lock.send(SIGKILL)
            #expect(try lock.end() == -SIGKILL)
            try first.line(with: "Out of reach")
            // The line is printed before the lock is waited for, and the record is written behind both.
            try eventually("the record of what is waited for") {
                testbed.records("central-").contains { $0.contains(#""wasConnected":false"#) }
            }
            first.send(SIGKILL)
            #expect(try first.end() == -SIGKILL)
            let second = try testbed.start("blueear", arguments)
            try second.line(with: "Did restore state")
            let again = try testbed.start("blueear", ["lock", "--secret", "sesame", "--identity", "door"])
            try again.line(with: "Open 🔓")
            try second.line(with: "Opened it")
        }
    }

    @Test("13.1 a peripheral that is killed: the next one advertises and serves again by itself")
    func peripheral() throws {
        try self.withTestbed { testbed in
            let arguments = ["peripheral", "--identity", "alice", "--restore", "talk"]
            let first = try testbed.start("blueear", arguments, input: true)
            try first.line(with: "Start advertising")
            try eventually("the record of what is advertised") {
                testbed.records("peripheral-").contains { $0.contains(#""advertisement":{"#) }
            }
            first.send(SIGKILL)
            #expect(try first.end() == -SIGKILL)
            let second = try testbed.start("blueear", arguments, input: true)
            try second.line(with: "Did restore state")
            let central = try testbed.start("blueear", ["central"])
            #expect(try central.end() == 0, "\(central.errorLines)")
            #expect(central.lines.contains("  Hello=Darkness"))
            try second.line(with: "  Yo=Lo")
        }
    }

    @Test("13.1 a torn record is one line, and everything begins anew")
    func torn() throws {
        try self.withTestbed { testbed in
            let arguments = ["peripheral", "--identity", "alice", "--restore", "talk"]
            let first = try testbed.start("blueear", arguments, input: true)
            try first.line(with: "Start advertising")
            var records: [URL] = []
            try eventually("the record") {
                records = testbed.files.filter {
                    $0.lastPathComponent.hasPrefix("peripheral-") && $0.pathExtension == "json"
                }
                return records.count == 1
            }
            first.send(SIGKILL)
            #expect(try first.end() == -SIGKILL)
            let whole = try Data(contentsOf: records[0])
            try whole.dropLast(whole.count / 2).write(to: records[0])
            let second = try testbed.start("blueear", arguments, input: true)
            try second.errorLine(with: "it was set aside as")
            try second.line(with: "Start advertising")
            #expect(!second.lines.contains { $0.contains("Did restore state") })
            let aside = testbed.files.filter { $0.lastPathComponent.contains(".damaged-") }
            #expect(try aside.map { try Data(contentsOf: $0) } == [whole.dropLast(whole.count / 2)])
        }
    }
}

extension ProcessTestbed {
    /// Everything that the test's processes keep.
    fileprivate var files: [URL] {
        let place = folder.appendingPathComponent("state")
        guard let walk = FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil) else { return [] }
        return walk.compactMap { $0 as? URL }
    }

    /// The records of a role, without white space.
    fileprivate func records(_ role: String) -> [String] {
        self.files.filter { $0.lastPathComponent.hasPrefix(role) && $0.pathExtension == "json" }
            .compactMap { try? String(contentsOf: $0, encoding: .utf8).filter { !$0.isWhitespace } }
    }
}
