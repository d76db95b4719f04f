// `pair` in a session, and what `inspect` says of values that need a pairing.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("Pairing on a connection")
@MainActor
struct PairActionTests {
    private func testbed() throws -> (ToolTestbed, DeviceConnection) {
        let world = World(seed: 1)
        let service = ScriptedPeripheral.Service(
            "FFF0",
            characteristics: [
                .init("FFF1", properties: .read, value: Data([1])),
                .init("FFF2", properties: .read, value: Data([2]), security: .encrypted),
                .init("FFF3", properties: .read, value: Data([3]), security: .authenticated),
            ]
        )
        world.addPeripheral(ScriptedPeripheral(name: "Safe", services: [service]))
        let testbed = try ToolTestbed(world, permitsPairing: true)
        return (testbed, try testbed.connect("Safe"))
    }

    @Test("A device is paired once; demanding a code of one that has none fails")
    func pair() throws {
        let (testbed, connection) = try testbed()
        let line = "the connection is encrypted, paired without a code"
        #expect(try testbed.perform("pair", on: connection) == ["\"Safe\" is paired: \(line)"])
        #expect(try testbed.perform("pair", on: connection) == ["\"Safe\" is paired already: \(line)"])
        #expect(try testbed.perform("read FFF2", on: connection) == ["02"])
        #expect(throws: Failure.self) { try testbed.perform("pair --code", on: connection) }
    }

    @Test("inspect makes the two pair for what needs it, and says what each value needs that is refused all the same")
    func inspect() throws {
        let (testbed, connection) = try testbed()
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
}
