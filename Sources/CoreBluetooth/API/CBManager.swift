// The base class of central and peripheral managers.

public import Foundation

/// The base class of ``CBCentralManager`` and ``CBPeripheralManager``: the adapter's state, and whether this program
/// may use it.
///
/// Apple documents it as `CBManager`.
open class CBManager: NSObject {
    let adapter: BluetoothAdapter
    /// Guards everything observable of the manager and its objects.
    let lock: ObjectLock
    /// Observers of the manager's properties.
    package let propertyObservation: PropertyObservation
    private var stateStorage: CBManagerState = .unknown

    init(adapter: BluetoothAdapter, lock: ObjectLock, observation: PropertyObservation) {
        self.adapter = adapter
        self.lock = lock
        self.propertyObservation = observation
        super.init()
    }

    /// Not available: create a subclass's object.
    @available(*, unavailable, message: "Make a CBCentralManager or a CBPeripheralManager.")
    public override init() { fatalError("unavailable") }

    /// The adapter's state for this manager.
    ///
    /// It is ``CBManagerState/unknown`` until the delegate is called for the first time, and changes on the manager's
    /// queue just before the delegate is called. Except in ``CBManagerState/poweredOn``, commands are ignored, with a
    /// line on standard error.
    open var state: CBManagerState { self.lock.withLock { self.stateStorage } }

    /// Whether this program may use Bluetooth: on Linux ``CBManagerAuthorization/allowedAlways``, for Linux itself
    /// decides who may open an adapter.
    @available(*, deprecated, message: "Use the class property.")
    open var authorization: CBManagerAuthorization { Self.authorization }

    /// Whether this program may use Bluetooth: on Linux ``CBManagerAuthorization/allowedAlways``, since Linux itself
    /// decides who may open an adapter. In a test's world, the test decides.
    open class var authorization: CBManagerAuthorization { CurrentApplication.policy?.authorization ?? .allowedAlways }

    /// The object as log lines show it.
    open override var description: String { "<\(Swift.type(of: self)): \(pointerText(self))>" }

    /// Sets the state, on the manager's queue.
    func setState(_ state: CBManagerState) { self.lock.withLock { self.stateStorage = state } }

    /// Whether commands can be carried out; logs a line if not, as Core Bluetooth does.
    func isPoweredOn() -> Bool {
        let isOn = self.lock.withLock { self.isOn }
        if !isOn { self.logPoweredOff() }
        return isOn
    }

    /// Whether commands can be carried out.
    ///
    /// Under the lock.
    var isOn: Bool { self.stateStorage == .poweredOn }

    func logPoweredOff() {
        LogLines.misuse("\(self) can only accept this command while in the powered on state")
        self.adapter.configuration.observer?.called("a call is ignored in the state \(words(self.state))")
    }

    /// The adapter that a manager's options name, else the default one.
    static func adapter(in options: [String: Any]?) -> BluetoothAdapter {
        options?[BluetoothAdapter.optionKey] as? BluetoothAdapter ?? .default
    }

    /// The restore identifier in a manager's options.
    ///
    /// The keys of both kinds of managers have one value.
    static func restoreIdentifier(in options: [String: Any]?) -> String? {
        options?[CBCentralManagerOptionRestoreIdentifierKey] as? String
    }
}
