// The central's links: searching, time limits, and retries.

import CoreBluetooth
import Foundation

extension CentralRole.BluetoothManager {
    /// How long, in seconds, a peripheral may take from its discovery until messages can be sent.
    ///
    /// Core Bluetooth has no time limit.
    internal static let connectionTimeout: TimeInterval = 10
    /// The seconds until a peripheral that failed may be found again.
    internal static let retryDelay: TimeInterval = 1
    /// The same for a foreign device, which advertises the service but cannot be used.
    internal static let foreignDeviceRetryDelay: TimeInterval = 5

    /// Scans.
    internal func search(_ manager: CBCentralManager) {
        stopTimer()
        guard .poweredOn == manager.state, let serviceCBUUID = serviceCBUUID else { return }
        if manager.isScanning { manager.stopScan() }
        stage = .scanning
        blueEar?.didStartScanningPeripherals()
        manager.scanForPeripherals(withServices: [serviceCBUUID], options: nil)
    }

    /// Requests a connection.
    ///
    /// - Parameter timeout: the time limit in seconds; `nil` for none, for a peripheral that has left and may come
    ///   back.
    internal func connect(to peripheral: CBPeripheral, with manager: CBCentralManager, timeout: TimeInterval?) {
        if manager.isScanning { manager.stopScan() }
        take(peripheral)
        stage = .connecting(peripheral)
        stopTimer()
        if let timeout = timeout {
            startTimer(timeout) { [weak self] in self?.cancelConnection(retryAfter: Self.retryDelay) }
        }
        manager.connect(peripheral, options: nil)
    }

    /// Selects a peripheral, and retains it: Core Bluetooth does not.
    internal func take(_ peripheral: CBPeripheral) {
        discoveredPeripheral = peripheral
        remembered = peripheral
        peripheral.delegate = self
    }

    /// The peripheral is connected: explores it.
    internal func explore(_ peripheral: CBPeripheral) {
        guard let serviceCBUUID = serviceCBUUID else { return }
        stage = .exploring(peripheral)
        hasAnswered = false
        limitExploration(of: peripheral, to: Self.connectionTimeout)
        peripheral.discoverServices([serviceCBUUID])
    }

    private func limitExploration(of peripheral: CBPeripheral, to seconds: TimeInterval) {
        startTimer(seconds) { [weak self] in
            guard let self = self else { return }
            if let idleTime = self.userIdleTime?(), idleTime < Self.connectionTimeout {
                self.limitExploration(of: peripheral, to: max(0.01, Self.connectionTimeout - idleTime))
                return
            }
            self.observer?.didFail(.unanswered, with: peripheral.identifier)
            self.cancelConnection(retryAfter: Self.retryDelay)
        }
    }

    /// The conversation starts.
    internal func talk(_ peripheral: CBPeripheral, _ characteristic: CBCharacteristic) {
        stopTimer()
        stage = .talking(peripheral, characteristic)
        hasBegun = true
        observer?.didBegin(with: peripheral.identifier)
        write()
    }

    /// Cancels the connection, established or pending, and scans again after some seconds.
    internal func cancelConnection(retryAfter seconds: TimeInterval) {
        guard let manager = centralManager, let peripheral = discoveredPeripheral else { return }
        switch stage {
        case .connecting:
            // No callback is promised for a link that was never established.
            manager.cancelPeripheralConnection(peripheral)
            remembered = nil
            blueEar?.didFailConnection()
            pause(seconds)
        case .exploring, .talking:
            stopTimer()
            stage = .leaving(peripheral, retryAfter: seconds)
            remembered = nil
            blueEar?.didFailConnection()
            manager.cancelPeripheralConnection(peripheral)
        case .idle, .scanning, .leaving, .pausing, .finished:
            break
        }
    }

    /// Restarts the scan after some seconds.
    internal func pause(_ seconds: TimeInterval) {
        stage = .pausing
        startTimer(seconds) { [weak self] in
            guard let self = self, let manager = self.centralManager else { return }
            self.search(manager)
        }
    }

    /// Closes the link, or stops looking for one, for good.
    internal func leave() {
        stopTimer()
        remembered = nil
        switch stage {
        case .exploring(let peripheral), .talking(let peripheral, _):
            stage = .leaving(peripheral, retryAfter: nil)
            centralManager?.cancelPeripheralConnection(peripheral)
        case .connecting(let peripheral):
            centralManager?.cancelPeripheralConnection(peripheral)
            finish()
        case .scanning:
            centralManager?.stopScan()
            finish()
        case .idle, .pausing:
            finish()
        case .leaving(let peripheral, _):
            stage = .leaving(peripheral, retryAfter: nil)
        case .finished:
            break
        }
    }

    private func finish() {
        stage = .finished
        observer?.didFinish()
    }

    /// The link has ended or was not established: decides what is next.
    internal func lose(_ peripheral: CBPeripheral) {
        guard let manager = centralManager else { return }
        let before = stage
        forgetProgress()
        // Decided first, so that an observer finds it under way.
        switch before {
        case .leaving(_, let seconds?):
            pause(seconds)
        case .leaving(_, nil):
            stage = .finished
        case .connecting:
            // Core Bluetooth has stopped waiting; nothing is reported, because there was no link.
            manager.connect(peripheral, options: nil)
            return
        case .exploring, .talking:
            // The request never expires: the peripheral may be away for a minute or a week.
            connect(to: peripheral, with: manager, timeout: nil)
        case .idle, .scanning, .pausing, .finished:
            return
        }
        reportEnd(of: before)
    }

    /// Reports the end of a link, depending on the central's stage.
    private func reportEnd(of stage: CentralRole.Stage) {
        switch stage {
        case .talking(let peripheral, _):
            observer?.didEnd(with: peripheral.identifier)
            blueEar?.didDisconnectPeripheral(name: name(of: peripheral))
        case .exploring(let peripheral):
            blueEar?.didDisconnectPeripheral(name: name(of: peripheral))
        case .leaving(let peripheral, let seconds):
            if hasBegun { observer?.didEnd(with: peripheral.identifier) }
            blueEar?.didDisconnectPeripheral(name: name(of: peripheral))
            if nil == seconds { observer?.didFinish() }
        case .idle, .scanning, .connecting, .pausing, .finished:
            break
        }
        hasBegun = false
    }

    /// The adapter is gone, and the link with it.
    internal func loseAdapter() {
        stopTimer()
        let before = stage
        forgetProgress()
        switch before {
        case .finished, .leaving(_, retryAfter: nil):
            stage = .finished
        case .idle, .scanning, .connecting, .exploring, .talking, .leaving, .pausing:
            stage = .idle
        }
        reportEnd(of: before)
    }

    /// The name of a peripheral, for reports.
    internal func name(of peripheral: CBPeripheral) -> String {
        (peripheral.identifier == discoveredPeripheral?.identifier ? advertisedName : nil) ?? peripheral.name ?? ""
    }

    // MARK: Time

    internal func startTimer(_ seconds: TimeInterval, _ work: @escaping () -> Void) {
        stopTimer()
        timer = scheduler.schedule(after: seconds) { [weak self] in
            self?.timer = nil
            work()
        }
    }

    internal func stopTimer() {
        timer?.cancel()
        timer = nil
    }
}
