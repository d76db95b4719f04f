// What a peripheral manager reports. All methods but the first have default implementations: they do nothing, except
// that requests are answered, so that a central need not wait for an app that does not listen.

public import Foundation

/// What a ``CBPeripheralManager`` reports, on its queue and in the order in which it happens.
///
/// All methods but one may be left out. Put every method on the class that conforms: one that only a subclass adds is
/// never called, see <doc:WhatDiffersOnLinux>.
///
/// Apple documents it as `CBPeripheralManagerDelegate`.
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
    /// The manager's state changed. Work is possible in ``CBManagerState/poweredOn`` alone.
    ///
    /// Below it advertising is paused and centrals are gone. Below ``CBManagerState/poweredOff`` services have to be
    /// published again.
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)

    /// The manager takes up what it did when the program last ended; called before everything else.
    ///
    /// Nothing can be asked of the manager yet. Services are published and advertised again by themselves.
    ///
    /// - Parameters:
    ///   - peripheral: The manager, made with ``CBPeripheralManagerOptionRestoreIdentifierKey``.
    ///   - dict: What it did, under ``CBPeripheralManagerRestoredStateServicesKey`` and
    ///     ``CBPeripheralManagerRestoredStateAdvertisementDataKey``. What there is none of has no key. The services are new
    ///     objects, those that the requests of centrals will name.
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])

    /// Advertising started, or could not: then `error` is a ``CBError``.
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)

    /// A service was published, or could not be: then `error` is a ``CBError``, such as ``CBError/Code/uuidNotAllowed``
    /// for services of the system.
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)

    /// A central subscribed to a value: send them with
    /// ``CBPeripheralManager/updateValue(_:for:onSubscribedCentrals:)``.
    ///
    /// A paired central need not subscribe again: the subscription of its last connection is back as soon as this one
    /// is encrypted, and reported then.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    )

    /// A central unsubscribed from a value, or is gone.
    ///
    /// There is no such call for subscriptions that end with what they belong to: where the app removes the service, and
    /// where Bluetooth goes off, which ``peripheralManagerDidUpdateState(_:)`` reports. The app knows of both.
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

    /// A central writes values: several at once where it prepared them, all to be written or none.
    ///
    /// Answer once, to the first request, also where a write wants no response.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])

    /// Updates of values can be sent again, after
    /// ``CBPeripheralManager/updateValue(_:for:onSubscribedCentrals:)`` returned false.
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)

    /// An L2CAP channel was published under a PSM that the system chose, or could not be: then `error` says why.
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
    /// Keep the channel: letting the last reference go closes it.
    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
}

extension CBPeripheralManagerDelegate {
    /// Logs that the method is missing: on Apple's platforms that ends the program when the manager is made.
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
