// The logger's state machine for one sensor.
//
//     apart ── connected ──▶ exploring ── identity ──▶ logging ⇄ checking a gap
//       ▲                        └── no Measurement Log ──▶ listening
//       └────────────── the link ends, or something fails ──────┘
//
// apart: there is no link. exploring: services and characteristics are discovered, the identity is read. logging:
// records arrive; each value is stored in one transaction, and then the highest number is acknowledged. listening: a
// sensor with only the standard services, whose values are stored with numbers of the logger.
//
// A peer may send anything: an invalid record ends the link for a while. Records arrive in the order of their numbers.
// If one is missing, the logger subscribes again, so that the sensor begins with the oldest; if it is still missing,
// the sensor no longer has it, and the gap is stored. So a number is acknowledged only when all before it are stored or
// known to be lost.

import CoreBluetooth
import Foundation
import SensorValues

/// One sensor of the logger.
final class SensorLink: NSObject, CBPeripheralDelegate {
    /// The logger.
    private struct Log {
        let sensor: Int64
        let measurements: CBCharacteristic
        let acknowledged: CBCharacteristic
        /// The next expected number; `nil` if nothing is stored yet.
        var next: UInt64?
        /// The number that was missing when it was looked for a second time.
        var missing: UInt64?
        /// The highest number that is stored, and the one that was acknowledged last.
        var stored: UInt32 = 0
        var confirmed: UInt32 = 0
        /// Whether an acknowledgement is in progress.
        var isWriting = false
    }

    private enum State {
        case apart
        case exploring(awaited: Set<CBUUID>)
        case logging(Log)
        /// Its subscription ends and begins again.
        case checking(Log)
        case listening(sensor: Int64)
    }

    /// The sensor, as Core Bluetooth has it.
    let peripheral: CBPeripheral
    /// The sensor's key in the database, once it is known.
    private(set) var sensor: Int64?
    /// The name in its advertisement, once that was seen.
    var advertisedName: String?
    /// Whether the next connection must wait.
    var mustPause = false

    private unowned let owner: SensorCentral
    private var state = State.apart

    init(_ peripheral: CBPeripheral, sensor: Int64?, owner: SensorCentral) {
        self.peripheral = peripheral
        self.sensor = sensor
        self.owner = owner
        super.init()
        peripheral.delegate = self
    }

    /// A name for reports.
    var name: String {
        let name = self.advertisedName ?? self.peripheral.name
        return name.map { "\"\($0.prefix(64))\"" } ?? self.peripheral.identifier.uuidString
    }

    /// The link was established.
    func begin() {
        self.state = .exploring(awaited: [])
        self.peripheral.discoverServices(
            [Attributes.measurementLog, Attributes.environmentalSensing, Attributes.battery].map(CBUUID.init(string:))
        )
    }

    /// The link has ended, or is no longer wanted.
    func end() {
        switch self.state {
        case .logging(let log), .checking(let log): self.owner.board.post(.disconnected(log.sensor))
        case .listening(let sensor): self.owner.board.post(.disconnected(sensor))
        case .apart, .exploring: break
        }
        self.state = .apart
    }

    private func fail(_ problem: String) { self.owner.didFail(self, problem) }

    private func characteristic(_ uuid: String, of service: String) -> CBCharacteristic? {
        self.peripheral.services?.first { $0.uuid == CBUUID(string: service) }?.characteristics?
            .first { $0.uuid == CBUUID(string: uuid) }
    }

    // MARK: Exploring

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard case .exploring = self.state else { return }
        let services = peripheral.services ?? []
        guard error == nil, !services.isEmpty else {
            return self.fail(error?.localizedDescription ?? "it has no service of a sensor")
        }
        self.state = .exploring(awaited: Set(services.map(\.uuid)))
        for service in services { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        guard case .exploring(var awaited) = self.state else { return }
        if let error { return self.fail(error.localizedDescription) }
        guard awaited.remove(service.uuid) != nil else { return }
        self.state = .exploring(awaited: awaited)
        if awaited.isEmpty { self.identify() }
    }

    /// The sensor was published again.
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        guard !invalidatedServices.isEmpty else { return }
        self.end()
        self.begin()
    }

    private func identify() {
        if let identity = self.characteristic(Attributes.identity, of: Attributes.measurementLog) {
            return self.peripheral.readValue(for: identity)
        }
        let values = [Attributes.temperature, Attributes.humidity].compactMap {
            self.characteristic($0, of: Attributes.environmentalSensing)
        }.filter { $0.properties.contains(.notify) }
        guard !values.isEmpty else { return self.fail("it notifies neither temperature nor humidity") }
        guard let sensor = self.register(self.peripheral.identifier.uuidString) else { return }
        self.state = .listening(sensor: sensor)
        for characteristic in values { self.peripheral.setNotifyValue(true, for: characteristic) }
        self.follow(sensor, "its values are logged while it is connected")
    }

    private func identified(_ value: Data) {
        guard value.count == 16 else { return self.fail("its identity has \(value.count) octets") }
        guard
            let measurements = self.characteristic(Attributes.measurements, of: Attributes.measurementLog),
            let acknowledged = self.characteristic(Attributes.acknowledged, of: Attributes.measurementLog)
        else { return self.fail("its Measurement Log is not complete") }
        var identity = UUID().uuid
        withUnsafeMutableBytes(of: &identity) { $0.copyBytes(from: value) }
        guard let sensor = self.register(UUID(uuid: identity).uuidString) else { return }
        do {
            let next = try self.owner.store.newest(of: sensor).map { UInt64($0) + 1 }
            self.state = .logging(
                Log(sensor: sensor, measurements: measurements, acknowledged: acknowledged, next: next)
            )
        } catch {
            return self.fail("\(error)")
        }
        self.peripheral.setNotifyValue(true, for: measurements)
        self.follow(sensor, "what it has measured is logged")
    }

    /// - Returns: The sensor's key; `nil` if it is not to be logged.
    private func register(_ identity: String) -> Int64? {
        do {
            let key = try self.owner.store.register(
                identity: identity,
                peripheral: self.peripheral.identifier,
                name: self.advertisedName.map { String($0.prefix(64)) },
                deviceName: self.peripheral.name.map { String($0.prefix(64)) }
            )
            self.sensor = key
            self.owner.didIdentify(self, as: key)
            // It may have been forgotten, under another address.
            if case .apart = self.state { return nil }
            return key
        } catch {
            self.fail("\(error)")
            return nil
        }
    }

    private func follow(_ sensor: Int64, _ text: String) {
        self.owner.board.post(.connected(sensor))
        self.owner.report("\(self.name) is connected: \(text)")
        guard let level = self.characteristic(Attributes.batteryLevel, of: Attributes.battery) else { return }
        self.peripheral.readValue(for: level)
        if level.properties.contains(.notify) { self.peripheral.setNotifyValue(true, for: level) }
    }

    // MARK: Values

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        guard error == nil, let value = characteristic.value else {
            // A battery that cannot be read is not shown; a sensor without identity cannot be logged.
            if case .exploring = self.state { self.fail(error?.localizedDescription ?? "it has no identity") }
            return
        }
        switch (self.state, characteristic.uuid) {
        case (.exploring, CBUUID(string: Attributes.identity)): self.identified(value)
        case (.logging(let log), CBUUID(string: Attributes.batteryLevel)): self.setBattery(value, of: log.sensor)
        case (.listening(let sensor), CBUUID(string: Attributes.batteryLevel)): self.setBattery(value, of: sensor)
        case (.logging(let log), let uuid) where uuid == log.measurements.uuid: self.received(value, log)
        case (.listening(let sensor), CBUUID(string: Attributes.temperature)) where value.count == 2:
            self.store(temperature: Int16(truncatingIfNeeded: value.littleEndian(at: 0, count: 2)), of: sensor)
        case (.listening(let sensor), CBUUID(string: Attributes.humidity)) where value.count == 2:
            self.store(humidity: UInt16(truncatingIfNeeded: value.littleEndian(at: 0, count: 2)), of: sensor)
        case (.apart, _), (.exploring, _), (.logging, _), (.checking, _), (.listening, _): break
        }
    }

    private func setBattery(_ value: Data, of sensor: Int64) {
        guard let level = value.first, level <= 100 else { return }
        do {
            try self.owner.store.setBattery(Int(level), of: sensor)
        } catch {
            self.fail("\(error)")
        }
    }

    private func store(temperature: Int16? = nil, humidity: UInt16? = nil, of sensor: Int64) {
        do {
            let number = try self.owner.store.newest(of: sensor) ?? 0
            guard number < .max else { return self.fail("all numbers are used") }
            let measurement = Sample(
                number: number + 1,
                milliseconds: Int64(Date().timeIntervalSince1970 * 1000),
                temperature: temperature,
                humidity: humidity
            )
            guard measurement.temperature != nil || measurement.humidity != nil else { return }
            try self.owner.store.store([measurement], of: sensor)
        } catch {
            self.fail("\(error)")
        }
    }

    // MARK: Records

    private func received(_ value: Data, _ log: Log) {
        guard let records = Sample.samples(in: value) else { return self.fail("it sent no whole records") }
        var log = log
        var next = log.next
        var gaps: [ClosedRange<UInt32>] = []
        for record in records {
            if let number = next, UInt64(record.number) > number {
                guard log.missing == number, let first = UInt32(exactly: number) else {
                    return self.check(missing: number, log)
                }
                log.missing = nil
                gaps.append(first...(record.number - 1))
            }
            next = max(next ?? 0, UInt64(record.number) + 1)
        }
        do {
            // On disk when this returns; only then may the sensor delete it.
            try self.owner.store.store(records, of: log.sensor)
            for gap in gaps {
                try self.owner.store.storeGap(gap, of: log.sensor)
                self.owner.report("\(self.name) no longer has \(gap.lowerBound) to \(gap.upperBound)")
            }
        } catch {
            return self.fail("what it has measured cannot be stored: \(error)")
        }
        log.next = next
        log.stored = max(log.stored, records.last?.number ?? 0)
        self.acknowledge(log)
    }

    private func check(missing number: UInt64, _ log: Log) {
        var log = log
        log.missing = number
        log.isWriting = false
        self.state = .checking(log)
        self.peripheral.setNotifyValue(false, for: log.measurements)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        switch self.state {
        case .logging(let log) where characteristic.uuid == log.measurements.uuid:
            if let error { self.fail(error.localizedDescription) }
        case .checking(var log) where characteristic.uuid == log.measurements.uuid:
            if let error { return self.fail(error.localizedDescription) }
            guard !characteristic.isNotifying else { return }
            log.confirmed = 0
            self.state = .logging(log)
            peripheral.setNotifyValue(true, for: log.measurements)
        case .apart, .exploring, .logging, .checking, .listening: break
        }
    }

    /// Acknowledges stored records, one write at a time, so that a stream of values needs few writes.
    private func acknowledge(_ log: Log) {
        var log = log
        if !log.isWriting, log.stored > log.confirmed {
            log.isWriting = true
            log.confirmed = log.stored
            var value = Data()
            value.append(littleEndian: UInt64(log.stored), count: 4)
            self.peripheral.writeValue(value, for: log.acknowledged, type: .withResponse)
        }
        self.state = .logging(log)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        guard case .logging(var log) = self.state, characteristic.uuid == log.acknowledged.uuid, log.isWriting else {
            return
        }
        if let error { return self.fail("it takes no acknowledgement: \(error.localizedDescription)") }
        log.isWriting = false
        self.acknowledge(log)
    }
}
