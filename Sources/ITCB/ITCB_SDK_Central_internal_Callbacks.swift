// Core Bluetooth's callbacks to the central: its state, discovered balls, and the state of their links.

public import CoreBluetooth
public import Foundation

extension ITCB_SDK_Central: CBCentralManagerDelegate {
    /// The adapter came or went.
    ///
    /// The search starts when it is there; without it all balls are lost.
    public func centralManagerDidUpdateState(_ centralManager: CBCentralManager) {
        _note(.stateChanged(centralManager.state))
        if .poweredOn == centralManager.state {
            _scan()
        } else {
            _loseAllDevices()
        }
    }

    /// A ball was heard.
    ///
    /// It is connected to where it is new, has a name and is neither too far away nor too near. A controller that
    /// measures no strength says nothing of where the ball is, and keeps nobody from asking it.
    public func centralManager(
        _ centralManager: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi: NSNumber
    ) {
        guard !_isKnown(peripheral) else { return }
        let strength = rssi.intValue
        // The name that the ball advertises is the one that it wants to be known by; its GAP name may be its host's.
        let advertised = advertisementData[CBAdvertisementDataLocalNameKey] as? String
        let name = [advertised, peripheral.name].compactMap { $0 }.first { !$0.isEmpty }
        let isInWindow =
            _static_ITCB_SDK_RSSI_NotAvailable == strength || ITCB_SDK.offeredSignals.contains(strength)
        _note(.discovered(name: name, rssi: strength, isOffered: isInWindow && nil != name))
        guard isInWindow else {
            // Core Bluetooth has reported this ball now and stays silent about it when it comes nearer.
            _scan(after: Self._rescanIntervalInSeconds)
            return
        }
        // A ball whose name is in its scan response is reported a second time, with it.
        guard let name = name else { return }
        let device = ITCB_SDK_Device_Peripheral(peripheral, name: name, owner: self)
        devices.append(device)
        device._connect(with: centralManager)
    }

    /// The link is there.
    public func centralManager(_ centralManager: CBCentralManager, didConnect peripheral: CBPeripheral) {
        _device(for: peripheral)?._didConnect()
    }

    /// There will be no link.
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

    /// The link is gone.
    public func centralManager(
        _ centralManager: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        if let index = _leaving.firstIndex(where: { $0._peerInstance === peripheral }) {
            _leaving.remove(at: index)
            _scan(after: Self._retryDelayInSeconds)
        } else if let device = _device(for: peripheral) {
            // Where one side has lost the keys of their pairing, looking again does not help, and the user can.
            if let error = error as? CBError, CBError.Code.peerRemovedPairingInformation == error.code {
                _lose(device, because: .coreBluetooth(error), rescanAfter: Self._retryDelayInSeconds)
            } else {
                _lose(device, because: .coreBluetooth(ITCB_RejectionReason.deviceOffline), rescanAfter: 0)
            }
        }
    }
}
