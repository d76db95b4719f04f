// What clone does with a device, so that a capture has all of it.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("corebluetooth clone")
@MainActor
struct CloneCommandTests {
    @Test(
        "names the file by the device, without what stands for folders or is no letter",
        arguments: [
            ("Lamp", "Lamp"), ("a-b_c9", "a-b_c9"), ("Küche 2", "Küche-2"), ("../a/b", "---a-b"), (".", "-"),
            ("", "clone"), ("漢字", "漢字"), ("a\nb", "a-b"),
        ]
    )
    func fileName(device: String, name: String) {
        #expect(CloneCommand.fileName(device) == name)
        #expect([1, 2].map { CloneCommand.counted($0, "part") } == ["1 part", "2 parts"])
    }

    // MARK: Recording

    /// The requests to a device.
    @MainActor
    private final class Counts {
        var reads: [String: Int] = [:]
        var sent: [String: Int] = [:]
    }

    private let counts = Counts()

    private let tool: ConnectedTool

    private var peripheral: CBPeripheral { tool.connection.peripheral }

    init() throws {
        let counts = counts
        func characteristic(
            _ uuid: String,
            _ properties: CBCharacteristicProperties
        ) -> ScriptedPeripheral.Characteristic {
            var updates: ScriptedPeripheral.Updates?
            if !properties.isDisjoint(with: [.notify, .indicate]) {
                updates = .every(.milliseconds(10)) { _ in
                    MainActor.assumeIsolated { counts.sent[uuid, default: 0] += 1 }
                    return Data([3])
                }
            }
            return ScriptedPeripheral.Characteristic(
                uuid,
                properties: properties,
                value: Data([1]),
                onRead: { _ in
                    MainActor.assumeIsolated { counts.reads[uuid, default: 0] += 1 }
                    return uuid == "FFF4" ? .error(.insufficientAuthorization) : .value(Data([2]))
                },
                updates: updates
            )
        }
        let included = [CBUUID(string: "FFE0")]
        let senders = [
            characteristic("FFF1", [.read, .notify]), characteristic("FFF2", .indicate),
            characteristic("FFF4", [.read, .notify]),
        ]
        let services: [ScriptedPeripheral.Service] = [
            // It is found where another one includes it.
            .init("FFE0", isPrimary: false, characteristics: [characteristic("FFE1", .read)]),
            .init("FFF0", characteristics: senders, includes: included),
            .init("FFD0", characteristics: [characteristic("FFD1", .read)], includes: included),
        ]
        tool = try ConnectedTool(ScriptedPeripheral(name: "Lamp", services: services))
    }

    private func recording() -> DeviceRecording {
        DeviceRecording(central: tool.testbed.central, output: tool.testbed.output)
    }

    @Test("reads each readable value once, also behind a refused one, and does not subscribe yet")
    func explored() throws {
        let (recording, peripheral) = (recording(), peripheral)
        try tool.testbed.perform { try await recording.explore(peripheral) }
        #expect(counts.reads.keys.sorted() == ["FFD1", "FFE1", "FFF1", "FFF4"])
        for uuid in ["FFD1", "FFE1", "FFF1"] { #expect(counts.reads[uuid] == 1, "\(uuid)") }
        #expect(counts.sent.isEmpty)
        let characteristics = (peripheral.services ?? []).flatMap { $0.characteristics ?? [] }
        #expect(characteristics.map(\.uuid.uuidString) == ["FFF1", "FFF2", "FFF4", "FFD1"])
        try tool.testbed.perform { try await recording.explore(peripheral) }
        #expect(counts.reads["FFF1"] == 1)
    }

    @Test("subscribes to all that sends, and no longer than asked for")
    func heard() async throws {
        let (recording, peripheral) = (recording(), peripheral)
        try tool.testbed.perform { try await recording.explore(peripheral) }
        try await tool.world.wait(within: .seconds(3600)) { try await recording.listen(0) }
        #expect(counts.sent.keys.sorted() == ["FFF1", "FFF2", "FFF4"])
        for uuid in ["FFF1", "FFF2", "FFF4"] {
            #expect(!tool.device.hasSubscriber(for: CBUUID(string: uuid)), "\(uuid)")
        }
        let isWatched = tool.testbed.central.onDisconnection != nil
        #expect(!isWatched)
        #expect(peripheral.state == .connected)
    }

    @Test("fails if the device leaves meanwhile")
    func lost() async throws {
        let (recording, peripheral, device) = (recording(), peripheral, tool.device)
        try tool.testbed.perform { try await recording.explore(peripheral) }
        tool.world.after(.seconds(5)) { device.dropLinks() }
        let failure = await #expect(throws: Failure.self) {
            try await tool.world.wait(within: .seconds(3600)) { try await recording.listen(86_400) }
        }
        #expect(failure?.line.hasPrefix("the device has disconnected: ") == true)
    }

    @Test("waits for nothing if nothing sends")
    func silent() async throws {
        let recording = recording()
        try await tool.world.wait(within: .seconds(1)) { try await recording.listen(86_400) }
        #expect(counts.sent.isEmpty)
    }
}
