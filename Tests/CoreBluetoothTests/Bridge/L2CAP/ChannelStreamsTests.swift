import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Testing

@testable import CoreBluetooth

@Suite("12.3 Delegates of a channel's streams")
struct ChannelStreamsTests {
    /// Keeps its events, and reads `piece` octets at each.
    private final class Reader: NSObject, StreamDelegate {
        let piece: Int
        var events: [Stream.Event] = []
        var octets: [UInt8] = []
        var onEvent: ((Stream, Stream.Event) -> Void)?

        init(piece: Int) {
            self.piece = piece
            super.init()
        }

        func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
            self.events.append(eventCode)
            if eventCode == .hasBytesAvailable, let input = aStream as? InputStream {
                var buffer = [UInt8](repeating: 0, count: self.piece)
                let count = input.read(&buffer, maxLength: self.piece)
                self.octets += buffer.prefix(max(0, count))
            }
            self.onEvent?(aStream, eventCode)
        }
    }

    private static func pipe() -> ChannelPipe {
        ChannelPipe(window: (frames: 8, length: 100), mayBlock: { false }, wakeLoop: {})
    }

    private static func receive(_ octets: [UInt8], on pipe: ChannelPipe) {
        pipe.change { $0.receive([ByteBuffer(bytes: octets)], &$1) }
    }

    private static func input(_ pipe: ChannelPipe, _ loop: EmbeddedEventLoop, _ reader: Reader) -> ChannelInputStream {
        let input = ChannelInputStream(pipe, .eventLoop(loop, nil))
        input.delegate = reader
        input.schedule(in: .main, forMode: .default)
        input.open()
        loop.run()
        return input
    }

    @Test("is called again for octets that it has not read", arguments: [1, 2, 3, 5, 7])
    func rest(piece: Int) {
        let loop = EmbeddedEventLoop()
        let pipe = Self.pipe()
        let reader = Reader(piece: piece)
        let input = Self.input(pipe, loop, reader)
        #expect(reader.events == [.openCompleted])
        Self.receive([1, 2, 3, 4, 5], on: pipe)
        loop.run()
        #expect(reader.octets == [1, 2, 3, 4, 5])
        #expect(reader.events.count == 1 + (5 + piece - 1) / piece)
        #expect(reader.events.dropFirst().allSatisfy { $0 == .hasBytesAvailable })
        reader.onEvent = { [unowned reader] _, _ in if reader.octets.count < 9 { Self.receive([6, 7], on: pipe) } }
        Self.receive([8], on: pipe)
        loop.run()
        #expect(reader.octets.count >= 9 && reader.octets.count % 2 == 0 && !input.hasBytesAvailable)
    }

    @Test("lets others have their turn of the event loop between two calls")
    func turns() {
        let loop = EmbeddedEventLoop()
        let pipe = Self.pipe()
        let order = NIOLockedValueBox<[String]>([])
        let reader = Reader(piece: 1)
        let input = Self.input(pipe, loop, reader)
        reader.onEvent = { _, _ in
            order.withLockedValue { $0.append("stream") }
            loop.execute { order.withLockedValue { $0.append("other") } }
        }
        Self.receive([1, 2], on: pipe)
        loop.run()
        #expect(order.withLockedValue { $0 } == ["stream", "other", "stream", "other"])
        #expect(reader.octets == [1, 2] && !input.hasBytesAvailable)
    }
}
