// Connecting to a peripheral with 20 services and 80 characteristics and discovering all of them: the first time, and
// again when it is known by its Database Hash. In virtual time, so that only work counts and not the wait for a radio.

import BenchmarkSupport
import BluetoothAir
import CoreBluetooth
import Foundation
import NIOCore
import NIOEmbedded

final class Reconnect: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private let loop = EmbeddedEventLoop()
    private let adapters: [BluetoothAdapter]
    private let server = Peripheral(valueLength: 20, furtherServices: 19)
    private var manager: CBCentralManager?
    private var peripheral: CBPeripheral?
    private var left = -1
    private var isConnected = false

    /// Two devices that have not met; the central's packets go to `captureFile`.
    init(captureFile: String? = nil) {
        let air = Air(eventLoop: self.loop, settings: .instant, seed: 1)
        self.adapters = [
            BluetoothAdapter(air: air, configuration: .init(identity: "server")),
            BluetoothAdapter(air: air, configuration: .init(identity: "client", captureFile: captureFile)),
        ]
        super.init()
        self.server.start(on: self.adapters[0])
        self.manager = self.adapters[1].run { CBCentralManager(delegate: self, queue: nil) }
        self.run(until: "the peripheral is found") { self.peripheral != nil }
        self.loop.advanceTime(by: .seconds(1))
    }

    /// Connects and discovers everything.
    func connectAndDiscover() {
        self.left = -1
        self.manager?.connect(self.peripheral!)
        self.run(until: "everything is discovered") { self.left == 0 }
    }

    /// Disconnects.
    func disconnect() {
        self.manager?.cancelPeripheralConnection(self.peripheral!)
        self.run(until: "the peripheral is disconnected") { !self.isConnected }
        self.loop.advanceTime(by: .seconds(1))
    }

    private func run(until what: String, _ condition: () -> Bool) {
        for _ in 0..<10_000 {
            if condition() { return }
            self.loop.advanceTime(by: .milliseconds(1))
        }
        expect(false, "not within 10 s of virtual time: \(what)")
    }

    /// The processor time of the first connection, and of one with a known peripheral.
    static func measure() -> (first: TimeMeasurement, known: TimeMeasurement) {
        let pair = Reconnect()
        let first = Meter.measure(count: 1) { pair.connectAndDiscover() }
        pair.disconnect()
        let known = Meter.measure(count: 1) { pair.connectAndDiscover() }
        pair.disconnect()
        return (first, known)
    }

    /// The number of data packets in both directions while connecting and discovering: the first time, and again.
    static func packets() -> (first: Int, known: Int) {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).btsnoop").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        do {
            let pair = Reconnect(captureFile: path)
            pair.connectAndDiscover()
            pair.disconnect()
            pair.connectAndDiscover()
            pair.disconnect()
            pair.manager = nil
            pair.loop.advanceTime(by: .milliseconds(1))
        }
        let counts = Self.dataPackets(in: FileManager.default.contents(atPath: path) ?? Data())
        expect(counts.count == 2, "the capture has \(counts.count) links instead of 2")
        return (counts[0], counts[1])
    }

    /// The ACL data packets of each link in a capture.
    private static func dataPackets(in file: Data) -> [Int] {
        var counts: [Int] = []
        let octets = [UInt8](file)
        var index = 16
        while index + 24 < octets.count {
            let length = octets[(index + 4)..<(index + 8)].reduce(0) { $0 << 8 | Int($1) }
            let packet = octets[(index + 24)..<min(index + 24 + length, octets.count)]
            let start = packet.startIndex
            // An LE Connection Complete event, of either kind, begins a link.
            if packet.count > 4, packet[start] == 4, packet[start + 1] == 0x3E, [1, 0x0A].contains(packet[start + 3]) {
                counts.append(0)
            } else if packet.first == 2, !counts.isEmpty {
                counts[counts.count - 1] += 1
            }
            index += 24 + length
        }
        return counts
    }

    // MARK: Callbacks

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [Peripheral.service]) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.peripheral = peripheral
        peripheral.delegate = self
        central.stopScan()
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        self.isConnected = true
        peripheral.discoverServices(nil)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        self.isConnected = false
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        let services = peripheral.services ?? []
        expect(services.count == 20, "\(services.count) services instead of 20")
        self.left = services.count
        for service in services { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        expect(service.characteristics?.count == 4, "a service without its 4 characteristics")
        self.left -= 1
    }
}
