// The central's search: known balls, cancelled connections, and when the scan restarts.

import CoreBluetooth
import Foundation

extension ITCB_SDK_Central {
    /// How long, in seconds, a ball may take from its discovery until it can be asked.
    ///
    /// Core Bluetooth has no time limit.
    internal static let _connectionTimeoutLengthInSeconds: TimeInterval = 10.0

    /// The seconds until a ball that could not be connected to may be found again.
    internal static let _retryDelayInSeconds: TimeInterval = 1.0

    /// The seconds until a ball whose signal strength was out of range may be found again.
    internal static let _rescanIntervalInSeconds: TimeInterval = 5.0

    /// The manager, with its type.
    internal var centralManagerInstance: CBCentralManager! { _managerInstance as? CBCentralManager }

    // MARK: Scanning

    /// Scans; Core Bluetooth reports each ball once.
    ///
    /// A restarted scan reports all of them again.
    internal func _scan() {
        _rescan?.cancel()
        _rescan = nil
        guard let manager = centralManagerInstance, .poweredOn == manager.state else { return }
        if manager.isScanning {
            manager.stopScan()
        }
        _note(.scanning)
        manager.scanForPeripherals(withServices: [_static_ITCB_SDK_8BallServiceUUID], options: nil)
    }

    /// Restarts the scan after some time, so that a ball that was not accepted gets another chance.
    ///
    /// One restart serves all of them.
    internal func _scan(after seconds: TimeInterval) {
        guard nil == _rescan else { return }
        _rescan = _scheduler.schedule(after: seconds) { [weak self] in
            self?._scan()
        }
    }

    // MARK: The balls

    /// The ball for a peripheral, unless its connection was cancelled.
    internal func _device(for peripheral: CBPeripheral) -> ITCB_SDK_Device_Peripheral? {
        for case let device as ITCB_SDK_Device_Peripheral in devices where device._peerInstance === peripheral {
            return device
        }
        return nil
    }

    /// Whether a peripheral is a ball, or was one and is still being disconnected.
    internal func _isKnown(_ peripheral: CBPeripheral) -> Bool {
        let uuid = peripheral.identifier.uuidString
        return devices.contains { $0.uuid == uuid } || _leaving.contains { $0.uuid == uuid }
    }

    /// Removes a ball from the list.
    internal func _remove(_ device: ITCB_SDK_Device_Peripheral) {
        devices.removeAll { ($0 as? ITCB_SDK_Device_Peripheral) === device }
    }

    /// Cancels the connection of a ball, established or pending.
    ///
    /// It can be found again once the link is closed.
    internal func _cancelConnection(_ device: ITCB_SDK_Device_Peripheral, because error: ITCB_Errors) {
        _remove(device)
        device._end()
        guard let manager = centralManagerInstance, .poweredOn == manager.state else { return }
        _leaving.append(device)
        manager.cancelPeripheralConnection(device._peripheral)
        device._report(error)
    }

    /// The link of a ball has ended, or was never established.
    internal func _lose(
        _ device: ITCB_SDK_Device_Peripheral,
        because error: ITCB_Errors,
        rescanAfter delay: TimeInterval
    ) {
        _remove(device)
        let hadQuestion = device._end()
        // Scans first: an observer that looks at the list finds the ball gone and the scan running.
        if delay > 0 {
            _scan(after: delay)
        } else {
            _scan()
        }
        _note(.lost(name: device.name))
        device._report(hadQuestion ? .sendFailed(ITCB_RejectionReason.deviceOffline) : error)
    }

    /// The adapter is gone, and all links with it.
    internal func _loseAllDevices() {
        _rescan?.cancel()
        _rescan = nil
        _leaving.removeAll()
        let lost = devices.compactMap { $0 as? ITCB_SDK_Device_Peripheral }
        devices.removeAll()
        for device in lost {
            let hadQuestion = device._end()
            _note(.lost(name: device.name))
            let reason = ITCB_RejectionReason.deviceOffline
            device._report(hadQuestion ? .sendFailed(reason) : .coreBluetooth(reason))
        }
    }

    // MARK: The observers

    /// Notifies the observers that a ball can be asked.
    internal func _sendDeviceDiscoveredMessageToAllObservers(device: ITCB_SDK_Device_Peripheral) {
        observers.forEach { ($0 as? ITCB_Observer_Central_Protocol)?.deviceDiscovered(device) }
    }

    /// Notifies the observers that a ball has confirmed a question.
    internal func _sendQuestionAskedMessageToAllObservers(device: ITCB_SDK_Device_Peripheral) {
        observers.forEach { ($0 as? ITCB_Observer_Central_Protocol)?.questionAskedOfDevice(device) }
    }

    /// Notifies the observers that a ball has answered.
    internal func _sendQuestionAnsweredMessageToAllObservers(device: ITCB_SDK_Device_Peripheral) {
        observers.forEach { ($0 as? ITCB_Observer_Central_Protocol)?.questionAnsweredByDevice(device) }
    }
}
