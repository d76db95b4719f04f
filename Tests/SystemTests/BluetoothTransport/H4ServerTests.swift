import BluetoothHCI
import Fixtures
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import BluetoothTransport

@Suite("H4 server and client on sockets")
struct H4ServerTests {
    /// A server whose connections answer every packet, by default with an event that contains it.
    final class Served: Sendable {
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let log = LogLines()
        let recorders = Watched<[TransportRecorder]>([])
        let server: NIOLoopBound<H4Server>
        let channels: NIOLoopBoundBox<[H4Channel]>

        init(
            _ address: StreamAddress,
            limits: H4Server.Limits = .init(),
            answer: @escaping @Sendable (HCIPacket) -> [HCIPacket] = { packet in
                [HCIPacket(octetsOfH4: [0x04, 0x0E, UInt8(packet.octetsOfH4.count)] + packet.octetsOfH4)]
            }
        ) async throws {
            let loop = self.loop
            let recorders = self.recorders
            let logger = self.log.logger
            let channels = NIOLoopBoundBox.makeBoxSendingValue([H4Channel](), eventLoop: loop)
            self.channels = channels
            self.server = try await loop.started {
                H4Server.bind(to: address, on: loop, limits: limits, logger: logger) { channel in
                    let recorder = TransportRecorder(answer: answer)
                    channels.value.append(channel)
                    channel.start(receiver: recorder)
                    recorders.update { $0.append(recorder) }
                }
            }
        }

        func address() async throws -> StreamAddress { try await self.loop.run { self.server.value.address } }

        func end() async throws {
            try await self.loop.run {
                self.server.value.close()
                for channel in self.channels.value { channel.close() }
                self.channels.value.removeAll()
            }
        }
    }

    @Test("serves several raw clients at the same time, even octet by octet")
    func rawClients() async throws {
        let folder = try TemporaryFolder()
        let served = try await Served(.unix(path: folder("h4")))
        let clients = try (0..<5).map { _ in try RawSocket(unix: folder("h4")) }
        for (number, client) in clients.enumerated() {
            let command: [UInt8] = [0x01, UInt8(number), 0x0C, 0x01, 7]
            for octet in command { client.send([octet]) }
            #expect(client.read(8) == [0x04, 0x0E, 0x05] + command)
        }
        #expect(served.recorders.value.count == 5)
        // A client that leaves, and one that sends garbage, do not disturb the others.
        clients[0].finish()
        #expect(clients[0].endsWithin20Seconds())
        clients[1].send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        #expect(clients[1].endsWithin20Seconds())
        clients[2].send([0x01, 9, 9, 0])
        #expect(clients[2].read(7) == [0x04, 0x0E, 0x04, 0x01, 9, 9, 0])
        let reasons = Set(served.recorders.value.compactMap(\.closeReason))
        #expect(reasons.count == 2)
        #expect(reasons.contains("the host closed the connection"))
        try await served.end()
        #expect(clients[3].endsWithin20Seconds())
        #expect(folder.content.isEmpty)
    }

    @Test("the client talks to the server over each kind of socket", arguments: [true, false])
    func clientAndServer(unix: Bool) async throws {
        let folder = try TemporaryFolder()
        let served = try await Served(unix ? .unix(path: folder("h4")) : .tcp(host: "127.0.0.1", port: 0))
        let address = try await served.address()
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let recorder = TransportRecorder()
        let channel = try await loop.started { H4Channel.connect(to: address, on: loop) }
        let packets: [[UInt8]] = (0..<500).map { [0x01, UInt8($0 & 0xFF), UInt8($0 >> 8), 0x00] }
        try await loop.run {
            channel.value.start(receiver: recorder)
            for packet in packets { channel.value.send(HCIPacket(octetsOfH4: packet)) }
        }
        let answers = packets.map { [0x04, 0x0E, 0x04] + $0 }
        await recorder.seen.wait { $0.count { $0.packet != nil } == answers.count && $0.last == .endOfBatch }
        #expect(recorder.packets == answers)
        // Fewer batches than packets: they were written and read together.
        #expect(recorder.seen.value.count { $0 == .endOfBatch } < packets.count / 4)

        try await served.end()
        await recorder.seen.wait { $0.contains(where: \.isClose) }
        #expect(recorder.closeReason == "the controller closed the connection")
    }

    @Test("drops a client that does not read at the limit, and keeps the others")
    func doesNotRead() async throws {
        let folder = try TemporaryFolder()
        let served = try await Served(
            .unix(path: folder("h4")),
            limits: .init(unsentOctets: 64 * 1024),
            answer: { _ in
                (0..<200).map { _ in HCIPacket(octetsOfH4: [0x04, 0xFF, 255] + [UInt8](repeating: 7, count: 255)) }
            }
        )
        let other = try RawSocket(unix: folder("h4"))
        let deaf = try RawSocket(unix: folder("h4"))
        await served.recorders.wait { $0.count == 2 }
        // Each command causes 50 kB of events that are not read.
        for _ in 0..<200 where deaf.send([0x01, 0, 0, 0]) {}
        await served.recorders.value[1].seen.wait { $0.contains(where: \.isClose) }
        #expect(served.recorders.value[1].closeReason == "the host does not read what is sent to it")
        other.send([0x01, 0, 0, 0])
        #expect(other.read(258 * 200).count == 258 * 200)
        try await served.end()
    }

    @Test("closes connections beyond the limit immediately, and accepts another one once one has ended")
    func tooMany() async throws {
        let folder = try TemporaryFolder()
        let served = try await Served(.unix(path: folder("h4")), limits: .init(connections: 2))
        let first = try RawSocket(unix: folder("h4"))
        let second = try RawSocket(unix: folder("h4"))
        await served.recorders.wait { $0.count == 2 }
        for _ in 0..<3 { #expect(try RawSocket(unix: folder("h4")).endsWithin20Seconds()) }
        #expect(served.log.lines.value == ["all 2 connections are taken"])
        first.finish()
        #expect(first.endsWithin20Seconds())
        let third = try RawSocket(unix: folder("h4"))
        third.send([0x01, 1, 2, 0])
        #expect(third.read(7) == [0x04, 0x0E, 0x04, 0x01, 1, 2, 0])
        // The limit is reached again, which is logged again.
        #expect(try RawSocket(unix: folder("h4")).endsWithin20Seconds())
        #expect(served.log.lines.value == ["all 2 connections are taken", "all 2 connections are taken"])
        second.send([0x01, 1, 2, 0])
        #expect(second.read(7).count == 7)
        try await served.end()
    }

    @Test("replaces a socket left by a dead server, but not one that is served, or another file")
    func existingSocket() async throws {
        let folder = try TemporaryFolder()
        let address = StreamAddress.unix(path: folder("h4"))
        try await self.leaveDeadSocket(folder("h4"), in: folder)
        #expect(folder.content == ["h4"])
        let served = try await Served(address)
        let expected = TransportError(
            .inUse,
            "\(folder("h4")) is served by another process: end it or choose another path"
        )
        await #expect(throws: expected) { try await Served(address) }
        try await served.end()
        #expect(folder.content.isEmpty)

        close(creat(folder("h4"), 0o600))
        let error = await #expect(throws: TransportError.self) { try await Served(address) }
        #expect(error?.message.contains("is not a socket") == true)
        #expect(folder.content == ["h4"])
    }

    /// Leaves the file of a socket without a server, as after `kill -9`.
    func leaveDeadSocket(_ path: String, in folder: TemporaryFolder) async throws {
        let dead = try await Served(.unix(path: folder("dead")))
        // A server removes only its own file at its own path.
        #expect(rename(folder("dead"), path) == 0)
        try await dead.end()
    }

    /// A port that is bound and on which nobody listens; one that was just released may be another test's by now.
    private static func silentPort() throws -> (port: Int, descriptor: CInt) {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isBound)
        return (Int(UInt16(bigEndian: address.sin_port)), descriptor)
    }

    @Test("a failed connection names the cause in one line")
    func connectErrors() async throws {
        let folder = try TemporaryFolder()
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        func failure(_ address: StreamAddress) async -> TransportError? {
            await #expect(throws: TransportError.self) {
                _ = try await loop.started { H4Channel.connect(to: address, on: loop) }
            }
        }
        let missing = await failure(.unix(path: folder("nothing")))
        #expect(missing?.code == .notFound)
        #expect(missing?.message.contains("start what serves it") == true)
        #expect(FileManager.default.createFile(atPath: folder("file"), contents: nil))
        let inFile = await failure(.unix(path: folder("file/h4")))
        #expect(inFile?.code == .notFound)
        #expect(inFile?.message.contains("there is no socket at") == true)
        try await self.leaveDeadSocket(folder("gone"), in: folder)
        #expect(await failure(.unix(path: folder("gone")))?.code == .refused)
        let silent = try Self.silentPort()
        #expect(await failure(.tcp(host: "127.0.0.1", port: silent.port))?.code == .refused)
        close(silent.descriptor)
        #expect(await failure(.tcp(host: "no-such-host.invalid", port: 1))?.code == .notFound)
        let long = await failure(.unix(path: folder(String(repeating: "x", count: 120))))
        #expect(long?.message.contains("at most 107") == true)
    }

    @Test("a server that cannot listen names the cause in one line")
    func listenErrors() async throws {
        let folder = try TemporaryFolder()
        let served = try await Served(.tcp(host: "127.0.0.1", port: 0))
        let taken = try await served.address()
        let first = await #expect(throws: TransportError.self) { try await Served(taken) }
        #expect(first?.code == .inUse)
        let second = await #expect(throws: TransportError.self) { try await Served(.unix(path: folder("no/h4"))) }
        #expect(second?.code == .notFound)
        #expect(FileManager.default.createFile(atPath: folder("file"), contents: nil))
        let inFile = await #expect(throws: TransportError.self) { try await Served(.unix(path: folder("file/h4"))) }
        #expect(inFile?.code == .notFound)
        let path = folder(String(repeating: "x", count: 120))
        let third = await #expect(throws: TransportError.self) { try await Served(.unix(path: path)) }
        #expect(third?.message.contains("at most 107") == true)
        try await served.end()
    }
}
