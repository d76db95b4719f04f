// Events of a channel's streams that come up while the delegate is called, and while its call is on its way; without an
// air, over a pipe that the test fills.

import Dispatch
import Fixtures
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Testing

@testable import CoreBluetooth

@Suite("12.3 Signals of a stream while its delegate is called")
struct StreamSignalTests {
    /// Notes what it is called with, and reads so many octets each time that there are some.
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

    /// Keeps work until it is run.
    private final class Scheduler: CallbackScheduler {
        let mayBlock: Bool
        private let works = NIOLockedValueBox<[@Sendable () -> Void]>([])
        private let asked = NIOLockedValueBox<[String]>([])

        init(mayBlock: Bool) { self.mayBlock = mayBlock }

        var calls: [String] { self.asked.withLockedValue { $0 } }

        func call(on queue: DispatchQueue, in surroundings: Surroundings?, _ work: @escaping @Sendable () -> Void) {
            self.asked.withLockedValue { $0.append("main \(queue.isMain), own \(surroundings == nil)") }
            self.works.withLockedValue { $0.append(work) }
        }

        func run() {
            let works = self.works.withLockedValue { works in
                defer { works = [] }
                return works
            }
            for work in works { work() }
        }
    }

    private static func pipe() -> ChannelPipe {
        ChannelPipe(window: (frames: 8, length: 100), mayBlock: { false }, wakeLoop: {})
    }

    private static func receive(_ octets: [UInt8], on pipe: ChannelPipe) {
        pipe.change { $0.receive([ByteBuffer(bytes: octets)], &$1) }
    }

    /// An open input stream whose events are delivered in turns of a loop.
    private static func input(_ pipe: ChannelPipe, _ loop: EmbeddedEventLoop, _ reader: Reader) -> ChannelInputStream {
        let input = ChannelInputStream(pipe, .eventLoop(loop, nil))
        input.delegate = reader
        input.schedule(in: .main, forMode: .default)
        input.open()
        loop.run()
        return input
    }

    @Test("12.3 signals during a call lead to one more call, and to none without a run loop", arguments: 0...3)
    func signals(count signals: Int) {
        let loop = EmbeddedEventLoop()
        let calls = NIOLockedValueBox(0)
        let own = NIOLockedValueBox<StreamSchedule?>(nil)
        let leaves = NIOLockedValueBox(false)
        let schedule = StreamSchedule(.eventLoop(loop, nil)) {
            let count = calls.withLockedValue { count in
                count += 1
                return count
            }
            guard count == 1, let present = own.withLockedValue({ $0 }) else { return }
            if leaves.withLockedValue({ $0 }) { present.removeAll() }
            for _ in 0..<signals { present.signal() }
        }
        own.withLockedValue { $0 = schedule }
        defer { own.withLockedValue { $0 = nil } }
        schedule.add(.main, .default)
        loop.run()
        #expect(calls.withLockedValue { $0 } == (signals == 0 ? 1 : 2))
        // Each signal after it is heard by itself.
        for count in 1...2 {
            calls.withLockedValue { $0 = 10 * count }
            schedule.signal()
            loop.run()
            #expect(calls.withLockedValue { $0 } == 10 * count + 1)
        }
        leaves.withLockedValue { $0 = true }
        calls.withLockedValue { $0 = 0 }
        schedule.signal()
        loop.run()
        #expect(calls.withLockedValue { $0 } == 1)
        // It comes back: what is signalled then is heard.
        calls.withLockedValue { $0 = 10 }
        schedule.add(.main, .default)
        loop.run()
        #expect(calls.withLockedValue { $0 } == 11)
    }

    @Test("12.3 while a call is on its way, in the loop or at the scheduler, further signals add none")
    func posted() {
        let loop = EmbeddedEventLoop()
        let scheduler = Scheduler(mayBlock: false)
        let calls = NIOLockedValueBox(0)
        let schedule = StreamSchedule(.eventLoop(loop, scheduler)) { calls.withLockedValue { $0 += 1 } }
        schedule.add(.main, .default)
        schedule.signal()
        #expect(scheduler.calls.isEmpty)
        loop.run()
        schedule.signal()
        loop.run()
        #expect(scheduler.calls == ["main true, own true"])
        #expect(calls.withLockedValue { $0 } == 0)
        scheduler.run()
        #expect(calls.withLockedValue { $0 } == 1)
        schedule.signal()
        loop.run()
        scheduler.run()
        #expect(calls.withLockedValue { $0 } == 2 && scheduler.calls.count == 2)
    }

    @Test("12.3 in virtual time a thread may wait where the scheduler lets it, and never on the event loop itself")
    func blocking() {
        let loop = EmbeddedEventLoop()
        #expect(!StreamSchedule.Delivery.runLoops.mayBlock(on: loop))
        #expect(!StreamSchedule.Delivery.eventLoop(loop, nil).mayBlock(on: loop))
        for mayBlock in [true, false] {
            let scheduler = Scheduler(mayBlock: mayBlock)
            #expect(StreamSchedule.Delivery.eventLoop(loop, scheduler).mayBlock(on: loop) == mayBlock)
        }
    }

    @Test("12.3 a delegate that reads less than there is, is called again for the rest", arguments: [1, 2, 3, 5, 7])
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
        // Octets that come during a call are heard of as well.
        reader.onEvent = { [unowned reader] _, _ in if reader.octets.count < 9 { Self.receive([6, 7], on: pipe) } }
        Self.receive([8], on: pipe)
        loop.run()
        #expect(reader.octets.count >= 9 && reader.octets.count % 2 == 0 && !input.hasBytesAvailable)
        RunRecord.note("\(piece) \(reader.octets) \(reader.events.count)")
    }

    @Test("12.3 between two calls of one delegate others have their turn of the event loop")
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

    @Test("12.3 what a delegate was not called with, since it was taken away meanwhile, the next one is called with")
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

    @Test("12.3 each stream of a channel calls its own delegate, and closing one leaves the other's calls")
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
        // A negative length is none.
        #expect(output.write([1, 2, 3], maxLength: -1) == 0)
        pipe.change { $0.end(&$1) }
        loop.run()
        #expect(writer.events.last == .endEncountered && output.streamStatus == .atEnd)
        #expect(output.write([1], maxLength: 1) == -1)
        loop.run()
        #expect(writer.events.last == .errorOccurred && writer.events.count == 5)
        #expect((output.streamError as? POSIXError)?.code == .EPIPE && input.streamStatus == .closed)
    }

    @Test("12.2 a channel that its app has been given is not on its way any more, while the app holds it and after")
    func claimed() {
        let unclaimed = UnclaimedChannels()
        let pipe = Self.pipe()
        let central = CBCentral(identifier: UUID(random: 1, 2), lock: ObjectLock())
        func handle() -> ChannelHandle { ChannelHandle(pipe, .runLoops, unclaimed) }
        var channels: [CBL2CAPChannel] = []
        for psm in 0..<UnclaimedChannels.limit {
            channels.append(CBL2CAPChannel(handle(), peer: central, psm: CBL2CAPPSM(psm)))
        }
        #expect(unclaimed.hasCapacity)
        #expect(channels.map(\.psm) == (0..<UnclaimedChannels.limit).map { CBL2CAPPSM($0) })
        #expect(channels.allSatisfy { $0.peer === central && $0.inputStream != nil && $0.outputStream != nil })
        var waiting: [ChannelHandle] = []
        for _ in 0..<UnclaimedChannels.limit {
            #expect(unclaimed.hasCapacity)
            waiting.append(handle())
        }
        #expect(!unclaimed.hasCapacity)
        // The end of one that was given counts no second time.
        channels = []
        #expect(!unclaimed.hasCapacity)
        let next = CBL2CAPChannel(waiting.removeLast(), peer: central, psm: 0x80)
        #expect(unclaimed.hasCapacity && next.psm == 0x80)
        waiting.append(handle())
        #expect(!unclaimed.hasCapacity)
    }
}
