import BluetoothAir
import BluetoothHCI
import BluetoothTransport
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import BluetoothAirService

@Suite("Clients of an air's server")
struct AirClientsTests {
    private func clients(_ served: AirServerTests.Served) async throws -> [AirClient] {
        try await served.loop.run { served.server.value?.clients ?? [] }
    }

    @Test("a client has the random address that its host has set last, in a command that is whole")
    func address() async throws {
        let folder = try TemporaryFolder()
        let served = try await AirServerTests.Served(.unix(path: folder("a")))
        let host = try RawSocket(unix: folder("a"))
        let other = try RawSocket(unix: folder("a"))
        #expect(other.complete(0x0C03).count == 7)
        for (opcode, parameters, address) in [
            (0x0C03, [], nil), (0x2005, [1, 2, 3, 4, 5], nil), (0x2006, [1, 2, 3, 4, 5, 0xC0], nil),
            (0x2005, [1, 2, 3, 4, 5, 0xC0], "C0:05:04:03:02:01"), (0x2005, [9, 2, 3, 4], "C0:05:04:03:02:01"),
            (0x2005, [9, 2, 3, 4, 5, 0xC0], "C0:05:04:03:02:09"),
        ] as [(UInt16, [UInt8], String?)] {
            #expect(host.complete(opcode, parameters).count == 7)
            let clients = try await self.clients(served)
            #expect(clients.count == 2)
            #expect(clients.compactMap { $0.address?.description } == (address.map { [$0] } ?? []))
        }
        try await served.close()
    }

    @Test("the observer is told of a host that is refused, which is no client and gets no number")
    func refused() async throws {
        let folder = try TemporaryFolder()
        let limits = H4Server.Limits(connections: 1, refusals: 1)
        let served = try await AirServerTests.Served(.unix(path: folder("a")), limits: limits)
        let events = Watched<[AirServerEvent]>([])
        try await served.loop.run { served.server.value?.observer = { event in events.update { $0.append(event) } } }
        let first = try RawSocket(unix: folder("a"))
        #expect(first.complete(0x0C03).last == 0x00)
        let second = try RawSocket(unix: folder("a"))
        #expect(second.complete(0x0C03).last == 0x0D)
        #expect(second.endsWithin20Seconds())
        first.hangUp()
        try await eventually { try await self.clients(served).isEmpty }
        let third = try RawSocket(unix: folder("a"))
        #expect(third.complete(0x0C03).last == 0x00)
        #expect(await events.wait { $0.count == 4 })
        let own = H4Peer.process(Int(ProcessInfo.processInfo.processIdentifier))
        let texts = events.value.map { event in
            switch event {
            case .connected(let client): "connected \(client.number)"
            case .addressChanged(let client): "address \(client.number)"
            case .refused(let peer): "refused \(peer == own)"
            case .disconnected(let client, let reason):
                "disconnected \(client.number) \(client.peer == own) \(reason.contains("closed the connection"))"
            }
        }
        #expect(texts == ["connected 1", "refused true", "disconnected 1 true true", "connected 2"])
        try await served.close()
    }

    @Test("a host that comes with the refused one at whom the server closes gets no answer, and nobody is told of it")
    func closeWhileRefusing() async throws {
        let folder = try TemporaryFolder()
        let path = folder("a")
        let limits = H4Server.Limits(connections: 1, refusals: 2)
        let served = try await AirServerTests.Served(.unix(path: path), limits: limits)
        let client = try RawSocket(unix: path)
        // An answer shows that the host is a client, so that the next ones are too many.
        #expect(client.complete(0x0C03).last == 0x00)
        let refusals = Watched<Int>(0)
        // The loop accepts both at once, and closes at the first.
        let hosts = try await served.loop.run {
            let server = served.server
            server.value?.observer = { event in
                guard case .refused = event else { return }
                refusals.update { $0 += 1 }
                server.value?.close()
            }
            return try (0..<2).map { _ in try RawSocket(unix: path) }
        }
        #expect(hosts[1].endsWithin20Seconds())
        #expect(client.endsWithin20Seconds())
        #expect(refusals.value == 1)
        #expect(try await served.controllerCount() == 0)
        #expect(try await served.clientCount() == 0)
    }
}
