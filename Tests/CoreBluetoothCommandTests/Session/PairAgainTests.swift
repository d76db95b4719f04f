// `pair` with a device whose keys are kept from an earlier connection.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("Pairing on a later connection")
@MainActor
struct PairAgainTests {
    private let testbed: ToolTestbed
    private let connection: DeviceConnection

    init() throws {
        let world = World(seed: 1)
        let service = ScriptedPeripheral.Service(
            "FFF0",
            characteristics: [.init("FFF2", properties: .read, value: Data([2]), security: .encrypted)]
        )
        world.addPeripheral(ScriptedPeripheral(name: "Safe", services: [service]))
        testbed = try ToolTestbed(world, permitsPairing: true)
        connection = try testbed.connect("Safe")
    }

    @Test("A device that has paired on an earlier connection is paired already, on each later one")
    func later() throws {
        let central = testbed.central
        let words = ": the connection is encrypted, paired without a code"
        #expect(try testbed.perform("pair", on: connection) == ["\"Safe\" is paired\(words)"])
        for _ in 1...2 {
            try testbed.perform { await central.disconnect() }
            #expect(connection.peripheral.state == .disconnected)
            try testbed.perform("connect --timeout 86400", on: connection)
            #expect(try testbed.perform("pair", on: connection) == ["\"Safe\" is paired already\(words)"])
            #expect(try testbed.perform("read FFF2", on: connection) == ["02"])
        }
    }
}
