import BluetoothAir
import BluetoothTransport
import Fixtures
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import BluetoothAirService

@Suite("Hosts that do not read")
struct UnreadHostTests {
    /// A raw host: octets of HCI packets, without any code of ours. It uses no flow control to itself.
    private final class Host {
        let socket: RawSocket
        /// The handles of its links, in the order in which they were made.
        private(set) var handles: [UInt16] = []
        /// How many packets its controller has not completed yet, for each link.
        private(set) var outstanding: [UInt16: Int] = [:]
        /// The payloads of data packets that came.
        private(set) var data: [[UInt8]] = []
        private(set) var disconnections = 0

        init(path: String) throws { self.socket = try RawSocket(unix: path) }

        /// Reads a packet and takes note of what it says; false at the end of the stream.
        @discardableResult
        func readPacket() -> Bool {
            let kind = self.socket.read(1)
            let header = self.socket.read(kind == [0x04] ? 2 : 4)
            guard header.count >= 2 else { return false }
            let length = kind == [0x04] ? Int(header[1]) : Int(header[2]) | Int(header[3]) << 8
            let payload = self.socket.read(length)
            switch (kind[0], header[0]) {
            case (0x02, _): self.data.append(payload)
            // LE Connection Complete.
            case (0x04, 0x3E) where payload[..<2] == [0x01, 0x00]:
                self.handles.append(UInt16(payload[2]) | UInt16(payload[3]) << 8)
            case (0x04, 0x05): self.disconnections += 1
            // Number Of Completed Packets.
            case (0x04, 0x13):
                for index in 0..<Int(payload[0]) {
                    let element = payload[(1 + 4 * index)...].prefix(4).map(UInt16.init)
                    self.outstanding[element[0] | element[1] << 8, default: 0] -= Int(element[2] | element[3] << 8)
                }
            default: break
            }
            return true
        }

        /// Whether there is something to read, at the latest after 10 ms.
        var isReadable: Bool {
            var entry = pollfd(fd: self.socket.descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, 10) > 0
        }

        func connect(to last: UInt8) {
            let address: [UInt8] = [0x55, 0x44, 0x33, 0x22, last, 0xC0]
            let interval: [UInt8] = [0x18, 0, 0x18, 0, 0, 0, 0xC8, 0, 0, 0, 0, 0]
            self.socket.send([0x01, 0x0D, 0x20, 0x19, 0x30, 0, 0x30, 0, 0, 0x01] + address + [0] + interval)
            let count = self.handles.count
            while self.handles.count == count, self.readPacket() {}
        }

        /// Sends an L2CAP frame with these octets in one packet.
        func send(_ octets: [UInt8], on handle: UInt16) {
            let count = octets.count
            let header = [UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8), UInt8(count + 4), 0, UInt8(count), 0]
            self.outstanding[handle, default: 0] += 1
            self.socket.send([0x02] + header + [0x40, 0x00] + octets)
        }
    }

    /// Makes a raw host advertise from an address of its own.
    private func advertise(_ host: Host, _ last: UInt8) {
        for var command in ServedAirTests.advertising {
            if command[1...2] == [0x05, 0x20] { command[8] = last }
            let opcode = UInt16(command[1]) | UInt16(command[2]) << 8
            #expect(ServedAirTests.isSuccess(host.socket.complete(opcode, Array(command[4...])), of: command))
        }
    }

    /// The octets with a number: as many as one packet on the air holds without an update of the data length.
    private func octets(_ number: Int) -> [UInt8] {
        let head = [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
        return head + [UInt8](repeating: 0x5A, count: 21)
    }

    @Test("A1: a host without flow control that reads nothing holds back its peer, within a bound, and no other link")
    func unread() async throws {
        let folder = try TemporaryFolder()
        let path = folder("a")
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let logger = LogLines().logger
        let controllers = try await loop.run { NIOLoopBoundBox([VirtualController](), eventLoop: loop) }
        let server = try await loop.started {
            let air = Air(eventLoop: loop, settings: .instant, seed: 7)
            return AirServer.serve(on: loop, at: .unix(path: path), logger: logger) {
                let controller = air.makeController()
                controllers.value.append(controller)
                return controller
            }
        }
        // The first to connect has the first controller.
        let unread = try Host(path: path)
        self.advertise(unread, 0x11)
        let other = try Host(path: path)
        self.advertise(other, 0x12)
        let sender = try Host(path: path)
        // LE events are on beside those that are on by default.
        #expect(sender.socket.complete(0x0C01, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F]).last == 0)
        let buffers = sender.socket.complete(0x2002)
        let credit = try #require(buffers.last.map(Int.init))
        try #require(credit > 1)
        sender.connect(to: 0x11)
        sender.connect(to: 0x12)
        try #require(sender.handles.count == 2)
        let (held, free) = (sender.handles[0], sender.handles[1])

        // All buffers but one, which is left for the other link, until the host that reads nothing takes no more.
        let isHeldBack = { try await loop.run { !controllers.value[0].isHostWritable } }
        var sent = 0
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            if sender.outstanding[held, default: 0] < credit - 1 {
                sender.send(self.octets(sent), on: held)
                sent += 1
            } else if sender.isReadable {
                sender.readPacket()
            } else if try await isHeldBack() {
                break
            }
        }
        #expect(sender.outstanding[held] == credit - 1)
        // What the sockets of the system hold, 64 KiB in the server, and the buffers of the sender's controller.
        #expect(sent > credit && sent * 32 < 1024 * 1024)

        // The other link, on the same controller of the sender, goes on.
        for number in 0..<100 {
            sender.send(self.octets(number), on: free)
            while sender.outstanding[free] != 0, sender.readPacket() {}
        }
        while other.data.count < 100, other.readPacket() {}
        #expect(other.data.map { Array($0.dropFirst(4)) } == (0..<100).map(self.octets))
        #expect(sender.outstanding[held] == credit - 1 && sender.disconnections == 0)

        // It reads, and finds everything.
        while unread.data.count < sent, unread.readPacket() {}
        #expect(unread.data.map { Array($0.dropFirst(4)) } == (0..<sent).map(self.octets))
        while sender.outstanding[held] != 0, sender.readPacket() {}
        #expect(sender.outstanding == [held: 0, free: 0])
        try await loop.run { server.value.close() }
    }
}
