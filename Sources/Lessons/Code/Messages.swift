// Lesson 7: messages in pieces. A message is a property list; one that is longer than a value may be is cut.

import CoreBluetooth
import Foundation

// MARK: - Pieces

/// Cuts messages and puts them together. Each piece begins with one octet: 1 if more pieces follow, else 0.
struct Pieces {
    /// The most octets that a peer can make this device keep.
    static let longestMessage = 4_096
    private var octets = Data()

    /// The pieces of a message, each of at most `limit` octets.
    static func cut(_ message: [String: String], limit: Int) throws -> [Data] {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let octets = try encoder.encode(message)
        let length = max(1, limit - 1)
        return stride(from: 0, to: octets.count, by: length).map { start in
            let end = min(start + length, octets.count)
            return Data([end < octets.count ? 1 : 0]) + octets[start..<end]
        }
    }

    /// Takes a piece; returns the message if this was the last one.
    mutating func take(_ piece: Data) -> [String: String]? {
        // Nothing more is kept of a message that is too long, until its last piece.
        if octets.count <= Pieces.longestMessage { octets += piece.dropFirst() }
        guard piece.first == 0 else { return nil }
        defer { octets = Data() }
        guard octets.count <= Pieces.longestMessage else { return nil }
        // Decoded only as the expected type, because the octets come from another device.
        return try? PropertyListDecoder().decode([String: String].self, from: octets)
    }
}

// MARK: - Who speaks

/// The UUIDs of the messenger.
enum Messenger {
    static var service: CBUUID { CBUUID(string: "0CDBE648-EED0-11E6-BC64-92361F002671") }
    static var messages: CBUUID { CBUUID(string: "199AB74C-EED0-11E6-BC64-92361F002672") }
}

/// Sends a message to every subscriber.
final class Speaker: NSObject, CBPeripheralManagerDelegate {
    private let message: [String: String]
    private let messages = CBMutableCharacteristic(
        type: Messenger.messages,
        properties: .notify,
        value: nil,
        permissions: .readable
    )
    private var manager: CBPeripheralManager?
    /// The pieces that are still to be sent, the oldest first.
    private var waiting: [(piece: Data, listener: CBCentral)] = []

    init(_ message: [String: String]) {
        self.message = message
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: Messenger.service, primary: true)
        service.characteristics = [messages]
        peripheral.add(service)
        peripheral.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [Messenger.service],
            CBAdvertisementDataLocalNameKey: "Speaker",
        ])
    }
}

// MARK: - As fast as the listener takes it

extension Speaker {
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        let pieces = try? Pieces.cut(message, limit: central.maximumUpdateValueLength)
        waiting += (pieces ?? []).map { ($0, central) }
        sendWaiting()
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        waiting.removeAll { $0.listener == central }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        sendWaiting()
    }

    private func sendWaiting() {
        while let next = waiting.first, let manager {
            let isTaken = manager.updateValue(next.piece, for: messages, onSubscribedCentrals: [next.listener])
            // The transmit queue is full; the delegate is called when there is space.
            guard isTaken else { return }
            waiting.removeFirst()
        }
    }
}

// MARK: - Who listens

/// Finds a speaker and receives its messages.
final class Listener: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    /// Called with each message.
    let onMessage: ([String: String]) -> Void
    var speaker: CBPeripheral?
    private var central: CBCentralManager?
    private var pieces = Pieces()

    /// - Parameter identifier: The name under which the system preserves the manager; lesson 9 needs it.
    init(restoreIdentifier identifier: String? = nil, onMessage: @escaping ([String: String]) -> Void) {
        self.onMessage = onMessage
        super.init()
        let options = identifier.map { [CBCentralManagerOptionRestoreIdentifierKey: $0] }
        central = CBCentralManager(delegate: self, queue: nil, options: options)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn, speaker == nil else { return }
        central.scanForPeripherals(withServices: [Messenger.service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        speaker = peripheral
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        pieces = Pieces()
        peripheral.delegate = self
        peripheral.discoverServices([Messenger.service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics([Messenger.messages], for: service)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        for characteristic in service.characteristics ?? [] {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        guard error == nil, let message = pieces.take(characteristic.value ?? Data()) else { return }
        onMessage(message)
    }
}
