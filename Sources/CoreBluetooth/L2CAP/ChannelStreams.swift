// Foundation's streams over a channel's pipe. They are made by CBL2CAPChannel alone, arrive unopened, and may be used
// scheduled on a run loop or by asking, from any thread.
//
// As on Apple's platforms a read waits where nothing is there, and a write where there is no room. In virtual time, and
// on the adapter's event loop, they return -1 with EAGAIN instead, since waiting would stop what they wait for.

import Foundation
import NIOConcurrencyHelpers
import NIOCore

/// A stream's delegate, which may be set on any thread.
private struct WeakDelegate {
    weak var delegate: (any StreamDelegate)?
}

/// What a peer sends on a channel.
final class ChannelInputStream: InputStream {
    private let pipe: ChannelPipe
    private let schedule: StreamSchedule
    private let delegateLock = NIOLock()
    private var delegateStorage = WeakDelegate()

    init(_ pipe: ChannelPipe, _ delivery: StreamSchedule.Delivery) {
        let reference = ManagerReference<ChannelInputStream>()
        self.pipe = pipe
        self.schedule = StreamSchedule(delivery) { reference.onItsQueue?.deliver() }
        super.init(data: Data())
        reference.set(self)
        pipe.attach(self.schedule, to: .input)
    }

    deinit { self.schedule.removeAll() }

    override var delegate: (any StreamDelegate)? {
        get { self.delegateLock.withLock { self.delegateStorage.delegate } }
        set {
            self.delegateLock.withLock { self.delegateStorage.delegate = newValue }
            if newValue != nil, self.pipe.hasEvent(.input) { self.schedule.signal() }
        }
    }

    /// Tells the delegate what it is owed, each event once; what is left comes with the next call.
    private func deliver() {
        var told: Stream.Event = []
        while let delegate = self.delegate, let event = self.pipe.takeEvent(.input, excluding: told) {
            told.insert(event)
            delegate.stream(self, handle: event)
        }
        if self.delegate != nil, self.pipe.hasEvent(.input) { self.schedule.signal() }
    }

    override func open() { self.pipe.open(.input) }

    override func close() {
        self.schedule.removeAll()
        self.pipe.close(.input)
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        self.pipe.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: max(0, len)))
    }

    /// There is no buffer to look into, as in Foundation's own streams over a network.
    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    override var hasBytesAvailable: Bool { self.pipe.isReady(.input) }
    override var streamStatus: Stream.Status { self.pipe.status(.input) }
    override var streamError: (any Error)? { self.pipe.error(.input) }
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { self.schedule.add(aRunLoop, mode) }
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { self.schedule.remove(aRunLoop, mode) }
}

/// What is sent to a peer on a channel.
final class ChannelOutputStream: OutputStream {
    private let pipe: ChannelPipe
    private let schedule: StreamSchedule
    private let delegateLock = NIOLock()
    private var delegateStorage = WeakDelegate()

    init(_ pipe: ChannelPipe, _ delivery: StreamSchedule.Delivery) {
        let reference = ManagerReference<ChannelOutputStream>()
        self.pipe = pipe
        self.schedule = StreamSchedule(delivery) { reference.onItsQueue?.deliver() }
        super.init(toMemory: ())
        reference.set(self)
        pipe.attach(self.schedule, to: .output)
    }

    /// A stream of no channel: at its end from the beginning. Foundation wants every class of streams to have this.
    required init(toMemory: ()) {
        self.pipe = .makeEnded()
        self.schedule = StreamSchedule(.runLoops) {}
        super.init(toMemory: ())
    }

    deinit { self.schedule.removeAll() }

    override var delegate: (any StreamDelegate)? {
        get { self.delegateLock.withLock { self.delegateStorage.delegate } }
        set {
            self.delegateLock.withLock { self.delegateStorage.delegate = newValue }
            if newValue != nil, self.pipe.hasEvent(.output) { self.schedule.signal() }
        }
    }

    /// As that of the other stream.
    private func deliver() {
        var told: Stream.Event = []
        while let delegate = self.delegate, let event = self.pipe.takeEvent(.output, excluding: told) {
            told.insert(event)
            delegate.stream(self, handle: event)
        }
        if self.delegate != nil, self.pipe.hasEvent(.output) { self.schedule.signal() }
    }

    override func open() { self.pipe.open(.output) }

    override func close() {
        self.schedule.removeAll()
        self.pipe.close(.output)
    }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        self.pipe.write(UnsafeRawBufferPointer(start: buffer, count: max(0, len)))
    }

    override var hasSpaceAvailable: Bool { self.pipe.isReady(.output) }
    override var streamStatus: Stream.Status { self.pipe.status(.output) }
    override var streamError: (any Error)? { self.pipe.error(.output) }
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { self.schedule.add(aRunLoop, mode) }
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { self.schedule.remove(aRunLoop, mode) }
}
