// Lesson 10: the lock. A door that opens while its key is near, if the key proves a secret without revealing it.

import CoreBluetooth
import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

// MARK: - The proof

/// What a lock and its key agree on.
enum Door {
    static var service: CBUUID { CBUUID(string: "5B3C1F0E-6E0B-4C61-9B7D-2F0C8B1E7A10") }
    static var challenge: CBUUID { CBUUID(string: "5B3C1F0E-6E0B-4C61-9B7D-2F0C8B1E7A11") }
    static var response: CBUUID { CBUUID(string: "5B3C1F0E-6E0B-4C61-9B7D-2F0C8B1E7A12") }

    /// The response, which only somebody who knows the secret can compute.
    static func response(to challenge: Data, secret: String) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: challenge, using: SymmetricKey(data: Data(secret.utf8))))
    }

    /// Whether a response is correct. The comparison takes the same time for a right and a wrong one.
    static func isResponse(_ response: Data, to challenge: Data, secret: String) -> Bool {
        let key = SymmetricKey(data: Data(secret.utf8))
        return HMAC<SHA256>.isValidAuthenticationCode(response, authenticating: challenge, using: key)
    }
}

// MARK: - The lock

/// A lock that is open while a key that has proved the secret is connected.
final class DoorLock: NSObject, CBPeripheralManagerDelegate {
    /// Called when the lock opens and closes.
    var onChange: (Bool) -> Void = { _ in }
    /// Makes challenges, each different from all before.
    var makeChallenge: () -> Data = { Data((0..<16).map { _ in UInt8.random(in: 0...255) }) }
    private let secret: String
    private let challenge = CBMutableCharacteristic(
        type: Door.challenge,
        properties: .notify,
        value: nil,
        permissions: .readable
    )
    private var manager: CBPeripheralManager?
    /// The challenges without a response yet.
    private var challenges: [UUID: Data] = [:]
    private var openers: Set<UUID> = []

    init(secret: String) {
        self.secret = secret
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let response = CBMutableCharacteristic(
            type: Door.response,
            properties: .write,
            value: nil,
            permissions: .writeable
        )
        let service = CBMutableService(type: Door.service, primary: true)
        service.characteristics = [challenge, response]
        peripheral.add(service)
        peripheral.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [Door.service],
            CBAdvertisementDataLocalNameKey: "Lock",
        ])
    }
}

// MARK: - One challenge, one try

extension DoorLock {
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        let octets = makeChallenge()
        challenges[central.identifier] = octets
        peripheral.updateValue(octets, for: challenge, onSubscribedCentrals: [central])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let request = requests.first else { return }
        let key = request.central.identifier
        // Removed before the comparison: a second guess needs another challenge.
        guard let octets = challenges.removeValue(forKey: key),
            Door.isResponse(request.value ?? Data(), to: octets, secret: secret)
        else { return peripheral.respond(to: request, withResult: .insufficientAuthorization) }
        peripheral.respond(to: request, withResult: .success)
        openers.insert(key)
        onChange(true)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        challenges[central.identifier] = nil
        guard openers.remove(central.identifier) != nil, openers.isEmpty else { return }
        onChange(false)
    }
}

// MARK: - The key

/// A key that opens its lock whenever the two are near each other.
final class DoorKey: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    /// Called with the lock's reaction to the response.
    var onVerdict: (Error?) -> Void = { _ in }
    private let respond: (Data) -> Data
    private var lock: CBPeripheral?
    private var central: CBCentralManager?

    /// - Parameter respond: Computes the response to a challenge.
    init(respond: @escaping (Data) -> Data) {
        self.respond = respond
        super.init()
        central = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [Door.service]) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        lock = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([Door.service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        central.connect(peripheral)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        for characteristic in service.characteristics ?? [] where characteristic.uuid == Door.challenge {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        let target = characteristic.service?.characteristics?.first { $0.uuid == Door.response }
        guard let target, let challenge = characteristic.value else { return }
        peripheral.writeValue(respond(challenge), for: target, type: .withResponse)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {
        onVerdict(error)
    }
}
