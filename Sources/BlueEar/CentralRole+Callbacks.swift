// Core Bluetooth's callbacks to the central: the adapter's state, discovered peripherals, and their links.

public import CoreBluetooth
public import Foundation

extension CentralRole.BluetoothManager: CBCentralManagerDelegate {
    /// The adapter's state changed.
    ///
    /// Once it is on, the central resumes the link that it has or waits for, or scans.
    public func centralManagerDidUpdateState(_ central: CBCentralManager) {
        log?("centralManagerDidUpdateState")
        observer?.didUpdateState(central.state)
        guard .poweredOn == central.state else {
            loseAdapter()
            return
        }
        guard case .idle = stage else { return }
        guard let peripheral = remembered else {
            search(central)
            return
        }
        // Without the adapter the object is invalid.
        let known = central.retrievePeripherals(withIdentifiers: [peripheral.identifier]).first ?? peripheral
        if .connected == known.state {
            take(known)
            blueEar?.didConnectPeripheral(name: name(of: known))
            takeUp(known)
        } else {
            connect(to: known, with: central, timeout: nil)
        }
    }

    /// Resumes a link from before the app ended.
    private func takeUp(_ peripheral: CBPeripheral) {
        let service = peripheral.services?.first { $0.uuid == serviceCBUUID }
        let characteristic = service?.characteristics?.first { $0.uuid == characteristicCBUUID }
        if let characteristic = characteristic, characteristic.isNotifying {
            talk(peripheral, characteristic)
        } else {
            explore(peripheral)
        }
    }

    /// A peripheral was discovered: connects to the first one.
    public func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
        log?("didDiscover: " + (name ?? peripheral.name ?? ""))
        guard case .scanning = stage else { return }
        // The name may be in the scan response, which is reported a moment later.
        if let accepts = accepts, ![name, peripheral.name].compactMap({ $0 }).contains(where: accepts) { return }
        advertisedName = name
        connect(to: peripheral, with: central, timeout: Self.connectionTimeout)
    }

    /// A peripheral is connected.
    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        log?("didConnect " + name(of: peripheral))
        guard case .connecting(let expected) = stage, expected === peripheral else {
            // The connection was cancelled while it was established.
            if peripheral !== discoveredPeripheral || !isExpectingLink {
                central.cancelPeripheralConnection(peripheral)
            }
            return
        }
        blueEar?.didConnectPeripheral(name: name(of: peripheral))
        explore(peripheral)
    }

    private var isExpectingLink: Bool {
        switch stage {
        case .connecting, .exploring, .talking: return true
        case .idle, .scanning, .leaving, .pausing, .finished: return false
        }
    }

    /// A connection failed; another attempt follows after some time.
    public func centralManager(
        _ central: CBCentralManager,
        didFailToConnect peripheral: CBPeripheral,
        error: Error?
    ) {
        log?("didFailToConnect")
        guard case .connecting(let expected) = stage, expected === peripheral else { return }
        stopTimer()
        remembered = nil
        pause(Self.retryDelay)
        blueEar?.didFailConnection()
    }

    /// The peripheral is disconnected.
    public func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        log?("didDisconnectPeripheral " + name(of: peripheral))
        guard peripheral === discoveredPeripheral else { return }
        if CBError.Code.peerRemovedPairingInformation == (error as? CBError)?.code {
            observer?.didFail(.lostKeys, with: peripheral.identifier)
        }
        lose(peripheral)
    }

    /// The app's peripheral, connected or requested, is restored from before the app ended.
    public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        log?("willRestoreState")
        let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        peripherals.first.map(take)
        observer?.didRestoreState(peers: peripherals.map(\.identifier))
    }
}

extension CentralRole.BluetoothManager: CBPeripheralDelegate {
    /// The service was discovered, or does not exist.
    public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        log?("didDiscoverServices")
        guard case .exploring(let expected) = stage, expected === peripheral else { return }
        guard
            let characteristicCBUUID = characteristicCBUUID,
            let service = peripheral.services?.first(where: { $0.uuid == serviceCBUUID })
        else {
            fail(peripheral, error)
            return
        }
        peripheral.discoverCharacteristics([characteristicCBUUID], for: service)
    }

    /// The characteristic was discovered, or does not exist: subscribes to it, or reads it.
    public func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: Error?
    ) {
        log?("didDiscoverCharacteristicsFor")
        guard case .exploring(let expected) = stage, expected === peripheral else { return }
        guard let characteristic = service.characteristics?.first(where: { $0.uuid == characteristicCBUUID }) else {
            fail(peripheral, error)
            return
        }
        if reads {
            talk(peripheral, characteristic)
            peripheral.readValue(for: characteristic)
        } else {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    /// The subscription succeeded or failed.
    public func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        log?("didUpdateNotificationStateFor")
        guard case .exploring(let expected) = stage, expected === peripheral else { return }
        guard nil == error, characteristic.isNotifying else {
            fail(peripheral, error)
            return
        }
        talk(peripheral, characteristic)
    }

    /// The peripheral is not a messenger.
    private func fail(_ peripheral: CBPeripheral, _ error: Error?) {
        observer?.didFail(error.map(BlueEarError.init) ?? .notAnEar, with: peripheral.identifier)
        cancelConnection(retryAfter: Self.foreignDeviceRetryDelay)
    }

    /// A value was received.
    public func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        log?("didUpdateValueFor")
        guard characteristic.uuid == characteristicCBUUID else { return }
        if case .exploring(let expected) = stage, expected === peripheral, characteristic.isNotifying {
            // The first message may arrive before the confirmation of the subscription.
            talk(peripheral, characteristic)
        }
        guard case .talking(let expected, let heard) = stage, expected === peripheral else { return }
        if let error = error {
            observer?.didFail(BlueEarError(error), with: peripheral.identifier)
            if reads { cancelConnection(retryAfter: Self.foreignDeviceRetryDelay) }
        } else {
            receive(characteristic.value ?? Data(), from: peripheral, heard)
        }
    }

    /// A written value was confirmed or refused.
    public func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        log?("didWriteValueFor")
        guard case .talking(let expected, _) = stage, expected === peripheral else { return }
        didWrite(error)
    }

    /// The transmit queue has space for what waits.
    public func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        write()
    }

    /// The peripheral's services have changed: if ours is among them, explores it again.
    public func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        log?("didModifyServices")
        guard case .talking(let expected, _) = stage, expected === peripheral else { return }
        guard invalidatedServices.contains(where: { $0.uuid == serviceCBUUID }) else { return }
        forgetProgress()
        observer?.didEnd(with: peripheral.identifier)
        explore(peripheral)
    }

    /// The peripheral has changed its name.
    public func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
        log?("peripheralDidUpdateName")
    }
}
