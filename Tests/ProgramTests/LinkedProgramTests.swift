// What is linked into the programs, and the program that is not.

import Foundation
import Testing

extension Programs {
    @Suite("The programs as files")
    struct LinkedProgramTests {
        let testbed: ProcessTestbed

        init() throws { testbed = try ProcessTestbed() }

        /// The names with which a program defines something for its libraries.
        private func exports(_ program: String) throws -> [String] {
            let list = try testbed.shell("nm -D --defined-only '\(ProcessTestbed.executable(program))'")
            #expect(try list.end() == 0, "\(list.errorLines)")
            return list.lines.compactMap { $0.split(separator: " ").last.map(String.init) }
        }

        /// Whether a program has names of the module for tests.
        private func hasTestKit(_ program: String) throws -> Bool {
            let file = try Data(contentsOf: URL(fileURLWithPath: ProcessTestbed.executable(program)))
            return file.range(of: Data("20CoreBluetoothTesting".utf8)) != nil
        }

        @Test(
            "have no world of tests, and leave dispatch queues as they are",
            arguments: ["blueear", "corebluetooth", "eightball"]
        )
        func contents(program: String) throws {
            let exports = try exports(program)
            #expect(!exports.isEmpty && !exports.contains { $0.hasPrefix("dispatch_") })
            #expect(try !hasTestKit(program))
        }

        @Test("show by the course that it would be seen")
        func course() throws {
            #expect(try exports("corebluetooth-learn").contains("dispatch_async"))
            #expect(try hasTestKit("corebluetooth-learn"))
        }

        @Test("corebluetooth learn is the course, which stands beside it, or says that it is not there")
        func learn() throws {
            let lesson = try testbed.tool("learn", "1", "--try", "far", "--json")
            #expect(try lesson.end() == 0, "\(lesson.errorLines)")
            #expect(try lesson.objects().first?["event"] as? String == "experiment")
            let usage = try testbed.tool("learn", "99")
            #expect(try usage.end() == 2)
            #expect(usage.errorLines.first?.hasPrefix("corebluetooth-learn: there is no lesson \"99\"") == true)

            let alone = testbed.path("corebluetooth")
            try FileManager.default.copyItem(atPath: ProcessTestbed.executable("corebluetooth"), toPath: alone)
            let missing = try testbed.shell("exec '\(alone)' learn 1")
            #expect(try missing.end() == 1)
            let line = "corebluetooth: the course is a program of its own, corebluetooth-learn, which is not in "
            #expect(missing.errorLines.count == 1 && missing.errorLines[0].hasPrefix(line), "\(missing.errorLines)")
        }
    }
}
