// The write end of a pipe stands for the device; its read end shows whether it is open.

import Dispatch
import Fixtures
import Foundation
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothTransport

@Suite("Device descriptors")
struct DeviceDescriptorTests {
    /// A pipe whose write end is the device.
    private final class Line {
        let device: CInt
        private let readingEnd: CInt

        init() throws {
            var ends: [CInt] = [-1, -1]
            try #require(pipe(&ends) == 0)
            (self.readingEnd, self.device) = (ends[0], ends[1])
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }

        deinit { Foundation.close(self.readingEnd) }

        /// Whether the write end is open.
        var isOpen: Bool { self.hangup(within: 0) == false }

        /// Whether the write end is closed, now or soon: a process that is being started keeps it open for a moment.
        var isClosed: Bool { self.hangup(within: 100_000) }

        private func hangup(within milliseconds: CInt) -> Bool {
            var entry = pollfd(fd: self.readingEnd, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, milliseconds) == 1 else { return false }
            return entry.revents & Int16(POLLHUP) != 0
        }
    }

    /// Waits until the device thread has finished its work.
    private func finishWork() async {
        let isDone = Watched(false)
        DeviceThread.run { isDone.update { $0 = true } }
        #expect(await isDone.wait { $0 })
    }

    @Test("closes the device once, after the thread's work, and prepares it while it is open")
    func closesOnce() async throws {
        let line = try Line()
        let prepared = Watched<[CInt]>([])
        let number = line.device
        let device = DeviceDescriptor(owning: number) { number in
            guard fcntl(number, F_GETFD) >= 0 else { return }
            prepared.update { $0.append(number) }
        }
        #expect(device.number == number)
        let gate = DispatchSemaphore(value: 0)
        DeviceThread.run { gate.wait() }
        device.close()
        device.close()
        #expect(prepared.value == [] && line.isOpen)
        gate.signal()
        await self.finishWork()
        #expect(prepared.value == [number])
        #expect(line.isClosed)
    }

    @Test("closes a deallocated device")
    func unheld() async throws {
        let line = try Line()
        do { _ = DeviceDescriptor(owning: line.device) }
        await self.finishWork()
        #expect(line.isClosed)
    }

    @Test("a copy keeps the device open, and is not inherited by child processes")
    func copies() async throws {
        let line = try Line()
        let device = DeviceDescriptor(owning: line.device)
        let copy = try device.copy()
        #expect(copy != device.number)
        #expect(fcntl(copy, F_GETFD) & FD_CLOEXEC != 0)
        device.close()
        await self.finishWork()
        #expect(line.isOpen)
        Foundation.close(copy)
        #expect(line.isClosed)
    }

    @Test("an invalid descriptor has no copy")
    func noCopy() {
        let device = DeviceDescriptor(owning: -1)
        let error = #expect(throws: TransportError.self) { try device.copy() }
        #expect(error?.errorNumber == EBADF)
        #expect(error?.message.hasPrefix("cannot use the device: ") == true)
    }

    /// The handler after the one that closes the device.
    private final class NextHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        var isInactive = false

        func channelInactive(context: ChannelHandlerContext) { self.isInactive = true }
    }

    /// The handler before that one, which blocks the close.
    private final class FrontHandler: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            promise?.succeed(())
        }
    }

    @Test(
        "closes the device when this side closes the channel, or when the channel ends, which the next handler is told",
        arguments: [true, false]
    )
    func holder(isOwnClose: Bool) async throws {
        let line = try Line()
        let device = DeviceDescriptor(owning: line.device)
        try Self.endChannel(device, isOwnClose: isOwnClose)
        await self.finishWork()
        #expect(line.isClosed)
        // It is retained until here, so that the handler closes it.
        #expect(device.number == line.device)
    }

    /// Closes a channel with the device.
    private static func endChannel(_ device: DeviceDescriptor, isOwnClose: Bool) throws {
        let embedded = EmbeddedChannel()
        let next = NextHandler()
        try embedded.pipeline.syncOperations.addHandler(FrontHandler())
        try embedded.pipeline.syncOperations.addHandler(DeviceHolder(device))
        try embedded.pipeline.syncOperations.addHandler(next)
        try embedded.connect(to: SocketAddress(unixDomainSocketPath: "/test")).wait()
        if isOwnClose { embedded.close(promise: nil) } else { embedded.pipeline.fireChannelInactive() }
        #expect(next.isInactive != isOwnClose)
        embedded.embeddedEventLoop.run()
    }
}
