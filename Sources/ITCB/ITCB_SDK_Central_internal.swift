// The central's side of finding balls: which are known, whose connections are cancelled, and when the scan starts
// again.

import CoreBluetooth
import Foundation

extension ITCB_SDK_Central {
    /// How long, in seconds, a ball may take from being found to being ready for a question.
    ///
    /// Core Bluetooth waits for ever.
    internal static let _connectionTimeoutLengthInSeconds: TimeInterval = 10.0

    /// How long, in seconds, until a ball that failed to connect may be found again.
    internal static let _retryDelayInSeconds: TimeInterval = 1.0

    /// How long, in seconds, until a ball that was out of the window of signal strengths may be found again.
    internal static let _rescanIntervalInSeconds: TimeInterval = 5.0

    /// The manager, as what it is.
    internal var centralManagerInstance: CBCentralManager! { _managerInstance as? CBCentralManager }

    // MARK: Scanning

    /// Searches the air; Core Bluetooth reports each ball once.
    ///
    /// Starting anew makes it report all of them again.
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

    /// Searches anew after a while, so that a ball that was refused now gets another chance.
    ///
    /// One search serves many.
    internal func _scan(after seconds: TimeInterval) {
        guard nil == _rescan else { return }
        _rescan = _scheduler.schedule(after: seconds) { [weak self] in
            self?._scan()
        }
    }

    // MARK: The balls

    /// The ball that a peripheral is, unless its connection was cancelled.
    internal func _device(for peripheral: CBPeripheral) -> ITCB_SDK_Device_Peripheral? {
        for case let device as ITCB_SDK_Device_Peripheral in devices where device._peerInstance === peripheral {
            return device
        }
        return nil
    }

    /// Whether a peripheral is a ball already, or was one and is still being disconnected.
    internal func _isKnown(_ peripheral: CBPeripheral) -> Bool {
        let uuid = peripheral.identifier.uuidString
        return devices.contains { $0.uuid == uuid } || _leaving.contains { $0.uuid == uuid }
    }

    /// Takes a ball off the list.
    internal func _remove(_ device: ITCB_SDK_Device_Peripheral) {
        devices.removeAll { ($0 as? ITCB_SDK_Device_Peripheral) === device }
    }

    /// Cancels the connection of a ball, established or pending.
    ///
    /// It can be found again when the link is closed.
    internal func _cancelConnection(_ device: ITCB_SDK_Device_Peripheral, because error: ITCB_Errors) {
        _remove(device)
        device._end()
        guard let manager = centralManagerInstance, .poweredOn == manager.state else { return }
        _leaving.append(device)
        manager.cancelPeripheralConnection(device._peripheral)
        device._report(error)
    }

    /// The link of a ball is gone, or never came to be.
    internal func _lose(
        _ device: ITCB_SDK_Device_Peripheral,
        because error: ITCB_Errors,
        rescanAfter delay: TimeInterval
    ) {
        _remove(device)
        let hadQuestion = device._end()
        // Searched first: an observer that looks at the list finds the ball gone and the search under way.
        if delay > 0 {
            _scan(after: delay)
        } else {
            _scan()
        }
        _note(.lost(name: device.name))
        device._report(hadQuestion ? .sendFailed(ITCB_RejectionReason.deviceOffline) : error)
    }

    /// The adapter went away, and all links with it.
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

    /// Notifies the observers that a ball has the question.
    internal func _sendQuestionAskedMessageToAllObservers(device: ITCB_SDK_Device_Peripheral) {
        observers.forEach { ($0 as? ITCB_Observer_Central_Protocol)?.questionAskedOfDevice(device) }
    }

    /// Notifies the observers that a ball has answered.
    internal func _sendQuestionAnsweredMessageToAllObservers(device: ITCB_SDK_Device_Peripheral) {
        observers.forEach { ($0 as? ITCB_Observer_Central_Protocol)?.questionAnsweredByDevice(device) }
    }
}
