import Foundation
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

    @Test("is called with events that an earlier delegate was not called with")
    func delegateTakenAway() {
        let loop = EmbeddedEventLoop()
        let pipe = Self.pipe()
        let first = Reader(piece: 10)
        let second = Reader(piece: 10)
        let input = ChannelInputStream(pipe, .eventLoop(loop, nil))
        first.onEvent = { stream, _ in stream.delegate = nil }
        input.delegate = first
        input.schedule(in: .main, forMode: .default)
        Self.receive([1, 2], on: pipe)
        input.open()
        loop.run()
        #expect(first.events == [.openCompleted] && input.delegate == nil && input.hasBytesAvailable)
        input.delegate = second
        loop.run()
        #expect(second.events == [.hasBytesAvailable] && second.octets == [1, 2])
        #expect(first.events == [.openCompleted])
    }

    @Test("is not called without an event, and is set without a call if there is none")
    func takenAway() {
        let loop = EmbeddedEventLoop()
        let input = ChannelInputStream(Self.pipe(), .eventLoop(loop, nil))
        input.schedule(in: .main, forMode: .default)
        input.open()
        loop.run()
        input.delegate = nil
        loop.run()
        let (first, second) = (Reader(piece: 1), Reader(piece: 1))
        input.delegate = first
        loop.run()
        #expect(first.events == [.openCompleted])
        input.delegate = second
        loop.run()
        #expect(first.events == [.openCompleted] && second.events.isEmpty)
    }

    @Test("is called for its own stream only, and not after that was closed")
    func twoStreams() {
        let loop = EmbeddedEventLoop()
        let pipe = Self.pipe()
        let (reader, writer) = (Reader(piece: 10), Reader(piece: 10))
        let input = Self.input(pipe, loop, reader)
        let output = ChannelOutputStream(pipe, .eventLoop(loop, nil))
        output.delegate = writer
        output.schedule(in: .main, forMode: .default)
        output.open()
        loop.run()
        #expect(reader.events == [.openCompleted] && writer.events == [.openCompleted, .hasSpaceAvailable])
        input.close()
        #expect(output.write([1, 2, 3], maxLength: 3) == 3)
        Self.receive([1], on: pipe)
        loop.run()
        #expect(reader.events == [.openCompleted])
        #expect(writer.events == [.openCompleted, .hasSpaceAvailable, .hasSpaceAvailable])
        #expect(output.write([1, 2, 3], maxLength: -1) == 0)
        pipe.change { $0.end(&$1) }
        loop.run()
        #expect(writer.events.last == .endEncountered && output.streamStatus == .atEnd)
        #expect(output.write([1], maxLength: 1) == -1)
        loop.run()
        #expect(writer.events.last == .errorOccurred && writer.events.count == 5)
        #expect((output.streamError as? POSIXError)?.code == .EPIPE && input.streamStatus == .closed)
    }
}
