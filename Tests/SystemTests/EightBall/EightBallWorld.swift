// Balls, centrals that ask them, and the demonstration, in the world of a session.

import CommandLineTool
import CoreBluetoothTesting
import Foundation
import SessionTestbed

@testable import eightball

extension SessionRun {
    /// Adds the program's own ball.
    @MainActor
    mutating func addBall(_ name: String) {
        start(on: world.addDevice(name)) {
            let session = EightBallPeripheralSession(
                name: name,
                output: OutputFormat(isJSON: false, isVerbose: false) { _ in }
            )
            session.start()
            return session
        }
    }

    /// Adds a ball that answers each question after some seconds, or never.
    func addPerson(_ name: String, after seconds: Double?) {
        let answer = "349A0D7B-6215-4E2C-A095-AF078D737445"
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init(
                "BDD37D7A-F66A-47B9-A49C-FE29FD235A77",
                properties: .write,
                onWrite: { _, device in
                    guard let seconds else { return .success }
                    device.after(.seconds(seconds)) { device.notify(Data("SLUG-ANSWER-00".utf8), for: answer) }
                    return .success
                }
            ), .init(answer, properties: [.read, .notify], value: Data()),
        ]
        let service = ScriptedPeripheral.Service(
            "8E38140A-27BE-4090-8955-4FC4B5698D1E",
            characteristics: characteristics
        )
        world.addPeripheral(ScriptedPeripheral(name: name, services: [service]))
    }

    /// Starts a central that reads the lines of a script.
    @MainActor
    mutating func startCentral(_ script: String, isJSON: Bool = false) throws {
        let reader = lines(script)
        try start(on: world.addDevice("asker")) {
            let session = EightBallCentralSession(
                lines: reader,
                pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                output: OutputFormat(isJSON: isJSON, isVerbose: false)
            )
            session.start()
            return session
        }
    }

    /// Starts the demonstration on two devices, "central" and "ball", after `arrange` has seen them.
    @MainActor
    mutating func startDemo(
        _ question: String = "Will it rain?",
        isJSON: Bool = false,
        _ arrange: @MainActor (World) -> Void = { _ in }
    ) {
        // The ball requests its adapter first.
        var devices = [world.addDevice("central"), world.addDevice("ball")]
        arrange(world)
        start(on: devices[1]) {
            let session = DemoSession(
                question: question,
                captureFile: nil,
                output: OutputFormat(isJSON: isJSON, isVerbose: false),
                makeAdapter: { _ in devices.removeLast().adapter }
            )
            session.begin()
            return session
        }
    }
}
