// A Bluetooth adapter of this process: where managers get their radio from.

public import BluetoothAir

/// A Bluetooth adapter: what managers work on.
///
/// Unmodified Core Bluetooth code needs none of this: its managers use the process's ``default`` adapter. A program that
/// has several adapters makes one the default for a while with ``run(_:)``, or names it in a manager's options:
///
/// ```swift
/// let central = CBCentralManager(delegate: me, queue: nil, options: [BluetoothAdapter.optionKey: adapter])
/// ```
public final class BluetoothAdapter: Sendable {
    /// How this device presents itself.
    public struct Configuration: Sendable {
        /// The name that other devices read from the Generic Access service.
        public var deviceName: String?
        /// The name under which the air keeps this device's address; `nil` for the program's name.
        public var identity: String?
        /// How far the device stands from the others on an air, in metres; `nil` for 1 m.
        public var distance: Double?
        /// A file that gets all HCI packets in the format of btsnoop.
        public var captureFile: String?

        /// A configuration that leaves everything to the defaults.
        public init(
            deviceName: String? = nil,
            identity: String? = nil,
            distance: Double? = nil,
            captureFile: String? = nil
        ) {
            self.deviceName = deviceName
            self.identity = identity
            self.distance = distance
            self.captureFile = captureFile
        }

        /// What the environment says: `COREBLUETOOTH_IDENTITY`, `COREBLUETOOTH_DISTANCE`, `COREBLUETOOTH_CAPTURE`.
        public static var environment: Configuration { preconditionFailure("in the making") }
    }

    /// The key under which a manager's options hold the ``BluetoothAdapter`` to use.
    public static let optionKey = "OpenCoreBluetoothAdapter"

    /// The adapter of managers that are given none: that of the surrounding ``run(_:)``, else the one that was
    /// selected, else the one that `COREBLUETOOTH_ADAPTER` names, else the user's air.
    public static var `default`: BluetoothAdapter { preconditionFailure("in the making") }

    /// Makes the adapter with this name the process's default.
    ///
    /// It is opened when the first manager is made.
    ///
    /// - Throws: ``BluetoothAdapterError`` where the name is not one.
    public static func select(_ name: String, configuration: Configuration = .environment) throws {
        preconditionFailure("in the making")
    }

    /// Makes an adapter the process's default.
    public static func select(_ adapter: BluetoothAdapter) { preconditionFailure("in the making") }

    /// The adapter with a name, such as `air`, `air:PATH`, `air:tcp:HOST:PORT`, `h4:unix:PATH` or `h4:tcp:HOST:PORT`.
    ///
    /// - Throws: ``BluetoothAdapterError`` where the name is not one.
    public init(_ name: String, configuration: Configuration = .environment) throws {
        preconditionFailure("in the making")
    }

    /// An adapter on an air of this process, to be called on the air's event loop.
    ///
    /// On an embedded event loop all calls and callbacks of the adapter's managers run in the loop's turns, in virtual
    /// time.
    public init(air: Air, configuration: Configuration = Configuration()) { preconditionFailure("in the making") }

    /// Makes the adapter the default for managers that `body` creates.
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result { preconditionFailure("in the making") }

    /// Makes the adapter the default for managers that `body` creates.
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        preconditionFailure("in the making")
    }

    /// Turns Bluetooth on or off, as a switch in the settings would.
    public func setPowered(_ isOn: Bool) { preconditionFailure("in the making") }
}

/// Why there is no such adapter.
public struct BluetoothAdapterError: Error, CustomStringConvertible, Sendable {
    /// One line that names the cause and what mends it.
    public let description: String
}

/// An air of this process with an event loop of its own: several adapters, no set-up, no other process.
public final class PrivateAir: Sendable {
    /// An empty air.
    ///
    /// Equal seeds give equal addresses.
    public init(model: AirModel = .instant, seed: UInt64 = 1) { preconditionFailure("in the making") }

    /// A new device on this air.
    public func makeAdapter(configuration: BluetoothAdapter.Configuration = .init()) -> BluetoothAdapter {
        preconditionFailure("in the making")
    }
}
