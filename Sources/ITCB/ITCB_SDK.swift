// The classes that an app uses: the SDK in its two modes. Their implementation is in the files named `…_internal`.

public import CoreBluetooth
public import Foundation

/// The Magic 8-Ball SDK.
///
/// Create one with ``createInstance(isCentral:)``; use it on the main thread.
public class ITCB_SDK: NSObject, ITCB_SDK_Protocol {
    /// The last error that was reported.
    public internal(set) var error: ITCB_Errors?

    /// Whether the adapter is powered on.
    public var isCoreBluetoothPoweredOn: Bool {
        guard let manager = _managerInstance as? CBManager else { return false }
        return .poweredOn == manager.state
    }

    /// The name of this device.
    ///
    /// An app sets it right after it has created the instance.
    public var localName: String = "ERROR"

    /// The observers.
    public var observers: [ITCB_Observer_Protocol] = []

    /// The Core Bluetooth manager, created on first access.
    internal lazy var _managerInstance: Any! = _makeManager()

    /// Schedules work; replaced if time is not that of the main run loop.
    internal var _scheduler: ITCB_SDK_Scheduler = _ITCB_SDK_RunLoopScheduler()

    /// Called with every step of the conversation, as it happens.
    @_spi(Steps) public var stepObserver: ((ITCB_SDK_Step) -> Void)?

    /// The seconds since the user was last busy with something that a ball waits for, such as the code of a pairing; 0
    /// while the user is, `nil` if the user never was.
    ///
    /// A question does not time out meanwhile: the system asks the user, and the SDK is not told.
    @_spi(Steps) public var userIdleTime: (() -> TimeInterval?)?

    /// Creates the SDK, and its manager with it.
    internal override init() {
        super.init()
        _ = _managerInstance
    }

    /// Creates the manager of the mode.
    internal func _makeManager() -> Any? { nil }

    /// Creates the SDK in one of its modes.
    ///
    /// - Parameter isCentral: true for the side that asks, false for the side that answers.
    /// - Returns: the instance; `nil` for a ball on a system that cannot be one (tvOS, watchOS and visionOS).
    public class func createInstance(isCentral: Bool = true) -> ITCB_SDK_Protocol? {
        guard !isCentral else { return ITCB_SDK_Central.createInstance() }
        #if os(tvOS) || os(watchOS) || os(visionOS)
        return nil
        #else
        return ITCB_SDK_Peripheral.createInstance()
        #endif
    }

    /// Adds an observer, unless one with its `uuid` is registered; returns the identity that it was given.
    @discardableResult
    public func addObserver(_ observer: ITCB_Observer_Protocol) -> UUID! {
        guard !isObserving(observer) else { return nil }
        let uuid = UUID()
        var stored = observer
        stored.uuid = uuid
        observers.append(stored)
        return uuid
    }

    /// Removes the first observer that has the same `uuid`.
    public func removeObserver(_ observer: ITCB_Observer_Protocol) {
        guard let index = observers.firstIndex(where: { $0.uuid == observer.uuid }) else { return }
        observers.remove(at: index)
    }

    /// Whether an observer with the same `uuid` is registered.
    public func isObserving(_ observer: ITCB_Observer_Protocol) -> Bool {
        observers.contains { $0.uuid == observer.uuid }
    }
}

/// The SDK as the side that asks: once the adapter is on, it looks for balls and connects to each.
public class ITCB_SDK_Central: ITCB_SDK, ITCB_SDK_Central_Protocol {
    /// The known balls, in the order in which they were found.
    public var devices: [ITCB_Device_Peripheral_Protocol] = []

    /// Balls whose connection was cancelled but whose link is still closing.
    ///
    /// They are not offered before it is closed.
    internal var _leaving: [ITCB_SDK_Device_Peripheral] = []

    /// The scan that will be restarted.
    internal var _rescan: ITCB_SDK_ScheduledWork?

    /// How long, in seconds, a question may take to be answered; a person who answers by hand needs longer.
    @_spi(Steps) public var answerTimeLimit: TimeInterval = 2.0

    /// Measures the signal strength of each ball; each measurement is reported as a step.
    @_spi(Steps) public func readSignals() {
        devices.forEach { ($0 as? ITCB_SDK_Device_Peripheral)?._readSignal() }
    }

    internal override func _makeManager() -> Any? { CBCentralManager(delegate: self, queue: nil) }

    /// Creates a central.
    internal class func createInstance() -> ITCB_SDK_Protocol? {
        ITCB_SDK_Central()
    }
}

#if !os(tvOS) && !os(watchOS) && !os(visionOS)
/// The SDK as the side that answers: it advertises once the adapter is on.
public class ITCB_SDK_Peripheral: ITCB_SDK, ITCB_SDK_Peripheral_Protocol {
    /// The central that was active last.
    public var central: ITCB_Device_Central_Protocol!

    /// The centrals that have subscribed or asked; the last active one is at the end.
    internal var _centrals: [ITCB_SDK_Device_Central] = []

    /// Answers that wait for space in the transmit queue, the oldest first.
    internal var _waitingAnswers: [_ITCB_SDK_WaitingAnswer] = []

    /// Whether waiting answers are being handed over now.
    internal var _isHandingOver = false

    /// Whether a person answers: the SDK picks no answer, and while a question is open, others are refused as busy.
    @_spi(Steps) public var answersByHand = false

    /// The generator of random answers.
    internal var _generator: any RandomNumberGenerator = SystemRandomNumberGenerator()

    /// The advertised name; a change takes effect even while the ball advertises.
    public override var localName: String {
        didSet { _advertise(anewIf: oldValue != localName) }
    }

    internal override func _makeManager() -> Any? { CBPeripheralManager(delegate: self, queue: nil) }

    /// Creates a ball.
    internal class func createInstance() -> ITCB_SDK_Protocol? {
        ITCB_SDK_Peripheral()
    }
}
#endif
