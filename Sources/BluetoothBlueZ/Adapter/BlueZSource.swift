// From an adapter of BlueZ to channels: each one is a connection to the bus and a private air of its own, so nothing of
// an earlier one is left when BlueZ comes back.

package import BluetoothHCI
package import BluetoothHost
package import BluetoothTypes
package import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Receives the events of BlueZ's adapter that are not HCI.
package protocol BlueZSourceDelegate: AnyObject {
    /// BlueZ asks the user something while it pairs with a device; an answer that is late is ignored.
    func source(
        _ source: BlueZSource,
        asks question: PairingQuestion,
        about device: DeviceAddress,
        answer: @escaping (PairingAnswer) -> Void
    )
    /// A pairing has ended, with an error or without.
    func source(_ source: BlueZSource, endedPairingWith device: DeviceAddress, _ error: PairingError?)
    /// ``BlueZSource/connectedDevices`` has changed.
    func sourceDidChangeConnectedDevices(_ source: BlueZSource)
    /// BlueZ has published the service with a handle, or has refused it.
    func source(_ source: BlueZSource, didPublish handle: AttributeHandle, isAccepted: Bool)
}

/// A device that BlueZ is connected to, for whichever program.
package struct BlueZDevice: Hashable, Sendable {
    /// Its address.
    package var address: DeviceAddress
    /// Its name; `nil` if none is known.
    package var name: String?
    /// The services that it advertises or has.
    package var services: [BluetoothUUID]
    /// Whether BlueZ has paired with it.
    package var isPaired: Bool
    /// Whether our agent has seen that a code protected the pairing.
    package var isAuthenticated: Bool
}

/// Opens channels to the adapter that BlueZ has.
///
/// All members are used on the event loop alone.
package final class BlueZSource {
    private let index: Int?
    private let eventLoop: any EventLoop
    private let address: String
    private var opening: BlueZAdapter?
    private weak var host: LEHost?
    private weak var adapter: BlueZAdapter?
    weak var delegate: (any BlueZSourceDelegate)?
    /// The display and keys of this program's user, for pairing.
    package var capability = IOCapability.noInputNoOutput
    /// The devices that BlueZ is connected to.
    package internal(set) var connectedDevices: [BlueZDevice] = [] {
        didSet { if self.connectedDevices != oldValue { self.delegate?.sourceDidChangeConnectedDevices(self) } }
    }

    /// A source; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - index: The number of the adapter; `nil` for the first one that is switched on.
    ///   - eventLoop: The loop of the channels.
    ///   - address: The address of the bus; `nil` for that of the system, which `DBUS_SYSTEM_BUS_ADDRESS` may name.
    package init(adapter index: Int?, on eventLoop: any EventLoop, bus address: String? = nil) {
        self.index = index
        self.eventLoop = eventLoop
        self.address = address ?? Self.systemBus
    }

    static var systemBus: String {
        getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) } ?? "unix:path=/run/dbus/system_bus_socket"
    }

    /// Publishes the services of `host`, which uses the channels, with BlueZ, and reports everything but HCI to
    /// `delegate`.
    package func use(_ host: LEHost, _ delegate: any BlueZSourceDelegate) {
        self.host = host
        self.delegate = delegate
    }

    /// Pairs with a device; the delegate gets the result. False if BlueZ does not know the device.
    ///
    /// - Parameter needsCode: Whether a pairing without a code is a failure.
    package func pair(with device: DeviceAddress, needsCode: Bool) -> Bool {
        self.eventLoop.assertInEventLoop()
        return self.adapter?.pair(with: device, needsCode: needsCode) ?? false
    }

    /// Opens a channel; `completion` is called once, on the event loop.
    package func open(_ completion: @escaping (Result<any HCIChannel, BlueZError>) -> Void) {
        self.eventLoop.assertInEventLoop()
        do throws(BlueZError) {
            let library = try BusLibrary.shared.get()
            let bus = try BusConnection(address: self.address, library: library, on: self.eventLoop)
            let adapter = BlueZAdapter(bus, index: self.index, host: self.host, source: self)
            self.opening = adapter
            self.adapter = adapter
            adapter.open { [weak self] result in
                self?.opening = nil
                completion(result)
            }
        } catch {
            completion(.failure(error))
        }
    }

    /// Cancels what is being opened.
    package func close() {
        self.opening?.channelDidClose()
        self.opening = nil
    }
}
