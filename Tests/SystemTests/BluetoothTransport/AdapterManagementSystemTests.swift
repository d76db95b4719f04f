#if os(Linux)

import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("The kernel's list of adapters over a socket")
struct AdapterManagementSystemTests {
    /// The answer with hci0 and hci258.
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

    /// A pair of packet sockets; the test uses the kernel's end.
    private func exchange(
        timeLimit: Duration = .seconds(30),
        _ packets: [[UInt8]],
        ends: Bool = false
    ) throws -> (indices: Set<Int>?, question: [UInt8]) {
        var pair: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &pair) == 0)
        let kernel = RawSocket(descriptor: pair[1])
        defer { close(pair[0]) }
        for packet in packets { kernel.send(packet) }
        if ends { shutdown(kernel.descriptor, CInt(SHUT_WR)) }
        let indices = AdapterManagement.indices(over: pair[0], timeLimit: timeLimit)
        var octets = [UInt8](repeating: 0, count: 64)
        let count = recv(kernel.descriptor, &octets, octets.count, CInt(MSG_DONTWAIT))
        return (indices, Array(octets.prefix(max(0, count))))
    }

    @Test("sends Read Controller Index List, and takes the first complete answer")
    func asked() throws {
        // Index Added, a truncated answer, a failure, an answer that is too long, then the answer.
        let endless = [0x01, 0x00, 0xFF, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 9_000)
        let (indices, question) = try self.exchange([
            [0x04, 0x00, 0x01, 0x00, 0x00, 0x00], Array(Self.answer.dropLast()), Self.changed(8, 0x14), endless,
            Self.answer, Self.none,
        ])
        #expect(indices == [0, 258])
        #expect(question == [0x03, 0x00, 0xFF, 0xFF, 0x00, 0x00])
    }

    @Test("does not wait for a silent or closed kernel")
    func silent() throws {
        #expect(try self.exchange(timeLimit: .milliseconds(5), []).indices == nil)
        #expect(try self.exchange(timeLimit: .milliseconds(5), [Self.changed(8, 0x14)]).indices == nil)
        // Waiting would take until the time limit.
        #expect(try self.exchange(timeLimit: .seconds(3_600), [Self.changed(8, 0x14)], ends: true).indices == nil)
    }

    @Test("this machine's kernel lists its adapters, or does not answer")
    func real() throws {
        guard let indices = AdapterManagement.indices() else { return }
        let shown = try FileManager.default.contentsOfDirectory(atPath: "/sys/class/bluetooth")
        for index in indices { #expect(shown.contains("hci\(index)")) }
    }

    /// The answer with so many adapters, from hci0 on: 11 octets, and two for each.
    private static func longAnswer(_ count: Int) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
        let head: [UInt8] = [0x01, 0x00, 0xFF, 0xFF] + number(5 + 2 * count) + [0x03, 0x00, 0x00] + number(count)
        return head + (0..<count).flatMap(number)
    }

    @Test("accepts an answer of 4095 octets, and ignores a truncated one of 4097")
    func longest() throws {
        #expect(Self.longAnswer(2_042).count == 4_095 && Self.longAnswer(2_043).count == 4_097)
        #expect(try self.exchange([Self.longAnswer(2_042), Self.longAnswer(1)]).indices == Set(0..<2_042))
        #expect(try self.exchange([Self.longAnswer(2_043), Self.longAnswer(1)]).indices == [0])
    }

    @Test("waits for the kernel's list of adapters")
    func lateAnswer() async throws {
        var pair: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &pair) == 0)
        let (program, kernel) = (RawSocket(descriptor: pair[0]), RawSocket(descriptor: pair[1]))
        let outcome = Watched<Set<Int>?>(nil)
        let descriptor = pair[0]
        Thread.detachNewThread {
            let indices = AdapterManagement.indices(over: descriptor, timeLimit: .seconds(3_600))
            outcome.update { $0 = indices }
        }
        #expect(kernel.read(6) == [0x03, 0x00, 0xFF, 0xFF, 0x00, 0x00])
        kernel.send([0x01, 0x00, 0xFF, 0xFF, 0x07, 0x00, 0x03, 0x00, 0x00, 0x01, 0x00, 0x04, 0x00])
        #expect(await outcome.wait(seconds: 30) { $0 == [4] })
        program.hangUp()
    }
}

#endif
