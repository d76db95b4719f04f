// The clients of an air's server as its owner sees them: their numbers and addresses, and hosts that are refused.

import BluetoothAir
import BluetoothHCI
import BluetoothTransport
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothAirService

@Suite("Clients of an air's server", .timeLimit(.minutes(2)))
struct AirClientsTests {
    private func clients(_ served: AirServerTests.Served) async throws -> [AirClient] {
        try await served.loop.run { served.server.value?.clients ?? [] }
    }

    @Test("Clients are numbered from 1 in the order in which they come, and no number is given twice")
    func numbers() async throws {
        let folder = try TemporaryFolder()
        let served = try await AirServerTests.Served(.unix(path: folder("a")))
        var hosts: [RawSocket] = []
        for count in 1...3 {
            let host = try RawSocket(unix: folder("a"))
            // An answer shows that the host is a client.
            #expect(host.complete(0x0C03).count == 7)
            hosts.append(host)
            #expect(try await self.clients(served).map(\.number) == Array(1...count))
        }
        hosts[0].hangUp()
        try await eventually { try await self.clients(served).map(\.number) == [2, 3] }
        let last = try RawSocket(unix: folder("a"))
        #expect(last.complete(0x0C03).count == 7)
        #expect(try await self.clients(served).map(\.number) == [2, 3, 4])
        try await served.close()
    }

    @Test("A client has the random address that its host has set last, in a command that is whole")
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

    @Test("The observer is told of a host that is refused, which is no client and gets no number")
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
            case .disconnected(let client, _): "disconnected \(client.number)"
            }
        }
        #expect(texts == ["connected 1", "refused true", "disconnected 1", "connected 2"])
        try await served.close()
    }

    // MARK: Channels

    private final class InnerChannel: HCIChannel {
        let eventLoop: any EventLoop = EmbeddedEventLoop()
        let leavesProcess: Bool
        private(set) var turns = 0

        init(leavesProcess: Bool) { self.leavesProcess = leavesProcess }

        func start(receiver: any HCIChannelReceiver) {}
        func send(_ packet: HCIPacket) {}
        func sendTogether(_ body: () -> Void) {
            self.turns += 1
            body()
        }
        func close() {}
    }

    @Test("A channel that places its device leaves the process where the one behind it does", arguments: [true, false])
    func leavesProcess(isLeaving: Bool) {
        let inner = InnerChannel(leavesProcess: isLeaving)
        let channel = LocationChannel(inner, location: .distance(.metres(1)))
        #expect(channel.leavesProcess == isLeaving)
        var calls = 0
        channel.sendTogether { calls += 1 }
        #expect(calls == 1 && inner.turns == 1)
        #expect(channel.eventLoop === inner.eventLoop)
    }
}
