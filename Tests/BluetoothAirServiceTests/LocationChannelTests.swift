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

@Suite("Location channel")
struct LocationChannelTests {
    /// A channel whose other end is the test.
    final class ScriptedChannel: HCIChannel {
        let eventLoop: any EventLoop
        var leavesProcess = true
        private(set) var sent: [[UInt8]] = []
        private(set) var isClosed = false
        private weak var receiver: (any HCIChannelReceiver)?

        init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

        func start(receiver: any HCIChannelReceiver) { self.receiver = receiver }
        func send(_ packet: HCIPacket) { self.sent.append(Array(packet.bytes.readableBytesView)) }
        func sendTogether(_ body: () -> Void) {
            body()
            // The location of every command.
            self.sent.append([])
        }
        func close() { self.isClosed = true }

        func deliver(_ octets: [UInt8]) {
            self.receiver?.channel(self, didReceive: HCIPacket(h4: ByteBuffer(bytes: octets)))
            self.receiver?.channelDidFinishBatch(self)
        }

        func end(_ reason: String) { self.receiver?.channel(self, didCloseBecause: reason) }
    }

    /// The packets that a host gets.
    final class RecordingReceiver: HCIChannelReceiver {
        var packets: [[UInt8]] = []
        var batchCount = 0
        var closeReason: String?

        func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
            self.packets.append(Array(packet.bytes.readableBytesView))
        }
        func channelDidFinishBatch(_ channel: any HCIChannel) { self.batchCount += 1 }
        func channel(_ channel: any HCIChannel, didCloseBecause reason: String) { self.closeReason = reason }
    }

    static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
    /// Air Set Distance, 250 cm.
    static let command: [UInt8] = [0x01, 0xD1, 0xFC, 0x04, 0xFA, 0x00, 0x00, 0x00]

    let inner: ScriptedChannel
    let channel: LocationChannel
    let host = RecordingReceiver()

    init() {
        self.inner = ScriptedChannel(EmbeddedEventLoop())
        self.channel = LocationChannel(self.inner, location: .distance(.metres(2.5)))
    }

    func send(_ octets: [UInt8]) { self.channel.send(HCIPacket(h4: ByteBuffer(bytes: octets))) }

    @Test(
        "the command goes out first, its answer is kept from the host, and then the host's packets follow in order",
        arguments: [
            // Command Complete of success, and of an unknown command; Command Status.
            [0x04, 0x0E, 0x04, 0x01, 0xD1, 0xFC, 0x00], [0x04, 0x0E, 0x04, 0x01, 0xD1, 0xFC, 0x01],
            [0x04, 0x0F, 0x04, 0x01, 0x01, 0xD1, 0xFC],
        ] as [[UInt8]]
    )
    func order(answer: [UInt8]) {
        self.send([0x01, 0x01, 0xFC, 0x00])
        #expect(self.inner.sent.isEmpty)
        self.channel.start(receiver: self.host)
        self.send(Self.reset)
        #expect(self.inner.sent == [Self.command])
        self.inner.deliver(answer)
        #expect(self.inner.sent == [Self.command, [0x01, 0x01, 0xFC, 0x00], Self.reset])
        #expect(self.host.packets.isEmpty)
        // From now on, packets of the same kind are for the host.
        self.send(Self.command)
        #expect(self.inner.sent.last == Self.command)
        self.inner.deliver(answer)
        #expect(self.host.packets == [answer])
        #expect(self.host.batchCount == 2)
    }

    @Test("a closed channel forwards nothing")
    func closed() {
        self.channel.start(receiver: self.host)
        self.inner.end("gone")
        #expect(self.host.closeReason == "gone")
        self.inner.deliver([0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x13])
        self.inner.end("again")
        self.send(Self.reset)
        #expect(self.host.closeReason == "gone" && self.inner.sent == [Self.command])
        #expect(self.host.packets.isEmpty && self.host.batchCount == 0)
    }

    @Test("sends the packets of one turn together")
    func together() {
        self.channel.start(receiver: self.host)
        self.inner.deliver([0x04, 0x0E, 0x04, 0x01, 0xD1, 0xFC, 0x00])
        self.channel.sendTogether {
            self.send(Self.reset)
            self.send(Self.reset)
        }
        #expect(self.inner.sent == [Self.command, Self.reset, Self.reset, []])
    }

    @Test("B22: a position goes out as its own command, whose answer opens the channel")
    func position() {
        let channel = LocationChannel(self.inner, location: .position(AirPosition(x: 3, y: -0.5)))
        channel.start(receiver: self.host)
        channel.send(HCIPacket(h4: ByteBuffer(bytes: Self.reset)))
        let command: [UInt8] = [0x01, 0xD2, 0xFC, 0x08, 0x2C, 0x01, 0x00, 0x00, 0xCE, 0xFF, 0xFF, 0xFF]
        #expect(self.inner.sent == [command])
        self.inner.deliver([0x04, 0x0E, 0x04, 0x01, 0xD2, 0xFC, 0x00])
        #expect(self.inner.sent == [command, Self.reset])
        #expect(self.host.packets.isEmpty)
    }

    @Test("other packets reach the host at any time, and none of them opens the channel")
    func others() {
        self.channel.start(receiver: self.host)
        self.send(Self.reset)
        let others: [[UInt8]] = [
            [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00], [0x04, 0x0E, 0x03, 0x01, 0x00, 0x00], [0x04, 0x0E, 0x00],
            [0x04],
            [], [0x02, 0xD1, 0xFC, 0x00, 0x00], [0x04, 0xFF, 0x02, 0xD1, 0xFC],
        ]
        for octets in others { self.inner.deliver(octets) }
        #expect(self.host.packets == others)
        #expect(self.inner.sent == [Self.command])
    }

    @Test("a host that closes the channel hears nothing more")
    func closes() {
        self.channel.start(receiver: self.host)
        self.channel.close()
        #expect(self.inner.isClosed)
        self.send(Self.reset)
        self.inner.deliver([0x04, 0x0E, 0x04, 0x01, 0xD1, 0xFC, 0x00])
        self.inner.end("late")
        self.send(Self.reset)
        #expect(self.inner.sent == [Self.command])
        #expect(self.host.packets.isEmpty && self.host.closeReason == nil)
    }

    @Test("sends its command once, first, and keeps the packets of the host in order", arguments: simulationSeeds(100))
    func steps(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        let hasDistance = seed.isMultiple(of: 2)
        let answers: [[UInt8]] = [
            [0x04, 0x0E, 0x04, 0x01, 0xD1, 0xFC, 0x00], [0x04, 0x0F, 0x04, 0x00, 0x01, 0xD2, 0xFC],
            [0x04, 0x0E, 0x04, 0x01, 0xD2, 0xFC, 0x01], [0x04, 0x0F, 0x04, 0x00, 0x01, 0xD1, 0xFC],
            [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00], [0x04, 0x0E, 0x03, 0x01, 0xD1, 0xFC], [0x04, 0x10, 0x01, 0x42],
        ]
        let inner = ScriptedChannel(EmbeddedEventLoop())
        let location: AirLocation = hasDistance ? .distance(.metres(2.5)) : .position(AirPosition(x: 3, y: -0.5))
        let (channel, host) = (LocationChannel(inner, location: location), RecordingReceiver())
        var (sent, isOver) = ([[UInt8]](), false)
        for step in 0..<12 {
            switch choices.below(11) {
            case 0...2:
                let octets: [UInt8] = [0x01, UInt8(step), 0x10, 0x00]
                if !isOver { sent.append(octets) }
                channel.send(HCIPacket(h4: ByteBuffer(bytes: octets)))
            case 3...6: channel.start(receiver: host)
            case 7, 8: inner.deliver(choices.pick(answers))
            case 9 where step > 6:
                channel.close()
                isOver = true
            case 10 where step > 6:
                inner.end("the server is gone")
                isOver = true
            default: break
            }
        }
        let commands: [[UInt8]] = [[0x01, 0xD1, 0xFC], [0x01, 0xD2, 0xFC]]
        func isCommand(_ octets: [UInt8]) -> Bool { commands.contains { octets.starts(with: $0) } }
        #expect(inner.sent.filter(isCommand).count <= 1)
        #expect(inner.sent.first.map(isCommand) != false)
        let others = Array(inner.sent.dropFirst())
        #expect(others == Array(sent.prefix(others.count)))
    }

    @Test("leaves the process if the inner channel does", arguments: [true, false])
    func leavesProcess(isLeaving: Bool) {
        self.inner.leavesProcess = isLeaving
        #expect(self.channel.leavesProcess == isLeaving && self.channel.eventLoop === self.inner.eventLoop)
    }
}
