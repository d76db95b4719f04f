// A world with sensors and a logger, in virtual time. CoreBluetoothTesting is a module for Linux: elsewhere the tests
// of this target that need it are not there.

#if canImport(CoreBluetoothTesting)
import CoreBluetoothTesting
import Foundation
import Sensor
import SensorValues
import Testing

@testable import SensorLog

/// A folder that goes with the test.
final class TemporaryFolder {
    let path: String

    init() throws {
        self.path = FileManager.default.temporaryDirectory.appendingPathComponent("sensorlog-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: self.path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path) }

    func file(_ name: String) -> String { self.path + "/" + name }
}

/// A sensor that measures every second.
final class TestSensor {
    /// The name that it advertises; the device around it has another one.
    let name: String
    let ring: MeasurementRing
    let device: Device
    let peripheral: SensorPeripheral
    /// Whether it measures.
    var measures = true

    init(_ name: String, in world: World, _ folder: TemporaryFolder, capacity: Int = 10_000) throws {
        self.ring = try MeasurementRing(path: folder.file(name), capacity: capacity)
        self.name = name
        self.device = world.addDevice("\(name)'s board")
        let ring = self.ring
        self.peripheral = self.device.run { SensorPeripheral(name: name, ring: ring) }
        self.measure(in: world)
    }

    private func measure(in world: World) {
        world.after(.seconds(1)) { [weak self, unowned world] in
            guard let self else { return }
            if self.measures { self.measureOnce() }
            self.measure(in: world)
        }
    }

    func measureOnce() {
        let number = Int(self.ring.newest) + 1
        // Each number has different values, so that a swapped one is detected.
        let reading = Reading(
            milliseconds: Int64(number) * 1000,
            temperature: Int16(number % 3000),
            humidity: UInt16(number % 9000)
        )
        do { try self.peripheral.add(reading) } catch { Issue.record(error) }
    }

    /// The measurements that the sensor keeps.
    var kept: [Sample] { self.ring.measurements(from: 1, limit: .max) }
}

/// A logger that may be ended and begun again.
final class TestLogger {
    let store: MeasurementStore
    let device: Device
    private let world: World
    private(set) var central: SensorCentral?
    private(set) var lines: [String] = []

    init(in world: World, _ folder: TemporaryFolder) throws {
        self.world = world
        self.store = try MeasurementStore(path: folder.file("log.sqlite"))
        self.device = world.addDevice("logger")
    }

    func begin(takesNewSensors: Bool = true) {
        self.central = self.device.run {
            SensorCentral(store: self.store, board: LiveBoard(), takesNewSensors: takesNewSensors) {
                [unowned world] delay, work in world.after(.seconds(delay), work)
            }
        }
        self.central?.report = { [weak self] in self?.lines.append($0) }
    }

    /// The process is gone.
    func end() { self.central = nil }

    /// The stored measurements of the sensor with a name.
    func stored(_ name: String) throws -> [Sample] {
        guard let sensor = try self.store.sensors().first(where: { $0.name == name }) else { return [] }
        return try self.store.measurements(of: sensor.id)
    }

    /// The number of stored measurements of a sensor.
    func count(_ name: String) throws -> Int {
        try self.store.sensors().first { $0.name == name }?.number.map(Int.init) ?? 0
    }
}
#endif
