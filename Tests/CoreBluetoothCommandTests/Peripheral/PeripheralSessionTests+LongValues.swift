import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("Values longer than a packet")
@MainActor
struct PeripheralLongValuesTests {
    private static func json(_ members: String) -> String {
        PeripheralSession.json(#"{ "uuid": "FFF1", \#(members) }"#)
    }

    @Test("are read whole, whether they fill their packets or not")
    func longReads() throws {
        let world = World(seed: 3)
        let session = try PeripheralSession.started(Self.json(#""properties": ["read"]"#), in: world, mtu: 100)
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

    @Test("that were recorded are read in parts of one read, which is one line")
    func recordedReads() throws {
        let world = World(seed: 4)
        let printed = Watched<[String]>([])
        let values = ["A7", "B8"].map { String(repeating: $0, count: 250) }
        let reads = values.map { #"{ "hex": "\#($0)" }"# }.joined(separator: ", ")
        let json = Self.json(#""properties": ["read"], "reads": [ \#(reads) ]"#)
        let session = try PeripheralSession.started(json, in: world, mtu: 100) { line in
            printed.update { $0.append(line) }
        }
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Safe")
        for value in values + [values[1]] {
            #expect(try testbed.perform("read FFF1 --hex", on: connection) == [value])
        }
        #expect(printed.value.filter { $0 == "read FFF1" }.count == 3)
        withExtendedLifetime(session) {}
    }

    @Test("of up to 512 octets are written in parts, whole, and told once")
    func longWrites() throws {
        let world = World(seed: 5)
        let printed = Watched<[String]>([])
        let json = Self.json(#""properties": ["read", "write"], "value": { "hex": "010203" }"#)
        let session = try PeripheralSession.started(json, in: world, mtu: 100) { line in
            printed.update { $0.append(line) }
        }
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
        withExtendedLifetime(session) {}
    }
}
