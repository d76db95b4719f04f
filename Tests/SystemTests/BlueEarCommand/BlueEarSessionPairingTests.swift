import BlueEar
import BluetoothHost
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import BlueEarCommand

@Suite("Sessions of blueear beside a pairing")
struct BlueEarSessionPairingTests {
    /// A session beside a peripheral that answers nothing on its link, and a pairing from the first second to the 15th.
    @MainActor
    private static func session(_ name: String) throws -> SessionRun {
        var run = SessionRun()
        let world = run.world
        let silent = world.addDevice("silent")
        silent.isUnresponsive = true
        run.start(on: silent) { PeripheralRole.BluetoothManager(delegate: nil) }
        // What is shown of a pairing goes nowhere.
        let agent = TerminalPairingAgent(
            .keyboardAndDisplay,
            serves: OutputFormat(isJSON: false, isVerbose: false) { _ in }
        )
        let pairing = ProgramPairing(agent, try RadioOptions.parse([]))
        let output = OutputFormat(isJSON: true, isVerbose: false)
        let device = world.addDevice("session")
        if name == "key" {
            run.start(on: device) {
                let session = KeySession(secret: "a", restoreIdentifier: nil, pairing: pairing, output: output)
                session.start()
                return session
            }
        } else {
            try run.startCentral(on: device, pairing: pairing, output: output)
        }
        let identifier = try #require(UUID(uuidString: "10000000-0000-0000-0000-000000000000"))
        let peer = PairingPeer(identifier: identifier, name: "Anna")
        let code = try #require(Passkey(42))
        world.onMain(after: .seconds(1)) { agent.pairing(PairingPrompt(.displayPasskey(code), of: peer) { _ in }) }
        world.onMain(after: .seconds(15)) { agent.pairingEnded(with: peer, .paired) }
        return run
    }

    @Test(
        "gives a peripheral that does not answer ten seconds from the end of a pairing",
        arguments: ["central", "key"]
    )
    func moreTime(name: String) async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            [name = name as String] in
            let run = try await BlueEarSessionPairingTests.session(name)
            for seconds in [24.9, 25.1] { run.mark("- \(seconds)", at: seconds) }
            run.passMinute()
        }
        let lines = try #require(result).lines
        let failure = try #require(lines.firstIndex { $0.contains(#""event":"failed""#) })
        let before = try #require(lines.firstIndex(of: "- 24.9"))
        let after = try #require(lines.firstIndex(of: "- 25.1"))
        #expect(before < failure && failure < after)
        #expect(lines[failure].contains("it did not answer in time"))
    }
}
