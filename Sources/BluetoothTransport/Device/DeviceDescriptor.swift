// The descriptor of a device, and the thread that opens and closes devices. Both can take seconds: an adapter loads its
// firmware when it is opened, and a serial port sends its remaining octets when it is closed. No event loop waits for
// that.

import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Opens and closes devices on one thread, one after the other.
///
/// A device that is reopened is closed first.
enum DeviceThread {
    private static let pool: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        return pool
    }()

    /// Runs `work` on the thread; the result arrives on the event loop.
    static func run<Value: Sendable>(
        for eventLoop: any EventLoop,
        _ work: @escaping @Sendable () throws -> Value
    ) -> EventLoopFuture<Value> {
        Self.pool.runIfActive(eventLoop: eventLoop, work)
    }

    /// Runs `work` on the thread.
    static func run(_ work: @escaping @Sendable () -> Void) {
        Self.pool.submit { _ in work() }
    }
}

/// The descriptor of an open device, which is closed on the device thread.
///
/// SwiftNIO gets copies and closes them; the device is closed with this descriptor, the last one.
final class DeviceDescriptor: Sendable {
    let number: CInt
    private let prepareToClose: @Sendable (CInt) -> Void
    private let isClosed = Atomic(false)

    /// Takes ownership of a descriptor.
    ///
    /// - Parameter prepareToClose: Runs just before the close, on the same thread.
    init(owning number: CInt, prepareToClose: @escaping @Sendable (CInt) -> Void = { _ in }) {
        (self.number, self.prepareToClose) = (number, prepareToClose)
    }

    deinit { self.close() }

    /// Closes the device on the thread, after the work that was submitted before.
    func close() {
        guard !self.isClosed.exchange(true, ordering: .relaxed) else { return }
        let (number, prepareToClose) = (self.number, self.prepareToClose)
        DeviceThread.run {
            prepareToClose(number)
            systemClose(number)
        }
    }

    /// A duplicate, which the caller has to close.
    func copy() throws(TransportError) -> CInt {
        let copy = fcntl(self.number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw TransportError(errno: errno, "cannot use the device") }
        return copy
    }
}

private func systemClose(_ number: CInt) { close(number) }

/// The first handler of the pipeline: it closes the device as soon as SwiftNIO has closed its copies, so that
/// reopening the device, even in the same turn of the loop, happens after the close.
final class DeviceHolder: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let device: DeviceDescriptor

    init(_ device: DeviceDescriptor) { self.device = device }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        context.close(mode: mode, promise: promise)
        self.device.close()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.device.close()
        context.fireChannelInactive()
    }
}
