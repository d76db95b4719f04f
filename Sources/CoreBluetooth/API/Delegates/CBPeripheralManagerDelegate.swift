// The events of a peripheral manager. All methods but the first have default implementations, which do nothing, except
// that they answer requests, so that a central does not wait for an app without these methods.

public import Foundation

/// The events of a ``CBPeripheralManager``, on its queue and in the order in which they happen.
///
/// All methods but one are optional. Put every method on the class that declares the conformance: one that only a
/// subclass adds is never called; see <doc:WhatDiffersOnLinux>.
///
/// Apple documents it as `CBPeripheralManagerDelegate`.
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
    /// The manager's state changed. It can be used only in ``CBManagerState/poweredOn``.
    ///
    /// Below it, advertising is paused and centrals are disconnected. Below ``CBManagerState/poweredOff``, services
    /// must be published again.
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)

    /// The manager was restored from an earlier process; called before everything else.
    ///
    /// The manager cannot be used yet. Services are published and advertised again by themselves.
    ///
    /// - Parameters:
    ///   - peripheral: The manager, made with ``CBPeripheralManagerOptionRestoreIdentifierKey``.
    ///   - dict: Its state, under ``CBPeripheralManagerRestoredStateServicesKey`` and
    ///     ``CBPeripheralManagerRestoredStateAdvertisementDataKey``. Empty parts have no key. The services are new
    ///     objects, to which centrals' requests will refer.
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])

    /// Advertising started, or failed: then `error` is a ``CBError``.
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)

    /// A service was published, or publishing failed: then `error` is a
    /// ``CBError``, such as ``CBError/Code/uuidNotAllowed`` for services of the system.
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)

    /// A central subscribed to a value: send values with
    /// ``CBPeripheralManager/updateValue(_:for:onSubscribedCentrals:)``.
    ///
    /// A paired central need not subscribe again: its last connection's subscription is restored and reported as soon
    /// as this one is encrypted.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    )

    /// A central unsubscribed from a value, or disconnected.
    ///
    /// Not called if the app removes the service, or if Bluetooth goes off, which
    /// ``peripheralManagerDidUpdateState(_:)`` reports.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    )

    /// A central reads a dynamic value.
    ///
    /// Set the request's value from its offset on, and answer it once with
    /// ``CBPeripheralManager/respond(to:withResult:)``.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)

    /// A central writes values: several at once if it prepared them, of which all or none must be written.
    ///
    /// Answer the first request once, even for a write without response.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])

    /// Updates can be sent again, after ``CBPeripheralManager/updateValue(_:for:onSubscribedCentrals:)`` returned
    /// false.
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)

    /// An L2CAP channel was published under a PSM that the system chose, or publishing failed: then `error` says why.
    ///
    /// Centrals learn the PSM from you, for instance by reading ``CBUUIDL2CAPPSMCharacteristicString``.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    )

    /// An L2CAP channel is no longer published.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didUnpublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    )

    /// A central opened an L2CAP channel that this app published.
    ///
    /// Keep the channel: releasing the last reference closes it.
    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
}

extension CBPeripheralManagerDelegate {
    /// Logs that the method is missing: on Apple's platforms that ends the program when the manager is created.
    public func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        LogLines.misuse(
            """
            \(peripheral) has provided a restore identifier but the delegate doesn't implement the \
            peripheralManager:willRestoreState: method
            """
        )
    }

    /// Does nothing.
    public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {}

    /// Does nothing.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {}

    /// Does nothing.
    public func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {}

    /// Does nothing.
    public func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {}

    /// Refuses the request.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        peripheral.respond(to: request, withResult: .requestNotSupported)
    }

    /// Refuses the requests.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        peripheral.respond(to: first, withResult: .requestNotSupported)
    }

    /// Does nothing.
    public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}

    /// Does nothing.
    public func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {}

    /// Does nothing.
    public func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didUnpublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {}

    /// Does nothing.
    public func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {}
}
