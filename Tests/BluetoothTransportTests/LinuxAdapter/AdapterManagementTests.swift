import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("The kernel's list of adapters")
struct AdapterManagementTests {
    /// The answer with hci0 and hci258.
    static let answer: [UInt8] = [
        0x01, 0x00, 0xFF, 0xFF, 0x09, 0x00, 0x03, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x01,
    ]
    static let none: [UInt8] = [0x01, 0x00, 0xFF, 0xFF, 0x05, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00]

    @Test(
        "rejects an answer with a duplicate or invalid adapter, or with trailing octets",
        arguments: [
            // A duplicate adapter, an invalid one, and trailing octets.
            answer.dropLast(2) + [0x00, 0x00], answer.dropLast(2) + [0xFF, 0xFF], answer + [0x00],
            answer + [0x03, 0x00],
        ]
    )
    func malformed(packet: [UInt8]) {
        #expect(AdapterManagement.indices(in: packet) == nil)
    }

    @Test("reads the adapters of a complete answer, but not of a truncated one")
    func parts() {
        for count in 0...Self.answer.count {
            let indices = AdapterManagement.indices(in: Array(Self.answer.prefix(count)))
            #expect(indices == (count == Self.answer.count ? [0, 258] : nil), "\(count) octets")
        }
        #expect(AdapterManagement.indices(in: Self.none) == [])
    }

    @Test("rejects an answer with any octet changed before the adapters")
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
