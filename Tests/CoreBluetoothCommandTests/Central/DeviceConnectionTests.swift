import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("A connection to a device")
@MainActor
struct DeviceConnectionTests {
    private let tool: ConnectedTool

    private var connection: DeviceConnection { tool.connection }

    init() throws {
        tool = try ConnectedTool([
            .init("2A19", properties: [.read, .notify], updates: .every(.seconds(1)) { _ in Data([86]) }),
            .init("FFF1", properties: .read, value: Data([1])),
            .init("FFF2", properties: .notify, updates: .every(.seconds(1)) { _ in Data([7]) }),
            .init("FFF3", properties: .notify),
        ])
    }

    private func values(of seconds: Double) -> Set<String> {
        Set(tool.testbed.printing { tool.world.advance(by: .seconds(seconds)) })
    }

    @Test("prints the values of a subscription in the form that was asked for last")
    func again() throws {
        try tool.perform("subscribe 2A19 --hex")
        #expect(values(of: 5) == ["56"])
        try tool.perform("subscribe 2A19")
        #expect(connection.subscribed.count == 1)
        #expect(values(of: 5) == ["56 (86 %)"])
        try tool.perform("unsubscribe 2A19")
        #expect(connection.subscribed.isEmpty && values(of: 5).isEmpty)
    }

    @Test("keeps its subscriptions when one is refused, and the others when one ends; others are not counted")
    func others() throws {
        func subscribed() -> [String] { connection.subscribed.map(\.uuid.uuidString) }
        try tool.perform("subscribe 2A19 --hex")
        #expect(throws: (any Error).self) { try tool.perform("subscribe FFF1") }
        #expect(subscribed() == ["2A19"] && values(of: 5) == ["56"])
        try tool.perform("subscribe FFF2 --hex")
        #expect(subscribed() == ["2A19", "FFF2"] && values(of: 5) == ["56", "07"])
        try tool.perform("unsubscribe 2A19")
        #expect(subscribed() == ["FFF2"] && values(of: 5) == ["07"])
        let lines = try tool.perform("subscribe 2A19 --hex --count 3")
        #expect(lines.count { $0 == "56" } == 3 && lines.contains("07"))
        #expect(subscribed() == ["FFF2"] && values(of: 5) == ["07"])
    }

    /// Subscribes to FFF3, whose values are the test's, and counts so many.
    private static func subscribe(_ connection: DeviceConnection, count: Int) async throws -> CBCharacteristic {
        let found = try await connection.characteristic(AttributeQuery("FFF3"), of: nil)
        let characteristic = try #require(found)
        let printer = ValuePrinter(type: .hex, output: connection.output)
        try await connection.subscribe(to: characteristic, printer, count: count)
        return characteristic
    }

    @Test("counts values that came before they are waited for", arguments: [1, 2])
    func early(count: Int) throws {
        let (testbed, connection) = (tool.testbed, connection)
        let lines = try testbed.printing {
            try testbed.perform {
                let characteristic = try await Self.subscribe(connection, count: count)
                for octet in [1, 2, 3] as [UInt8] { connection.central.onValue?(characteristic, Data([octet])) }
                try await connection.waitForValues()
            }
        }
        #expect(lines == Array(["01", "02"].prefix(count)))
    }

    @Test("waits for some seconds whatever values have come and however many were counted")
    func reachedCount() throws {
        let (world, device, connection) = (tool.world, tool.device, connection)
        let waits = Watched(0)
        world.after(.seconds(20)) { device.dropLinks() }
        let failure = #expect(throws: Failure.self) {
            try tool.testbed.perform {
                let characteristic = try await Self.subscribe(connection, count: 1)
                connection.central.onValue?(characteristic, Data([1]))
                // All that were counted have come.
                try await connection.waitForValues()
                waits.update { $0 += 1 }
                try await connection.waitForValues(ToolTestbed.realTimeLimit)
            }
        }
        #expect(waits.value == 1)
        #expect(failure?.line.hasPrefix("\"Thermo\" has disconnected: ") == true)
        #expect(world.now >= .seconds(20))
    }

    @Test("fails the wait for values when it is lost, and is reported as lost if nothing waits")
    func lost() throws {
        let (world, device) = (tool.world, tool.device)
        var losses: [String] = []
        connection.onLoss = { losses.append($0) }
        try tool.perform("subscribe 2A19 --hex")
        world.after(.seconds(5)) { device.dropLinks() }
        let failure = #expect(throws: Failure.self) { try tool.perform("wait 86400") }
        #expect(failure?.line.hasPrefix("\"Thermo\" has disconnected: ") == true)
        #expect(losses.isEmpty && connection.subscribed.isEmpty)
        let again = #expect(throws: Failure.self) { try tool.perform("wait 86400") }
        #expect(again?.line == failure?.line)
        try tool.perform("connect --timeout 86400")
        #expect(connection.peripheral.state == .connected)
        #expect(try tool.perform("subscribe 2A19 --hex --count 1") == ["56"])
        world.after(.seconds(5)) { device.dropLinks() }
        world.advance(by: .seconds(60))
        #expect(losses.count == 1)
    }

    @Test("waits until its time is over, once it is watched anew")
    func seconds() async throws {
        var reasons: [String] = []
        connection.onLoss = { reasons.append($0) }
        connection.central.onDisconnection?("gone")
        #expect(reasons == ["gone"])
        connection.watch()
        // A limit of real time, which is over at once.
        try await tool.world.wait(within: .seconds(3600)) { [connection] in try await connection.waitForValues(0) }
    }

    @Test("completes the names of services that the device still has")
    func changed() throws {
        let connection = connection
        try tool.testbed.perform { try await connection.discover() }
        #expect(connection.discovered.map(\.uuid.uuidString) == ["2A19", "FFF1", "FFF2", "FFF3"])
        #expect(connection.names { $0.contains(.read) } == ["Battery Level", "2A19", "FFF1"])
        tool.world.advance(by: .seconds(1))
        tool.device.publish([.init("180D", characteristics: [.init("2A37", properties: .read, value: Data([0, 60]))])])
        tool.world.advance(by: .seconds(1))
        #expect(connection.discovered.isEmpty)
        #expect(connection.names { _ in true }.isEmpty)
        try tool.testbed.perform { try await connection.discover() }
        #expect(connection.discovered.map(\.uuid.uuidString) == ["2A37"])
    }

    @Test("finds the characteristic of the service that is named, and none without a name if several have it")
    func characteristics() throws {
        tool.device.publish(
            [("FFE0", 1), ("FFF0", 2)].map { (uuid: String, octet: UInt8) in
                ScriptedPeripheral.Service(
                    uuid,
                    characteristics: [.init("FFF1", properties: .read, value: Data([octet]))]
                )
            }
        )
        tool.world.advance(by: .seconds(1))
        #expect(throws: Failure.self) { try tool.perform("read FFF1") }
        #expect(try tool.perform("read FFF1 --service FFF0") == ["02"])
        #expect(try tool.perform("read FFF1 --service FFE0") == ["01"])
    }
}
