// The L2CAP channels of a peripheral in a world, octet by octet: what is sent back on a described one, and what the
// benchmark's confirms and sends.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Testing

@testable import CoreBluetoothCommand

@Suite("Channels of a peripheral")
@MainActor
struct PublishedChannelTests {
    private func peripheral(
        _ json: String?,
        benchmark: Bool,
        in world: World,
        _ print: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> PeripheralSession {
        let description = try json.map { try GATTDescription(json: Data($0.utf8), from: "t.json") }
        return world.addDevice("peripheral").run {
            PeripheralSession.started("Peer", description, benchmark: benchmark, print)
        }
    }

    @Test("The benchmark's channel confirms all that was announced, sends what is ordered, and goes on so")
    func benchmark() throws {
        let world = World()
        let session = try peripheral(nil, benchmark: true, in: world)
        let server = try #require(session.server)
        try world.run(until: server.psm != 0)
        let client = world.addDevice("client").run { ChannelClient(server.psm) }
        try world.run(until: client.isOpen)
        let number = { (count: UInt64) in count.littleEndianData }
        // Announced in two pieces; confirmed when the last octet is there.
        client.send(number(5).prefix(3))
        world.advance(by: .seconds(1))
        client.send(number(5).dropFirst(3) + [1, 2, 3, 4])
        world.advance(by: .seconds(1))
        #expect(client.received.isEmpty)
        client.send(Data([5]))
        try world.run(until: client.received == Data([1]))
        // Nothing is confirmed at once.
        client.send(number(0))
        try world.run(until: client.received == Data([1, 1]))
        for count in [3, 100_000] as [UInt64] {
            let before = client.received.count
            client.send(number(count | BenchmarkService.sendsBit))
            try world.run(until: client.received.count == before + Int(count))
            world.advance(by: .seconds(1))
            #expect(client.received.count == before + Int(count))
        }
        client.send(number(2) + [1, 2])
        try world.run(until: client.received.count == 100_006)
        #expect(client.received.last == 1)
    }

    @Test("A described channel sends back all that comes, also to a client that takes it late")
    func echo() throws {
        let world = World()
        let json = #"{ "name": "Safe", "services": [], "channels": [{}] }"#
        let session = try peripheral(json, benchmark: false, in: world)
        let client = world.addDevice("client").run { ChannelClient(192) }
        try world.run(until: client.isOpen)
        client.reads = false
        let octets = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
        client.send(octets)
        world.advance(by: .seconds(60))
        #expect(client.received.isEmpty)
        // What is not taken is not read on and on.
        #expect(client.unsent.count > 300_000)
        client.reads = true
        client.move()
        try world.run(until: client.received.count == octets.count)
        #expect(client.received == octets)
        withExtendedLifetime(session) {}
    }

    @Test("Beside the benchmark's service a described one has its own values, and the services that it includes")
    func besideBenchmark() throws {
        let world = World()
        let session = try peripheral(
            #"""
            { "services": [ { "uuid": "FFF2", "primary": false }, { "uuid": "FFF3", "primary": false },
              { "uuid": "FFF0", "includes": ["FFF3"], "characteristics": [
                { "uuid": "FFF1", "properties": ["read", "write"], "value": { "uint8": 7 } } ] } ] }
            """#,
            benchmark: true,
            in: world
        )
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Peer")
        #expect(try testbed.perform("read FFF1", on: connection) == ["07"])
        try testbed.perform("write FFF1 0102", on: connection)
        #expect(try testbed.perform("read FFF1", on: connection) == ["01 02"])
        let echo = try testbed.perform("read \(BenchmarkService.echo.uuidString) --hex", on: connection)
        #expect(echo == [String(repeating: "2A", count: 20)])
        let included = try testbed.perform {
            let service = try await testbed.central.discoverServices().first { $0.uuid == CBUUID(string: "FFF0") }
            return try await testbed.central.discoverIncludedServices(of: try #require(service)).map(\.uuid)
        }
        #expect(included == [CBUUID(string: "FFF3")])
        withExtendedLifetime(session) {}
    }

    @Test("A channel that was not asked for is not told as one")
    func unasked() throws {
        let world = World()
        let printed = Watched<[String]>([])
        let json = #"{ "name": "Safe", "services": [], "channels": [{}] }"#
        let session = try peripheral(json, benchmark: false, in: world) { line in printed.update { $0.append(line) } }
        world.advance(by: .seconds(5))
        let before = printed.value
        #expect(before.count { $0 == "the L2CAP channel 192 is open to centrals" } == 1, "\(before)")
        let manager = world.addDevice("other").run { CBPeripheralManager(delegate: nil, queue: nil) }
        session.peripheralManager(manager, didPublishL2CAPChannel: 193, error: nil)
        #expect(printed.value == before)
    }
}
