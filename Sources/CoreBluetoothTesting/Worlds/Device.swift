// A device that runs Core Bluetooth code: the code under test, or code that it communicates with.

import BluetoothAir
import CoreBluetooth
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

    /// What the device stores of its peers and of its apps' managers.
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
