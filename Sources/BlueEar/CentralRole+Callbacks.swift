// Core Bluetooth's callbacks to the central: the adapter's state, discovered peripherals, and the state of their links.

public import CoreBluetooth
public import Foundation

extension CentralRole.BluetoothManager: CBCentralManagerDelegate {
    /// The adapter came or went.
    ///
    /// When it is there the central takes up the link that it has or waits for, or searches the air.
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
        // Without the adapter the object has become void.
        let known = central.retrievePeripherals(withIdentifiers: [peripheral.identifier]).first ?? peripheral
        if .connected == known.state {
            take(known)
            blueEar?.didConnectPeripheral(name: name(of: known))
            takeUp(known)
        } else {
            connect(to: known, with: central, timeout: nil)
        }
    }

    /// Takes a link up that the app had before it ended.
    private func takeUp(_ peripheral: CBPeripheral) {
        let service = peripheral.services?.first { $0.uuid == serviceCBUUID }
        let characteristic = service?.characteristics?.first { $0.uuid == characteristicCBUUID }
        if let characteristic = characteristic, characteristic.isNotifying {
            talk(peripheral, characteristic)
        } else {
            explore(peripheral)
        }
    }

    /// A peripheral was heard: the first one is connected to.
    public func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
        log?("didDiscover: " + (name ?? peripheral.name ?? ""))
        guard case .scanning = stage else { return }
        // The name may be in the scan response, which comes a moment later.
        guard isWanted(name) || isWanted(peripheral.name) else { return }
        advertisedName = name
        connect(to: peripheral, with: central, timeout: Self.connectionTimeout)
    }

    /// Whether a name is the one that is looked for, or its beginning, as a Shortened Local Name has it.
    private func isWanted(_ name: String?) -> Bool {
        guard let wantedName = wantedName else { return true }
        guard let name = name else { return false }
        guard name != wantedName else { return true }
        guard !name.isEmpty, wantedName.hasPrefix(name) else { return false }
        // An advertisement has 8 octets of a long name or more, whole characters without a space at the end.
        var length = name.utf8.count
        for character in wantedName.dropFirst(name.count) {
            length += character.utf8.count
            if character != " " { break }
        }
        return length > 8
    }

    /// The link is there.
    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        log?("didConnect " + name(of: peripheral))
        guard case .connecting(let expected) = stage, expected === peripheral else {
            // Cancelled at the moment when it was established.
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

    /// There will be no link; another one is tried for in a while.
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

    /// The link is gone.
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

    /// The peripheral with which the app was connected, or to which it wanted to connect, comes back from before it
    /// ended.
    public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        log?("willRestoreState")
        let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        peripherals.first.map(take)
        observer?.didRestoreState(peers: peripherals.map(\.identifier))
    }
}

extension CentralRole.BluetoothManager: CBPeripheralDelegate {
    /// The service is known, or is not there.
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

    /// The characteristic is known, or is not there: it is listened to, or read.
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

    /// The peripheral is listened to, or will not be.
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

    /// The peripheral is none that one can talk with.
    private func fail(_ peripheral: CBPeripheral, _ error: Error?) {
        observer?.didFail(error.map(BlueEarError.init) ?? .notAnEar, with: peripheral.identifier)
        cancelConnection(retryAfter: Self.foreignDeviceRetryDelay)
    }

    /// A value came.
    public func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        log?("didUpdateValueFor")
        guard characteristic.uuid == characteristicCBUUID else { return }
        if case .exploring(let expected) = stage, expected === peripheral, characteristic.isNotifying {
            // The first message may overtake the confirmation of the subscription.
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

    /// A value that was written is confirmed, or refused.
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

    /// The peripheral's services have changed: where ours is among them, everything is explored anew.
    public func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        log?("didModifyServices")
        guard case .talking(let expected, _) = stage, expected === peripheral else { return }
        guard invalidatedServices.contains(where: { $0.uuid == serviceCBUUID }) else { return }
        forgetProgress()
        observer?.didEnd(with: peripheral.identifier)
        explore(peripheral)
    }

    /// The peripheral calls itself something else now.
    public func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
        log?("peripheralDidUpdateName")
    }
}
