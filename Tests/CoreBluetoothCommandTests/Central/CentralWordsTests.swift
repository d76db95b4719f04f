// The words of the commands' central for an error, with what a person can do about it; and who answers the questions of
// a pairing in a session.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The words of a central for an error")
@MainActor
struct CentralWordsTests {
    private static let output = OutputFormat(isJSON: false, isVerbose: false) { _ in }

    private static func advised() throws -> Central {
        let agent = TerminalPairingAgent(PairingCapabilities.none)
        let pairing = ProgramPairing(agent, try RadioOptions.parse(["--identity", "bob"]))
        return Central(pairing: pairing, output: output)
    }

    @Test("What can be done about a want of security follows the error, alone or as the cause of a failure")
    func advice() throws {
        let (advised, plain) = (try Self.advised(), Central(output: Self.output))
        let cases: [(error: any Error, advice: String)] = [
            (
                CBATTError(.insufficientEncryptionKeySize),
                "; the devices have to pair anew: corebluetooth bonds remove Lamp --identity bob"
            ), (CBATTError(.insufficientAuthorization), "; the device's user has to permit it there"),
            (
                CBError(.peerRemovedPairingInformation),
                "; remove what is left of the pairing: corebluetooth bonds remove Lamp --identity bob; then pair anew"
            ), (CBError(.connectionTimeout), ""), (CBATTError(.readNotPermitted), ""), (Failure("a line"), ""),
        ]
        for (error, advice) in cases {
            let words = ErrorText.text(error)
            #expect(advised.words(for: error, device: "Lamp") == words + advice)
            #expect(plain.words(for: error, device: "Lamp") == words)
            let failure = DeviceFailure("reading FFF1 failed", error)
            #expect(advised.words(for: failure, device: "Lamp") == "reading FFF1 failed: " + words + advice)
            #expect(plain.words(for: failure, device: "Lamp") == "reading FFF1 failed: " + words)
        }
    }

    @Test("In a session the lines of the session are the answers of its user, too")
    func answers() throws {
        let world = World(seed: 1)
        world.addPeripheral(ScriptedPeripheral(name: "Thermo"))
        let testbed = try ToolTestbed(world, permitsPairing: true)
        let connection = try testbed.connect("Thermo")
        let conversation = try #require(testbed.central.pairing?.conversation)
        #expect(conversation.lines == nil)
        let lines = LineReader { _ in }
        let session = DeviceSession(connection, device: "Thermo", keepsGoing: true, lines: lines)
        #expect(conversation.lines === lines)
        let isWatched = connection.onLoss != nil
        #expect(isWatched)
        withExtendedLifetime(session) {}
    }
}
