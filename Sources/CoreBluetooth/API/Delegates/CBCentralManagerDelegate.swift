// What a central manager reports. On Apple's platforms all but one of these methods are optional requirements of an
// Objective-C protocol; here they have default implementations that do nothing, which comes to the same for a class
// that implements them where it says that it conforms. (A subclass cannot add a method that its conforming base class
// lacks: Swift would never call it. Put it on the base class.)

public import Foundation

/// What a ``CBCentralManager`` reports, on its queue and in the order in which it happens.
///
/// All methods but one may be left out. Put every method on the class that conforms: one that only a subclass adds is
/// never called, see <doc:WhatDiffersOnLinux>.
///
/// Apple documents it as `CBCentralManagerDelegate`.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
    /// The manager's state changed. Work is possible in ``CBManagerState/poweredOn`` alone.
    ///
    /// Below it scans have ended and peripherals are disconnected, without a further call. Below
    /// ``CBManagerState/poweredOff`` all peripherals are of no more use and have to be found or retrieved again.
    func centralManagerDidUpdateState(_ central: CBCentralManager)

    /// The manager takes up what it did when the program last ended; called before everything else.
    ///
    /// Nothing can be asked of the manager yet. Scanning and connecting go on by themselves.
    ///
    /// - Parameters:
    ///   - central: The manager, made with ``CBCentralManagerOptionRestoreIdentifierKey``.
    ///   - dict: What it did, under ``CBCentralManagerRestoredStatePeripheralsKey``,
    ///     ``CBCentralManagerRestoredStateScanServicesKey`` and ``CBCentralManagerRestoredStateScanOptionsKey``. What
    ///     there is none of has no key. Retain the peripherals: one that is released is disconnected.
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])

    /// A peripheral was discovered while the manager scans.
    ///
    /// - Parameters:
    ///   - central: The manager.
    ///   - peripheral: The peripheral; the manager does not retain it, so retain it to do anything with it.
    ///   - advertisementData: What it says, under the keys that begin with `CBAdvertisementData`. What it does not say
    ///   has
    ///     no key.
    ///   - RSSI: The signal strength in dBm; 127 where it is not known.
    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    )

    /// A peripheral was connected; its services can be discovered now.
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)

    /// A connection could not be made: `error` is a ``CBError``.
    ///
    /// Requests do not expire, so this is rare: the adapter has no capacity for another connection, or refuses it.
    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)

    /// A peripheral was disconnected: its services are of no more use.
    ///
    /// `error` is `nil` where this app asked for it, else a ``CBError`` such as ``CBError/Code/connectionTimeout`` (the
    /// link was lost) or ``CBError/Code/peripheralDisconnected``.
    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    )

    /// A peripheral was disconnected at `timestamp`, in seconds since 2001.
    ///
    /// Where `isReconnecting` is true the system connects again by itself, as
    /// ``CBConnectPeripheralOptionEnableAutoReconnect`` asked.
    /// This is what the manager calls; where it is not implemented it calls
    /// ``centralManager(_:didDisconnectPeripheral:error:)``.
    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    )

    /// A peer that the app registered for came or went, whichever program of this system it is connected to.
    ///
    /// See ``CBCentralManager/registerForConnectionEvents(options:)``.
    func centralManager(
        _ central: CBCentralManager,
        connectionEventDidOccur event: CBConnectionEvent,
        for peripheral: CBPeripheral
    )

    /// Whether a peripheral may have Apple's notifications changed: never called, since no peer gets any from Linux.
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
