import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("The kernel's list of adapters")
struct AdapterManagementTests {
    /// The answer that names hci0 and hci258.
    static let answer: [UInt8] = [
        0x01, 0x00, 0xFF, 0xFF, 0x09, 0x00, 0x03, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x01,
    ]
    static let none: [UInt8] = [0x01, 0x00, 0xFF, 0xFF, 0x05, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00]

    /// The answer with one octet changed.
    static func changed(_ place: Int, _ octet: UInt8) -> [UInt8] {
        var octets = self.answer
        octets[place] = octet
        return octets
    }

    @Test("the answer names adapters, or none")
    func answers() {
        #expect(AdapterManagement.indices(in: Self.answer) == [0, 258])
        #expect(AdapterManagement.indices(in: Self.none) == [])
    }

    @Test(
        "refuses an answer that is incomplete or wrong",
        arguments: [
            // Another event, one of an adapter, a length and a count that are not so, another command, a failure.
            changed(0, 0x02), changed(1, 0x01), changed(2, 0x00), changed(3, 0x00), changed(4, 0x08), changed(5, 0x01),
            changed(6, 0x04), changed(7, 0x01), changed(8, 0x01), changed(9, 0x01), changed(9, 0x03), changed(10, 0xFF),
            // An adapter twice, and one that cannot be; what follows the end.
            answer.dropLast(2) + [0x00, 0x00], answer.dropLast(2) + [0xFF, 0xFF], answer + [0x00],
            answer + [0x03, 0x00],
        ]
    )
    func malformed(packet: [UInt8]) {
        #expect(AdapterManagement.indices(in: packet) == nil)
    }

    @Test("no part of the answer is one")
    func parts() {
        for count in 0..<Self.answer.count {
            #expect(AdapterManagement.indices(in: Array(Self.answer.prefix(count))) == nil, "\(count) octets")
        }
    }

    @Test("takes no answer in which an octet before the adapters is changed")
    func changedOctets() {
        for answer in [Self.answer, Self.none] {
            for place in 0...10 {
                for octet in UInt8.min...UInt8.max where octet != answer[place] {
                    var packet = answer
                    packet[place] = octet
                    #expect(AdapterManagement.indices(in: packet) == nil)
                }
            }
        }
    }
}
