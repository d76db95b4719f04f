// The question which adapters the system can use: its answer octet by octet, and the exchange over a socket that keeps
// packets apart, as the kernel's does.

import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("The kernel's list of adapters", .timeLimit(.minutes(1)))
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

    @Test("The answer names adapters, or none")
    func answers() {
        #expect(AdapterManagement.indices(in: Self.answer) == [0, 258])
        #expect(AdapterManagement.indices(in: Self.none) == [])
    }

    @Test(
        "What is not the whole answer is no answer",
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

    @Test("No part of the answer is one")
    func parts() {
        for count in 0..<Self.answer.count {
            #expect(AdapterManagement.indices(in: Array(Self.answer.prefix(count))) == nil, "\(count) octets")
        }
    }

    #if os(Linux)
    /// Both ends of a pair of packet sockets; the test has the kernel's.
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

    @Test("The question is Read Controller Index List; the first whole answer counts, whatever comes before it")
    func asked() throws {
        // Index Added, an answer that is cut off, one of failure, one longer than any machine's, then the answer.
        let endless = [0x01, 0x00, 0xFF, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 9_000)
        let (indices, question) = try self.exchange([
            [0x04, 0x00, 0x01, 0x00, 0x00, 0x00], Array(Self.answer.dropLast()), Self.changed(8, 0x14), endless,
            Self.answer, Self.none,
        ])
        #expect(indices == [0, 258])
        #expect(question == [0x03, 0x00, 0xFF, 0xFF, 0x00, 0x00])
    }

    @Test("A kernel that is silent or gone is not waited for")
    func silent() throws {
        #expect(try self.exchange(timeLimit: .milliseconds(5), []).indices == nil)
        #expect(try self.exchange(timeLimit: .milliseconds(5), [Self.changed(8, 0x14)]).indices == nil)
        #expect(try self.exchange([Self.changed(8, 0x14)], ends: true).indices == nil)
    }
    #endif

    @Test("This machine's kernel lists the adapters that it shows, or does not answer")
    func real() throws {
        guard let indices = AdapterManagement.indices() else { return }
        let shown = try FileManager.default.contentsOfDirectory(atPath: "/sys/class/bluetooth")
        for index in indices { #expect(shown.contains("hci\(index)")) }
    }

    @Test("The answer with each octet changed, and of each length")
    func walk() {
        for answer in [Self.answer, Self.none] {
            for place in answer.indices {
                for octet in UInt8.min...UInt8.max {
                    var packet = answer
                    packet[place] = octet
                    let indices = AdapterManagement.indices(in: packet)?.sorted()
                    RunRecord.note("\(packet.hex): \(indices as Any)")
                    // Which adapters there are is free; all else is as it is.
                    if indices != nil { #expect(packet == answer || place > 10) }
                }
            }
        }
        for count in 0...12 {
            for claimed in max(0, count - 1)...count + 1 {
                let head: [UInt8] = [0x01, 0, 0xFF, 0xFF, UInt8(5 + 2 * count), 0, 0x03, 0, 0, UInt8(claimed), 0]
                let packet = head + (0..<count).flatMap { [UInt8($0), 0x01] }
                RunRecord.note("\(count) \(claimed): \(AdapterManagement.indices(in: packet)?.sorted() as Any)")
            }
        }
    }
}
