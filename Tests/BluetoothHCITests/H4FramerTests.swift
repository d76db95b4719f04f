import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHCI

@Suite("H4 framer")
struct H4FramerTests {
    // One packet of each kind that a controller may send, including empty ones.
    private static let packets = [
        "04 0E 04 01 03 0C 00", "02 40 20 05 00 01 02 03 04 05", "04 3E 01 11", "03 40 00 02 AA BB",
        "05 40 00 03 40 01 02 03", "02 40 10 00 00", "04 10 01 42",
    ].map { HCIPacket(h4: ByteBuffer(hex: $0)) }

    private static let stream = packets.reduce(into: ByteBuffer()) { $0.writeImmutableBuffer($1.bytes) }

    private func drain(_ framer: inout H4Framer) throws -> [HCIPacket] {
        var packets: [HCIPacket] = []
        while let packet = try framer.next() { packets.append(packet) }
        return packets
    }

    private func part(_ range: Range<Int>) -> ByteBuffer {
        Self.stream.getSlice(at: range.lowerBound, length: range.count) ?? ByteBuffer()
    }

    @Test("a stream that may begin with anything is read from the answer to a reset on")
    func outOfStep() throws {
        var framer = H4Framer(readingFrom: .controller, isInStep: false)
        #expect(framer.isResynchronizing)
        // The start of a long packet, half an answer, and an answer to another command.
        framer.append(ByteBuffer(hex: "02 40 20 FF 0F 04 0E 04 01 04 0E 04 01 09 10 00"))
        #expect(try framer.next() == nil)
        #expect(framer.isResynchronizing)
        framer.append(Self.stream)
        #expect(try self.drain(&framer) == Self.packets)
        #expect(!framer.isResynchronizing)
    }

    @Test("frames a stream that is split in three at every pair of positions")
    func everySplit() throws {
        let count = Self.stream.readableBytes
        for first in 0...count {
            for second in first...count {
                var framer = H4Framer(readingFrom: .controller)
                var packets: [HCIPacket] = []
                for range in [0..<first, first..<second, second..<count] {
                    framer.append(self.part(range))
                    packets += try self.drain(&framer)
                }
                #expect(packets == Self.packets, "split at \(first) and \(second)")
            }
        }
    }

    @Test("reports lost synchronization once, and regains it at the answer to a reset")
    func resynchronizesOnCommandComplete() throws {
        var framer = H4Framer(readingFrom: .controller)
        framer.append(ByteBuffer(hex: "04 10 01 42 99 04 10 01 42"))
        #expect(try framer.next() != nil)
        #expect(throws: H4FramingError.unknownPacketType(0x99)) { try framer.next() }
        #expect(framer.isResynchronizing)
        #expect(try framer.next() == nil)
        // The answer to another command does not count, nor does an incomplete one.
        framer.append(ByteBuffer(hex: "04 0E 04 01 01 0C 00 04 0E 04 01"))
        #expect(try framer.next() == nil)
        framer.append(ByteBuffer(hex: "03 0C 00 04 10 01 43"))
        #expect(try self.drain(&framer).map(\.bytes.hex) == ["04 0E 04 01 03 0C 00", "04 10 01 43"])
        #expect(!framer.isResynchronizing)
    }

    @Test("recognizes the answer to a reset with any number of commands", arguments: [0, 1, 2, 0xFF] as [UInt8])
    func resynchronizesOnAnyCredit(count: UInt8) throws {
        var framer = H4Framer(readingFrom: .controller, isInStep: false)
        framer.append(ByteBuffer(bytes: [0x0F, 0x04, 0x0E, 0x04, count, 0x03, 0x0C, 0x00]))
        #expect(try framer.next()?.bytes == ByteBuffer(bytes: [0x04, 0x0E, 0x04, count, 0x03, 0x0C, 0x00]))
        #expect(!framer.isResynchronizing)
    }

    @Test("skips vendor octets of chips on a serial line, split in any way, if told to")
    func vendorOctets() throws {
        let event = "04 10 01 42"
        let diagnostics = "07" + String(repeating: " 04", count: 63)
        let stream = ByteBuffer(
            hex: ["30 31 FE FC", event, "32 33 FD", diagnostics, event, diagnostics].joined(separator: " ")
        )
        for count in [1, 7, 64, stream.readableBytes] {
            var framer = H4Framer(readingFrom: .controller, skipsVendorOctets: true)
            var rest = stream
            var packets: [String] = []
            while rest.readableBytes > 0 {
                framer.append(rest.readSlice(length: min(count, rest.readableBytes)) ?? ByteBuffer())
                packets += try self.drain(&framer).map(\.bytes.hex)
            }
            #expect(packets == [event, event] && framer.pendingOctetCount == 0)
        }
        var strict = H4Framer(readingFrom: .controller)
        strict.append(ByteBuffer(hex: "30"))
        #expect(throws: H4FramingError.unknownPacketType(0x30)) { try strict.next() }
    }

    @Test("a controller regains synchronization at a reset")
    func resynchronizesOnReset() throws {
        var framer = H4Framer(readingFrom: .host)
        framer.append(ByteBuffer(hex: "00"))
        #expect(throws: H4FramingError.unknownPacketType(0x00)) { try framer.next() }
        for octet in ["01", "01", "03", "0C"] {
            framer.append(ByteBuffer(hex: octet))
            #expect(try framer.next() == nil)
        }
        framer.append(ByteBuffer(hex: "00"))
        #expect(try framer.next() == Reset().packet())
    }

    @Test("the length of isochronous data has 14 bits, that of ACL data 16")
    func isochronousLength() throws {
        var framer = H4Framer(readingFrom: .host, maximumDataLength: 0xFFFF)
        framer.append(ByteBuffer(hex: "05 40 00 01 C0 AA 02 40 00 01 C0 AA"))
        #expect(try framer.next()?.bytes.hex == "05 40 00 01 C0 AA")
        #expect(try framer.next() == nil)
        #expect(framer.pendingOctetCount == 6)
    }

    @Test("random octets never trap, are kept for at most one packet, and give packets of the right length")
    func randomOctets() throws {
        var generator = SeededGenerator(seed: 11)
        for sender in [H4Framer.Sender.host, .controller] {
            var framer = H4Framer(readingFrom: sender, maximumDataLength: 64)
            for _ in 0..<6_000 {
                let count = Int.random(in: 0...20, using: &generator)
                framer.append(
                    ByteBuffer(bytes: (0..<count).map { _ in UInt8.random(in: 0...15, using: &generator) })
                )
                var isDone = false
                while !isDone {
                    do {
                        guard let packet = try framer.next() else {
                            isDone = true
                            continue
                        }
                        #expect((1...5).contains(packet.kind.rawValue))
                    } catch {
                        #expect(framer.isResynchronizing)
                        // The other side resets.
                        framer.append(
                            sender == .host ? Reset().packet().bytes : CommandComplete.packet(Reset.self, .init()).bytes
                        )
                    }
                }
                #expect(framer.pendingOctetCount < 4 + 255)
            }
        }
    }

    @Test("accepts at most 4,096 octets of data")
    func longestData() throws {
        for (hex, kind) in [("02 40 00", HCIPacket.Kind.aclData), ("05 40 00", .isochronousData)] {
            var framer = H4Framer(readingFrom: .host)
            framer.append(ByteBuffer(hex: hex + "00 10"))
            #expect(try framer.next() == nil)
            framer.append(ByteBuffer(repeating: 0, count: 4_096))
            #expect(try framer.next()?.bytes.readableBytes == 4_101)
            framer.append(ByteBuffer(hex: hex + "01 10"))
            let error = H4FramingError.tooLong(kind, length: 4_097)
            #expect(throws: error) { try framer.next() }
            #expect(error.description == "an HCI packet announces 4097 octets of data")
        }
    }

    private func address(_ bytes: ByteBuffer) -> UInt {
        bytes.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }
    }

    @Test("complete packets share the storage in which they arrived")
    func wholePackets() throws {
        var framer = H4Framer(readingFrom: .controller)
        for _ in 0..<2 {
            let bytes = ByteBuffer(hex: "04 10 01 42 02 40 20 01 00 07")
            framer.append(bytes)
            let first = try #require(try framer.next())
            let second = try #require(try framer.next())
            #expect(first.bytes.hex == "04 10 01 42" && second.bytes.hex == "02 40 20 01 00 07")
            #expect(self.address(first.bytes) == self.address(bytes))
            #expect(self.address(second.bytes) == self.address(bytes) + 4)
            #expect(try framer.next() == nil)
        }
    }

    @Test("joins a packet that arrives in pieces after a complete one, which stays unchanged")
    func pieces() throws {
        var framer = H4Framer(readingFrom: .controller)
        let bytes = ByteBuffer(hex: "04 10 01 42 02 40 20")
        framer.append(bytes)
        let first = try #require(try framer.next())
        #expect(self.address(first.bytes) == self.address(bytes))
        for octet in ["02", "00", "07"] {
            #expect(try framer.next() == nil)
            framer.append(ByteBuffer(hex: octet))
        }
        #expect(try framer.next() == nil)
        #expect(framer.pendingOctetCount == 6)
        framer.append(ByteBuffer(hex: "08 04 10 01 43"))
        #expect(try framer.next()?.bytes.hex == "02 40 20 02 00 07 08")
        #expect(try framer.next()?.bytes.hex == "04 10 01 43")
        #expect(first.bytes.hex == "04 10 01 42" && bytes.hex == "04 10 01 42 02 40 20")
    }
}
