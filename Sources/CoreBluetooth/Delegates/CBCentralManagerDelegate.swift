// What a central manager tells. On Apple's platforms all but one of these methods are optional requirements of an
// Objective-C protocol; here they have default implementations that do nothing, which comes to the same for a class that
// implements them where it says that it conforms. (A subclass cannot add a method that its conforming base class lacks:
// Swift would never call it. Put it on the base class.)

public import Foundation

/// The delegate of a ``CBCentralManager``.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
    /// The manager's state changed.
    ///
    /// Work is possible in ``CBManagerState/poweredOn`` alone.
    func centralManagerDidUpdateState(_ central: CBCentralManager)

    /// The manager is about to take up what it did when the program last ended.
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])

    /// A peripheral was heard.
    ///
    /// Keep a reference to it to do anything with it.
    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    )

    /// A peripheral was connected.
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)

    /// A connection could not be made.
    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)

    /// A peripheral was disconnected; `error` is `nil` where the app asked for it.
    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    )

    /// A peripheral was disconnected at `timestamp`; where `isReconnecting` is true the system tries to connect again
    /// by itself.
    ///
    /// This is what the manager calls; where it is not implemented it calls
    /// ``centralManager(_:didDisconnectPeripheral:error:)``.
    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    )

    /// A peer that the app registered for came or went.
    func centralManager(
        _ central: CBCentralManager,
        connectionEventDidOccur event: CBConnectionEvent,
        for peripheral: CBPeripheral
    )

    /// Whether a peripheral may have Apple's notifications changed.
    func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral)
}

extension CBCentralManagerDelegate {
    /// Does nothing.
    public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}

    /// Does nothing.
    public func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {}

    /// Does nothing.
    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}

    /// Does nothing.
    public func centralManager(
        _ central: CBCentralManager,
        didFailToConnect peripheral: CBPeripheral,
        error: (any Error)?
    ) {}

    /// Does nothing.
    public func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {}

    /// Calls the older method.
    public func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    ) {
        self.centralManager(central, didDisconnectPeripheral: peripheral, error: error)
    }

    /// Does nothing.
    public func centralManager(
        _ central: CBCentralManager,
        connectionEventDidOccur event: CBConnectionEvent,
        for peripheral: CBPeripheral
    ) {}

    /// Does nothing.
    public func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {}
}
