import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothTransport

@Suite("H4 stream with random steps")
struct H4StreamSimulationTests {
    private static let octetsOfController = H4ChannelTests.fromController
    private static let octetsOfHost: [[UInt8]] = [
        [0x01, 0x03, 0x0C, 0x00], [0x02, 0x40, 0x00, 0x02, 0x00, 1, 2], [0x03, 0x40, 0x00, 0x00],
        [0x01, 0x01, 0x20, 0x00],
    ]

    private static func open(
        _ sender: H4Framer.Sender,
        over medium: H4Medium = .socket
    ) throws -> (embedded: EmbeddedChannel, channel: H4Channel, recorder: Recorder) {
        let embedded = EmbeddedChannel()
        let stream = H4Stream(
            receivingFrom: sender,
            over: medium,
            on: embedded.embeddedEventLoop,
            writeQueueLimit: 4_096
        )
        try embedded.pipeline.syncOperations.addHandler(stream)
        try embedded.connect(to: SocketAddress(unixDomainSocketPath: "/test")).wait()
        return (embedded, H4Channel(channel: embedded, stream: stream), Recorder())
    }

    @Test("keeps octets in order, and ends once, for each kind of end", arguments: 0..<6, simulationSeeds(10))
    func steps(ending: Int, seed: UInt64) throws {
        var choices = SeededChoices(seed: seed)
        let sender: H4Framer.Sender = seed.isMultiple(of: 2) ? .controller : .host
        let (embedded, channel, recorder) = try Self.open(sender)
        let (loop, packets) = (
            embedded.embeddedEventLoop, sender == .host ? Self.octetsOfHost : Self.octetsOfController
        )
        let stream = packets + packets + packets
        var (rest, sent, written) = (stream.flatMap(\.self)[...], [UInt8](), [UInt8]())
        func send(_ count: Int) {
            let packet = [0x02, 0x40, 0x00, UInt8(count), 0] + (0..<count).map { UInt8($0) }
            sent += packet
            channel.send(HCIPacket(packet))
        }
        func look() {
            while let buffer = (try? embedded.readOutbound(as: ByteBuffer.self)) ?? nil {
                written += buffer.readableBytesView
            }
        }
        func receive(_ octets: some Sequence<UInt8>) { _ = try? embedded.writeInbound(ByteBuffer(bytes: octets)) }
        if choices.once(in: 2) { channel.start(receiver: recorder) }
        for _ in 0..<25 {
            switch choices.below(8) {
            case 0...3:
                let piece = rest.prefix(1 + choices.below(9))
                rest = rest.dropFirst(piece.count)
                receive(piece)
            case 4: send(choices.below(201))
            case 5:
                channel.sendTogether {
                    for size in 0..<choices.below(4) { send(size) }
                    channel.sendTogether { send(7) }
                }
            case 6: loop.run()
            default: channel.start(receiver: recorder)
            }
            look()
        }
        channel.start(receiver: recorder)
        loop.run()
        look()
        #expect(written == sent)
        switch ending {
        case 0: channel.close()
        case 1: channel.abandon("of the test")
        case 2: embedded.pipeline.fireErrorCaught(ChannelError.connectTimeout(.seconds(2)))
        case 3: receive(Array(rest) + [0x99, 0x04])
        case 4: receive(Array(rest) + [sender == .host ? 0x04 : 0x01, 0x03, 0x00, 0x00, 0x00, 0x00])
        default: embedded.close(promise: nil)
        }
        loop.run()
        let seen = recorder.seen.value
        #expect(recorder.packets == Array(stream.prefix(recorder.packets.count)))
        #expect(seen.count(where: \.isClose) <= 1)
        if seen.contains(where: \.isClose) { #expect(seen.last?.isClose == true) }
        // Nothing happens after the end.
        channel.send(HCIPacket([0x02, 0x40, 0x00, 0, 0]))
        receive([0x04, 0x10, 0x01, 0x42])
        channel.start(receiver: recorder)
        channel.close()
        loop.run()
        #expect(recorder.packets == seen.compactMap(\.packet))
    }

    @Test("ends a stream without a packet exactly at the limit")
    func stray() throws {
        for count in [H4Stream.strayLimit - 1, H4Stream.strayLimit, H4Stream.strayLimit + 1] {
            let (embedded, channel, recorder) = try Self.open(
                .controller,
                over: .serialPort(path: "/dev/x", speed: 9_600)
            )
            channel.start(receiver: recorder)
            embedded.embeddedEventLoop.run()
            _ = try? embedded.writeInbound(ByteBuffer(repeating: 0xEE, count: count))
            #expect((recorder.closeReason != nil) == (count > H4Stream.strayLimit))
            withExtendedLifetime(channel) {}
        }
    }
}
