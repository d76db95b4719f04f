import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The security of a connection")
@MainActor
struct CentralSecurityTests {
    private static func tool() throws -> ConnectedTool {
        try ConnectedTool(
            [
                .init("FFF1", properties: .read, value: Data([1])),
                .init("FFF2", properties: .read, value: Data([2]), security: .encrypted),
                .init("FFF3", properties: .read, value: Data([3]), security: .authenticated),
            ],
            permitsPairing: true
        )
    }

    @Test("is a pairing made once, also on later connections; a code cannot be demanded of a device that has none")
    func pair() throws {
        let tool = try Self.tool()
        let central = tool.testbed.central
        let words = ": the connection is encrypted, paired without a code"
        #expect(try tool.perform("pair") == ["\"Thermo\" is paired\(words)"])
        for _ in 1...2 {
            #expect(try tool.perform("pair") == ["\"Thermo\" is paired already\(words)"])
            #expect(try tool.perform("read FFF2") == ["02"])
            try tool.testbed.perform { await central.disconnect() }
            #expect(tool.connection.peripheral.state == .disconnected)
            try tool.perform("connect --timeout 86400")
        }
        #expect(throws: Failure.self) { try tool.perform("pair --code") }
    }

    @Test("is raised by an inspection for values that need it, and needs are named for those that are refused")
    func inspect() throws {
        let tool = try Self.tool()
        let (testbed, connection) = (tool.testbed, tool.connection)
        let lines = try testbed.printing {
            try testbed.perform {
                try await Inspection(central: testbed.central, reads: true, output: testbed.output, columns: nil)
                    .show(connection.peripheral)
            }
        }
        #expect(lines.first?.hasSuffix("the connection is not encrypted") == true)
        #expect(
            lines.dropFirst() == [
                "\nFFF0", "  FFF1  read = 01", "  FFF2  read = 02", "  FFF3  read = (needs pairing by a code)",
                "\nthe connection is now encrypted, paired without a code",
            ]
        )
    }

    @Test("ignores the pairing of another device while it waits for that of the device in use")
    func otherPairings() async throws {
        let tool = try Self.tool()
        let (central, peripheral) = (tool.testbed.central, tool.connection.peripheral)
        central.watchPairings()
        let onEnd = try #require(central.pairing?.conversation.onEnd)
        var isWaiting = false
        let failure = await #expect(throws: Failure.self) {
            try await central.wait(.pairing, ToolTestbed.realTimeLimit, Failure("late")) {
                onEnd(PairingPeer(identifier: UUID(), name: nil), .paired)
                isWaiting = central.awaited == .pairing
                onEnd(PairingPeer(identifier: peripheral.identifier, name: nil), .failed("a wrong code was entered"))
            }
        }
        #expect(isWaiting && central.awaited == nil)
        #expect(failure?.line == "a wrong code was entered")
    }

    private static let output = OutputFormat(isJSON: false, isVerbose: false) { _ in }

    private static func advised() throws -> Central {
        let agent = TerminalPairingAgent(PairingCapabilities.none)
        let pairing = ProgramPairing(agent, try RadioOptions.parse(["--identity", "bob"]))
        return Central(pairing: pairing, output: output)
    }

    @Test("comes with advice behind the error of an attribute that wants it")
    func advice() throws {
        let (advised, plain) = (try Self.advised(), Central(output: Self.output))
        let cases: [(error: any Error, advice: String)] = [
            (
                CBATTError(.insufficientEncryptionKeySize),
                "; the devices have to pair again: corebluetooth bonds remove Lamp --identity bob"
            ), (CBATTError(.insufficientAuthorization), "; the device's user must allow it there"),
            (
                CBError(.peerRemovedPairingInformation),
                "; remove the rest of the pairing: corebluetooth bonds remove Lamp --identity bob; then pair again"
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
}
