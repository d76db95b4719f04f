// A device that runs Core Bluetooth code: the code under test, or whatever it is to meet.

import BluetoothAir
import CoreBluetooth
import NIOCore

/// A device that runs Core Bluetooth code.
///
/// Code is put on it with ``run(_:)``: managers that are created there are its own, also those that they create later,
/// from their delegates' calls.
public final class Device: Radio {
    /// The adapter of the device's managers.
    ///
    /// ``run(_:)`` needs no mention of it; a manager that is created elsewhere takes it in its options under
    /// `BluetoothAdapter.optionKey`.
    public private(set) var adapter: BluetoothAdapter! = nil
    /// What ``run(_:)`` runs belongs to an app that is always in the foreground.
    private let application: Application

    /// What the device keeps of its peers and of its apps' managers, whatever becomes of those.
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
    /// The code is in the foreground for ever; what has the life of an app is put there with
    /// ``install(_:backgroundModes:_:)-(_,_,(Launch)->Instance)``.
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try self.world.loop.settle(after: {
            try self.application.run { try self.adapter.run { try self.world.loop.work.serve(body) } }
        })
    }

    /// Whether the user lets the code of ``run(_:)`` use Bluetooth; see ``App/authorization``.
    public var authorization: CBManagerAuthorization {
        get { self.application.authorization }
        set {
            self.note("its code may \(newValue == .allowedAlways ? "" : "not ")use Bluetooth")
            self.application.authorization = newValue
        }
    }

    /// With how many devices it has paired and keeps the keys.
    public var bondCount: Int { self.bonds.count }

    /// Loses the keys of all pairings, as where a user removes devices in the settings. Connections that there are stay.
    public func forgetBonds() {
        self.note("forgets the keys of its pairings")
        for name in self.bonds { self.storage.remove(name) }
    }

    private var bonds: [String] { self.storage.names.filter { $0.hasPrefix("bond-") } }

    override func powerChanged() { self.adapter.setPowered(self.isPowered) }
}
