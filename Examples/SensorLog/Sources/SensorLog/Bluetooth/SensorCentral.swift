// The logger's Bluetooth code: ordinary Core Bluetooth, with no `#if`. This file finds sensors and keeps links to them;
// SensorLink is the protocol on a link.
//
// A sensor is found once, by its service Environmental Sensing. From then on the logger requests a connection, again
// whenever a link has ended: such a request has no time limit, so it completes when the sensor is in range again, after
// a second or a month. After a start it requests connections to all sensors of the database at once.

import CoreBluetooth
import Foundation
import SensorValues

/// Finds sensors, and logs their measurements.
package final class SensorCentral: NSObject, CBCentralManagerDelegate {
    /// Runs a closure after some seconds.
    package typealias Later = (TimeInterval, @escaping () -> Void) -> Void

    /// Receives log lines.
    package var report: (String) -> Void = { _ in }

    /// The maximum number of sensors; further ones are ignored.
    static let sensorLimit = 64
    /// The delay before a failed sensor is retried, in seconds.
    static let pause: TimeInterval = 10

    let store: MeasurementStore
    let board: LiveBoard
    private let takesNewSensors: Bool
    private let later: Later
    private var manager: CBCentralManager!
    private var links: [UUID: SensorLink] = [:]
    /// Sensors of the database, and whether they are ignored, by their identifiers of Core Bluetooth.
    private var known: [UUID: (key: Int64, isForgotten: Bool)] = [:]

    /// Creates a logger that starts as soon as Bluetooth is on.
    ///
    /// - Parameters:
    ///   - store: The database of measurements.
    ///   - board: Learns which sensors are connected.
    ///   - takesNewSensors: Whether sensors are logged that are not in the database yet.
    ///   - later: Schedules delays; a test uses virtual time.
    package init(
        store: MeasurementStore,
        board: LiveBoard,
        takesNewSensors: Bool = true,
        later: @escaping Later = { DispatchQueue.main.asyncAfter(deadline: .now() + $0, execute: $1) }
    ) {
        self.store = store
        self.board = board
        self.takesNewSensors = takesNewSensors
        self.later = later
        super.init()
        self.manager = CBCentralManager(delegate: self, queue: nil)
    }

    /// Applies changes that another program has made in the database: which sensors are ignored.
    package func refresh() {
        do {
            let sensors = try self.store.sensors()
            self.known = Dictionary(
                sensors.compactMap { sensor in
                    UUID(uuidString: sensor.peripheral).map { ($0, (sensor.id, sensor.isForgotten)) }
                },
                uniquingKeysWith: { $1 }
            )
            let forgotten = Set(sensors.lazy.filter(\.isForgotten).map(\.id))
            for link in self.links.values where link.sensor.map(forgotten.contains) ?? false { self.release(link) }
        } catch {
            self.report("the database cannot be read: \(error)")
        }
        guard self.manager?.state == .poweredOn else { return }
        let wanted = self.known.filter { !$0.value.isForgotten && self.links[$0.key] == nil }.map(\.key)
        for peripheral in self.manager.retrievePeripherals(withIdentifiers: wanted) { self.take(peripheral) }
    }

    // MARK: Links

    private func take(_ peripheral: CBPeripheral) {
        guard self.links[peripheral.identifier] == nil, self.links.count < Self.sensorLimit else { return }
        let known = self.known[peripheral.identifier]
        guard known.map({ !$0.isForgotten }) ?? self.takesNewSensors else { return }
        let link = SensorLink(peripheral, sensor: known?.key, owner: self)
        self.links[peripheral.identifier] = link
        self.manager.connect(peripheral)
    }

    private func release(_ link: SensorLink) {
        self.links[link.peripheral.identifier] = nil
        link.end()
        self.manager.cancelPeripheralConnection(link.peripheral)
    }

    /// A sensor's identity was read.
    func didIdentify(_ link: SensorLink, as sensor: Int64) {
        // A sensor with a new address is another peripheral; cancel the request for the old one.
        for other in self.links.values where other !== link && other.sensor == sensor { self.release(other) }
        self.refresh()
    }

    /// A sensor violates the protocol, or cannot be stored: it keeps its measurements, and is retried.
    func didFail(_ link: SensorLink, _ problem: String) {
        self.report("\(link.name): \(problem)")
        link.end()
        link.mustPause = true
        self.manager.cancelPeripheralConnection(link.peripheral)
    }

    private func connectAgain(_ link: SensorLink) {
        guard self.links[link.peripheral.identifier] === link, self.manager.state == .poweredOn else { return }
        guard link.mustPause else { return self.manager.connect(link.peripheral) }
        link.mustPause = false
        self.later(Self.pause) { [weak self, weak link] in
            if let self, let link { self.connectAgain(link) }
        }
    }

    // MARK: CBCentralManagerDelegate

    package func centralManagerDidUpdateState(_ central: CBCentralManager) {
        for link in self.links.values { link.end() }
        // Their peripherals are invalid now.
        self.links = [:]
        guard central.state == .poweredOn else {
            if central.state != .unknown { self.report("Bluetooth is not available") }
            return
        }
        self.refresh()
        central.scanForPeripherals(withServices: [CBUUID(string: Attributes.environmentalSensing)])
        self.report("looking for sensors")
    }

    package func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.take(peripheral)
        // The name that `CBPeripheral` has becomes that of the device, which need not be the sensor's.
        if let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String {
            self.links[peripheral.identifier]?.advertisedName = name
        }
    }

    package func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        self.links[peripheral.identifier]?.begin()
    }

    package func centralManager(
        _ central: CBCentralManager,
        didFailToConnect peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        guard let link = self.links[peripheral.identifier] else { return }
        link.mustPause = true
        self.connectAgain(link)
    }

    package func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        guard let link = self.links[peripheral.identifier] else { return }
        if let error { self.report("\(link.name) is gone: \(error.localizedDescription)") }
        link.end()
        self.connectAgain(link)
    }
}
