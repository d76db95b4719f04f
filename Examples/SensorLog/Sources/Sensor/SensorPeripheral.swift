// The sensor's Bluetooth code: ordinary Core Bluetooth, with no `#if`. It publishes the present values for any app, and
// the Measurement Log for a logger.
//
// The logger is the central that subscribed last to Measurements. It gets all unacknowledged measurements, the oldest
// first, and then each new one. Sent measurements are not deleted: a notification that arrived may still be lost with
// the logger's process, so a measurement may be deleted only when the logger writes its number to Acknowledged, which
// it does after the value is on its disk. After a lost link the sensor begins again with the oldest.

import CoreBluetooth
import Foundation
import SensorValues

/// A sensor, as a Bluetooth peripheral.
package final class SensorPeripheral: NSObject, CBPeripheralManagerDelegate {
    /// Receives log lines.
    package var report: (String) -> Void = { _ in }

    private let name: String
    private let ring: MeasurementRing
    private var manager: CBPeripheralManager!
    private let temperature = CBMutableCharacteristic(
        type: CBUUID(string: Attributes.temperature),
        properties: [.read, .notify],
        value: nil,
        permissions: .readable
    )
    private let humidity = CBMutableCharacteristic(
        type: CBUUID(string: Attributes.humidity),
        properties: [.read, .notify],
        value: nil,
        permissions: .readable
    )
    private let identity = CBMutableCharacteristic(
        type: CBUUID(string: Attributes.identity),
        properties: .read,
        value: nil,
        permissions: .readable
    )
    private let measurements = CBMutableCharacteristic(
        type: CBUUID(string: Attributes.measurements),
        properties: .notify,
        value: nil,
        permissions: .readable
    )
    private let acknowledged = CBMutableCharacteristic(
        type: CBUUID(string: Attributes.acknowledged),
        properties: [.read, .write],
        value: nil,
        permissions: [.readable, .writeable]
    )

    private lazy var services = [
        (Attributes.environmentalSensing, [self.temperature, self.humidity]),
        (Attributes.measurementLog, [self.identity, self.measurements, self.acknowledged]),
    ].map { uuid, characteristics in
        let service = CBMutableService(type: CBUUID(string: uuid), primary: true)
        service.characteristics = characteristics
        return service
    }

    /// The logger, and the first number that it was not sent.
    private var logger: (central: CBCentral, next: UInt32)?

    /// Creates a sensor that advertises as soon as Bluetooth is on.
    ///
    /// - Parameters:
    ///   - name: The advertised name.
    ///   - ring: Its memory.
    package init(name: String, ring: MeasurementRing) {
        self.name = name
        self.ring = ring
        super.init()
        self.manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    /// Stores a measurement, then sends it.
    ///
    /// - Throws: ``MeasurementRing/Failure`` if it cannot be kept.
    package func add(_ reading: Reading) throws {
        let measurement = try self.ring.append(
            milliseconds: reading.milliseconds,
            temperature: reading.temperature,
            humidity: reading.humidity
        )
        guard self.manager.state == .poweredOn else { return }
        self.updatePresentValues(measurement)
        self.send()
    }

    /// A value that cannot be sent now is dropped, since a newer one follows; the Measurement Log has all values.
    private func updatePresentValues(_ measurement: Sample) {
        for characteristic in [self.temperature, self.humidity] {
            if let value = self.value(of: characteristic.uuid, measurement) {
                _ = self.manager.updateValue(value, for: characteristic, onSubscribedCentrals: nil)
            }
        }
    }

    private func value(of uuid: CBUUID, _ measurement: Sample?) -> Data? {
        var value = Data()
        switch uuid {
        case self.temperature.uuid:
            value.append(littleEndian: UInt64(UInt16(bitPattern: measurement?.temperature ?? .min)), count: 2)
        case self.humidity.uuid: value.append(littleEndian: UInt64(measurement?.humidity ?? .max), count: 2)
        case self.identity.uuid: withUnsafeBytes(of: self.ring.identity.uuid) { value.append(contentsOf: $0) }
        case self.acknowledged.uuid: value.append(littleEndian: UInt64(self.ring.acknowledged), count: 4)
        default: return nil
        }
        return value
    }

    /// Sends as many measurements as the transmit queue takes; `peripheralManagerIsReady` goes on.
    private func send() {
        while let (central, next) = self.logger {
            let limit = max(1, central.maximumUpdateValueLength / Sample.size)
            let batch = self.ring.measurements(from: next, limit: limit)
            guard let last = batch.last else { return }
            let value = batch.reduce(into: Data()) { $0.append($1.octets) }
            guard self.manager.updateValue(value, for: self.measurements, onSubscribedCentrals: [central]) else {
                return
            }
            self.logger = (central, last.number + 1)
        }
    }

    // MARK: CBPeripheralManagerDelegate

    package func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        self.logger = nil
        guard peripheral.state == .poweredOn else {
            if peripheral.state != .unknown { self.report("Bluetooth is not available") }
            return
        }
        peripheral.removeAllServices()
        for service in self.services { peripheral.add(service) }
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { return self.report("a service cannot be published: \(error.localizedDescription)") }
        guard service.uuid == self.services.last?.uuid else { return }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: self.name,
            CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: Attributes.environmentalSensing)],
        ])
    }

    package func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error {
            self.report("cannot advertise: \(error.localizedDescription)")
        } else {
            self.report("\"\(self.name)\" advertises, \(self.ring.newest) measured, \(self.ring.acknowledged) stored")
        }
    }

    package func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        guard characteristic.uuid == self.measurements.uuid else { return }
        // A central that subscribes again gets all unacknowledged measurements again.
        self.logger = (central, self.ring.acknowledged + 1)
        self.report("a logger is here")
        self.send()
    }

    package func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        guard characteristic.uuid == self.measurements.uuid, self.logger?.central.identifier == central.identifier
        else {
            return
        }
        self.logger = nil
        self.report("the logger is gone")
    }

    package func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { self.send() }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        let newest = self.ring.measurements(from: self.ring.newest, limit: 1).first
        guard let value = self.value(of: request.characteristic.uuid, newest) else {
            return peripheral.respond(to: request, withResult: .readNotPermitted)
        }
        guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
        request.value = value.subdata(in: request.offset..<value.count)
        peripheral.respond(to: request, withResult: .success)
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let request = requests.first else { return }
        peripheral.respond(to: request, withResult: requests.count == 1 ? self.receive(request) : .requestNotSupported)
    }

    private func receive(_ request: CBATTRequest) -> CBATTError.Code {
        guard request.characteristic.uuid == self.acknowledged.uuid else { return .writeNotPermitted }
        guard let value = request.value, value.count == 4, request.offset == 0 else {
            return .invalidAttributeValueLength
        }
        let number = UInt32(truncatingIfNeeded: value.littleEndian(at: 0, count: 4))
        // Accept this only from the logger, and only for sent numbers: a wrong number would delete measurements that
        // are stored nowhere.
        guard let logger, logger.central.identifier == request.central.identifier, number < logger.next else {
            return .insufficientAuthorization
        }
        do {
            try self.ring.acknowledge(number)
            return .success
        } catch {
            self.report("\(error)")
            return .insufficientResources
        }
    }
}
