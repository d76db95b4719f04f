// A device that runs Core Bluetooth code: the code under test, or code that it communicates with.

import BluetoothAir
import BluetoothHCI
public import CoreBluetooth
import NIOCore

/// A device that runs Core Bluetooth code.
///
/// Run code on it with ``run(_:)``: managers that the code creates belong to the device, also those that it creates
/// later, in calls of delegates.
public final class Device: Radio {
    /// The adapter of the device's managers.
    ///
    /// Code in ``run(_:)`` gets it automatically; a manager that is created elsewhere gets it in its options under
    /// `BluetoothAdapter.optionKey`.
    public private(set) var adapter: BluetoothAdapter! = nil
    /// The app of code in ``run(_:)``, which is always in the foreground.
    private let application: Application

    /// Apps of ``connectAnotherApp(to:)``, which hold connections, by the peripherals' names.
    private var otherApps: [String: AnotherApp] = [:]
    /// The device's storage for its peers and its apps' managers.
    private let storage = MemoryStorage()

    init(
        name: String,
        model: ControllerModel,
        location: AirLocation,
        configuration: BluetoothAdapter.Configuration,
        isSupported: Bool,
        world: World
    ) {
        self.application = Application(name: "main", eventLoop: world.loop)
        super.init(name: name, model: model, location: location, world: world)
        self.application.launch(inBackground: false)
        var configuration = configuration
        configuration.triesExtendedAdvertising = self.isPreset
        configuration.observer = DeviceObserver(world.recorder, device: self.traceIndex, on: world.loop)
        self.adapter = BluetoothAdapter(
            eventLoop: world.loop,
            configuration: configuration,
            source: WorldSource(self, isSupported: isSupported),
            storage: self.storage,
            hasExtendedAdvertising: !self.isPreset || model.features.contains(.extendedAdvertising),
            callbackScheduler: DeviceCallbacks(world.loop.work, place: world.radios.count)
        )
    }

    /// Runs code on the device.
    ///
    /// ```swift
    /// let reader = phone.run { ThermometerReader() }
    /// ```
    ///
    /// The code is always in the foreground; install code with the life cycle of an app with
    /// ``install(_:backgroundModes:_:)-(_,_,(Launch)->Instance)``.
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try self.world.loop.settle(after: {
            try self.application.run { try self.adapter.run { try self.world.loop.work.serve(body) } }
        })
    }

    /// Whether the user lets code in ``run(_:)`` use Bluetooth; see ``App/authorization``.
    public var authorization: CBManagerAuthorization {
        get { self.application.authorization }
        set {
            self.note("its code may \(newValue == .allowedAlways ? "" : "not ")use Bluetooth")
            self.application.authorization = newValue
        }
    }

    /// Makes the device know a peripheral without having met it, for `retrievePeripherals(withIdentifiers:)`.
    ///
    /// ```swift
    /// let identifier = phone.remember(thermometer)
    /// let reader = phone.run { Reader(reconnectingTo: identifier) }
    /// ```
    ///
    /// A device with private addresses is known to nobody before it has paired. If the peripheral already has another
    /// identifier here, or another one has this identifier, the next `run(until:within:)` of the world throws a
    /// ``WorldError`` that names the line of this call.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - identifier: The identifier that the device gives it; `nil` for a random one.
    ///   - file: The file of the call, for messages.
    ///   - line: The line of the call, for messages.
    /// - Returns: The peripheral's identifier on this device.
    @discardableResult
    public func remember(
        _ peripheral: Radio,
        as identifier: UUID? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> UUID {
        let name = (peripheral as? ScriptedDevice)?.advertisedName
        let known = self.adapter.remember(peripheral.address, as: identifier, name: name)
        if let identifier, known != identifier {
            self.world.reportMistake(
                """
                \(file):\(line): "\(peripheral.name)" has the identifier \(known) on "\(self.name)", not \
                \(identifier): give it one before they meet, and each peripheral its own
                """
            )
        }
        return known
    }

    /// Connects another app on the device to a peripheral, which `retrieveConnectedPeripherals(withServices:)` then
    /// returns.
    ///
    /// It discovers all services and does not connect again when the connection ends.
    public func connectAnotherApp(to peripheral: Radio) {
        let identifier = self.remember(peripheral)
        self.otherApps[peripheral.name] = self.run { AnotherApp(connectingTo: identifier) }
    }

    /// Ends the connection of ``connectAnotherApp(to:)``.
    public func disconnectAnotherApp(from peripheral: Radio) { self.otherApps[peripheral.name] = nil }

    /// The number of paired devices whose keys it stores.
    public var bondCount: Int { self.bonds.count }

    /// Deletes the keys of all pairings, as if the user removed the devices in the settings. Existing connections stay.
    public func forgetBonds() {
        self.note("forgets the keys of its pairings")
        for name in self.bonds { self.storage.remove(name) }
    }

    private var bonds: [String] { self.storage.names.filter { $0.hasPrefix("bond-") } }

    override func powerChanged() { self.adapter.setPowered(self.isPowered) }
}
