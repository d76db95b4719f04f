// Joins a channel on the private air and a socket of the kernel: octets of one go to the other, with back-pressure both
// ways.
//
// open: octets go both ways. draining: our host has closed the channel, and what it has sent is written to the socket
// first, which the kernel would drop at the end. closed: the socket is closed.

import BluetoothHost
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The channels of one host on the private air that continue in the kernel.
final class ChannelBridges {
    private unowned let host: LEHost
    private var bridges: [L2CAPChannelID: ChannelBridge] = [:]
    /// The limits of a channel on the private air.
    static let configuration = L2CAPChannelConfiguration(
        mtu: Int(KernelChannel.mtu),
        mps: 247,
        window: 512,
        sendLimit: 65_536
    )

    init(_ host: LEHost) { self.host = host }

    /// Joins a channel and a socket, which is closed with it.
    func join(_ channel: L2CAPChannelID, _ socket: CInt) {
        self.bridges[channel] = ChannelBridge(channel, of: self.host, socket)
    }

    func received(_ octets: ByteBuffer, on channel: L2CAPChannelID) { self.bridges[channel]?.received(octets) }
    func isReadyToSend(_ channel: L2CAPChannelID) { self.bridges[channel]?.readSocket() }
    func closed(_ channel: L2CAPChannelID) { self.bridges.removeValue(forKey: channel)?.drain() }

    /// The device is gone.
    func close() {
        for bridge in self.bridges.values { bridge.close() }
        self.bridges = [:]
    }
}

/// A channel and a socket.
private final class ChannelBridge {
    private enum State {
        case open
        case draining(until: NIODeadline)
        case closed
    }

    private let channel: L2CAPChannelID
    private let host: LEHost
    private let socket: CInt
    private let sendLimit: Int
    private var state = State.open
    private var watch: DescriptorWatch?
    /// For the socket.
    private var outgoing = CircularBuffer<ByteBuffer>()
    /// From the socket, for the channel, which had no room for it.
    private var incoming = ByteBuffer()

    /// How long the kernel may take to send what is left, and how often it is asked.
    private static let drainLimit = TimeAmount.seconds(30)
    private static let drainInterval = TimeAmount.milliseconds(20)

    init(_ channel: L2CAPChannelID, of host: LEHost, _ socket: CInt) {
        self.channel = channel
        self.host = host
        self.socket = socket
        self.sendLimit = KernelChannel.sendLimit(socket)
        self.watch = DescriptorWatch(socket, on: host.eventLoop) { [weak self] in self?.turn() }
        if self.watch == nil { self.end() } else { self.readSocket() }
    }

    deinit { self.close() }

    func close() {
        if case .closed = self.state { return }
        self.state = .closed
        self.watch?.cancel()
        closeDescriptor(self.socket)
    }

    /// The device has ended the channel.
    private func end() {
        self.close()
        self.host.closeChannel(self.channel)
    }

    private func turn() {
        self.writeSocket()
        self.readSocket()
    }

    // MARK: To the device

    func received(_ octets: ByteBuffer) {
        self.outgoing.append(octets)
        self.writeSocket()
    }

    private func writeSocket() {
        while var first = self.outgoing.first {
            if case .closed = self.state { return }
            let part = min(first.readableBytes, self.sendLimit)
            let count = first.withUnsafeReadableBytes {
                send(self.socket, $0.baseAddress, part, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
            }
            guard count >= 0 || first.readableBytes == 0 else {
                if [EAGAIN, EINTR, ENOBUFS].contains(errno) { self.watch?.arm(.writing) } else { self.end() }
                return
            }
            first.moveReaderIndex(forwardBy: max(count, 0))
            self.outgoing.removeFirst()
            if first.readableBytes > 0 { self.outgoing.prepend(first) }
            if case .open = self.state { self.host.consume(max(count, 0), of: self.channel) }
        }
    }

    /// Our host has closed the channel.
    func drain() {
        guard case .open = self.state else { return }
        self.state = .draining(until: self.host.eventLoop.now + Self.drainLimit)
        self.drainMore()
    }

    private func drainMore() {
        self.writeSocket()
        guard case .draining(let deadline) = self.state, self.host.eventLoop.now < deadline,
            !self.outgoing.isEmpty || !KernelChannel.isDrained(self.socket)
        else { return self.close() }
        // Only this task retains a draining bridge.
        self.host.eventLoop.assumeIsolated().scheduleTask(in: Self.drainInterval) { self.drainMore() }
    }

    // MARK: From the device

    /// Reads what the channel has room for.
    func readSocket() {
        while case .open = self.state {
            if self.incoming.readableBytes > 0 {
                self.incoming.moveReaderIndex(forwardBy: self.host.write(self.incoming, on: self.channel))
                // The channel says when it has room again.
                guard self.incoming.readableBytes == 0 else { return }
            }
            self.incoming.clear(minimumCapacity: Int(KernelChannel.mtu))
            let count = self.incoming.writeWithUnsafeMutableBytes(minimumWritableBytes: Int(KernelChannel.mtu)) {
                max(recv(self.socket, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT)), 0)
            }
            guard count == 0 else { continue }
            return self.watchOrEnd()
        }
    }

    private func watchOrEnd() {
        var octet: UInt8 = 0
        let count = recv(self.socket, &octet, 1, CInt(MSG_DONTWAIT) | CInt(MSG_PEEK))
        if count < 0, errno == EAGAIN || errno == EINTR {
            self.watch?.arm(.reading)
        } else if count <= 0 {
            self.end()
        } else {
            self.readSocket()
        }
    }
}

// A method of the same name hides the function of the system.
private func closeDescriptor(_ descriptor: CInt) { close(descriptor) }
