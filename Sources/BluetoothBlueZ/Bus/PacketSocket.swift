// The sockets through which values go to BlueZ, notifications and writes without response: one packet is one value. A
// full socket is the only sign that BlueZ is behind, so values then wait here, and their source is held back.

import CPlatform
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Our end of a socket for values.
final class PacketSocket {
    private let descriptor: CInt
    private var watch: DescriptorWatch?
    private var waiting = CircularBuffer<ByteBuffer>()
    private let ended: () -> Void
    private let emptied: () -> Void
    private var isOpen = true

    /// Whether values wait.
    var isFull: Bool { !self.waiting.isEmpty }

    /// Makes a pair of sockets; returns ours, and the one that BlueZ gets.
    ///
    /// - Parameters:
    ///   - ended: Called when BlueZ has closed its end.
    ///   - emptied: Called when all values have been written.
    static func make(
        on eventLoop: any EventLoop,
        ended: @escaping () -> Void,
        emptied: @escaping () -> Void
    ) -> (PacketSocket, BusDescriptor)? {
        var pair: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, Self.kind, 0, &pair) == 0 else { return nil }
        defer { closeDescriptor(pair[1]) }
        let socket = PacketSocket(pair[0], ended: ended, emptied: emptied)
        socket.watch = DescriptorWatch(pair[0], on: eventLoop) { [weak socket] in socket?.turn() }
        guard let other = BusDescriptor(duplicating: pair[1]), socket.watch != nil else { return nil }
        socket.watch?.arm(.reading)
        return (socket, other)
    }

    /// Our end is the one that BlueZ has handed out; `nil` if too many files are open.
    static func adopt(
        _ descriptor: BusDescriptor,
        on eventLoop: any EventLoop,
        ended: @escaping () -> Void,
        emptied: @escaping () -> Void
    ) -> PacketSocket? {
        let number = fcntl(descriptor.number, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { return nil }
        let socket = PacketSocket(number, ended: ended, emptied: emptied)
        socket.watch = DescriptorWatch(number, on: eventLoop) { [weak socket] in socket?.turn() }
        guard let watch = socket.watch else { return nil }
        watch.arm(.reading)
        return socket
    }

    /// Whether BlueZ has read everything.
    var isDrained: Bool {
        guard self.isOpen else { return true }
        guard self.waiting.isEmpty else { return false }
        var count: CInt = 0
        #if os(Linux)
        guard linux_unix_unread(self.descriptor, &count) == 0 else { return true }
        #endif
        return count == 0
    }

    #if os(Linux)
    private static let kind = CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    #else
    private static let kind = SOCK_SEQPACKET
    #endif

    private init(_ descriptor: CInt, ended: @escaping () -> Void, emptied: @escaping () -> Void) {
        self.descriptor = descriptor
        self.ended = ended
        self.emptied = emptied
    }

    deinit { self.close() }

    /// Closes our end.
    func close() {
        guard self.isOpen else { return }
        self.isOpen = false
        self.watch?.cancel()
        closeDescriptor(self.descriptor)
    }

    /// Sends a value, now or when BlueZ takes it.
    func send(_ value: ByteBuffer) {
        guard self.isOpen else { return }
        guard self.waiting.isEmpty, self.write(value) else {
            self.waiting.append(value)
            self.watch?.arm(.writing)
            return
        }
    }

    /// Returns whether the value was written, or can never be.
    private func write(_ value: ByteBuffer) -> Bool {
        let count = value.withUnsafeReadableBytes {
            sendOctets(self.descriptor, $0)
        }
        return count >= 0 || (errno != EAGAIN && errno != ENOBUFS)
    }

    private func turn() {
        guard self.isOpen else { return }
        var octets: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        let count = recv(self.descriptor, &octets, octets.count, CInt(MSG_DONTWAIT))
        if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) {
            self.close()
            return self.ended()
        }
        let wasFull = self.isFull
        while let first = self.waiting.first, self.write(first) { self.waiting.removeFirst() }
        self.watch?.arm(self.isFull ? [.reading, .writing] : .reading)
        if wasFull, !self.isFull { self.emptied() }
    }
}

// A method of the same name hides the function of the system.
private func closeDescriptor(_ descriptor: CInt) { close(descriptor) }

private func sendOctets(_ descriptor: CInt, _ octets: UnsafeRawBufferPointer) -> Int {
    send(descriptor, octets.baseAddress, octets.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
}
