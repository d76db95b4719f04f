// The descriptor of a device, and the thread that opens and closes devices. Both can take seconds: an adapter loads its
// firmware when it is opened, a serial port sends what is left when it is closed. No event loop waits for that.

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
/// So a device that is closed and opened again is closed before it is opened.
enum DeviceThread {
    private static let pool: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        return pool
    }()

    /// Runs `work` on the thread; the result comes on the event loop.
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

/// A descriptor of an open device, which is closed on the thread for devices.
///
/// SwiftNIO gets copies and closes those; the device itself is closed with the last one, which is this.
final class DeviceDescriptor: Sendable {
    let number: CInt
    private let prepareToClose: @Sendable (CInt) -> Void
    private let isClosed = Atomic(false)

    /// Takes ownership of a descriptor.
    ///
    /// - Parameter prepareToClose: Runs just before the close, on the same thread.
    init(owning number: CInt, prepareToClose: @escaping @Sendable (CInt) -> Void = { _ in }) {
        self.number = number
        self.prepareToClose = prepareToClose
    }

    deinit { self.close() }

    /// Closes the device on the thread, after its current work and before what is submitted next.
    func close() {
        guard !self.isClosed.exchange(true, ordering: .relaxed) else { return }
        let (number, prepareToClose) = (self.number, self.prepareToClose)
        DeviceThread.run {
            prepareToClose(number)
            systemClose(number)
        }
    }

    /// Another descriptor of the same device, which is the caller's to close.
    func copy() throws(TransportError) -> CInt {
        let copy = fcntl(self.number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw TransportError(errno: errno, "cannot use the device") }
        return copy
    }
}

private func systemClose(_ number: CInt) { close(number) }

/// The handler nearest to the descriptor: it closes the device as soon as SwiftNIO has closed its copies, so that
/// opening the device again, even in the same turn of the loop, comes after the close.
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
