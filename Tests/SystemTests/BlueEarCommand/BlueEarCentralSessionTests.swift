// `blueear central` in virtual time: what it prints, when it ends and with which status.

import BlueEar
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import BlueEarCommand

extension SessionRun {
    /// Starts a central; one that stays if nothing else is said.
    @MainActor
    mutating func startCentral(
        on device: Device,
        device name: String? = nil,
        stays: Bool = true,
        reads: Bool = false,
        timeout: Double? = nil,
        pairing: ProgramPairing? = nil,
        output: OutputFormat = OutputFormat(isJSON: false, isVerbose: false) { _ in },
        _ reader: LineReader = LineReader { _ in }
    ) throws {
        try start(on: device) {
            let session = CentralSession(
                message: nil,
                device: name,
                stays: stays,
                reads: reads,
                timeout: timeout,
                restoreIdentifier: nil,
                pairing: try pairing ?? ProgramPairing(TerminalPairingAgent(), RadioOptions.parse([])),
                output: output
            )
            session.start(reader)
            return session
        }
    }
}

@Suite("blueear central")
struct BlueEarCentralSessionTests {
    /// What is around the central, where it ends without what it wants.
    enum Scene: String, CaseIterable, Codable, Sendable {
        case nobody, otherPeripheral, silent, endless, noAdapter

        /// The peripheral that is looked for.
        var device: String? { self == .otherPeripheral ? "Bert" : nil }

        /// The lines on standard output before the time is up, after those that every central has.
        var lines: [String] {
            switch self {
            case .nobody, .otherPeripheral, .noAdapter: []
            case .silent: ["Did connect to: Anna 🤜🏽🤛🏽"]
            case .endless:
                ["Did connect to: Anna 🤜🏽🤛🏽", "Did received data ⬇️", "  Hello=Darkness", "Did send data ⬆️"]
            }
        }

        /// The one line on standard error, where there is one.
        var errorLine: String? {
            switch self {
            case .nobody: "no peripheral was found within 10 s; start one with: blueear peripheral"
            case .otherPeripheral:
                "no peripheral named \"Bert\" was found within 10 s; start one with: blueear peripheral"
            case .silent: "the peripheral said nothing within 10 s"
            case .endless: "the conversation did not end within 10 s"
            case .noAdapter: "[CoreBluetooth] this device of a world has no Bluetooth"
            }
        }
    }

    /// A central that has ten seconds, beside a peripheral that says a message, or none.
    @MainActor
    private static func central(
        in scene: Scene? = nil,
        reads: Bool = false,
        lines: [(seconds: Double, text: String?)]? = nil,
        isJSON: Bool = false
    ) throws -> SessionRun {
        var run = SessionRun()
        let device = run.world.addDevice("central", isSupported: scene != .noAdapter)
        switch scene {
        case .nobody: break
        case nil, .otherPeripheral, .silent, .endless, .noAdapter:
            run.start(on: run.world.addDevice("peripheral")) {
                let manager = PeripheralRole.BluetoothManager(delegate: nil)
                manager.localName = "Anna"
                if scene == .silent { manager.message = nil }
                return manager
            }
        }
        let reader = run.lines(lines ?? [])
        try run.startCentral(
            on: device,
            device: scene?.device,
            stays: lines != nil || scene == .endless,
            reads: reads,
            timeout: 10,
            output: OutputFormat(isJSON: isJSON, isVerbose: false),
            reader
        )
        run.mark("before the time is up", at: 9.999)
        run.mark("behind it", at: 10.001)
        return run
    }

    @Test("ends after its time with 1 and the reason", arguments: Scene.allCases)
    func reason(scene: Scene) async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: .outputs) { [scene] in
            try await BlueEarCentralSessionTests.central(in: scene).passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines == (scene.errorLine.map { [$0] } ?? []))
        let begin = ["Start configuration 🎛", "Start scanning peripherals 👀"]
        let isOff = scene == .noAdapter
        // There will be no adapter later, either.
        let end = scene == .noAdapter ? [] : ["before the time is up"]
        #expect(process.lines.filter { !(isOff && begin.contains($0)) } == (isOff ? [] : begin) + scene.lines + end)
    }

    @Test("hears, answers, leaves and ends at once with 0", arguments: [false, true])
    func exchange(reads: Bool) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) { [reads] in
            try await BlueEarCentralSessionTests.central(reads: reads).passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(
            process.lines == [
                "Start configuration 🎛", "Start scanning peripherals 👀", "Did connect to: Anna 🤜🏽🤛🏽",
                "Did received data ⬇️", "  Hello=Darkness", "Did send data ⬆️", "Did disconnect: Anna 🤜🏽🤚🏽",
            ]
        )
    }

    @Test("prints an object for each callback and each message with --json")
    func json() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) {
            try await BlueEarCentralSessionTests.central(isJSON: true).passMinute()
        }
        let process = try #require(result)
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

    @Test(
        "reports and skips a line that is no message with --stay, and ends once all is delivered"
    )
    func stays() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) {
            let run = try await BlueEarCentralSessionTests.central(
                lines: [
                    (2, "no message"), (2, ""), (2.5, "long=" + String(repeating: "x", count: 1_048_576)),
                    (3, "key=value=more"), (4, nil),
                ]
            )
            run.mark("before the end of input", at: 3.999)
            run.mark("a second later", at: 5)
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.count == 2)
        #expect(process.errorLines.first?.hasSuffix("\"no message\" is not KEY=VALUE") == true)
        #expect(process.errorLines.last?.hasSuffix(" octets is too long; 1048576 is the most") == true)
        #expect(
            process.lines == [
                "Start configuration 🎛", "Start scanning peripherals 👀", "Did connect to: Anna 🤜🏽🤛🏽",
                "Did received data ⬇️", "  Hello=Darkness", "Did send data ⬆️", "Did send data ⬆️",
                "before the end of input", "Did disconnect: Anna 🤜🏽🤚🏽",
            ]
        )
    }

    // MARK: The time limit

    private static let notReady = "Bluetooth was not ready within 10 s; check --adapter and what serves it"
    private static let nobody = "no peripheral was found within 10 s; start one with: blueear peripheral"

    /// A central with ten seconds, to which things happen after five: `c` it has connected, `r` a message came; then
    /// Bluetooth is in a state.
    @MainActor
    private static func timed(_ events: String, _ state: CBManagerState) throws -> SessionRun {
        var run = SessionRun()
        let world = run.world
        try run.start(on: world.addDevice("central")) {
            let session = CentralSession(
                message: nil,
                device: nil,
                stays: false,
                reads: false,
                timeout: 10,
                restoreIdentifier: nil,
                pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                output: OutputFormat(isJSON: false, isVerbose: false) { _ in }
            )
            session.start(nil)
            world.onMain(after: .seconds(5)) {
                if events.contains("c") { session.didConnectPeripheral(name: "Anna") }
                if events.contains("r") { session.didReceive(["a": "b"], from: UUID()) }
                session.didUpdateState(state)
            }
            return session
        }
        return run
    }

    @Test(
        "says at the end of its time that Bluetooth is not ready, else how far it had come",
        arguments: [
            ("cr", 0, Self.notReady), ("r", 1, Self.notReady), ("", 3, Self.notReady), ("cr", 4, nil),
            ("", 5, Self.nobody),
            ("c", 5, "the peripheral said nothing within 10 s"),
            ("cr", 5, "the conversation did not end within 10 s"),
        ] as [(String, Int, String?)]
    )
    func timeOut(events: String, number: Int, words: String?) async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            [events = events as String, number = number as Int] in
            let state = try #require(CBManagerState(rawValue: number))
            try await BlueEarCentralSessionTests.timed(events, state).passMinute()
        }
        #expect(try #require(result).errorLines == (words.map { [$0] } ?? []))
    }

    // MARK: The end

    @MainActor
    private static func session(stays: Bool, device: String? = nil) throws -> CentralSession {
        CentralSession(
            message: nil,
            device: device,
            stays: stays,
            reads: false,
            timeout: nil,
            restoreIdentifier: nil,
            pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
            output: OutputFormat(isJSON: true, isVerbose: false)
        )
    }

    @Test(
        "succeeds in an exchange if a message came and nothing failed, in a conversation if a message came",
        arguments: [("", 1), ("r", 0), ("rf", 1), ("s", 1), ("srf", 0)]
            as [(String, Int32)]
    )
    func status(events: String, status: Int32) async throws {
        await #expect(processExitsWith: .exitCode(status)) { [events] in
            try await MainActor.run {
                let session = try BlueEarCentralSessionTests.session(stays: events.contains("s"))
                if events.contains("r") { session.didReceive(["a": "b"], from: UUID()) }
                if events.contains("f") { session.didFail(.busy, with: nil) }
                session.didFinish()
            }
        }
    }

    @Test("ends an exchange if the other device has lost its keys, with what to do")
    func lostKeys() async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            try await MainActor.run {
                try BlueEarCentralSessionTests.session(stays: false, device: "Anna").didFail(.lostKeys, with: nil)
                exit(99)
            }
        }
        let lines = try #require(result).errorLines
        #expect(lines.count == 1)
        #expect(lines.first?.hasSuffix("corebluetooth bonds remove Anna; then pair anew") == true)
    }

    @Test("reports lost keys once in a conversation, and other failures each time")
    func conversation() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            try await MainActor.run {
                let session = try BlueEarCentralSessionTests.session(stays: true)
                for error in [BlueEarError.lostKeys, .busy, .lostKeys, .busy] { session.didFail(error, with: nil) }
                exit(99)
            }
        }
        let lines = try #require(result).lines
        #expect(lines.count == 3)
        #expect(lines[0].contains("bonds remove") && lines[1] == lines[2] && !lines[1].contains("bonds remove"))
    }

    @Test("reports a failure as an object with --json, and else on standard error", arguments: [false, true])
    func failed(isJSON: Bool) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor [isJSON] in
            Lines.failed(.notAnEar, with: nil, OutputFormat(isJSON: isJSON, isVerbose: false))
            exit(0)
        }
        let process = try #require(result)
        #expect(process.lines.count == (isJSON ? 1 : 0) && process.errorLines.count == (isJSON ? 0 : 1))
    }
}
