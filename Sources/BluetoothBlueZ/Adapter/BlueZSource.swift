// From an adapter of BlueZ to channels: each one is a connection to the bus and a private air of its own, so nothing of
// an earlier one is left when BlueZ comes back.

public import BluetoothHCI
public import BluetoothHost
import BluetoothTypes
public import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Opens channels to the adapter that BlueZ has.
///
/// All members are used on the event loop alone.
public final class BlueZSource {
    private let index: Int?
    private let eventLoop: any EventLoop
    private let address: String
    private var opening: BlueZAdapter?
    private weak var host: LEHost?

    /// A source; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - index: The number of the adapter; `nil` for the first one that is switched on.
    ///   - eventLoop: The loop of the channels.
    ///   - address: The address of the bus; `nil` for that of the system, which `DBUS_SYSTEM_BUS_ADDRESS` may name.
    public init(adapter index: Int?, on eventLoop: any EventLoop, bus address: String? = nil) {
        self.index = index
        self.eventLoop = eventLoop
        self.address = address ?? Self.systemBus
    }

    private static var systemBus: String {
        getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) } ?? "unix:path=/run/dbus/system_bus_socket"
    }

    /// Has the services of `host`, which uses the channels, published with BlueZ. Their permissions are not on the air.
    public func publishServices(of host: LEHost) { self.host = host }

    /// Opens a channel; `completion` is called once, on the event loop.
    public func open(_ completion: @escaping (Result<any HCIChannel, BlueZError>) -> Void) {
        self.eventLoop.assertInEventLoop()
        do throws(BlueZError) {
            let library = try BusLibrary.shared.get()
            let bus = try BusConnection(address: self.address, library: library, on: self.eventLoop)
            let adapter = BlueZAdapter(bus, index: self.index, host: self.host)
            self.opening = adapter
            adapter.open { [weak self] result in
                self?.opening = nil
                completion(result)
            }
        } catch {
            completion(.failure(error))
        }
    }

    /// Cancels what is being opened.
    public func close() {
        self.opening?.channelDidClose()
        self.opening = nil
    }
}
