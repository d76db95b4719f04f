// Real processes as services: readiness, signs of life and status at the socket of a service manager, a lost adapter,
// the ends, the log in the journal's form, and a service that is killed and started again.

import Fixtures
import Foundation
import Testing

/// A program that is a service, and the status that it reports when it is ready.
struct ServiceProgram: Sendable, CustomTestStringConvertible {
    var program: String
    var arguments: [String]
    var status: String

    var testDescription: String { "\(program) \(arguments.joined(separator: " "))" }

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
            arguments: ["peripheral", "--name", "Alice"],
            status: "advertises as \"Alice\""
        ),
        ServiceProgram(
            program: "blueear",
            arguments: ["lock", "--name", "Door", "--secret", "sesame"],
            status: "is the lock \"Door\""
        ),
    ]
}

@Suite("C5: programs as services")
struct ServiceTests {
    /// A service at the socket of a manager of its own, which awaits a sign of life within so many microseconds.
    private func start(
        _ service: ServiceProgram,
        _ options: [String],
        at receiver: NotificationReceiver,
        limit: Int = 200_000,
        in testbed: ProcessTestbed
    ) throws -> TestProcess {
        try testbed.start(
            service.program,
            service.arguments + options,
            streams: .lines(input: false),
            environment: ["NOTIFY_SOCKET": receiver.name, "WATCHDOG_USEC": String(limit)]
        )
    }

    private func serve(_ path: String, in testbed: ProcessTestbed) throws -> TestProcess {
        let air = try testbed.tool("air", "--listen", "unix:\(path)")
        try air.line(with: "listening")
        return air
    }

    @Test(
        "Ready when it advertises, alive as long as it is, waiting for a lost adapter, ended",
        arguments: ServiceProgram.all
    )
    func life(service: ServiceProgram) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let path = testbed.path("a")
        let receiver = try NotificationReceiver(testbed.path("notify"))
        let air = try self.serve(path, in: testbed)
        let process = try self.start(service, ["--adapter", "h4:unix:\(path)"], at: receiver, in: testbed)
        let status = "STATUS=\(service.status)"
        #expect(try receiver.messages(until: status).contains("READY=1"))
        for _ in 1...3 { _ = try receiver.messages(until: "WATCHDOG=1") }
        // The adapter goes, and comes back.
        air.send(SIGKILL)
        _ = try receiver.messages(until: "STATUS=waits for the adapter")
        for _ in 1...3 { _ = try receiver.messages(until: "WATCHDOG=1") }
        let next = try self.serve(path, in: testbed)
        #expect(try !receiver.messages(until: status).contains("READY=1"))
        try next.line(with: "1 joined")
        process.send(SIGTERM)
        _ = try receiver.messages(until: "STOPPING=1")
        #expect(try process.end() == 0)
        try next.line(with: "nobody is on the air")
    }

    @Test("An air is ready when it listens everywhere, and says how many are on it")
    func air() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let receiver = try NotificationReceiver("@" + testbed.folder.lastPathComponent)
        let (first, second) = (testbed.path("a"), testbed.path("b"))
        let service = ServiceProgram(program: "corebluetooth", arguments: ["air"], status: "")
        let listen = ["--listen", "unix:\(first)", "--listen", "unix:\(second)"]
        let air = try self.start(service, listen, at: receiver, in: testbed)
        #expect(try receiver.messages(until: "READY=1").last == "STATUS=nobody is on the air")
        try air.line(number: 2, with: "listening")
        let ball = try testbed.eightball("peripheral", "--adapter", "air:\(second)")
        _ = try receiver.messages(until: "STATUS=1 is on the air")
        _ = try receiver.messages(until: "WATCHDOG=1")
        air.send(SIGTERM)
        _ = try receiver.messages(until: "STOPPING=1")
        #expect(try air.end() == 0)
        #expect(!FileManager.default.fileExists(atPath: first) && !FileManager.default.fileExists(atPath: second))
        try ball.errorLine(with: "the controller is gone")
    }

    @Test("A program whose main thread waits for a reader gives no sign of life")
    func blocked() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball("peripheral", "--name", "Crystal")
        try ball.line(with: "is a Magic 8-Ball now")
        let receiver = try NotificationReceiver(testbed.path("notify"), limit: 5)
        let pipe = testbed.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        // Opened for reading, and never read.
        let reader = open(pipe, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let tool = try ProcessTestbed.executable("corebluetooth").path
        let environment = "NOTIFY_SOCKET=\(receiver.name) WATCHDOG_USEC=200000"
        let scan = try testbed.shell("\(environment) exec \(tool) scan --duplicates --json >\(pipe)")
        _ = try receiver.messages(until: "WATCHDOG=1")
        // The pipe takes 64 KiB.
        while receiver.message() != nil {}
        scan.send(SIGTERM)
        _ = try receiver.messages(until: "STOPPING=1")
        #expect(try scan.end() == 0)
    }

    @Test("SIGTERM ends links with a reason, and captures whole")
    func graceful() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let path = testbed.path("a")
        let air = try self.serve(path, in: testbed)
        let adapter = ["--adapter", "air:\(path)"]
        let (ours, theirs) = (testbed.path("ours.btsnoop"), testbed.path("theirs.btsnoop"))
        let peripheral = try testbed.start("blueear", ["peripheral", "--capture", ours] + adapter, input: true)
        try peripheral.line(with: "Start advertising")
        let central = try testbed.start("blueear", ["central", "--stay", "--capture", theirs] + adapter, input: true)
        try peripheral.line(with: "  Yo=Lo")
        peripheral.send(SIGTERM)
        #expect(try peripheral.end() == 0)
        try central.line(with: "Did disconnect")
        try air.line(with: "left: the host closed the connection")
        central.send(SIGTERM)
        #expect(try central.end() == 0)
        // Disconnect with 0x13 (Remote User Terminated Connection), and the event on the other side.
        let command = try Btsnoop.records(of: ours).last { $0.starts(with: [0x01, 0x06, 0x04]) }
        #expect(command?.last == 0x13)
        let event = try Btsnoop.records(of: theirs).last { $0.starts(with: [0x04, 0x05]) }
        #expect(event?.last == 0x13)
        // Advertising had been on, and the last that was said of it is off.
        let advertising = try Btsnoop.records(of: ours).filter { $0.starts(with: [0x01, 0x0A, 0x20]) }
        let extended = try Btsnoop.records(of: ours).filter { $0.starts(with: [0x01, 0x39, 0x20]) }
        #expect((advertising + extended).map { $0[4] }.contains(1))
        #expect(advertising.last.map { $0[4] } ?? 0 == 0 && extended.last.map { $0[4] } ?? 0 == 0)
    }

    @Test("A signal right behind the first line of a program is not lost, and ends it as it does later")
    func earlySignal() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        for signal in [SIGINT, SIGTERM, SIGINT, SIGTERM, SIGINT] {
            let page = try testbed.start("eightball", ["web"])
            try page.line(with: "http://")
            page.send(signal)
            #expect(try page.end() == (signal == SIGTERM ? 0 : 130))
        }
    }

    @Test("A second SIGINT or SIGTERM ends a program at once that waits for a controller that does not answer")
    func secondSignal() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let path = testbed.path("a")
        let air = try self.serve(path, in: testbed)
        for (first, second) in [(SIGTERM, SIGTERM), (SIGTERM, SIGINT), (SIGINT, SIGTERM)] {
            var status: Int32 = 0
            // The program waits for less than a second, in which a busy machine may not get to send the second one.
            for _ in 1...20 where status != 128 + second {
                let receiver = try NotificationReceiver("@" + UUID().uuidString)
                let service = ServiceProgram.all[0]
                let process = try self.start(service, ["--adapter", "air:\(path)"], at: receiver, in: testbed)
                _ = try receiver.messages(until: "READY=1")
                air.send(SIGSTOP)
                process.send(first)
                _ = try receiver.messages(until: "STOPPING=1")
                process.send(second)
                status = try process.end()
                air.send(SIGCONT)
            }
            #expect(status == 128 + second)
        }
    }

    @Test("A service that is killed and started again has its bonds, and nobody is asked again")
    func restartedWithBonds() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let path = testbed.path("a")
        _ = try self.serve(path, in: testbed)
        let adapter = ["--adapter", "air:\(path)"]
        let gatt = testbed.path("gatt.json")
        try Data(
            """
            {"services": [{"uuid": "FFF0", "characteristics": [
                {"uuid": "FFF1", "properties": ["read"], "value": {"text": "slug"}, "security": "encrypted"}]}]}
            """.utf8
        ).write(to: URL(fileURLWithPath: gatt))
        let arguments = ["advertise", "--name", "Thing", "--identity", "thing", "--gatt", gatt] + adapter
        let read = ["read", "Thing", "FFF1", "--identity", "reader"] + adapter
        for run in 1...2 {
            let service = try testbed.start("corebluetooth", arguments)
            try service.line(with: "is advertising")
            let reader = try testbed.start("corebluetooth", read)
            #expect(try reader.end() == 0, "\(reader.errorLines)")
            #expect(reader.lines.last?.contains("slug") == true, "\(reader.lines)")
            #expect(service.lines.contains { $0.contains("Paired with") } == (run == 1), "\(service.lines)")
            try eventually("both bonds") { testbed.bonds.count == 2 }
            service.send(SIGKILL)
            #expect(try service.end() == -SIGKILL)
        }
    }

    @Test("The log is the same for all: a level, a time, and priorities where it is the journal's")
    func log() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let tool = try ProcessTestbed.executable("corebluetooth").path
        let adapter = "--adapter h4:unix:/nowhere/at/all"
        let why = "there is no socket at /nowhere/at/all: start what serves it, or correct the path"
        func lines(_ environment: String, _ options: String = "") throws -> [String] {
            let file = testbed.path("log.txt")
            let process = try testbed.shell(
                "exec 2>\(file); export LC_ALL=C \(environment); exec \(tool) advertise \(adapter) \(options)"
            )
            #expect(try process.end() == 1)
            return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
        }
        #expect(try lines("") == ["corebluetooth: \(why)"])
        #expect(try lines("", "--verbose") == ["corebluetooth: \(why)", "Bluetooth is off"])
        let journal = "JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2)"
        #expect(try lines(journal, "--verbose") == ["<3>CoreBluetooth: \(why)", "<6>Bluetooth is off"])
        for (environment, options) in [("", "--log-level info"), ("COREBLUETOOTH_LOG_LEVEL=Info", "")] {
            let log = try lines(environment, options)
            #expect(log.count == 2)
            #expect(log.first?.hasSuffix("Z error CoreBluetooth: \(why)") == true, "\(log)")
            #expect(log.last?.hasSuffix("Z info corebluetooth: Bluetooth is off") == true, "\(log)")
        }
        #expect(try lines("", "--log-level critical").isEmpty)
        #expect(try lines("COREBLUETOOTH_LOG_LEVEL=critical", "--log-level error").count == 1)
        let wrong = "COREBLUETOOTH_LOG_LEVEL is \"loud\"; write trace, debug, info, notice, warning, error or critical"
        #expect(try lines("COREBLUETOOTH_LOG_LEVEL=loud") == ["corebluetooth: \(wrong)", "corebluetooth: \(why)"])
    }
}
