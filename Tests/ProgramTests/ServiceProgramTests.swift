import Fixtures
import Foundation
import Testing

/// A program that is a service, and the status that it reports when it is ready.
struct ServiceProgram: Sendable, CustomTestStringConvertible {
    var program: String
    var arguments: [String]
    var status: String

    var testDescription: String { "\(program) \(arguments[0])" }

    static let all = [
        ServiceProgram(
            program: "corebluetooth",
            arguments: ["advertise", "--name", "Thing"],
            status: "advertises as \"Thing\""
        ),
        ServiceProgram(
            program: "eightball",
            arguments: ["peripheral", "--name", "Crystal"],
            status: "is the 8-ball \"Crystal\""
        ),
        ServiceProgram(
            program: "blueear",
            arguments: ["lock", "--name", "Door", "--secret", "sesame"],
            status: "is the lock \"Door\""
        ),
    ]
}

extension Programs {
    @Suite("Programs as services")
    struct ServiceProgramTests {
        let testbed: ProcessTestbed

        init() throws { testbed = try ProcessTestbed() }

        /// Starts a service at the socket of a service manager that expects a heartbeat every 200 ms.
        private func start(
            _ program: String,
            _ arguments: [String],
            at receiver: NotificationReceiver
        ) throws -> TestProcess {
            try testbed.start(
                program,
                arguments,
                streams: .lines(input: false),
                environment: ["NOTIFY_SOCKET": receiver.name, "WATCHDOG_USEC": "200000"]
            )
        }

        private func serve(_ path: String) throws -> TestProcess {
            let air = try testbed.tool("air", "--listen", "unix:\(path)")
            try air.line(with: "listening")
            return air
        }

        @Test(
            "A service is ready when it advertises, sends heartbeats, and waits for a lost adapter",
            arguments: ServiceProgram.all
        )
        func life(service: ServiceProgram) throws {
            let path = testbed.path("a")
            let receiver = try NotificationReceiver(testbed.path("notify"))
            let air = try serve(path)
            let arguments = service.arguments + ["--adapter", "h4:unix:\(path)"]
            let process = try start(service.program, arguments, at: receiver)
            let status = "STATUS=\(service.status)"
            #expect(try receiver.messages(until: status).contains("READY=1"))
            _ = try receiver.messages(until: "WATCHDOG=1")
            air.send(SIGKILL)
            _ = try receiver.messages(until: "STATUS=waits for the adapter")
            _ = try receiver.messages(until: "WATCHDOG=1")
            let next = try serve(path)
            #expect(try !receiver.messages(until: status).contains("READY=1"))
            process.send(SIGTERM)
            _ = try receiver.messages(until: "STOPPING=1")
            #expect(try process.end() == 0)
            try next.line(with: "nobody is on the air")
        }

        @Test("An air is ready when it listens at every address, and reports the number of its hosts")
        func air() throws {
            let receiver = try NotificationReceiver("@" + testbed.folder.lastPathComponent)
            let (first, second) = (testbed.path("a"), testbed.path("b"))
            let air = try start(
                "corebluetooth",
                ["air", "--listen", "unix:\(first)", "--listen", "unix:\(second)"],
                at: receiver
            )
            #expect(try receiver.messages(until: "READY=1").last == "STATUS=nobody is on the air")
            try air.line(number: 2, with: "listening")
            let ball = try testbed.eightball("peripheral", "--adapter", "air:\(second)")
            _ = try receiver.messages(until: "STATUS=1 is on the air")
            air.send(SIGTERM)
            _ = try receiver.messages(until: "STOPPING=1")
            #expect(try air.end() == 0)
            #expect(!FileManager.default.fileExists(atPath: first) && !FileManager.default.fileExists(atPath: second))
            try ball.errorLine(with: "the controller is gone")
        }

        @Test("A web page is ready when it is served, and its address is not in the log of the manager")
        func page() throws {
            let receiver = try NotificationReceiver(testbed.path("notify"))
            let process = try start("eightball", ["web"], at: receiver)
            let messages = try receiver.messages(until: "STATUS=serves its page")
            #expect(messages.contains("READY=1") && !messages.contains { $0.contains("http") })
            try process.line(with: "http://127.0.0.1:")
            // A signal right after the first line is not lost.
            process.send(SIGTERM)
            _ = try receiver.messages(until: "STOPPING=1")
            #expect(try process.end() == 0)
        }

        @Test("Log lines have one form: a level and a time, or the priorities of the journal")
        func log() throws {
            let tool = try ProcessTestbed.executable("corebluetooth")
            let adapter = "--adapter h4:unix:/nowhere/at/all"
            let why = "there is no socket at /nowhere/at/all: start what serves it, or correct the path"
            func lines(_ environment: String, _ options: String = "") throws -> [String] {
                let file = testbed.path("log.txt")
                let process = try testbed.shell(
                    "exec 2>\(file); export LC_ALL=C \(environment); exec \(tool) advertise \(adapter) \(options)"
                )
                #expect(try process.end() == 5)
                return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
            }
            #expect(try lines("") == ["corebluetooth: \(why)"])
            let journal = "JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2)"
            #expect(try lines(journal, "--verbose") == ["<3>CoreBluetooth: \(why)", "<6>Bluetooth is off"])
            let log = try lines("COREBLUETOOTH_LOG_LEVEL=Info")
            #expect(log.first?.hasSuffix("Z error CoreBluetooth: \(why)") == true, "\(log)")
            #expect(log.last?.hasSuffix("Z info corebluetooth: Bluetooth is off") == true, "\(log)")
            #expect(try lines("", "--log-level critical").isEmpty)
        }
    }
}
