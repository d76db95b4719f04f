// Commands for one device as they ship, in virtual time: what they print, when they end, and with which status.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The session of corebluetooth connect")
struct CorebluetoothDeviceTests {
    private static func thermo() -> ScriptedPeripheral {
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init("2A19", properties: .notify, updates: .every(.seconds(1)) { _ in Data([86]) }),
            .init("FFF1", properties: [.read, .write], value: Data([0xC3, 0x28])), .init("FFF2", properties: .write),
            .init("FFF3", properties: [.read, .notify], onRead: { _ in .error(.insufficientAuthorization) }),
        ]
        return ScriptedPeripheral(name: "Thermo", services: [.init("FFF0", characteristics: characteristics)])
    }

    // MARK: Finding

    /// The devices that are there while "Peer" is looked for.
    enum Search: String, CaseIterable, Codable, Sendable {
        case nobody, unnamed, many, unconnectable, deaf

        /// The exit status of a command for "Peer".
        var status: Int32 {
            switch self {
            case .nobody, .unnamed, .many: 3
            case .unconnectable: 4
            case .deaf: 7
            }
        }

        func add(to world: World) {
            switch self {
            case .nobody: break
            case .unnamed: world.addPeripheral(ScriptedPeripheral(), as: "unnamed")
            case .many: for number in 1...22 { world.addPeripheral(ScriptedPeripheral(name: "Lamp \(number)")) }
            case .unconnectable:
                let advertisement = ScriptedPeripheral.Advertisement(isConnectable: false)
                world.addPeripheral(ScriptedPeripheral(name: "Peer", advertisement: advertisement))
            case .deaf: world.addPeripheral(ScriptedPeripheral(name: "Peer", refusesConnections: true))
            }
        }
    }

    @Test(
        "ends with the reason at a device that is not there, refuses at once, or cannot be connected to",
        arguments: Search.allCases
    )
    func notFound(search: Search) async throws {
        let process = try await #require(processExitsWith: .exitCode(search.status), observing: .outputs) {
            @MainActor [search] in
            var run = SessionRun()
            search.add(to: run.world)
            let name = search == .unnamed ? "Peer\u{1B}" : "Peer"
            try run.startDeviceCommand([name, "--timeout", "5"]) { _, _, _ in }
            run.markTimes([4.9, 5.9])
            run.passMinute()
        }
        #expect(process.lines == (search == .deaf ? [] : ["- 4.9"]))
        let line = try #require(process.errorLines.first)
        #expect(process.errorLines.count == 1)
        let notFound = "\"Peer\" was not found within 5 s: "
        switch search {
        case .nobody: #expect(line == notFound + "nobody is there")
        case .unnamed:
            let words = "\"Peer\u{FFFD}\" was not found within 5 s: there is "
            #expect(line.hasPrefix(words) && UUID(uuidString: String(line.dropFirst(words.count))) != nil, "\(line)")
        case .many:
            let names = line.dropFirst((notFound + "there is ").count).components(separatedBy: ", ")
            #expect(names.count == 20 && Set(names).count == 20, "\(line)")
            #expect(names.allSatisfy { $0.hasPrefix("\"Lamp ") && $0.hasSuffix("\"") })
        case .unconnectable: #expect(line == "\"Peer\" is there and takes no connections: it only advertises")
        case .deaf: #expect(line == "\"Peer\" could not be connected to: The connection has failed unexpectedly")
        }
    }

    // MARK: A session

    /// What happens to the device: at a time, or with a packet.
    enum Event: Codable, Sendable {
        case none
        case drop(at: Double)
        case dropAtRead
        case publish(at: Double)
        case silence(at: Double)
    }

    /// Plays a minute of a session with "Thermo".
    private func play(
        _ script: String,
        _ event: Event = .none,
        status: Int32 = 0,
        keepsGoing: Bool = true,
        isVerbose: Bool = false,
        marks: [Double] = []
    ) async throws -> ExitTest.Result {
        try await #require(processExitsWith: .exitCode(status), observing: .outputs) {
            @MainActor
            [script, event, keepsGoing, isVerbose, marks] in
            var run = SessionRun()
            let (world, device) = (run.world, run.world.addPeripheral(CorebluetoothDeviceTests.thermo()))
            switch event {
            case .none: break
            case .drop(let seconds): world.after(.seconds(seconds)) { device.dropLinks() }
            case .dropAtRead: device.dropLinks(when: { $0.text.contains("Read Request") })
            case .publish(let seconds):
                world.after(.seconds(seconds)) { device.publish([.init("180D", characteristics: [])]) }
            case .silence(let seconds): world.after(.seconds(seconds)) { world.loss = 1 }
            }
            try run.startConnectSession("Thermo", script, keepsGoing: keepsGoing, isVerbose: isVerbose)
            run.markTimes(marks)
            run.passMinute()
        }
    }

    private static let lost = "\"Thermo\" has disconnected: "

    @Test("performs one command after the other, and ends behind the last one")
    func commands() async throws {
        let process = try await play(
            "1 # a comment; 1 write FFF1 0203; 1 read FFF1; 1 subscribe 2A19 --count 2; 1 wait 10; 1 READ fff1 --hex; "
                + "1 end",
            marks: [12.9, 15]
        )
        #expect(process.errorLines.isEmpty)
        #expect(process.lines == ["02 03", "56 (86 %)", "56 (86 %)", "- 12.9", "0203"])
    }

    @Test("ends when the connection is lost, or goes on with the next command", arguments: [false, true])
    func lost(keepsGoing: Bool) async throws {
        let process = try await play(
            "1 read FFF1; 10 read FFF1; 20 connect; 21 read FFF1; 22 end",
            .drop(at: 5),
            status: keepsGoing ? 0 : 7,
            keepsGoing: keepsGoing,
            marks: [9.99]
        )
        #expect(process.lines == (keepsGoing ? ["C3 28", "- 9.99", "C3 28"] : ["C3 28"]))
        let next = "the device is not connected any more; start again"
        #expect(process.errorLines.hasWords([Self.lost] + (keepsGoing ? [next] : [])))
    }

    @Test("tells once that the connection is lost under a command")
    func lostInCommand() async throws {
        let process = try await play("5 read FFF1; 30 end", .dropAtRead)
        #expect(process.lines.isEmpty && process.errorLines.hasWords([Self.lost]))
    }

    @Test("waits anew behind a wait that the end of the connection has ended, and 3 s for the end of a silent link")
    func waits() async throws {
        let process = try await play(
            "1 wait 10; 6 connect; 7 wait 20; 8 read FFF1; 40 end",
            .drop(at: 3),
            marks: [20, 26.5, 28]
        )
        #expect(process.lines == ["- 20.0", "- 26.5", "C3 28", "- 28.0"])
        #expect(process.errorLines.hasWords([Self.lost]))
        // The link itself ends 20 s after the last packet.
        let script = "2 parameters --supervision-timeout 20000; 10 quit"
        let end = try await play(script, .silence(at: 8), marks: [12.9, 13.5, 14.5])
        #expect(end.lines.filter { $0.hasPrefix("- ") } == ["- 12.9"] && end.errorLines.isEmpty)
    }

    @Test("says what happens in between if that is asked for, and that a value is not UTF-8", arguments: [false, true])
    func verbose(isVerbose: Bool) async throws {
        let script = "1 read FFF1 --text; 2 subscribe FFF3; 3 wait 8; 12 end"
        let process = try await play(script, .publish(at: 5), isVerbose: isVerbose)
        #expect(process.lines == ["\u{FFFD}("])
        func count(_ words: String) -> Int { process.errorLines.count { $0.contains(words) } }
        #expect(count("the value is not UTF-8: U+FFFD stands for the invalid octets") == 1)
        #expect((count("Bluetooth is ") > 0) == isVerbose)
        // The old services are removed, and then there are new ones.
        for (words, times) in [
            ("disconnected from \"Thermo\": ", 1), (" connected to \"Thermo\"", 1), ("subscribed to FFF3", 1),
            ("\"Thermo\" has changed its services", 2),
        ] {
            #expect(count(words) == (isVerbose ? times : 0), "\(words): \(process.errorLines)")
        }
        if !isVerbose { #expect(process.errorLines.count == 1) }
    }

    // MARK: Cloning and measuring

    @Test("clone listens for the time that was asked for, and says what was refused")
    func recording() async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor in
            var run = SessionRun()
            run.world.addPeripheral(CorebluetoothDeviceTests.thermo())
            try run.startDeviceCommand(["Thermo"], isVerbose: true) { central, peripheral, output in
                let recording = DeviceRecording(central: central, output: output)
                try await recording.explore(peripheral)
                Console.print("explored")
                try await recording.listen(10)
                Console.print("heard")
            }
            run.markTimes([9.9, 14])
            run.passMinute()
        }
        #expect(process.lines == ["explored", "- 9.9", "heard"])
        for words in ["subscribed to 2 characteristics for 10 s", "FFF3: "] {
            #expect(process.errorLines.count { $0.contains(words) } == 1, "\(words): \(process.errorLines)")
        }
    }

    @Test("clone rejects an output that cannot be written before it looks for the device, and leaves nothing behind")
    func unwritable() async throws {
        let folder = try TemporaryFolder()
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) {
            @MainActor [path = folder.path as String] in
            endProcess(after: 600)
            setenv("TMPDIR", path, 1)
            for output in ["lamp.JSON", "lamp.btsnoop"] {
                do {
                    try CloneCommand.parse(["Lamp", "--output", "/nowhere/" + output]).run()
                } catch let failure as Failure {
                    Console.print(failure.line)
                }
            }
            exit(0)
        }
        let ends = ["description /nowhere/lamp.JSON", "capture file /nowhere/lamp.btsnoop"]
        #expect(process.lines == ends.map { "cannot write the \($0): No such file or directory" })
        #expect(folder.content.isEmpty)
    }

    @Test("benchmark waits 600 s for notifications, and for a transfer on the channel", arguments: [false, true])
    func benchmark(isToDevice: Bool) async throws {
        let process = try await #require(processExitsWith: .exitCode(1), observing: .outputs) {
            @MainActor [isToDevice] in
            var run = SessionRun()
            let characteristics: [ScriptedPeripheral.Characteristic] = [
                .init(BenchmarkService.echo, properties: .read, value: Data([42])),
                .init(
                    BenchmarkService.sink,
                    properties: [.read, .writeWithoutResponse],
                    onRead: { _ in .value(UInt64(1220).littleEndianData) }
                ), .init(BenchmarkService.source, properties: .notify),
                .init(BenchmarkService.order, properties: .write),
                .init(BenchmarkService.channel, properties: .read, value: Data([0x80, 0, 1])),
            ]
            let service = ScriptedPeripheral.Service(BenchmarkService.uuid, characteristics: characteristics)
            let channel = ScriptedPeripheral.Channel(psm: 0x80, onData: { _, _ in })
            run.world.addPeripheral(ScriptedPeripheral(name: "Peer", services: [service], channels: [channel]))
            var plan = try BenchmarkCommand.parse(["Peer", "--direction", isToDevice ? "to" : "from", "--size", "1"])
                .plan
            plan.reads = 1
            try run.startDeviceCommand(["Peer"], isJSON: true) { [plan] central, peripheral, output in
                try await BenchmarkRun(central: central, peripheral: peripheral, output: output).run(plan)
            }
            for tenth in Array(1...80) + Array(6000...6100) { run.mark("- \(tenth)", at: Double(tenth) / 10) }
            run.world.advance(by: .seconds(700))
            exit(99)
        }
        let silence = "the channel did not carry 1024 octets within 600 s"
        #expect(process.errorLines == [isToDevice ? silence : "1220 octets of notifications did not come"])
        // The wait begins some connection events behind the last result.
        func tenth(_ lines: ArraySlice<String>) -> Int {
            lines.last { $0.hasPrefix("- ") }.flatMap { Int($0.dropFirst(2)) } ?? 0
        }
        let lastResult = try #require(process.lines.lastIndex { $0.contains(#""event":"result""#) })
        let wait = tenth(process.lines[...]) - tenth(process.lines[..<lastResult])
        #expect((6000...6009).contains(wait), "\(wait)")
    }
}
