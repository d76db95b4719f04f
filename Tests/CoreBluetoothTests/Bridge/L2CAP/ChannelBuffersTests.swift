import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("12.3 A channel's buffers")
struct ChannelBuffersTests {
    private func write(_ count: Int, to buffer: inout SendBuffer) -> Int {
        [UInt8](repeating: 1, count: count).withUnsafeBytes { buffer.write($0) }
    }

    private func read(_ count: Int, from buffer: inout ReceiveBuffer) -> Int {
        var octets = [UInt8](repeating: 0, count: count)
        return octets.withUnsafeMutableBytes { buffer.read(into: $0) }
    }

    private func pieces(_ lengths: Int...) -> [ByteBuffer] { lengths.map { ByteBuffer(repeating: 2, count: $0) } }

    @Test("takes octets up to the limit, and has capacity again at half of it")
    func limit() {
        var buffer = SendBuffer()
        #expect(self.write(SendBuffer.limit - 1, to: &buffer) == SendBuffer.limit - 1 && !buffer.isFull)
        #expect(self.write(2, to: &buffer) == 1 && buffer.isFull)
        #expect(self.write(1, to: &buffer) == 0)
        #expect(buffer.take().reduce(0) { $0 + $1.readableBytes } == SendBuffer.limit && buffer.take().isEmpty)
        #expect(self.write(1, to: &buffer) == 0)
        #expect(buffer.sent(SendBuffer.limit / 2 - 1) == false && buffer.isFull)
        #expect(buffer.sent(1) == true && !buffer.isFull)
        #expect(buffer.sent(1) == false)
    }

    @Test("joins small writes")
    func joined() {
        var buffer = SendBuffer()
        for count in [10, 20, 4_066] { #expect(self.write(count, to: &buffer) == count) }
        #expect(buffer.take().map(\.readableBytes) == [4_096])
        for count in [10, 4_087, 5_000, 1] { #expect(self.write(count, to: &buffer) == count) }
        #expect(buffer.take().reduce(0) { $0 + $1.readableBytes } == 9_098)
        #expect(self.write(0, to: &buffer) == 0)
        #expect(buffer.take().isEmpty && !buffer.isFull)
    }

    @Test("joins received pieces of less than 256 octets in buffers of 4096")
    func joinedPieces() {
        var buffer = ReceiveBuffer(window: (frames: 100, length: 1_000))
        var lengths: [[Int]] = []
        for piece in [4_080, 16, 1, 256, 255, 1] {
            let added = piece == 4_080 ? (0..<16).map { _ in ByteBuffer(repeating: 2, count: 255) } : self.pieces(piece)
            buffer.append(added)
            lengths.append(buffer.pieces.map(\.readableBytes))
        }
        #expect(
            lengths == [
                [4_080], [4_096], [4_096, 1], [4_096, 1, 256], [4_096, 1, 256, 255], [4_096, 1, 256, 256],
            ]
        )
        #expect(buffer.octets == 4_609)
    }

    @Test("reports a quarter of the window's octets as consumed")
    func octets() {
        var buffer = ReceiveBuffer(window: (frames: 8, length: 100))
        #expect(buffer.isEmpty && !buffer.isReportDue)
        buffer.append(self.pieces(400, 400))
        #expect(self.read(199, from: &buffer) == 199 && !buffer.isReportDue)
        #expect(self.read(1, from: &buffer) == 1 && buffer.isReportDue)
        #expect(buffer.takeConsumed() == 200 && !buffer.isReportDue && buffer.takeConsumed() == 0)
        #expect(buffer.octets == 600)
    }

    @Test("reports a quarter of its frames as consumed when nothing is left")
    func frames() {
        var buffer = ReceiveBuffer(window: (frames: 8, length: 100))
        buffer.append(self.pieces(10))
        #expect(self.read(20, from: &buffer) == 10 && !buffer.isReportDue)
        buffer.append(self.pieces(10))
        #expect(!buffer.isReportDue)
        #expect(self.read(5, from: &buffer) == 5 && !buffer.isReportDue)
        #expect(buffer.takeConsumed() == 15)
        #expect(self.read(5, from: &buffer) == 5 && buffer.isReportDue)
        #expect(buffer.takeConsumed() == 5 && !buffer.isReportDue)
        buffer.append(self.pieces(10))
        #expect(self.read(10, from: &buffer) == 10 && !buffer.isReportDue)
    }
}
