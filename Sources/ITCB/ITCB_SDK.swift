// The classes that an app uses: the SDK in its two modes. What they do is in the files named `…_internal`.

public import CoreBluetooth
public import Foundation

/// The Magic 8-Ball SDK.
///
/// Make one with ``createInstance(isCentral:)``; use it on the main thread.
public class ITCB_SDK: NSObject, ITCB_SDK_Protocol {
    /// The last error that was reported.
    public internal(set) var error: ITCB_Errors?

    /// Whether the adapter can be used.
    public var isCoreBluetoothPoweredOn: Bool {
        guard let manager = _managerInstance as? CBManager else { return false }
        return .poweredOn == manager.state
    }

    /// The name under which this device shows itself.
    ///
    /// An app sets it right after the instance was made.
    public var localName: String = "ERROR"

    /// The observers.
    public var observers: [ITCB_Observer_Protocol] = []

    /// The Core Bluetooth manager, created at the first access.
    internal lazy var _managerInstance: Any! = _makeManager()

    /// How work is put off; replaced where time is not that of the main run loop.
    internal var _scheduler: ITCB_SDK_Scheduler = _ITCB_SDK_RunLoopScheduler()

    /// Called with every step of the conversation, as it happens.
    @_spi(Steps) public var stepObserver: ((ITCB_SDK_Step) -> Void)?

    /// How long ago, in seconds, the user was busy with something that a ball waits for, such as the code of a pairing; 0
    /// while the user is, `nil` for never.
    ///
    /// A question does not time out meanwhile: the system asks the user, and the SDK learns nothing of it.
    @_spi(Steps) public var userIdleTime: (() -> TimeInterval?)?

    /// Creates the SDK, and its manager with it.
    internal override init() {
        super.init()
        _ = _managerInstance
    }

    /// Creates the manager; each mode has its own kind.
    internal func _makeManager() -> Any? { nil }

    /// Makes the SDK in one of its modes.
    ///
    /// - Parameter isCentral: true for the one that asks, false for the one that answers.
    /// - Returns: the instance; `nil` for a ball on a system that cannot be one (tvOS, watchOS and visionOS).
    public class func createInstance(isCentral: Bool = true) -> ITCB_SDK_Protocol? {
        guard !isCentral else { return ITCB_SDK_Central.createInstance() }
        #if os(tvOS) || os(watchOS) || os(visionOS)
        return nil
        #else
        return ITCB_SDK_Peripheral.createInstance()
        #endif
    }

    /// Adds an observer, unless one with its `uuid` is there already; returns the identity that it was given.
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

    /// Whether an observer with the same `uuid` is there.
    public func isObserving(_ observer: ITCB_Observer_Protocol) -> Bool {
        observers.contains { $0.uuid == observer.uuid }
    }
}

/// The SDK as the one that asks: it looks for balls from the moment that the adapter is on, and connects to each.
public class ITCB_SDK_Central: ITCB_SDK, ITCB_SDK_Central_Protocol {
    /// The balls that are known, in the order in which they were found.
    public var devices: [ITCB_Device_Peripheral_Protocol] = []

    /// Balls whose connection was cancelled and whose link is not closed yet.
    ///
    /// They are not offered until it is.
    internal var _leaving: [ITCB_SDK_Device_Peripheral] = []

    /// The scan that will be started anew.
    internal var _rescan: ITCB_SDK_ScheduledWork?

    /// How long, in seconds, a question may take until it is answered; a person who answers by hand needs longer.
    @_spi(Steps) public var answerTimeLimit: TimeInterval = 2.0

    /// Measures the strength of each ball's signal; each is reported as a step.
    @_spi(Steps) public func readSignals() {
        devices.forEach { ($0 as? ITCB_SDK_Device_Peripheral)?._readSignal() }
    }

    internal override func _makeManager() -> Any? { CBCentralManager(delegate: self, queue: nil) }

    /// Makes a central.
    internal class func createInstance() -> ITCB_SDK_Protocol? {
        ITCB_SDK_Central()
    }
}

#if !os(tvOS) && !os(watchOS) && !os(visionOS)
/// The SDK as the one that answers: it advertises from the moment that the adapter is on.
public class ITCB_SDK_Peripheral: ITCB_SDK, ITCB_SDK_Peripheral_Protocol {
    /// The central that was heard last.
    public var central: ITCB_Device_Central_Protocol!

    /// The centrals that subscribed or asked, the one that was heard last at the end.
    internal var _centrals: [ITCB_SDK_Device_Central] = []

    /// Answers that wait for space in the transmit queue, the oldest first.
    internal var _waitingAnswers: [_ITCB_SDK_WaitingAnswer] = []

    /// Whether the waiting answers are being handed over at this moment.
    internal var _isHandingOver = false

    /// Whether a person answers: the SDK picks no answer, and while a question is open, others are refused as busy.
    @_spi(Steps) public var answersByHand = false

    /// Where the random answers come from.
    internal var _generator: any RandomNumberGenerator = SystemRandomNumberGenerator()

    /// The name under which the ball advertises; changing it while it advertises shows the new name.
    public override var localName: String {
        didSet { _advertise(anewIf: oldValue != localName) }
    }

    internal override func _makeManager() -> Any? { CBPeripheralManager(delegate: self, queue: nil) }

    /// Makes a ball.
    internal class func createInstance() -> ITCB_SDK_Protocol? {
        ITCB_SDK_Peripheral()
    }
}
#endif
