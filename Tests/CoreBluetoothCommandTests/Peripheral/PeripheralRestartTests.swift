// A described peripheral in a world: what it does anew when its adapter was off, and values that are longer than one
// packet, read and written in parts.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("A described peripheral that restarts, and its long values")
@MainActor
struct PeripheralRestartTests {
    /// A described peripheral that is called "Safe".
    private static func start(
        _ json: String,
        in world: World,
        mtu: Int = 517,
        benchmark: Bool = false,
        _ print: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> PeripheralSession {
        let description = try GATTDescription(json: Data(json.utf8), from: "t.json")
        return world.addDevice("peripheral", mtu: mtu).run {
            PeripheralSession.started("Safe", description, benchmark: benchmark, print)
        }
    }

    private static func characteristic(_ json: String) -> String {
        #"{ "services": [ { "uuid": "FFF0", "characteristics": [ { "uuid": "FFF1", \#(json) } ] } ] }"#
    }

    @Test("Each time that the adapter is on, it advertises and publishes its channels, the benchmark's first")
    func channels() throws {
        let world = World(seed: 1)
        let printed = Watched<[String]>([])
        let json = #"{ "services": [ { "uuid": "FFF0" } ], "channels": [ {}, { "security": "encrypted" } ] }"#
        let session = try Self.start(json, in: world, benchmark: true) { line in printed.update { $0.append(line) } }
        let server = try #require(session.server)
        func lines(_ prefix: String) -> [String] { printed.value.filter { $0.hasPrefix(prefix) } }
        for number in 1...3 {
            try world.run(until: lines("the L2CAP channel ").count >= 2 * number && server.psm != 0)
            world.advance(by: .seconds(1))
            let first = Int(server.psm)
            let all = lines("the L2CAP channel ")
            #expect(all.count == 2 * number)
            #expect(
                Array(all.suffix(2)) == [
                    "the L2CAP channel \(first + 1) is open to centrals",
                    "the L2CAP channel \(first + 2) is open to centrals, encrypted",
                ]
            )
            #expect(lines("\"Safe\" is advertising ").count == number)
            world["peripheral"]?.isPowered = false
            world.advance(by: .seconds(1))
            world["peripheral"]?.isPowered = true
        }
        RunRecord.note("\(printed.value)")
        withExtendedLifetime(session) {}
    }

    @Test("Values that wait to be sent when the adapter goes off are never sent")
    func waitingValues() throws {
        let world = World(seed: 2)
        let session = try Self.start(Self.characteristic(#""properties": ["notify"]"#), in: world)
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Safe")
        try testbed.perform("subscribe FFF1 --hex", on: connection)
        let attribute = try #require(session.attributes.first)
        for number in 0..<300 {
            let value = Data([0xA0, UInt8(truncatingIfNeeded: number)])
            session.notify(.init(attribute: attribute, value: value, centrals: nil))
        }
        world["peripheral"]?.isPowered = false
        world.advance(by: .seconds(60))
        world["peripheral"]?.isPowered = true
        world.advance(by: .seconds(5))
        let again = try testbed.connect("Safe")
        try testbed.perform("subscribe FFF1 --hex", on: again)
        let printed = testbed.printing {
            session.notify(.init(attribute: attribute, value: Data([0xB0]), centrals: nil))
            world.advance(by: .seconds(10))
        }
        #expect(printed == ["B0"])
        withExtendedLifetime(session) {}
    }

    @Test("A value that fills its packets is read whole, and so is one with an octet less or more")
    func longReads() throws {
        let world = World(seed: 3)
        let session = try Self.start(Self.characteristic(#""properties": ["read"]"#), in: world, mtu: 100)
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Safe")
        world.advance(by: .seconds(1))
        // A response has one octet beside the value, a write without response three (Vol 3, Part F, 3.4.4.4, 3.4.5.3).
        let part = connection.peripheral.maximumWriteValueLength(for: .withoutResponse) + 2
        #expect(part == 99)
        let attribute = try #require(session.attributes.first)
        for count in [0, 1, part - 1, part, part + 1, 2 * part - 1, 2 * part, 2 * part + 1, 5 * part, 512] {
            attribute.value = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) })
            let digits = Hexadecimal.digits(attribute.value)
            #expect(try testbed.perform("read FFF1 --hex", on: connection) == [digits], "\(count) octets")
        }
        withExtendedLifetime(session) {}
    }

    @Test("The parts of a value that was recorded are of one read, and are one line")
    func recordedReads() throws {
        let world = World(seed: 4)
        let printed = Watched<[String]>([])
        let values = ["A7", "B8"].map { String(repeating: $0, count: 250) }
        let reads = values.map { #"{ "hex": "\#($0)" }"# }.joined(separator: ", ")
        let json = Self.characteristic(#""properties": ["read"], "reads": [ \#(reads) ]"#)
        let session = try Self.start(json, in: world, mtu: 100) { line in printed.update { $0.append(line) } }
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Safe")
        for value in values + [values[1]] {
            #expect(try testbed.perform("read FFF1 --hex", on: connection) == [value])
        }
        #expect(printed.value.filter { $0 == "read FFF1" }.count == 3)
        withExtendedLifetime(session) {}
    }

    @Test("A value of up to 512 octets is written in parts, whole, and told once; a shorter one takes its place")
    func longWrites() throws {
        let world = World(seed: 5)
        let printed = Watched<[String]>([])
        let json = Self.characteristic(#""properties": ["read", "write"], "value": { "hex": "010203" }"#)
        let session = try Self.start(json, in: world, mtu: 100) { line in printed.update { $0.append(line) } }
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Safe")
        let attribute = try #require(session.attributes.first)
        for count in [1, 96, 97, 98, 99, 200, 512, 2, 511, 1] {
            let value = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 * 5 + count) })
            let before = printed.value.count
            let digits = Hexadecimal.digits(value)
            try testbed.perform("write FFF1 \(digits)", on: connection)
            #expect(attribute.value == value, "\(count) octets")
            let told = printed.value.dropFirst(before).filter { $0.hasPrefix("written FFF1: ") }
            #expect(told.count == 1)
            #expect(try testbed.perform("read FFF1 --hex", on: connection) == [digits], "\(count) octets")
        }
        try testbed.perform("write FFF1 0102", on: connection)
        let long = String(repeating: "00", count: 513)
        #expect(throws: (any Error).self) { try testbed.perform("write FFF1 \(long)", on: connection) }
        #expect(attribute.value == Data([1, 2]))
        RunRecord.note("\(printed.value)")
        withExtendedLifetime(session) {}
    }
}
