// Linux adapters at their edges: two switches of one name, the longest packet that is read, and a kernel that answers
// late or ends.

#if os(Linux)

import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Linux adapters: edges", .timeLimit(.minutes(2)))
struct AdapterEdgesTests {
    @Test("Of two switches of one name the one whose entry is first counts, and both are listed in that order")
    func sameName() throws {
        let system = try AdapterListingTests.System()
        try system.addAdapter("hci0", on: nil)
        try system.addSwitch("rfkill1", name: "hci0", soft: 1, hard: 0)
        try system.addSwitch("rfkill2", name: "hci0", soft: 0, hard: 1)
        try system.addSwitch("rfkill3", name: "a_switch", soft: 0, hard: 1)
        try system.addSwitch("rfkill4", name: "a_switch", soft: 1, hard: 0)
        let listing = AdapterListing(folder: system.path)
        #expect(listing.adapters.map(\.block) == [.byProgram])
        #expect(listing.radioSwitches.map(\.block) == [.bySwitch, .byProgram])
    }

    @Test("A packet of 4096 octets is read whole; one octet more is cut off, and what is cut off is no packet")
    func longestPacket() async throws {
        let opened = try await LinuxAdapterTests.Opened()
        let event: [UInt8] = [0x04, 0x10, 0x01, 0x42]
        let longest = LinuxAdapterTests.data(4_091, 1)
        #expect(longest.count == 4_096)
        for packet in [longest, LinuxAdapterTests.data(4_092, 2), event] { opened.kernel.send(packet) }
        await opened.recorder.seen.wait { $0.contains { $0.packet == event } }
        #expect(opened.recorder.packets == [longest, event])
        #expect(opened.recorder.closeReason == nil)
        try await opened.close()
    }

    /// Asks over a socket, on a thread of its own: where it waited, it would do so until the socket is closed.
    private static func ask(_ socket: CInt) -> Watched<[Set<Int>?]> {
        let outcomes = Watched<[Set<Int>?]>([])
        let thread = Thread {
            let indices = AdapterManagement.indices(over: socket, timeLimit: .seconds(3_600))
            outcomes.update { $0.append(indices) }
        }
        thread.start()
        return outcomes
    }

    /// Both ends of a pair of packet sockets, the program's and the kernel's.
    private static func pair() throws -> (RawSocket, RawSocket) {
        var pair: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &pair) == 0)
        return (RawSocket(descriptor: pair[0]), RawSocket(descriptor: pair[1]))
    }

    @Test("The kernel's list of adapters is waited for")
    func lateAnswer() async throws {
        let (program, kernel) = try Self.pair()
        let outcomes = Self.ask(program.descriptor)
        #expect(kernel.read(6) == [0x03, 0x00, 0xFF, 0xFF, 0x00, 0x00])
        kernel.send([0x01, 0x00, 0xFF, 0xFF, 0x07, 0x00, 0x03, 0x00, 0x00, 0x01, 0x00, 0x04, 0x00])
        #expect(await outcomes.wait(seconds: 30) { $0.count == 1 })
        #expect(outcomes.value == [Set([4])])
        program.hangUp()
    }

    @Test("A kernel that ends without an answer is not asked on until the time is over")
    func endWithoutAnswer() async throws {
        let (program, kernel) = try Self.pair()
        let outcomes = Self.ask(program.descriptor)
        #expect(kernel.read(6).count == 6)
        kernel.hangUp()
        #expect(await outcomes.wait(seconds: 30) { $0.count == 1 })
        #expect(outcomes.value == [nil])
        program.hangUp()
    }
}

#endif
