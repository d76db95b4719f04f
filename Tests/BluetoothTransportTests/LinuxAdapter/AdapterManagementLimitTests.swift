// The longest answer of the kernel that is read whole: 4096 octets, which is more than 2000 adapters.

#if os(Linux)

import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("The kernel's list of adapters: the longest answer", .timeLimit(.minutes(1)))
struct AdapterManagementLimitTests {
    /// The answer that names as many adapters, from hci0 on: 11 octets, and two for each.
    private static func answer(_ count: Int) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
        let head: [UInt8] = [0x01, 0x00, 0xFF, 0xFF] + number(5 + 2 * count) + [0x03, 0x00, 0x00] + number(count)
        return head + (0..<count).flatMap(number)
    }

    /// What is read over a socket that keeps packets apart.
    private static func indices(_ packets: [[UInt8]]) throws -> Set<Int>? {
        var pair: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &pair) == 0)
        let kernel = RawSocket(descriptor: pair[1])
        defer { close(pair[0]) }
        for packet in packets { kernel.send(packet) }
        return withExtendedLifetime(kernel) { AdapterManagement.indices(over: pair[0], timeLimit: .seconds(30)) }
    }

    @Test("An answer of 4095 octets counts, one of 4097 is cut off and passed over")
    func longest() throws {
        #expect(Self.answer(2_042).count == 4_095 && Self.answer(2_043).count == 4_097)
        #expect(try Self.indices([Self.answer(2_042), Self.answer(1)]) == Set(0..<2_042))
        #expect(try Self.indices([Self.answer(2_043), Self.answer(1)]) == [0])
    }
}

#endif
