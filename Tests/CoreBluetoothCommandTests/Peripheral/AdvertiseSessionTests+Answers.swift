// Single requests to a described peripheral, also those that no central of ours sends.

import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetooth
@testable import CoreBluetoothCommand

@Suite("The requests to a described peripheral")
@MainActor
struct PeripheralAnswersTests {
    private let peripheral: SubscribedPeripheral

    private let printed: Watched<[String]>

    private let manager: CBPeripheralManager

    private let first: CoreBluetoothCommand.AdvertiseSession.Attribute

    private let second: CoreBluetoothCommand.AdvertiseSession.Attribute

    init() throws {
        let json = """
            { "services": [ { "uuid": "FFF0", "characteristics": [
                { "uuid": "FFF1", "properties": ["read", "write", "notify"], "value": { "hex": "0102" } },
                { "uuid": "FFF2", "properties": ["read", "write"], "value": { "hex": "0304" } } ] } ] }
            """
        let printed = Watched<[String]>([])
        let peripheral = try SubscribedPeripheral(json) { line in printed.update { $0.append(line) } }
        let attributes = peripheral.session.attributes
        try #require(attributes.count == 2)
        let manager = peripheral.world.addDevice("other").run { CBPeripheralManager(delegate: nil, queue: nil) }
        peripheral.world.advance(by: .seconds(1))
        (self.peripheral, self.printed, self.manager) = (peripheral, printed, manager)
        (first, second) = (attributes[0], attributes[1])
    }

    @Test("get the value from their offset to its end, and nothing beyond; the first part is a line")
    func reads() {
        let cases: [(offset: Int, value: Data?)] = [
            (0, Data([1, 2])), (1, Data([2])), (2, Data()), (3, nil), (512, nil),
        ]
        for (offset, value) in cases {
            let before = printed.value.count
            let read = peripheral.request(first.characteristic, offset)
            peripheral.session.answer(read: read, manager)
            #expect(read.value == value, "from octet \(offset)")
            #expect(Array(printed.value.dropFirst(before)) == (offset == 0 ? ["read FFF1"] : []))
        }
    }

    @Test("get and change nothing of a characteristic of another peripheral")
    func others() {
        let other = CBMutableCharacteristic(
            type: CBUUID(string: "FFF1"),
            properties: [.read, .write],
            value: nil,
            permissions: [.readable, .writeable]
        )
        let before = printed.value
        let read = peripheral.request(other, 0)
        peripheral.session.answer(read: read, manager)
        #expect(read.value == nil)
        peripheral.session.answer(write: [peripheral.request(other, 0, Data([9]))], manager)
        let both = [peripheral.request(second.characteristic, 0, Data([9])), peripheral.request(other, 0, Data([9]))]
        peripheral.session.answer(write: both, manager)
        peripheral.session.answer(write: [], manager)
        #expect(first.value == Data([1, 2]) && second.value == Data([3, 4]))
        #expect(printed.value == before)
    }

    /// Answers writes, each of them a characteristic, 1 or 2, an offset and octets: `1:2:09`.
    private func answer(_ writes: String) throws {
        let requests = try writes.split(separator: " ").map { write -> CBATTRequest in
            let parts = write.split(separator: ":", omittingEmptySubsequences: false)
            try #require(parts.count == 3)
            let offset = try #require(Int(parts[1]))
            let value = try #require(HexadecimalText.octets(parts[2]))
            return peripheral.request((parts[0] == "1" ? first : second).characteristic, offset, value)
        }
        peripheral.session.answer(write: requests, manager)
    }

    @Test("change the value from their offsets on, all of one request or none")
    func writes() throws {
        let long = String(repeating: "07", count: 512)
        let cases: [(writes: String, first: String?, second: String?)] = [
            ("1:0:09", "09", nil), ("1:1:09", "0109", nil), ("1:2:09", "010209", nil), ("1:3:09", nil, nil),
            ("1:1:", "01", nil), ("2:0:", nil, ""), ("1:0:0708 1:2:09", "070809", nil),
            ("1:0:0708 1:1:09", "0709", nil), ("1:0:07 1:2:09", nil, nil), ("1:0:06 2:0:05", "06", "05"),
            ("2:0:05 1:3:09", nil, nil), ("2:2:05", nil, "030405"), ("1:0:" + long, long, nil),
            ("1:0:\(long)09", nil, nil), ("1:0:\(long) 1:512:09", nil, nil),
            ("1:0:\(long) 1:511:09", String(repeating: "07", count: 511) + "09", nil),
        ]
        for (number, entry) in cases.enumerated() {
            (first.value, second.value) = (Data([1, 2]), Data([3, 4]))
            let before = printed.value.count
            try answer(entry.writes)
            peripheral.world.advance(by: .seconds(2))
            #expect(HexadecimalText.digits(first.value) == entry.first ?? "0102", "\(number)")
            #expect(HexadecimalText.digits(second.value) == entry.second ?? "0304", "\(number)")
            var lines: [String] = []
            if entry.first != nil { lines.append("written FFF1") }
            if entry.second != nil { lines.append("written FFF2") }
            #expect(printed.value.dropFirst(before).map { String($0.prefix(12)) } == lines, "\(number)")
        }
    }

    @Test("wait for a characteristic with a delay, but not for the later parts of a long value")
    func delays() throws {
        let json = """
            { "services": [ { "uuid": "FFF0", "characteristics": [
                { "uuid": "FFF3", "properties": ["read", "write"], "delay": 60 },
                { "uuid": "FFF4", "properties": ["read", "write"], "delay": 0 },
                { "uuid": "FFF5", "properties": ["read", "write"] } ] } ] }
            """
        let slow = try CoreBluetoothCommand.AdvertiseSession.described(json)
        let cases: [(requests: [(number: Int, offset: Int)], isAtOnce: Bool)] = [
            ([], true), ([(1, 0)], true), ([(2, 0)], true), ([(0, 0)], false), ([(0, 1)], true),
            ([(1, 0), (0, 0)], false), ([(0, 0), (1, 0)], false), ([(0, 5), (2, 0)], true),
        ]
        for (number, entry) in cases.enumerated() {
            let requests = entry.requests.map { part in
                peripheral.request(slow.attributes[part.number].characteristic, part.offset)
            }
            let count = Watched(0)
            slow.afterDelay(of: requests) { count.update { $0 += 1 } }
            #expect(count.value == (entry.isAtOnce ? 1 : 0), "\(number)")
        }
    }
}
