import BluetoothHCI
import BluetoothTransport
import Fixtures
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import BluetoothAirService

@Suite("An air on a socket")
struct AirServerTests {
    /// A served stand-in for an air.
    final class Served: Sendable {
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let server: NIOLoopBoundBox<AirServer?>
        let air: NIOLoopBound<ServedFakeAir>

        init(_ address: StreamAddress, limits: H4Server.Limits = .init()) async throws {
            let loop = self.loop
            let air = try await loop.run { NIOLoopBound(ServedFakeAir(eventLoop: loop), eventLoop: loop) }
            self.air = air
            let logger = LogLines().logger
            let server = try await loop.started {
                let air = air.value
                return AirServer.serve(on: loop, at: address, limits: limits, logger: logger) { air.makeController() }
            }
            self.server = try await loop.run { NIOLoopBoundBox(server.value, eventLoop: loop) }
        }

        func controllerCount() async throws -> Int { try await self.loop.run { self.air.value.controllers.count } }
        func clientCount() async throws -> Int? { try await self.loop.run { self.server.value?.clients.count } }
        func close() async throws { try await self.loop.run { self.server.value?.close() } }
    }

    @Test("a host that comes with the one at whom the server closes gets no controller")
    func closeWhileAccepting() async throws {
        let folder = try TemporaryFolder()
        let path = folder("a")
        let served = try await Served(.unix(path: path))
        // The loop accepts both at once, and closes at the first.
        let hosts = try await served.loop.run {
            let server = served.server
            server.value?.observer = { event in
                if case .connected = event { server.value?.close() }
            }
            return try (0..<2).map { _ in try RawSocket(unix: path) }
        }
        for host in hosts { #expect(host.endsWithin20Seconds()) }
        #expect(try await served.controllerCount() == 0)
        #expect(try await served.clientCount() == 0)
    }

    @Test("each raw host gets a controller of its own, and they hear each other")
    func hosts() async throws {
        let folder = try TemporaryFolder()
        let served = try await Served(.unix(path: folder("a")))
        let hosts = try (0..<4).map { _ in try RawSocket(unix: folder("a")) }
        for (number, host) in hosts.enumerated() {
            #expect(host.complete(0x0C03) == [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00])
            let address = host.complete(0x1009)
            #expect(address == [0x04, 0x0E, 0x0A, 0x01, 0x09, 0x10, 0x00, UInt8(number + 1), 0, 0, 0, 0, 0])
        }
        hosts[2].send([0x01, 0x01, 0xFC, 0x02, 0xAB, 0xCD])
        for number in [0, 1, 3] { #expect(hosts[number].read(5) == [0x04, 0xFF, 0x02, 0xAB, 0xCD]) }
        #expect(try await served.clientCount() == 4)
        try await served.close()
        for host in hosts { #expect(host.endsWithin20Seconds()) }
        #expect(try await served.controllerCount() == 0)
        #expect(folder.content.isEmpty)
    }

    @Test("a controller leaves when its host disconnects, when the host sends garbage, and when it closes itself")
    func leaving() async throws {
        let folder = try TemporaryFolder()
        let served = try await Served(.unix(path: folder("a")))
        let hosts = try (0..<4).map { _ in try RawSocket(unix: folder("a")) }
        for host in hosts { #expect(host.complete(0x0C03).count == 7) }
        hosts[0].hangUp()
        hosts[1].send([0x77, 1, 2, 3])
        #expect(hosts[1].endsWithin20Seconds())
        hosts[2].send([0x01, 0x02, 0xFC, 0x00])
        #expect(hosts[2].endsWithin20Seconds())
        // The server sees the end of the first a moment later than the test does.
        try await eventually { try await served.clientCount() == 1 }
        #expect(try await served.clientCount() == 1)
        #expect(try await served.controllerCount() == 1)
        #expect(hosts[3].complete(0x0C03).count == 7)
        try await served.close()
    }

    @Test("a host beyond the limit gets Limited Resources for its first command, and its place is not taken")
    func tooManyHosts() async throws {
        let folder = try TemporaryFolder()
        let served = try await Served(.unix(path: folder("a")), limits: .init(connections: 1, refusals: 1))
        let first = try RawSocket(unix: folder("a"))
        #expect(first.complete(0x0C03) == [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00])
        // Each is refused, whatever it asks for; the connection ends, so that the next one can be refused.
        for opcode: UInt16 in [0x0C03, 0x1001, 0xFC99] {
            let second = try RawSocket(unix: folder("a"))
            let low = UInt8(truncatingIfNeeded: opcode)
            let high = UInt8(opcode >> 8)
            #expect(second.complete(opcode) == [0x04, 0x0E, 0x04, 0x01, low, high, 0x0D])
            #expect(second.endsWithin20Seconds())
        }
        // One that asks for nothing waits; beside it no other one is answered.
        let silent = try RawSocket(unix: folder("a"))
        #expect(try RawSocket(unix: folder("a")).endsWithin20Seconds())
        #expect(try await served.clientCount() == 1)
        #expect(try await served.controllerCount() == 1)
        first.finish()
        try await eventually { try await served.clientCount() == 0 }
        let next = try RawSocket(unix: folder("a"))
        #expect(next.complete(0x0C03).last == 0x00)
        #expect(silent.complete(0x0C03).last == 0x0D)
        #expect(silent.endsWithin20Seconds())
        // The end of the server is the end for one that waits, too.
        let last = try RawSocket(unix: folder("a"))
        #expect(try RawSocket(unix: folder("a")).endsWithin20Seconds())
        try await served.close()
        #expect(last.endsWithin20Seconds())
    }

    @Test("a server whose last reference is released stops serving, on whichever thread that happens")
    func released() async throws {
        for onLoop in [true, false] {
            let folder = try TemporaryFolder()
            let served = try await Served(.unix(path: folder("a")))
            let host = try RawSocket(unix: folder("a"))
            #expect(host.complete(0x0C03).count == 7)
            if onLoop {
                // At once: in virtual time nothing else may happen before.
                let left = try await served.loop.run {
                    served.server.value = nil
                    return served.air.value.controllers.count
                }
                #expect(left == 0)
            } else {
                let server = try await served.loop.run {
                    let server = served.server.value
                    served.server.value = nil
                    return UncheckedBox(server)
                }
                server.value = nil
            }
            #expect(host.endsWithin20Seconds())
            #expect(try await served.controllerCount() == 0)
            #expect(folder.content.isEmpty)
        }
    }

    /// Carries the last reference to another thread. Unchecked: the server is not `Sendable`, and one thread at a time
    /// has it.
    final class UncheckedBox: @unchecked Sendable {
        var value: AirServer?
        init(_ value: AirServer?) { self.value = value }
    }
}
