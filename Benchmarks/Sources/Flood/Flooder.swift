// The source of a flood: this program in a role. It says "flooding" when it begins.

import BenchmarkSupport
import CoreBluetooth
import Foundation

enum Flooder {
    private static var retained: [AnyObject] = []

    static func run(_ role: String, _ arguments: [String]) -> Never {
        switch role {
        case "notify": self.retained = [FloodingPeripheral(nil)]
        case "advertise": self.advertise(Int(arguments[0]) ?? 1)
        case "join": self.join(arguments[0])
        default: self.retained = [FloodingCentral(role, arguments.map { CBUUID(string: $0) })]
        }
        // Until the process that started it has ended.
        while readLine() != nil {}
        exit(0)
    }

    static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    private static func advertise(_ count: Int) {
        for number in 0..<count {
            guard let adapter = try? BluetoothAdapter("air", configuration: .init(identity: "flood \(number)")) else {
                fatalError("air is no adapter")
            }
            self.retained.append(adapter.run { FloodingPeripheral("Flood \(number)") })
        }
    }

    /// Hosts that connect and go, one after another.
    private static func join(_ path: String) {
        self.say("flooding")
        Thread.detachNewThread {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
            while true {
                let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
                withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                    }
                }
                // HCI_Reset and its answer: the host has connected.
                var octets: [UInt8] = [0x01, 0x03, 0x0C, 0x00, 0, 0, 0, 0]
                _ = write(descriptor, octets, 4)
                _ = read(descriptor, &octets, octets.count)
                close(descriptor)
            }
        }
    }
}

/// Advertises, and notifies subscribers as fast as it can.
final class FloodingPeripheral: NSObject, CBPeripheralManagerDelegate {
    private let queue = DispatchQueue(label: "peripheral")
    private var manager: CBPeripheralManager?
    /// `nil` for the one that notifies, which reports itself when it advertises.
    private let name: String?
    private let source = CBMutableCharacteristic(
        type: CBUUID(string: FloodCase.characteristic),
        properties: .notify,
        value: nil,
        permissions: []
    )
    private let value = Data(repeating: 0x2A, count: 244)

    init(_ name: String?) {
        self.name = name
        super.init()
        self.manager = CBPeripheralManager(delegate: self, queue: self.queue)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        if self.name == nil {
            let service = CBMutableService(type: CBUUID(string: FloodCase.service), primary: true)
            service.characteristics = [self.source]
            peripheral.add(service)
        }
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: self.name ?? "Flood"])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if self.name == nil { Flooder.say("flooding") }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) { self.pump() }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { self.pump() }

    private func pump() {
        // Each call sends to a subscriber, or is refused; without subscribers it ends.
        while !(self.source.subscribedCentrals ?? []).isEmpty,
            self.manager?.updateValue(self.value, for: self.source, onSubscribedCentrals: nil) == true
        {}
    }
}

/// Connects, and does one thing as fast as it can.
final class FloodingCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private let queue = DispatchQueue(label: "central")
    private let role: String
    private let service: CBUUID
    private let uuids: [CBUUID]
    private var manager: CBCentralManager?
    private var peripheral: CBPeripheral?
    private var characteristics: [CBUUID: CBCharacteristic] = [:]
    private let value = Data(repeating: 0x2A, count: 244)

    init(_ role: String, _ uuids: [CBUUID]) {
        self.role = role
        self.service = uuids[0]
        self.uuids = Array(uuids.dropFirst())
        super.init()
        self.manager = CBCentralManager(delegate: self, queue: self.queue)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [self.service]) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([self.service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(self.uuids, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        for characteristic in service.characteristics ?? [] {
            self.characteristics[characteristic.uuid] = characteristic
        }
        Flooder.say("flooding")
        // A ball answers subscribers only.
        if self.role == "ask", let answer = self.characteristics[self.uuids[1]] {
            peripheral.setNotifyValue(true, for: answer)
        } else {
            self.flood()
        }
    }

    private func flood() {
        guard let peripheral = self.peripheral, let target = self.characteristics[self.uuids[0]] else { return }
        switch self.role {
        case "write":
            while peripheral.canSendWriteWithoutResponse {
                peripheral.writeValue(self.value, for: target, type: .withoutResponse)
            }
        case "subscribe": peripheral.setNotifyValue(!target.isNotifying, for: target)
        default: peripheral.writeValue(Data("Will it ever end?".utf8), for: target, type: .withResponse)
        }
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        if self.role == "write" { self.flood() }
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        self.flood()
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { self.flood() }
}
