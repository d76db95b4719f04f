// A socket that keeps packets apart stands for an adapter. The kernel's errors are real.

#if os(Linux)

import BluetoothHCI
import CPlatform
import Fixtures
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import BluetoothTransport

@Suite("Linux adapter")
struct LinuxAdapterTests {
    /// A channel on one end of a pair of packet sockets; the test uses the other end.
    final class Opened: Sendable {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let recorder = TransportRecorder()
        let kernel: RawSocket
        private let channel: NIOLoopBound<H4Channel>

        init(sendBufferSize: CInt? = nil) async throws {
            var pair: [CInt] = [0, 0]
            guard socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &pair) == 0 else {
                throw IOError(errnoCode: errno, reason: "socketpair")
            }
            if var size = sendBufferSize {
                setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<CInt>.size))
            }
            self.kernel = RawSocket(descriptor: pair[1])
            let (loop, recorder, descriptor) = (self.loop, self.recorder, pair[0])
            self.channel = try await loop.started {
                H4Channel.openDevice(over: .linuxAdapter(index: 0), on: loop) { DeviceDescriptor(owning: descriptor) }
            }
            let channel = self.channel
            try await loop.run { channel.value.start(receiver: recorder) }
        }

        func send(_ packets: [[UInt8]]) async throws {
            try await self.loop.run { for packet in packets { self.channel.value.send(HCIPacket(octetsOfH4: packet)) } }
        }

        func close() async throws { try await self.loop.run { self.channel.value.close() } }

        /// A packet that the program has sent.
        func sent() -> [UInt8] {
            var octets = [UInt8](repeating: 0, count: 65_536)
            let count = recv(self.kernel.descriptor, &octets, octets.count, 0)
            return Array(octets.prefix(max(0, count)))
        }
    }

    static func data(_ count: Int, _ filler: Int) -> [UInt8] {
        [0x02, 0x40, 0x00, UInt8(count & 0xFF), UInt8(count >> 8)]
            + (0..<count).map { UInt8(truncatingIfNeeded: $0 + filler) }
    }

    @Test("a busy adapter gets single packets in order when it is ready")
    func busy() async throws {
        let opened = try await Opened(sendBufferSize: 4096)
        let packets = (0..<1_000).map { Self.data(($0 * 37) % 1_000, $0) }
        try await opened.send(Array(packets[..<500]))
        try await opened.send(Array(packets[500...]))
        for (number, packet) in packets.enumerated() { #expect(opened.sent() == packet, "packet \(number)") }
        // It continues as before.
        try await opened.send([[0x01, 0x03, 0x0C, 0x00]])
        #expect(opened.sent() == [0x01, 0x03, 0x0C, 0x00])
        try await opened.close()
    }

    @Test("ends the channel of an adapter that accepts nothing")
    func stuck() async throws {
        let opened = try await Opened(sendBufferSize: 4096)
        let packets = (0..<100).map { Self.data(1_000, $0) }
        for _ in 0..<30 { try await opened.send(packets) }
        await opened.recorder.seen.wait { $0.contains(where: \.isClose) }
        let reason = try #require(opened.recorder.closeReason)
        #expect(reason.contains("hci0"))
        #expect(reason.contains("does not take what is sent to it"))
    }

    @Test("each read is one packet; an incomplete one is ignored and does not shift others")
    func reads() async throws {
        let opened = try await Opened()
        let event: [UInt8] = [0x04, 0x10, 0x01, 0x42]
        // A packet of 4,096 octets is read completely, and a longer one is truncated.
        let longest = Self.data(4_091, 1)
        for octets in [
            event, Array(event.dropLast()), [0x04], event + [0x00], event + event, [0xFF, 1, 2, 3], longest,
            Array(longest.dropLast()), Self.data(4_092, 2), event,
        ] {
            opened.kernel.send(octets)
        }
        await opened.recorder.seen.wait { $0.compactMap(\.packet).count >= 3 }
        #expect(longest.count == 4_096 && opened.recorder.packets == [event, longest, event])
        #expect(opened.recorder.closeReason == nil)
        try await opened.close()
    }

    @Test("a removed adapter ends the channel with one line")
    func unplugged() async throws {
        let opened = try await Opened()
        opened.kernel.send([0x04, 0x10, 0x01, 0x42])
        opened.kernel.finish()
        await opened.recorder.seen.wait { $0.contains(where: \.isClose) }
        #expect(opened.recorder.packets == [[0x04, 0x10, 0x01, 0x42]])
        let reason = try #require(opened.recorder.closeReason)
        #expect(reason.hasPrefix("hci0 is gone"))
        #expect(reason.contains("plug it in again"))
    }

    @Test("opening a missing adapter fails with the cause")
    func notThere() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let error = try await #require(throws: TransportError.self) {
            _ = try await loop.started { H4Channel.open(linuxAdapter: 65_000, on: loop) }
        }
        var socket: CInt = -1
        let reason = linux_hci_socket(&socket)
        if reason == 0 {
            close(socket)
            // Without the capability the kernel does not look for it.
            #expect([.notFound, .noPermission].contains(error.code))
            #expect(error.message.contains("hci65000"))
        } else if reason == EAFNOSUPPORT {
            #expect(error.code == .unsupported)
            #expect(error.message.contains("there is no Bluetooth in this kernel"))
            #expect(error.message.contains("sudo modprobe bluetooth"))
        } else {
            #expect(error.code == TransportError(openingAdapter: 65_000, .socket, errno: reason, program: nil).code)
        }
    }
}

#endif
