// `blueear central` as it ships, in virtual time: what it prints, when it ends and with which status.

import BlueEar
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import BlueEarCommand

@Suite("blueear central")
struct BlueEarCentralSessionTests {
    /// What is around the central, where it ends without what it wants.
    enum Scene: String, CaseIterable, Codable, Sendable {
        case nobody, otherPeripheral, silent, endless, noBluetooth, noAdapter

        /// The peripheral that is looked for.
        var device: String? { self == .otherPeripheral ? "Bert" : nil }

        /// The lines on standard output before the time is up, after those that every central has.
        var lines: [String] {
            switch self {
            case .nobody, .otherPeripheral, .noBluetooth, .noAdapter: []
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
            // Core Bluetooth logs why there is no adapter, where there is a reason.
            case .noBluetooth: nil
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
        device.isPowered = scene != .noBluetooth
        switch scene {
        case .nobody: break
        case nil, .otherPeripheral, .silent, .endless, .noBluetooth, .noAdapter:
            run.start(on: run.world.addDevice("peripheral")) {
                let manager = PeripheralRole.BluetoothManager(delegate: nil)
                manager.localName = "Anna"
                if scene == .silent { manager.message = nil }
                return manager
            }
        }
        let reader = run.lines(lines ?? [])
        try run.start(on: device) {
            let session = CentralSession(
                message: nil,
                device: scene?.device,
                stays: lines != nil || scene == .endless,
                reads: reads,
                timeout: 10,
                restoreIdentifier: nil,
                pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                output: OutputFormat(isJSON: isJSON, isVerbose: false)
            )
            session.start(reader)
            return session
        }
        run.mark("before the time is up", at: 9.999)
        run.mark("behind it", at: 10.001)
        return run
    }

    @Test("It ends at the end of its time, with 1 and the reason", arguments: Scene.allCases)
    func reason(scene: Scene) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [scene] in
            try await BlueEarCentralSessionTests.central(in: scene).passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines == (scene.errorLine.map { [$0] } ?? []))
        let begin = ["Start configuration 🎛", "Start scanning peripherals 👀"]
        let isOff = scene == .noBluetooth || scene == .noAdapter
        // There will be no adapter later, either.
        let end = scene == .noAdapter ? [] : ["before the time is up"]
        #expect(process.lines.filter { !(isOff && begin.contains($0)) } == (isOff ? [] : begin) + scene.lines + end)
    }

    @Test("It hears, answers, leaves and ends at once with 0", arguments: [false, true])
    func exchange(reads: Bool) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [reads] in
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

    @Test(
        "With --stay a line that is no message, or too long a one, is reported and skipped; the end of input ends when all is delivered"
    )
    func stays() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
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
}
