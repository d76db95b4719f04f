// Core Bluetooth's callbacks to the peripheral.

#if !os(tvOS) && !os(watchOS) && !os(visionOS)
public import CoreBluetooth
import Foundation

extension PeripheralRole.BluetoothManager: CBPeripheralManagerDelegate {
    /// The adapter's state changed.
    ///
    /// Once it is on, the service is published, unless it was restored with the app's state.
    public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        log?("peripheralManagerDidUpdateState")
        observer?.didUpdateState(peripheral.state)
        guard .poweredOn == peripheral.state else {
            isRestored = false
            endAll()
            return
        }
        guard let service = service else { return }
        if isRestored {
            isRestored = false
            if !peripheral.isAdvertising { advertise(peripheral) }
            handOver()
        } else {
            peripheral.removeAllServices()
            peripheral.add(service)
        }
    }

    /// The service is published and can be advertised.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        log?("didAdd service")
        if let error = error {
            observer?.didFail(BlueEarError(error), with: nil)
        } else {
            advertise(peripheral)
        }
    }

    private func advertise(_ peripheral: CBPeripheralManager) {
        guard let serviceCBUUID = serviceCBUUID else { return }
        peripheral.stopAdvertising()
        peripheral.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [serviceCBUUID],
            CBAdvertisementDataLocalNameKey: localName,
        ])
    }

    /// The peripheral advertises.
    public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
        log?("peripheralManagerDidStartAdvertising")
        if let error = error {
            observer?.didFail(BlueEarError(error), with: nil)
        } else {
            bluetoothMessaging?.didStartAdvertising()
        }
    }

    /// A central subscribed: it gets the first message.
    public func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        log?("didSubscribeTo characteristic")
        begin(with: central)
    }

    /// A central unsubscribed, or is gone.
    public func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        log?("didUnsubscribeFrom characteristic")
        end(with: central)
    }

    /// A central reads the last message.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        log?("didReceiveRead request")
        guard request.characteristic.uuid == characteristicCBUUID else {
            peripheral.respond(to: request, withResult: .attributeNotFound)
            return
        }
        let value = readableValue(for: request.central, isBegin: 0 == request.offset)
        guard request.offset <= value.count else {
            peripheral.respond(to: request, withResult: .invalidOffset)
            return
        }
        request.value = value.subdata(in: request.offset..<value.count)
        peripheral.respond(to: request, withResult: .success)
    }

    /// A central writes a message or a piece; the parts of one long write are assembled.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        log?("didReceiveWrite requests")
        guard let first = requests.first else { return }
        var value = Data()
        for request in requests {
            guard request.characteristic.uuid == characteristicCBUUID else {
                peripheral.respond(to: first, withResult: .attributeNotFound)
                return
            }
            guard request.offset <= value.count else {
                peripheral.respond(to: first, withResult: .invalidOffset)
                return
            }
            // A later part overwrites everything from its offset on, as in any long write.
            value = value.prefix(request.offset) + (request.value ?? Data())
        }
        let (answer, report) = receive(value, from: first.central)
        // An observer may send re-entrantly; the response goes first.
        peripheral.respond(to: first, withResult: answer)
        report()
    }

    /// The transmit queue has space for what waits.
    public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        log?("peripheralManagerIsReady")
        handOver()
    }

    /// The service and its subscribers are restored from before the app ended.
    public func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        log?("willRestoreState")
        let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
        guard
            let service = services.first(where: { $0.uuid == serviceCBUUID }),
            let characteristic = service.characteristics?.first(where: { $0.uuid == characteristicCBUUID })
                as? CBMutableCharacteristic
        else {
            observer?.didRestoreState(peers: [])
            return
        }
        self.service = service
        characterisctic = characteristic
        isRestored = true
        let centrals = characteristic.subscribedCentrals ?? []
        // They got the first message from the app that has ended.
        for central in centrals {
            peer(for: central).isSubscribed = true
        }
        observer?.didRestoreState(peers: centrals.map(\.identifier))
        for central in centrals {
            observer?.didBegin(with: central.identifier)
        }
    }
}
#endif
