// What `corebluetooth clone` does with a device, so that a capture has all of it: each value is read, all that sends is
// subscribed to for some time, and no longer. A limit of real time is in it, so it is off the record.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The recording of a device")
@MainActor
struct DeviceRecordingTests {
    /// What a device was asked for.
    @MainActor
    private final class Counts {
        var reads: [String: Int] = [:]
        var sent: [String: Int] = [:]
    }

    private let counts = Counts()
    private let world: World
    private let device: ScriptedDevice
    private let testbed: ToolTestbed
    private let peripheral: CBPeripheral

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
        world = World(seed: 1)
        device = world.addPeripheral(
            ScriptedPeripheral(
                name: "Lamp",
                services: [
                    // It is found where another one includes it.
                    .init("FFE0", isPrimary: false, characteristics: [characteristic("FFE1", .read)]),
                    .init(
                        "FFF0",
                        characteristics: [
                            characteristic("FFF1", [.read, .notify]), characteristic("FFF2", .indicate),
                            characteristic("FFF4", [.read, .notify]),
                        ],
                        includes: [CBUUID(string: "FFE0")]
                    ),
                    .init(
                        "FFD0",
                        characteristics: [characteristic("FFD1", .read)],
                        includes: [CBUUID(string: "FFE0")]
                    ),
                ]
            )
        )
        testbed = try ToolTestbed(world)
        peripheral = try testbed.connect("Lamp").peripheral
    }

    private func recording() -> DeviceRecording { DeviceRecording(central: testbed.central, output: testbed.output) }

    @Test("What can be read is read once, also behind a value that is refused; nothing is subscribed to yet")
    func explored() throws {
        let (recording, peripheral) = (recording(), peripheral)
        try testbed.perform { try await recording.explore(peripheral) }
        #expect(counts.reads.keys.sorted() == ["FFD1", "FFE1", "FFF1", "FFF4"])
        for uuid in ["FFD1", "FFE1", "FFF1"] { #expect(counts.reads[uuid] == 1, "\(uuid)") }
        #expect(counts.sent.isEmpty)
        let characteristics = (peripheral.services ?? []).flatMap { $0.characteristics ?? [] }
        #expect(characteristics.map(\.uuid.uuidString) == ["FFF1", "FFF2", "FFF4", "FFD1"])
        // The same services are not read again.
        try testbed.perform { try await recording.explore(peripheral) }
        #expect(counts.reads["FFF1"] == 1)
    }

    @Test("All that sends is subscribed to, and no longer than asked for")
    func heard() async throws {
        let (recording, peripheral) = (recording(), peripheral)
        try testbed.perform { try await recording.explore(peripheral) }
        try await world.wait(within: .seconds(3600)) { try await recording.listen(0) }
        #expect(counts.sent.keys.sorted() == ["FFF1", "FFF2", "FFF4"])
        for uuid in ["FFF1", "FFF2", "FFF4"] { #expect(!device.hasSubscriber(for: CBUUID(string: uuid)), "\(uuid)") }
        let isWatched = testbed.central.onDisconnection != nil
        #expect(!isWatched)
        #expect(peripheral.state == .connected)
    }

    @Test("A device that goes meanwhile is the failure of the recording")
    func lost() async throws {
        let (recording, peripheral, device) = (recording(), peripheral, device)
        try testbed.perform { try await recording.explore(peripheral) }
        world.after(.seconds(5)) { device.dropLinks() }
        let failure = await #expect(throws: Failure.self) {
            try await world.wait(within: .seconds(3600)) { try await recording.listen(86_400) }
        }
        #expect(failure?.line.hasPrefix("the device has disconnected: ") == true)
    }

    @Test("Where nothing sends, nothing is waited for")
    func silent() async throws {
        let recording = recording()
        try await world.wait(within: .seconds(1)) { try await recording.listen(86_400) }
        #expect(counts.sent.isEmpty)
    }
}
