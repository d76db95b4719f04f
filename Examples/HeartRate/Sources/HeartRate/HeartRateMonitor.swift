// The app's Bluetooth code: it finds a heart rate sensor (Heart Rate Service 1.0), follows it, and reconnects when the
// sensor was out of range. It has no platform-specific code.

import CoreBluetooth
import Foundation

/// Follows a heart rate sensor.
public final class HeartRateMonitor: NSObject {
    /// The state to show.
    public enum Event: Equatable, Sendable {
        /// Bluetooth is on, and the monitor is looking for a sensor.
        case searching
        /// Bluetooth cannot be used, for this reason.
        case unavailable(String)
        /// A sensor is connected, with its name and its place on the body.
        case connected(name: String, location: String?)
        /// A heartbeat.
        case measured(HeartRateMeasurement)
        /// The sensor is out of range; the monitor waits for it.
        case lost
    }

    private static let service = CBUUID(string: "180D")
    private static let measurement = CBUUID(string: "2A37")
    private static let location = CBUUID(string: "2A38")

    private let observer: (Event) -> Void
    private var central: CBCentralManager!
    private var sensor: CBPeripheral?

    /// Creates a monitor that starts as soon as Bluetooth is on.
    ///
    /// - Parameter observer: Receives events on the main queue.
    public init(observer: @escaping (Event) -> Void) {
        self.observer = observer
        super.init()
        self.central = CBCentralManager(delegate: self, queue: nil)
    }
}

extension HeartRateMonitor: CBCentralManagerDelegate {
    /// Bluetooth was switched on or off.
    public func centralManagerDidUpdateState(_ central: CBCentralManager) {
        // Earlier peripherals are invalid now.
        self.sensor = nil
        switch central.state {
        case .poweredOn:
            central.scanForPeripherals(withServices: [Self.service])
            self.observer(.searching)
        case .unauthorized: self.observer(.unavailable("this app may not use Bluetooth"))
        case .unsupported: self.observer(.unavailable("this device has no Bluetooth Low Energy"))
        case .poweredOff: self.observer(.unavailable("Bluetooth is off"))
        default: break
        }
    }

    /// A sensor is in range: take the first one.
    public func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.sensor == nil else { return }
        self.sensor = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    /// The sensor is connected.
    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([Self.service])
    }

    /// The connection failed.
    public func centralManager(
        _ central: CBCentralManager,
        didFailToConnect peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        central.connect(peripheral)
    }

    /// The sensor is out of range.
    public func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        guard peripheral === self.sensor else { return }
        self.observer(.lost)
        // The request has no time limit: it completes when the sensor is in range again.
        central.connect(peripheral)
    }
}

extension HeartRateMonitor: CBPeripheralDelegate {
    /// The sensor's services were discovered.
    public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first(where: { $0.uuid == Self.service }) else { return }
        peripheral.discoverCharacteristics([Self.measurement, Self.location], for: service)
    }

    /// The service's characteristics were discovered.
    public func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        let characteristics = service.characteristics ?? []
        if let location = characteristics.first(where: { $0.uuid == Self.location }) {
            peripheral.readValue(for: location)
        } else {
            self.connected(peripheral, location: nil)
        }
        if let measurement = characteristics.first(where: { $0.uuid == Self.measurement }) {
            peripheral.setNotifyValue(true, for: measurement)
        }
    }

    /// A value was read, or the sensor sent a heartbeat.
    public func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        switch characteristic.uuid {
        case Self.location:
            // Body Sensor Location (GATT Specification Supplement, 3.33).
            let places = ["other", "chest", "wrist", "finger", "hand", "ear lobe", "foot"]
            let place = characteristic.value?.first.map(Int.init) ?? places.count
            self.connected(peripheral, location: error == nil && place < places.count ? places[place] : nil)
        case Self.measurement:
            guard error == nil, let measurement = characteristic.value.flatMap(HeartRateMeasurement.init) else {
                return
            }
            self.observer(.measured(measurement))
        default: break
        }
    }

    private func connected(_ peripheral: CBPeripheral, location: String?) {
        self.observer(.connected(name: peripheral.name ?? "a sensor", location: location))
    }
}
