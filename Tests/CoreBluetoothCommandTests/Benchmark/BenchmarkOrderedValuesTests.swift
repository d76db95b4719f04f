// What the benchmark's peripheral sends where it is told how many values and how long ones: shorter ones, too, than
// those that its own central asks for, which are as long as an ATT packet can carry.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("What the benchmark's peripheral is ordered to send")
@MainActor
struct BenchmarkOrderedValuesTests {
    @Test("It sends as many values as were ordered, each as long as was ordered, and the next order is another one")
    func values() throws {
        let world = World(seed: 1)
        let session = world.addDevice("peripheral").run { PeripheralSession.started("Peer", benchmark: true) }
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Peer")
        try testbed.perform("subscribe C0B80002-3A5E-4B1F-9D2C-7E6F5A4B3C2D --hex", on: connection)
        // How many, in four octets, and how long, in two.
        let orders: [(digits: String, lines: [String])] = [
            ("030000000500", ["2A2A2A2A2A", "2A2A2A2A2A", "2A2A2A2A2A"]), ("010000000100", ["2A"]),
            ("000000000500", []), ("020000000300", ["2A2A2A", "2A2A2A"]),
        ]
        for order in orders {
            let lines = try testbed.printing {
                try testbed.perform("write C0B80003-3A5E-4B1F-9D2C-7E6F5A4B3C2D \(order.digits)", on: connection)
                world.advance(by: .seconds(2))
            }
            #expect(lines == order.lines, "\(order.digits)")
        }
        withExtendedLifetime(session) {}
    }
}
