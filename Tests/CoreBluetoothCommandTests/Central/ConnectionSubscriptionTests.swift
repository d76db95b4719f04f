// Subscriptions on a connection beside each other: which values are printed, and in which form, when one is asked for
// again, refused, ended or counted; and what becomes of them when the connection or the services go.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("Subscriptions beside each other")
@MainActor
struct ConnectionSubscriptionTests {
    private let world: World
    private let device: ScriptedDevice
    private let testbed: ToolTestbed
    private let connection: DeviceConnection

    init() throws {
        world = World(seed: 1)
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init("2A19", properties: [.read, .notify], updates: .every(.seconds(1)) { _ in Data([86]) }),
            .init("FFF1", properties: .read, value: Data([1])),
            .init("FFF2", properties: .notify, updates: .every(.seconds(1)) { _ in Data([7]) }),
            .init("FFF3", properties: .notify),
        ]
        let service = ScriptedPeripheral.Service("FFF0", characteristics: characteristics)
        device = world.addPeripheral(ScriptedPeripheral(name: "Thermo", services: [service]))
        testbed = try ToolTestbed(world)
        connection = try testbed.connect("Thermo")
    }

    private func values(of seconds: Double) -> Set<String> {
        Set(testbed.printing { world.advance(by: .seconds(seconds)) })
    }

    @Test("One that is asked for again has the form that was asked for last, and is one")
    func again() throws {
        try testbed.perform("subscribe 2A19 --hex", on: connection)
        #expect(values(of: 5) == ["56"])
        try testbed.perform("subscribe 2A19", on: connection)
        #expect(connection.subscribed.count == 1)
        #expect(values(of: 5) == ["56 (86 %)"])
        try testbed.perform("unsubscribe 2A19", on: connection)
        #expect(connection.subscribed.isEmpty)
        #expect(values(of: 5).isEmpty)
    }

    @Test("One that is refused leaves those that there are; one that ends leaves the others")
    func others() throws {
        try testbed.perform("subscribe 2A19 --hex", on: connection)
        #expect(throws: (any Error).self) { try testbed.perform("subscribe FFF1", on: connection) }
        #expect(connection.subscribed.map(\.uuid) == [CBUUID(string: "2A19")])
        #expect(values(of: 5) == ["56"])
        try testbed.perform("subscribe FFF2 --hex", on: connection)
        #expect(connection.subscribed.map(\.uuid) == [CBUUID(string: "2A19"), CBUUID(string: "FFF2")])
        #expect(values(of: 5) == ["56", "07"])
        try testbed.perform("unsubscribe 2A19", on: connection)
        #expect(connection.subscribed.map(\.uuid) == [CBUUID(string: "FFF2")])
        #expect(values(of: 5) == ["07"])
    }

    @Test("Beside values that are counted, those of another one are printed, and do not count")
    func counted() throws {
        try testbed.perform("subscribe FFF2 --hex", on: connection)
        let lines = try testbed.perform("subscribe 2A19 --hex --count 3", on: connection)
        #expect(lines.count { $0 == "56" } == 3)
        #expect(lines.contains("07"))
        #expect(connection.subscribed.map(\.uuid) == [CBUUID(string: "FFF2")])
        #expect(values(of: 5) == ["07"])
    }

    @Test("Where no other command follows, what comes behind the counted values is not printed")
    func single() throws {
        let single = DeviceConnection(testbed.central, connection.peripheral, output: testbed.output)
        #expect(try testbed.perform("subscribe 2A19 --hex --count 2", on: single) == ["56", "56"])
        #expect(single.subscribed.count == 1)
        #expect(values(of: 5).isEmpty)
    }

    @Test("Values that have come before they are waited for count", arguments: [1, 2])
    func early(count: Int) throws {
        let (connection, output) = (connection, testbed.output)
        let lines = try testbed.printing {
            try testbed.perform {
                let found = try await connection.characteristic(CBUUID(string: "FFF3"), of: nil)
                let characteristic = try #require(found)
                let printer = ValuePrinter(form: .hexadecimal, output: output)
                try await connection.subscribe(to: characteristic, printer, count: count)
                for octet in [1, 2, 3] as [UInt8] { connection.central.onValue?(characteristic, Data([octet])) }
                try await connection.waitForValues()
            }
        }
        #expect(lines == Array(["01", "02"].prefix(count)))
    }

    @Test("A connection that is lost while values are waited for is the failure of that, and is told nobody else")
    func lost() throws {
        let (world, device) = (world, device)
        var losses: [String] = []
        connection.onLoss = { losses.append($0) }
        try testbed.perform("subscribe 2A19 --hex", on: connection)
        world.after(.seconds(5)) { device.dropLinks() }
        let failure = #expect(throws: Failure.self) { try testbed.perform("wait 86400", on: connection) }
        #expect(failure?.line.hasPrefix("\"Thermo\" has disconnected: ") == true)
        #expect(losses.isEmpty && connection.subscribed.isEmpty)
        RunRecord.note(failure?.line ?? "")
        // Until a new one is watched, it is lost.
        let again = #expect(throws: Failure.self) { try testbed.perform("wait 86400", on: connection) }
        #expect(again?.line == failure?.line)
        try testbed.perform("connect --timeout 86400", on: connection)
        #expect(connection.peripheral.state == .connected)
        #expect(try testbed.perform("subscribe 2A19 --hex --count 1", on: connection) == ["56"])
        world.after(.seconds(5)) { device.dropLinks() }
        world.advance(by: .seconds(60))
        #expect(losses.count == 1)
    }

    @Test("Names are those of services that the device still has")
    func changed() throws {
        let connection = connection
        try testbed.perform { try await connection.discover() }
        #expect(connection.discovered.map(\.uuid.uuidString) == ["2A19", "FFF1", "FFF2", "FFF3"])
        #expect(connection.names { $0.contains(.read) } == ["Battery Level", "2A19", "FFF1"])
        world.advance(by: .seconds(1))
        device.publish([.init("180D", characteristics: [.init("2A37", properties: .read, value: Data([0, 60]))])])
        world.advance(by: .seconds(1))
        #expect(connection.discovered.isEmpty)
        #expect(connection.names { _ in true }.isEmpty)
        try testbed.perform { try await connection.discover() }
        #expect(connection.discovered.map(\.uuid.uuidString) == ["2A37"])
    }
}
