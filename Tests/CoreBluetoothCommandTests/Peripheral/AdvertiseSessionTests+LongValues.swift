import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("Values longer than a packet")
@MainActor
struct PeripheralLongValuesTests {
    /// A peripheral with one characteristic, whose packets are short.
    private func served(_ members: String) throws -> ServedPeripheral {
        try ServedPeripheral(AdvertiseSession.json(#"{ "uuid": "FFF1", \#(members) }"#), mtu: 100)
    }

    @Test("are read whole, whether they fill their packets or not")
    func longReads() throws {
        let served = try served(#""properties": ["read"]"#)
        let connection = try served.connected().connection
        served.world.advance(by: .seconds(1))
        // A response has one octet beside the value, a write without response three (Vol 3, Part F, 3.4.4.4, 3.4.5.3).
        let part = connection.peripheral.maximumWriteValueLength(for: .withoutResponse) + 2
        #expect(part == 99)
        for count in [0, 1, part - 1, part, part + 1, 2 * part - 1, 2 * part, 2 * part + 1, 5 * part, 512] {
            let value = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) })
            try served.attribute.value = value
            #expect(try served.perform("read FFF1 --hex") == [HexadecimalText.digits(value)], "\(count) octets")
        }
    }

    @Test("that were recorded are read in parts of one read, which is one line")
    func recordedReads() throws {
        let values = ["A7", "B8"].map { String(repeating: $0, count: 250) }
        let reads = values.map { #"{ "hex": "\#($0)" }"# }.joined(separator: ", ")
        let served = try served(#""properties": ["read"], "reads": [ \#(reads) ]"#)
        for value in values + [values[1]] { #expect(try served.perform("read FFF1 --hex") == [value]) }
        #expect(served.printed.filter { $0 == "read FFF1" }.count == 3)
    }

    @Test("of up to 512 octets are written in parts, whole, and told once")
    func longWrites() throws {
        let served = try served(#""properties": ["read", "write"], "value": { "hex": "010203" }"#)
        let attribute = try served.attribute
        for count in [1, 96, 97, 98, 99, 200, 512, 2, 511, 1] {
            let value = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 * 5 + count) })
            let before = served.printed.count
            let digits = HexadecimalText.digits(value)
            try served.perform("write FFF1 \(digits)")
            #expect(attribute.value == value, "\(count) octets")
            #expect(served.printed.dropFirst(before).filter { $0.hasPrefix("written FFF1: ") }.count == 1)
            #expect(try served.perform("read FFF1 --hex") == [digits], "\(count) octets")
        }
        try served.perform("write FFF1 0102")
        let long = String(repeating: "00", count: 513)
        #expect(throws: (any Error).self) { try served.perform("write FFF1 \(long)") }
        #expect(attribute.value == Data([1, 2]))
    }
}
