// Core Bluetooth's callbacks to the central: the adapter's state, discovered balls, and their links.

public import CoreBluetooth
public import Foundation

extension ITCB_SDK_Central: CBCentralManagerDelegate {
    /// The adapter's state changed.
    ///
    /// The search starts once it is on; otherwise all balls are lost.
    public func centralManagerDidUpdateState(_ centralManager: CBCentralManager) {
        _note(.stateChanged(centralManager.state))
        if .poweredOn == centralManager.state {
            _scan()
        } else {
            _loseAllDevices()
        }
    }

    /// A ball was discovered.
    ///
    /// It is connected to if it is new, has a name, and is neither too far away nor too near. Without a signal strength
    /// its distance is unknown, and it is connected to as well.
    public func centralManager(
        _ centralManager: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi: NSNumber
    ) {
        guard !_isKnown(peripheral) else { return }
        let strength = rssi.intValue
        // The ball wants to be known by the name that it advertises; its GAP name may be that of its host.
        let advertised = advertisementData[CBAdvertisementDataLocalNameKey] as? String
        let name = [advertised, peripheral.name].compactMap { $0 }.first { !$0.isEmpty }
        let isInWindow =
            _static_ITCB_SDK_RSSI_NotAvailable == strength || ITCB_SDK.offeredSignals.contains(strength)
        _note(.discovered(name: name, rssi: strength, isOffered: isInWindow && nil != name))
        guard isInWindow else {
            // Core Bluetooth has now reported this ball and would not do so again when it comes nearer.
            _scan(after: Self._rescanIntervalInSeconds)
            return
        }
        // A ball whose name is in its scan response is reported again, with the name.
        guard let name = name else { return }
        let device = ITCB_SDK_Device_Peripheral(peripheral, name: name, owner: self)
        devices.append(device)
        device._connect(with: centralManager)
    }

    /// A ball is connected.
    public func centralManager(_ centralManager: CBCentralManager, didConnect peripheral: CBPeripheral) {
        _device(for: peripheral)?._didConnect()
    }

    /// A connection failed.
    public func centralManager(
        _ centralManager: CBCentralManager,
        didFailToConnect peripheral: CBPeripheral,
        error: Error?
    ) {
        _leaving.removeAll { $0._peerInstance === peripheral }
        guard let device = _device(for: peripheral) else { return }
        _note(.connectionFailed(name: device.name))
        let reason = error ?? ITCB_RejectionReason.deviceOffline
        _lose(device, because: .coreBluetooth(reason), rescanAfter: Self._retryDelayInSeconds)
    }

    /// A ball is disconnected.
    public func centralManager(
        _ centralManager: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        if let index = _leaving.firstIndex(where: { $0._peerInstance === peripheral }) {
            _leaving.remove(at: index)
            _scan(after: Self._retryDelayInSeconds)
        } else if let device = _device(for: peripheral) {
            // If one side has lost the keys of the pairing, searching again does not help, but the user can.
            if let error = error as? CBError, CBError.Code.peerRemovedPairingInformation == error.code {
                _lose(device, because: .coreBluetooth(error), rescanAfter: Self._retryDelayInSeconds)
            } else {
                _lose(device, because: .coreBluetooth(ITCB_RejectionReason.deviceOffline), rescanAfter: 0)
            }
        }
    }
}
