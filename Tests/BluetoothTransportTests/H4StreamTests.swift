// Random walks over an H4 connection: octets in pieces of every size, sending within and without batches, ends of all
// kinds. What is delivered and what is written is on record.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothTransport

@Suite("H4 stream")
struct H4StreamTests {
    private static let octetsOfController = H4ChannelTests.fromController.flatMap(\.self)
    private static let octetsOfHost: [UInt8] = [
        0x01, 0x03, 0x0C, 0x00, 0x02, 0x40, 0x00, 0x02, 0x00, 1, 2, 0x03, 0x40, 0x00, 0x00, 0x01, 0x01, 0x20, 0x00,
    ]

    /// A connection and what its walk does with it.
    private struct Walk {
        let embedded = EmbeddedChannel()
        let channel: H4Channel
        let recorder = Recorder()
        let sender: H4Framer.Sender
        var generator: SeededGenerator
        private var seen = 0

        init(seed: UInt64, medium: H4Medium, sender: H4Framer.Sender, isHeld: Bool) throws {
            self.generator = SeededGenerator(seed: seed)
            self.sender = sender
            let stream = H4Stream(
                receivingFrom: sender,
                over: medium,
                on: self.embedded.embeddedEventLoop,
                unsentLimit: 1024
            )
            try self.embedded.pipeline.syncOperations.addHandler(stream)
            self.channel = H4Channel(channel: self.embedded, stream: stream)
            self.channel.writabilityChanged = { RunRecord.note("writable \($0)") }
            try self.embedded.connect(to: SocketAddress(unixDomainSocketPath: "/test")).wait()
            if !isHeld { self.channel.start(receiver: self.recorder) }
        }

        mutating func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self.generator) }

        mutating func note(_ name: String, _ step: Int) {
            let seen = self.recorder.seen.value
            for one in seen[self.seen...] { RunRecord.note("\(step) \(name) \(one)") }
            self.seen = seen.count
            while let buffer = (try? self.embedded.readOutbound(as: ByteBuffer.self)) ?? nil {
                RunRecord.note("\(step) \(name) writes \(buffer.readableBytes) \(buffer.hex.prefix(60))")
            }
            RunRecord.note("\(step) \(name) \(self.channel.isWritable) \(self.embedded.isActive)")
        }

        func receive(_ octets: some Sequence<UInt8>) {
            _ = try? self.embedded.writeInbound(ByteBuffer(bytes: octets))
        }

        func send(_ count: Int) {
            self.channel.send(HCIPacket([0x02, 0x40, 0x00, UInt8(count), 0] + (0..<count).map { UInt8($0) }))
        }

        /// One step; what the end is is left to the last ones.
        mutating func step(_ number: Int, _ rest: inout ArraySlice<UInt8>) {
            let loop = self.embedded.embeddedEventLoop
            let choice = self.random(0...9)
            switch choice {
            case 0...3:
                let piece = rest.prefix(self.random(1...9))
                rest = rest.dropFirst(piece.count)
                self.receive(piece)
            case 4: self.send(self.random(0...200))
            case 5:
                let count = self.random(0...3)
                self.channel.sendTogether {
                    for size in 0..<count { self.send(size) }
                    self.channel.sendTogether { self.send(7) }
                }
            case 6: loop.run()
            case 7: self.channel.start(receiver: self.recorder)
            case 8: self.embedded.isWritable = self.random(0...1) == 0
            default:
                self.embedded.pipeline.fireChannelWritabilityChanged()
                self.embedded.read()
            }
            self.note("\(choice)", number)
        }
    }

    private static let mediums: [H4Medium] = [
        .socket, .serialPort(path: "/dev/ttyX", speed: 115_200), .linuxAdapter(index: 3),
    ]

    @Test("packets in and out in random steps, and each way to end", arguments: 0..<6)
    func walk(ending: Int) throws {
        for seed in 0..<30 as Range<UInt64> {
            let medium = Self.mediums[Int(seed % 3)]
            let sender: H4Framer.Sender = seed.isMultiple(of: 2) ? .controller : .host
            var walk = try Walk(seed: seed << 8 | UInt64(ending), medium: medium, sender: sender, isHeld: seed % 5 == 0)
            let octets = sender == .host ? Self.octetsOfHost : Self.octetsOfController
            var rest = (octets + octets + octets)[...]
            for number in 0..<25 { walk.step(number, &rest) }
            switch ending {
            case 0: walk.channel.close()
            case 1: walk.channel.abandon("of the test")
            case 2: walk.embedded.pipeline.fireErrorCaught(ChannelError.connectTimeout(.seconds(2)))
            case 3: walk.receive([sender == .host ? 0x04 : 0x01, 0x03, 0x00, 0x00, 0x00, 0x00])
            case 4: walk.receive([0x99, 0x04])
            default: walk.embedded.close(promise: nil)
            }
            walk.note("end", ending)
            walk.embedded.embeddedEventLoop.run()
            walk.note("end", ending)
            // Nothing happens behind the end.
            walk.send(3)
            walk.receive([0x04, 0x10, 0x01, 0x42])
            walk.channel.start(receiver: walk.recorder)
            walk.channel.close()
            walk.embedded.embeddedEventLoop.run()
            walk.note("behind the end", ending)
            #expect(walk.recorder.seen.value.count(where: \.isClose) <= 1)
            if walk.recorder.seen.value.contains(where: \.isClose) {
                #expect(walk.recorder.seen.value.last?.isClose == true)
            }
        }
    }

    @Test("a stream that never has a packet ends at its limit, and not one octet before")
    func stray() throws {
        for count in [H4Stream.strayLimit - 1, H4Stream.strayLimit, H4Stream.strayLimit + 1] {
            let medium = H4Medium.serialPort(path: "/dev/ttyX", speed: 9_600)
            var walk = try Walk(seed: 1, medium: medium, sender: .controller, isHeld: false)
            walk.embedded.embeddedEventLoop.run()
            walk.receive([UInt8](repeating: 0xEE, count: count))
            walk.note("stray", count)
            #expect((walk.recorder.closeReason != nil) == (count > H4Stream.strayLimit))
        }
    }

    @Test("what is sent in one turn leaves in chunks of a fixed size")
    func chunks() throws {
        for size in [0, 1, 90, 91, 92, 200] {
            var walk = try Walk(seed: 2, medium: .socket, sender: .controller, isHeld: false)
            walk.embedded.embeddedEventLoop.run()
            for _ in 0..<400 { walk.send(size) }
            walk.note("before the turn", size)
            walk.embedded.embeddedEventLoop.run()
            walk.note("after the turn", size)
        }
    }

    @Test("every medium at its end, with and without an error, and within a packet")
    func reasons() {
        for medium in Self.mediums {
            RunRecord.note("\(medium) \(medium.beginsWithPacket) \(medium.keepsPacketsApart)")
            for error in [nil, "broken"] {
                for isInsidePacket in [false, true] {
                    RunRecord.note(medium.endReason("the host", error: error, isInsidePacket: isInsidePacket))
                }
            }
            RunRecord.note(medium.nonsenseReason("the host", "nonsense"))
        }
    }
}
