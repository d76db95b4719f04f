import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothAirService

@Suite("The location of a device whose air is served elsewhere")
struct LocationChannelTests {
    /// A channel whose other end is the test.
    final class ScriptedChannel: HCIChannel {
        let eventLoop: any EventLoop
        private(set) var sent: [[UInt8]] = []
        private(set) var isClosed = false
        private weak var receiver: (any HCIChannelReceiver)?

        init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

        func start(receiver: any HCIChannelReceiver) { self.receiver = receiver }
        func send(_ packet: HCIPacket) { self.sent.append(Array(packet.bytes.readableBytesView)) }
        func sendTogether(_ body: () -> Void) {
            body()
            // Where all leaves.
            self.sent.append([])
        }
        func close() { self.isClosed = true }

        func deliver(_ octets: [UInt8]) {
            self.receiver?.channel(self, didReceive: HCIPacket(h4: ByteBuffer(bytes: octets)))
            self.receiver?.channelDidFinishBatch(self)
        }

        func end(_ reason: String) { self.receiver?.channel(self, didCloseBecause: reason) }
    }

    /// What a host gets.
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
        "The command goes out first, its answer is kept from the host, and then the host's packets follow in order",
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
        // From now on a packet of the same kind is the host's own affair.
        self.send(Self.command)
        #expect(self.inner.sent.last == Self.command)
        self.inner.deliver(answer)
        #expect(self.host.packets == [answer])
        #expect(self.host.batchCount == 2)
    }

    @Test("A channel that has closed hands nothing on")
    func closed() {
        self.channel.start(receiver: self.host)
        self.inner.end("gone")
        #expect(self.host.closeReason == "gone")
        self.inner.deliver([0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x13])
        self.inner.end("again")
        #expect(self.host.closeReason == "gone")
        #expect(self.host.packets.isEmpty && self.host.batchCount == 0)
    }

    @Test("What the host sends in one turn leaves together, where the channel behind lets it")
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

    @Test("Other packets reach the host at any time, and none of them opens the channel")
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

    @Test("The end of the channel reaches the host, whether the command was answered or not")
    func ends() {
        self.channel.start(receiver: self.host)
        self.inner.end("the server is gone")
        #expect(self.host.closeReason == "the server is gone")
        self.send(Self.reset)
        #expect(self.inner.sent == [Self.command])
    }

    @Test("A host that closes the channel hears nothing more")
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

    @Test("A distance has limits, and goes into the command in centimetres")
    func distances() {
        for (metres, centimetres) in [(0, 0), (-1, 0), (1.999, 199), (.nan, 100), (1e12, 1_000_000_000)]
            as [(Double, UInt32)]
        {
            #expect(AirSetDistance(.metres(metres)).centimetres == centimetres)
        }
        for (metres, centimetres) in [(0, 0), (-1.25, -125), (.nan, 0), (-1e12, -1_000_000_000)] as [(Double, Int32)] {
            #expect(AirSetPosition(AirPosition(x: metres, y: 2)) == AirSetPosition(x: centimetres, y: 200))
        }
        #expect(Distance.metres(1) < .metres(1.5))
        #expect(AirPosition(x: -2.5, y: 0).description == "(-2.5, 0.0) m")
        #expect(Distance.metres(2.5).description == "2.5 m")
    }

    @Test("Random steps of host and server in every state", arguments: [true, false])
    func walk(hasDistance: Bool) {
        var generator = SeededGenerator(seed: hasDistance ? 1 : 2)
        let answers: [[UInt8]] = [
            [0x04, 0x0E, 0x04, 0x01, 0xD1, 0xFC, 0x00], [0x04, 0x0F, 0x04, 0x00, 0x01, 0xD2, 0xFC],
            [0x04, 0x0E, 0x04, 0x01, 0xD2, 0xFC, 0x01], [0x04, 0x0F, 0x04, 0x00, 0x01, 0xD1, 0xFC],
            [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00], [0x04, 0x0E, 0x03, 0x01, 0xD1, 0xFC], [0x04, 0x10, 0x01, 0x42],
        ]
        for run in 0..<150 {
            let inner = ScriptedChannel(EmbeddedEventLoop())
            let location: AirLocation = hasDistance ? .distance(.metres(2.5)) : .position(AirPosition(x: 3, y: -0.5))
            let channel = LocationChannel(inner, location: location)
            let host = RecordingReceiver()
            for step in 0..<12 {
                let choice = Int.random(in: 0...10, using: &generator)
                switch choice {
                case 0...2: channel.send(HCIPacket(h4: ByteBuffer(bytes: [0x01, UInt8(step), 0x10, 0x00])))
                case 3: channel.sendTogether { channel.send(HCIPacket(h4: ByteBuffer(bytes: Self.reset))) }
                case 4...6: channel.start(receiver: host)
                case 7, 8: inner.deliver(answers[Int.random(in: 0..<answers.count, using: &generator)])
                case 9 where step > 6: channel.close()
                case 10 where step > 6: inner.end("the server is gone")
                default: break
                }
                RunRecord.note(
                    "\(run) \(step) \(choice): \(inner.sent) \(inner.isClosed) \(host.packets) \(host.batchCount) "
                        + "\(host.closeReason ?? "-") \(channel.leavesProcess)"
                )
            }
            // The command goes out once at most, in front of all else.
            let commands = inner.sent.filter {
                $0.starts(with: [0x01, 0xD1, 0xFC]) || $0.starts(with: [0x01, 0xD2, 0xFC])
            }
            #expect(commands.count <= 1)
        }
    }

    @Test("Distances and positions at each edge, as commands")
    func locations() {
        for metres in [
            0, 0.004, 0.005, 0.01, 0.5, 0.999, 1, 2.5, 1e6, 9_999_999.99, 1e7, 1e7 + 1, 1e12, -0.01, -1, -1e7, -1e12,
            .nan,
            .infinity, -.infinity,
        ] as [Double] {
            let position = AirPosition(x: metres, y: -metres)
            RunRecord.note("\(AirSetDistance(.metres(metres))) \(AirSetPosition(position)) \(Distance.metres(metres))")
        }
    }
}
