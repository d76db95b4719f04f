// Channels of the kernel: BlueZ has none on the bus, but Linux lets every program open L2CAP sockets. They share the
// link that BlueZ has with the device.

import BluetoothHost
import BluetoothTypes
import CPlatform
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Opens and accepts channels by sockets of the kernel.
enum KernelChannel {
    /// The longest SDU that this side takes.
    static let mtu: UInt16 = 4_096

    /// Opens a channel to a device; the completion gets the socket, or what the other end of the private air is told.
    static func connect(
        from adapter: DeviceAddress,
        to device: DeviceAddress,
        spsm: SPSM,
        on eventLoop: any EventLoop,
        completion: @escaping (Result<CInt, L2CAPConnectionResult>) -> Void
    ) {
        #if os(Linux)
        var socket: CInt = -1
        var error = linux_l2cap_socket(&socket, adapter.octets, adapter.isRandom, 0, 1, self.mtu)
        if error == 0 { error = linux_l2cap_connect(socket, device.octets, device.isRandom, spsm.rawValue) }
        guard error == 0 else {
            if socket >= 0 { close(socket) }
            return completion(.failure(.init(errorNumber: error)))
        }
        let attempt = Attempt()
        attempt.watch = DescriptorWatch(socket, on: eventLoop) { [socket] in
            attempt.watch?.cancel()
            attempt.watch = nil
            var error: CInt = 0
            var length = socklen_t(MemoryLayout<CInt>.size)
            if getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) != 0 { error = errno }
            guard error == 0 else {
                close(socket)
                return completion(.failure(.init(errorNumber: error)))
            }
            completion(.success(socket))
        }
        guard let watch = attempt.watch else {
            close(socket)
            return completion(.failure(.noResources))
        }
        watch.arm(.writing)
        #else
        completion(.failure(.spsmNotSupported))
        #endif
    }

    /// Retains itself, by its watch, until the attempt has ended.
    private final class Attempt { var watch: DescriptorWatch? }

    /// Closes a channel that has no use.
    static func end(_ socket: CInt) { close(socket) }

    /// The longest SDU that the device takes.
    static func sendLimit(_ socket: CInt) -> Int {
        var limit: UInt16 = 0
        #if os(Linux)
        guard linux_l2cap_send_limit(socket, &limit) == 0, limit > 0 else { return 512 }
        #endif
        return Int(limit)
    }

    /// Whether everything that was written has left.
    static func isDrained(_ socket: CInt) -> Bool {
        var isDrained = true
        #if os(Linux)
        guard linux_bluetooth_is_drained(socket, &isDrained) == 0 else { return true }
        #endif
        return isDrained
    }
}

/// Accepts the channels that devices open to one SPSM.
final class KernelListener {
    private let socket: CInt
    private var watch: DescriptorWatch?

    /// Listens; `nil`, with a line in the log, if the kernel refuses.
    init?(
        _ spsm: SPSM,
        _ security: SecurityRequirement,
        of adapter: DeviceAddress,
        on eventLoop: any EventLoop,
        accepted: @escaping (CInt, DeviceAddress) -> Void
    ) {
        #if os(Linux)
        let level: UInt8 =
            switch security.level {
            case .none: 1
            case .encrypted: 2
            case .authenticated: 3
            case .secureConnections: 4
            }
        var socket: CInt = -1
        var error = linux_l2cap_socket(
            &socket,
            adapter.octets,
            adapter.isRandom,
            spsm.rawValue,
            level,
            KernelChannel.mtu
        )
        if error == 0, listen(socket, 8) != 0 { error = errno }
        self.socket = socket
        guard error == 0 else {
            BlueZAdapter.log.warning("centrals cannot open channels to \(spsm): error \(error) of the kernel")
            if socket >= 0 { close(socket) }
            return nil
        }
        let watch = DescriptorWatch(socket, on: eventLoop) { [weak self] in
            var channel: CInt = -1
            var octets = [UInt8](repeating: 0, count: 6)
            var isRandom = false
            while linux_l2cap_accept(socket, &channel, &octets, &isRandom) == 0 {
                var bytes = ByteBuffer(bytes: octets)
                guard let peer = try? DeviceAddress(parsing: &bytes, kind: isRandom ? .random : .public) else { break }
                accepted(channel, peer)
            }
            self?.watch?.arm(.reading)
        }
        guard let watch else {
            close(socket)
            return nil
        }
        self.watch = watch
        watch.arm(.reading)
        #else
        return nil
        #endif
    }

    deinit {
        guard let watch = self.watch else { return }
        watch.cancel()
        close(self.socket)
    }
}

extension DeviceAddress {
    /// The octets, the least significant one first.
    fileprivate var octets: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: self.value >> (8 * $0)) } }
}

extension L2CAPConnectionResult {
    /// The result that an error of the kernel stands for (net/bluetooth/l2cap_core.c, `l2cap_chan_connect` and the
    /// results of a response as error numbers).
    init(errorNumber: CInt) {
        switch errorNumber {
        case ECONNREFUSED: self = .spsmNotSupported
        case EACCES, EPERM: self = .insufficientAuthentication
        default: self = .noResources
        }
    }
}
