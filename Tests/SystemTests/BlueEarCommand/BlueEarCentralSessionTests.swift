// `blueear central` in virtual time: what it prints, when it ends and with which status.

import BlueEar
import BluetoothHost
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import SessionTestbed
import Testing

@testable import BlueEarCommand

extension BlueEarCentralSession {
    /// A central, which by default sends nothing, shows nothing and stays.
    @MainActor
    static func with(
        device: String? = nil,
        stays: Bool = true,
        reads: Bool = false,
        timeout: Double? = nil,
        pairing: ProgramPairing? = nil,
        output: OutputFormat = OutputFormat(isJSON: false, isVerbose: false) { _ in }
    ) throws -> BlueEarCentralSession {
        BlueEarCentralSession(
            message: nil,
            device: device,
            stays: stays,
            reads: reads,
            timeout: timeout,
            restoreIdentifier: nil,
            pairing: try pairing ?? ProgramPairing(TerminalPairingAgent(), RadioOptions.parse([])),
            output: output
        )
    }

    /// The same, once it gets its lines.
    func started(_ reader: LineReader? = nil) -> BlueEarCentralSession {
        start(reader)
        return self
    }
}

@Suite("blueear central")
struct BlueEarCentralSessionTests {
    /// The devices around the central.
    enum Scene: String, CaseIterable, Codable, Sendable {
        case nobody, otherPeripheral, silent, endless, noAdapter, peripheral

        /// The lines on standard output before the time limit, after those that every central prints.
        var lines: [String] {
            switch self {
            case .nobody, .otherPeripheral, .noAdapter: []
            case .silent: ["Did connect to: Anna 🤜🏽🤛🏽"]
            case .endless, .peripheral:
                ["Did connect to: Anna 🤜🏽🤛🏽", "Did received data ⬇️", "  Hello=Darkness", "Did send data ⬆️"]
            }
        }

        /// The one line on standard error.
        var errorLine: String {
            switch self {
            case .nobody: "no peripheral was found within 10 s; start one with: blueear peripheral"
            case .otherPeripheral:
                "no peripheral named \"Bert\" was found within 10 s; start one with: blueear peripheral"
            case .silent: "the peripheral said nothing within 10 s"
            case .endless: "the conversation did not end within 10 s"
            case .noAdapter: "[CoreBluetooth] this device of a world has no Bluetooth"
            case .peripheral: ""
            }
        }
    }

    private static let beginning = ["Start configuration 🎛", "Start scanning peripherals 👀"]
    private static let end = "Did disconnect: Anna 🤜🏽🤚🏽"

    /// A central that has ten seconds, with a peripheral that sends a message, or none; it stays if it gets lines.
    private func central(
        in scene: Scene = .peripheral,
        status: Int32 = 0,
        reads: Bool = false,
        _ script: String = "",
        isJSON: Bool = false,
        marks: [Double] = [9.999, 10.001]
    ) async throws -> ExitTest.Result {
        try await #require(processExitsWith: .exitCode(status), observing: .outputs) {
            @MainActor [scene, reads, script, isJSON, marks] in
            var run = SessionRun()
            let device = run.world.addDevice("central", isSupported: scene != .noAdapter)
            if scene != .nobody {
                run.start(on: run.world.addDevice("peripheral")) {
                    let manager = PeripheralRole.BluetoothManager(delegate: nil)
                    manager.localName = "Anna"
                    if scene == .silent { manager.message = nil }
                    return manager
                }
            }
            let reader = run.lines(script)
            try run.start(on: device) {
                try BlueEarCentralSession.with(
                    device: scene == .otherPeripheral ? "Bert" : nil,
                    stays: !script.isEmpty || scene == .endless,
                    reads: reads,
                    timeout: 10,
                    output: OutputFormat(isJSON: isJSON, isVerbose: false)
                ).started(reader)
            }
            for seconds in marks { run.mark("- \(seconds)", at: seconds) }
            run.passMinute()
        }
    }

    @Test("ends after its time with 1 and the reason", arguments: Scene.allCases.dropLast())
    func reason(scene: Scene) async throws {
        let process = try await central(in: scene, status: 1)
        #expect(process.errorLines == [scene.errorLine])
        // There will be no adapter later either.
        let isOff = scene == .noAdapter
        let lines = process.lines.filter { !isOff || !Self.beginning.contains($0) }
        #expect(lines == (isOff ? [] : Self.beginning + scene.lines + ["- 9.999"]))
    }

    @Test("receives a message, answers, leaves and ends at once with 0", arguments: [false, true])
    func exchange(reads: Bool) async throws {
        let process = try await central(reads: reads)
        #expect(process.errorLines.isEmpty)
        #expect(process.lines == Self.beginning + Scene.peripheral.lines + [Self.end])
    }

    @Test("prints an object for each callback and each message with --json")
    func json() async throws {
        let process = try await central(isJSON: true)
        #expect(process.errorLines.isEmpty)
        let objects = try process.lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(
            objects.map { $0["event"] as? String } == [
                "didStartConfiguration", "didStartScanningPeripherals", "didConnectPeripheral", "didReceiveData",
                "received", "didSendData", "sent", "didDisconnectPeripheral",
            ]
        )
        #expect(objects[4]["message"] as? [String: String] == ["Hello": "Darkness"])
    }

    @Test("reports and skips a line that is no message with --stay, and ends once all is delivered")
    func stays() async throws {
        let long = "long=" + String(repeating: "x", count: 1_048_576)
        let script = "2 no message; 2 ; 2.5 \(long); 3 key=value=more; 4 end"
        let process = try await central(script, marks: [3.999, 5])
        #expect(process.errorLines.count == 2)
        #expect(process.errorLines.first?.hasSuffix("\"no message\" is not KEY=VALUE") == true)
        #expect(process.errorLines.last?.hasSuffix(" octets is too long; the limit is 1048576") == true)
        let rest = ["Did send data ⬆️", "- 3.999", Self.end]
        #expect(process.lines == Self.beginning + Scene.peripheral.lines + rest)
    }

    // MARK: The time limit

    private static let notReady = "Bluetooth was not ready within 10 s; check --adapter and what serves it"

    @Test(
        "says at the time limit that Bluetooth is not ready, or how far it had come",
        arguments: [
            ("cr", 0, Self.notReady), ("r", 1, Self.notReady), ("", 3, Self.notReady), ("cr", 4, nil),
            ("", 5, "no peripheral was found within 10 s; start one with: blueear peripheral"),
            ("c", 5, "the peripheral said nothing within 10 s"),
            ("cr", 5, "the conversation did not end within 10 s"),
        ] as [(String, Int, String?)]
    )
    func timeOut(events: String, number: Int, words: String?) async throws {
        let process = try await #require(processExitsWith: .exitCode(1), observing: .outputs) {
            @MainActor [events, number] in
            let state = try #require(CBManagerState(rawValue: number))
            var run = SessionRun()
            let world = run.world
            try run.start(on: world.addDevice("central")) {
                let session = try BlueEarCentralSession.with(stays: false, timeout: 10).started()
                // `c`: it has connected, `r`: it has received a message.
                world.onMain(after: .seconds(5)) {
                    if events.contains("c") { session.didConnectPeripheral(name: "Anna") }
                    if events.contains("r") { session.didReceive(["a": "b"], from: UUID()) }
                    session.didUpdateState(state)
                }
                return session
            }
            run.passMinute()
        }
        #expect(process.errorLines == (words.map { [$0] } ?? []))
    }

    @Test("gives a peripheral that does not answer ten seconds from the end of a pairing, as a key does a lock")
    func moreTime() async throws {
        let process = try await #require(processExitsWith: .exitCode(99), observing: .outputs) { @MainActor in
            var run = SessionRun()
            let world = run.world
            let silent = world.addDevice("silent")
            silent.isUnresponsive = true
            run.start(on: silent) { PeripheralRole.BluetoothManager(delegate: nil) }
            let peer = PairingPeer(identifier: UUID(), name: "Anna")
            let code = try #require(Passkey(42))
            for name in ["central", "key"] {
                // The output about the pairing is dropped.
                let agent = TerminalPairingAgent(
                    .keyboardAndDisplay,
                    serves: OutputFormat(isJSON: false, isVerbose: false) { _ in }
                )
                let pairing = ProgramPairing(agent, try RadioOptions.parse([]))
                let output = OutputFormat(isJSON: true, isVerbose: false) { Console.print("\(name) \($0)") }
                try run.start(on: world.addDevice(name)) { () -> AnyObject in
                    guard name == "key" else {
                        return try BlueEarCentralSession.with(pairing: pairing, output: output).started()
                    }
                    let session = KeySession(secret: "a", restoreIdentifier: nil, pairing: pairing, output: output)
                    session.start()
                    return session
                }
                world.onMain(after: .seconds(1)) {
                    agent.pairing(PairingPrompt(.displayPasskey(code), of: peer) { _ in })
                }
                world.onMain(after: .seconds(15)) { agent.pairingEnded(with: peer, .paired) }
            }
            for seconds in [24.9, 25.1] { run.mark("- \(seconds)", at: seconds) }
            run.passMinute()
        }
        let before = try #require(process.lines.firstIndex(of: "- 24.9"))
        let after = try #require(process.lines.firstIndex(of: "- 25.1"))
        let failures = process.lines.indices.filter { process.lines[$0].contains(#""event":"failed""#) }
        for name in ["central", "key"] {
            let first = try #require(failures.first { process.lines[$0].hasPrefix(name) }, "\(name)")
            #expect(before < first && first < after && process.lines[first].contains("it did not answer in time"))
        }
    }

    // MARK: The end

    @Test(
        "succeeds in an exchange if a message came and nothing failed, in a conversation if a message came",
        arguments: [("", 1), ("r", 0), ("rf", 1), ("s", 1), ("srf", 0)] as [(String, Int32)]
    )
    func status(events: String, status: Int32) async throws {
        await #expect(processExitsWith: .exitCode(status)) { @MainActor [events] in
            let session = try BlueEarCentralSession.with(stays: events.contains("s"))
            if events.contains("r") { session.didReceive(["a": "b"], from: UUID()) }
            if events.contains("f") { session.didFail(.busy, with: nil) }
            session.didFinish()
        }
    }

    @Test("ends an exchange with advice if the other device has lost its keys")
    func lostKeys() async throws {
        let process = try await #require(processExitsWith: .exitCode(1), observing: .outputs) { @MainActor in
            try BlueEarCentralSession.with(device: "Anna", stays: false).didFail(.lostKeys, with: nil)
            exit(99)
        }
        let lines = process.errorLines
        #expect(lines.count == 1 && lines[0].hasSuffix("corebluetooth bonds remove Anna; then pair again"))
    }

    @Test("reports lost keys once in a conversation, and other failures each time, as a key does")
    func conversation() async throws {
        let process = try await #require(processExitsWith: .exitCode(99), observing: .outputs) { @MainActor in
            let session = try BlueEarCentralSession.with(output: OutputFormat(isJSON: true, isVerbose: false))
            let pairing = ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([]))
            let output = OutputFormat(isJSON: false, isVerbose: false)
            let key = KeySession(secret: "sesame", restoreIdentifier: nil, pairing: pairing, output: output)
            for error in [BlueEarError.lostKeys, .busy, .lostKeys, .busy] {
                session.didFail(error, with: nil)
                key.report(.failed(error))
            }
            exit(99)
        }
        for lines in [process.lines, process.errorLines] {
            #expect(lines.count == 3)
            #expect(lines[0].contains("bonds remove") && lines[1] == lines[2] && !lines[1].contains("bonds remove"))
        }
    }
}
