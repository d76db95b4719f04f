import Foundation
import Testing

extension Programs {
    @Suite("Paired messengers as processes")
    struct PairedMessengerProgramTests {
        let testbed: ProcessTestbed

        init() throws {
            testbed = try ProcessTestbed()
            try testbed.serveAir()
        }

        private func desk() throws -> TestProcess {
            let options = ["--identity", "desk", "--require-pairing", "just-works"]
            let desk = try testbed.start("blueear", ["peripheral"] + options)
            try desk.line(with: "Start advertising")
            return desk
        }

        private func phone(_ options: String..., input: Bool = false) throws -> TestProcess {
            try testbed.start(
                "blueear",
                ["central", "--identity", "phone", "--timeout", "100"] + options,
                input: input
            )
        }

        @Test("N1 exchange their messages on each link, also after either of them was killed")
        func killed() throws {
            var desk = try self.desk()
            for _ in 0..<3 {
                let phone = try self.phone()
                #expect(try phone.end() == 0, "\(phone.errorLines)")
                #expect(phone.lines.contains("  Hello=Darkness"))
            }
            try desk.line(number: 3, with: "  Yo=Lo")
            desk.send(SIGKILL)
            _ = try desk.end()
            desk = try self.desk()
            let staying = try self.phone("--stay", input: true)
            try staying.line(with: "  Hello=Darkness")
            try desk.line(number: 1, with: "  Yo=Lo")
            staying.send(SIGKILL)
            _ = try staying.end()
            let phone = try self.phone()
            #expect(try phone.end() == 0, "\(phone.errorLines)")
            #expect(phone.lines.contains("  Hello=Darkness"))
            try desk.line(number: 2, with: "  Yo=Lo")
            #expect(testbed.stored("bond-").count == 2)
        }
    }
}
