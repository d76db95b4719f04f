// The events of a central manager. On Apple's platforms all but one of these methods are optional requirements of an
// Objective-C protocol; here they have default implementations that do nothing, which is the same for a class that
// declares the conformance. (A subclass cannot add a method that its conforming base class lacks: Swift would never
// call it. Put it on the base class.)

public import Foundation

/// The events of a ``CBCentralManager``, on its queue and in the order in which they happen.
///
/// All methods but one are optional. Put every method on the class that declares the conformance: one that only a
/// subclass adds is never called; see <doc:WhatDiffersOnLinux>.
///
/// Apple documents it as `CBCentralManagerDelegate`.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
    /// The manager's state changed. It can be used only in ``CBManagerState/poweredOn``.
    ///
    /// Below it, scans have ended and peripherals are disconnected, without a further call. Below
    /// ``CBManagerState/poweredOff`` all peripherals are invalid and must be found or retrieved again.
    func centralManagerDidUpdateState(_ central: CBCentralManager)

    /// The manager was restored from an earlier process; called before everything else.
    ///
    /// The manager cannot be used yet. Scanning and connecting continue by themselves.
    ///
    /// - Parameters:
    ///   - central: The manager, made with ``CBCentralManagerOptionRestoreIdentifierKey``.
    ///   - dict: Its state, under ``CBCentralManagerRestoredStatePeripheralsKey``,
    ///     ``CBCentralManagerRestoredStateScanServicesKey`` and ``CBCentralManagerRestoredStateScanOptionsKey``. Empty
    ///     parts have no key. Retain the peripherals: one that is released is disconnected.
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])

    /// A peripheral was discovered while the manager scans.
    ///
    /// - Parameters:
    ///   - central: The manager.
    ///   - peripheral: The peripheral; the manager does not retain it, so retain it to use it.
    ///   - advertisementData: Its advertisement, under the keys that begin with `CBAdvertisementData`, without keys for
    ///     absent parts.
    ///   - RSSI: The signal strength in dBm; 127 if unknown.
    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    )

    /// A peripheral was connected; its services can be discovered now.
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)

    /// A connection failed: `error` is a ``CBError``.
    ///
    /// Requests do not expire, so this is rare: the adapter has no capacity for another connection, or refuses it.
    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)

    /// A peripheral was disconnected: its services are invalid.
    ///
    /// `error` is `nil` if this app asked for it, else a ``CBError`` such as ``CBError/Code/connectionTimeout`` (the
    /// link was lost) or ``CBError/Code/peripheralDisconnected``.
    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    )

    /// A peripheral was disconnected at `timestamp`, in seconds since 2001.
    ///
    /// If `isReconnecting` is true, the system connects again by itself, as
    /// ``CBConnectPeripheralOptionEnableAutoReconnect`` asked. The manager calls this method; the default
    /// implementation calls ``centralManager(_:didDisconnectPeripheral:error:)``.
    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    )

    /// A peer that the app registered for connected or disconnected, whichever program of this system uses it.
    ///
    /// See ``CBCentralManager/registerForConnectionEvents(options:)``.
    func centralManager(
        _ central: CBCentralManager,
        connectionEventDidOccur event: CBConnectionEvent,
        for peripheral: CBPeripheral
    )

    /// The authorization for Apple's notifications changed: never called on Linux.
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
