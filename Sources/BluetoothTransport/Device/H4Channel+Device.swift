// An H4 channel on a device: a serial port or a Linux adapter.

import BluetoothHCI
import NIOCore
import NIOPosix

extension H4Channel {
    /// The size of a read.
    ///
    /// The longest packet that Linux delivers must fit into a read, or its end is lost.
    private static let readSize = 4096

    /// Opens a device with a controller. Call this on `eventLoop`.
    ///
    /// - Parameter open: Opens the device, on the device thread.
    static func openDevice(
        over medium: H4Medium,
        on eventLoop: any EventLoop,
        _ open: @escaping @Sendable () throws -> DeviceDescriptor
    ) -> EventLoopFuture<H4Channel> {
        guard NIOPipeBootstrap(validatingGroup: eventLoop) != nil else {
            let error = TransportError(.unsupported, "\(medium) needs an event loop that can open devices")
            return eventLoop.makeFailedFuture(error)
        }
        return DeviceThread.run(for: eventLoop, open)
            .flatMap { device in Self.connect(device, over: medium, on: eventLoop) }
            .assumeIsolated()
            .flatMapThrowing { try H4Channel($0) }
            .nonisolated()
    }

    /// Adds an open device to the event loop.
    private static func connect(
        _ device: DeviceDescriptor,
        over medium: H4Medium,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        let input: CInt
        let output: CInt
        do {
            // SwiftNIO needs two descriptors and closes both.
            input = try device.copy()
            output = try device.copy()
        } catch {
            return eventLoop.makeFailedFuture(error)
        }
        return NIOPipeBootstrap(group: eventLoop)
            .channelOption(.writeBufferWaterMark, value: Self.waterMark)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readSize))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DeviceHolder(device))
                    if medium.keepsPacketsApart {
                        try channel.pipeline.syncOperations.addHandler(PacketBoundaries())
                    }
                    try channel.pipeline.syncOperations.addHandler(
                        H4Stream(receivingFrom: .controller, over: medium, on: channel.eventLoop)
                    )
                }
            }
            .takingOwnershipOfDescriptors(input: input, output: output)
    }
}
