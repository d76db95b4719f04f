// The channel's client: what is sent comes back unchanged, whether the streams are scheduled on a run loop or polled,
// and also on an air that loses packets.

import ClientSamples
import CoreBluetooth
import CoreBluetoothTesting
import Testing

@Suite("Sample client: L2CAP echo")
struct ChannelEchoTests {
    private static func message(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13 ^ $0 >> 7) })
    }

    @Test(
        "echoes a message over scheduled streams",
        arguments: [AirSettings.instant, AirSettings(hasAirTime: true, loss: 0.1)]
    )
    func scheduled(_ settings: AirSettings) throws {
        let world = World(seed: 3, settings: settings)
        let server = world.addDevice("server").run { EchoServer() }
        let client = world.addDevice("client").run { ScheduledEchoClient() }
        client.message = Self.message(100_000)
        try world.run(until: client.received.count >= client.message.count, within: .seconds(120))
        #expect(client.received == client.message)
        #expect(client.channel?.psm == server.published)
        #expect((0x80...0xFF).contains(client.channel?.psm ?? 0))
        #expect(client.talker?.events.first == .openCompleted)

        // One end closes; the other hears the end of the stream.
        client.talker?.close()
        try world.run(until: server.talkers.first?.hasEnded == true)
        #expect(server.talkers.first?.events.last == .endEncountered)
    }

    @Test("echoes a message over polled streams")
    func polled() throws {
        let world = World(seed: 4, settings: .realistic)
        let server = world.addDevice("server").run { EchoServer() }
        let client = world.addDevice("client").run { PollingEchoClient() }
        client.message = Self.message(50_000)
        try world.run(
            until: {
                client.poll()
                return client.received.count >= client.message.count
            },
            within: .seconds(120)
        )
        #expect(client.received == client.message)
        client.disconnect()
        try world.run(until: server.talkers.first?.hasEnded == true)
    }

    @Test("client code 13: has streams of Foundation's classes")
    func classes() throws {
        let world = World(settings: .instant)
        let server = world.addDevice("server").run { EchoServer() }
        let client = world.addDevice("client").run { ScheduledEchoClient() }
        client.message = Data("hello".utf8)
        try world.run(until: client.received == client.message)
        let streams: [Foundation.Stream] = [try #require(client.channel?.inputStream), client.channel!.outputStream]
        #expect(streams[0] is InputStream && streams[1] is OutputStream)
        #expect(streams.allSatisfy { $0.streamStatus == .open && $0.streamError == nil })
        #expect(client.channel?.peer is CBPeripheral)
        withExtendedLifetime(server) {}
    }
}
