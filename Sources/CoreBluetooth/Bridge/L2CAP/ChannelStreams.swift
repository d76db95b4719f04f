// Foundation's streams over a channel's pipe. Only `CBL2CAPChannel` creates them; they are not open yet, and may be
// used scheduled on a run loop or by polling, from any thread.
//
// As on Apple's platforms a read blocks if there are no octets, and a write if there is no capacity. In virtual time,
// and on the adapter's event loop, they return -1 with EAGAIN instead, since blocking would be a deadlock.

import Foundation
import NIOConcurrencyHelpers
import NIOCore

/// The common part of both streams of a channel: the pipe, the delegate, and its schedule.
private final class StreamEvents {
    /// A stream's delegate, which may be set on any thread.
    private struct WeakDelegate {
        weak var delegate: (any StreamDelegate)?
    }

    let pipe: ChannelPipe
    let schedule: StreamSchedule
    private let side: ChannelPipe.Side
    private weak var stream: Stream?
    private let delegateLock = NIOLock()
    private var delegateStorage = WeakDelegate()

    init(_ side: ChannelPipe.Side, of pipe: ChannelPipe, _ delivery: StreamSchedule.Delivery) {
        let reference = ManagerReference<StreamEvents>()
        self.side = side
        self.pipe = pipe
        self.schedule = StreamSchedule(delivery) { reference.onItsQueue?.report() }
        reference.set(self)
        pipe.attach(self.schedule, to: side)
    }

    deinit { self.schedule.removeAll() }

    /// Sets the stream, once.
    func start(_ stream: Stream) { self.stream = stream }

    var delegate: (any StreamDelegate)? {
        get { self.delegateLock.withLock { self.delegateStorage.delegate } }
        set {
            self.delegateLock.withLock { self.delegateStorage.delegate = newValue }
            if newValue != nil, self.hasEvent { self.schedule.signal() }
        }
    }

    /// Calls the delegate with the events that are due, each once; others follow with the next call.
    private func report() {
        var reported: Stream.Event = []
        while let stream = self.stream, let delegate = self.delegate,
            let event = self.pipe.withState({ $0.takeEvent(self.side, excluding: reported) })
        {
            reported.insert(event)
            delegate.stream(stream, handle: event)
        }
        if self.delegate != nil, self.hasEvent { self.schedule.signal() }
    }

    private var hasEvent: Bool { self.pipe.withState { $0.nextEvent(self.side) != nil } }

    func open() { self.pipe.change { $0.open(self.side, &$1) } }

    func close() {
        self.schedule.removeAll()
        self.pipe.change { $0.close(self.side, &$1) }
    }

    var isReady: Bool { self.pipe.withState { $0.isReady(self.side) } }
    var status: Stream.Status { self.pipe.withState { $0.status(self.side) } }
    var error: (any Error)? { self.pipe.withState { $0.error(self.side) } }
}

/// Octets that a peer sends on a channel.
final class ChannelInputStream: InputStream {
    private let events: StreamEvents

    init(_ pipe: ChannelPipe, _ delivery: StreamSchedule.Delivery) {
        self.events = StreamEvents(.input, of: pipe, delivery)
        super.init(data: Data())
        self.events.start(self)
    }

    override var delegate: (any StreamDelegate)? {
        get { self.events.delegate }
        set { self.events.delegate = newValue }
    }

    override func open() { self.events.open() }
    override func close() { self.events.close() }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        self.events.pipe.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: max(0, len)))
    }

    /// There is no accessible buffer, as in Foundation's own streams over a network.
    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    override var hasBytesAvailable: Bool { self.events.isReady }
    override var streamStatus: Stream.Status { self.events.status }
    override var streamError: (any Error)? { self.events.error }
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        self.events.schedule.add(aRunLoop, mode)
    }
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        self.events.schedule.remove(aRunLoop, mode)
    }
}

/// Octets to a peer on a channel.
final class ChannelOutputStream: OutputStream {
    private let events: StreamEvents

    init(_ pipe: ChannelPipe, _ delivery: StreamSchedule.Delivery) {
        self.events = StreamEvents(.output, of: pipe, delivery)
        super.init(toMemory: ())
        self.events.start(self)
    }

    /// A stream without a channel, already at its end. Foundation requires this initializer of every class of streams.
    required convenience init(toMemory: ()) { self.init(.makeEnded(), .runLoops) }

    override var delegate: (any StreamDelegate)? {
        get { self.events.delegate }
        set { self.events.delegate = newValue }
    }

    override func open() { self.events.open() }
    override func close() { self.events.close() }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        self.events.pipe.write(UnsafeRawBufferPointer(start: buffer, count: max(0, len)))
    }

    override var hasSpaceAvailable: Bool { self.events.isReady }
    override var streamStatus: Stream.Status { self.events.status }
    override var streamError: (any Error)? { self.events.error }
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        self.events.schedule.add(aRunLoop, mode)
    }
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        self.events.schedule.remove(aRunLoop, mode)
    }
}
