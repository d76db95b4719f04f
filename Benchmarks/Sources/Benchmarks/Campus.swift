// A campus in virtual time: devices at random places in an area of 2 km × 1 km, each of them a peripheral that
// advertises a service under a name and a central that scans for it, with façade and trace. A device is heard up to
// 334 m away, so of a thousand each one hears about a hundred and forty.

import BenchmarkSupport
import BluetoothAir
import CoreBluetooth
import CoreBluetoothTesting

final class Campus {
    private let world: World
    private var apps: [Beacon] = []
    private var places: Places

    /// A device's code: it advertises, and records the devices that it discovers.
    private final class Beacon: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate {
        private static let service = CBUUID(string: "FEED")
        private let name: String
        private var central: CBCentralManager!
        private var peripheral: CBPeripheralManager!
        private(set) var discovered: Set<UUID> = []

        init(name: String) {
            self.name = name
            super.init()
            self.central = CBCentralManager(delegate: self, queue: nil)
            self.peripheral = CBPeripheralManager(delegate: self, queue: nil)
        }

        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            if central.state == .poweredOn { central.scanForPeripherals(withServices: [Self.service]) }
        }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            guard peripheral.state == .poweredOn else { return }
            peripheral.startAdvertising([
                CBAdvertisementDataServiceUUIDsKey: [Self.service], CBAdvertisementDataLocalNameKey: self.name,
            ])
        }

        func centralManager(
            _ central: CBCentralManager,
            didDiscover peripheral: CBPeripheral,
            advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) {
            self.discovered.insert(peripheral.identifier)
        }
    }

    /// A campus.
    ///
    /// - Parameters:
    ///   - devices: The number of devices on it.
    ///   - walkers: The number of devices that walk from place to place at 1.4 m/s, past forty buildings of brick.
    ///   - loss: The share of packets that are lost.
    init(devices: Int, walkers: Int = 0, loss: Double = 0) {
        self.world = World(seed: 1)
        if loss > 0 { self.world.loss = loss }
        self.places = Places(seed: 1)
        if walkers > 0 { self.world.walls = (0..<40).flatMap { _ in self.places.nextBuilding() } }
        for number in 0..<devices {
            let device = self.world.addDevice("beacon \(number)", position: self.places.next())
            self.apps.append(device.run { Beacon(name: "Beacon \(number)") })
            if number < walkers { self.walk(device) }
        }
    }

    /// Lets a device walk to the next place, and on from there.
    private func walk(_ device: Device) {
        guard let position = device.position else { return }
        let next = self.places.next()
        let time = Duration.seconds(position.distance(to: next).metres / 1.4)
        device.move(to: next, over: time)
        self.world.after(time) { [unowned self] in self.walk(device) }
    }

    func run(_ time: Duration) { self.world.advance(by: time) }

    /// The average number of devices that a device has discovered.
    var neighbours: Double {
        Double(self.apps.reduce(0) { $0 + $1.discovered.count }) / Double(self.apps.count)
    }

    /// Random positions on the campus.
    private struct Places {
        private var state: UInt64

        init(seed: UInt64) { self.state = seed }

        mutating func next() -> AirPosition {
            AirPosition(x: self.fraction() * 2000, y: self.fraction() * 1000)
        }

        /// The walls of a building.
        mutating func nextBuilding() -> [Wall] {
            let corner = self.next()
            let corners = [(0, 0), (60, 0), (60, 30), (0, 30)].map {
                AirPosition(x: corner.x + $0.0, y: corner.y + $0.1)
            }
            return corners.indices.map { Wall(from: corners[$0], to: corners[($0 + 1) % 4], attenuation: 6.9) }
        }

        /// SplitMix64.
        private mutating func fraction() -> Double {
            self.state &+= 0x9E37_79B9_7F4A_7C15
            var word = (self.state ^ self.state >> 30) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
            return Double((word ^ word >> 31) >> 11) * 0x1p-53
        }
    }
}
