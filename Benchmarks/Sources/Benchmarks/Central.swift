// The central of the benchmarks: ordinary Core Bluetooth code that discovers the attributes of a case on the first
// peripheral that it finds, and then counts what it receives.

import BenchmarkSupport
import CoreBluetooth

final class Central: NSObject, CBPeripheralDelegate {
    // Confined to `queue`; `done` is how the benchmark's thread waits.
    let queue = DispatchQueue(label: "central")
    private let done = DispatchSemaphore(value: 0)
    private lazy var finder = Finder(Peripheral.service, for: self)
    private var peripheral: CBPeripheral? { self.finder.peripheral }
    private var characteristics: [CBUUID: CBCharacteristic] = [:]
    private var left = 0
    private var operation: () -> Void = {}
    private var discovery: [CBService] = []
    /// Called after the last notification, instead of `done`.
    private var completion: (() -> Void)?
    // Confined to the thread that writes at a pace.
    private var paced: (CBPeripheral, CBCharacteristic)?

    private enum Phase {
        case preparing
        case reading
        case writing
        case writingWithoutResponse
        case listening
        case discovering
    }

    private var phase = Phase.preparing

    /// Finds a peripheral, connects, discovers and subscribes; returns when it is ready.
    func start(on adapter: BluetoothAdapter) {
        self.finder.start(on: adapter, queue: self.queue)
        self.done.wait()
    }

    // MARK: Cases

    /// Waits for `count` notifications after `trigger`.
    func receive(_ count: Int, trigger: () -> Void) {
        self.queue.sync {
            self.phase = .listening
            self.left = count
        }
        trigger()
        self.done.wait()
    }

    /// Calls `completion` after `count` notifications.
    func expect(_ count: Int, completion: @escaping () -> Void) {
        self.queue.sync {
            self.phase = .listening
            self.left = count
            self.completion = completion
        }
    }

    func read(_ uuid: CBUUID, count: Int) {
        self.run(.reading, count) { [unowned self] in
            self.peripheral!.readValue(for: self.characteristics[uuid]!)
        }
    }

    func write(count: Int, octets: Int) {
        let data = Data(repeating: 0x3C, count: octets)
        self.run(.writing, count) { [unowned self] in
            self.peripheral!.writeValue(data, for: self.characteristics[Peripheral.write]!, type: .withResponse)
        }
    }

    /// Writes without response as flow control allows, then once with response, which arrives after all of them.
    func writeWithoutResponse(count: Int, octets: Int) {
        let data = Data(repeating: 0x3C, count: octets)
        let target = self.queue.sync { self.characteristics[Peripheral.write]! }
        self.run(.writingWithoutResponse, count) { [unowned self] in
            let peripheral = self.peripheral!
            while self.left > 0, peripheral.canSendWriteWithoutResponse {
                peripheral.writeValue(data, for: target, type: .withoutResponse)
                self.left -= 1
            }
            if self.left == 0 {
                self.left = -1
                peripheral.writeValue(data, for: target, type: .withResponse)
            }
        }
    }

    /// Writes once without response; may be called from any thread.
    func writeOnceWithoutResponse(octets: Int) {
        let (peripheral, target) =
            self.paced
            ?? self.queue.sync {
                (self.peripheral!, self.characteristics[Peripheral.write]!)
            }
        self.paced = (peripheral, target)
        peripheral.writeValue(Data(repeating: 0x3C, count: octets), for: target, type: .withoutResponse)
    }

    /// Discovers all services with all their characteristics.
    func discoverEverything() {
        self.run(.discovering, 1) { [unowned self] in self.peripheral!.discoverServices(nil) }
    }

    private func run(_ phase: Phase, _ count: Int, _ operation: @escaping () -> Void) {
        self.queue.async {
            self.phase = phase
            self.left = count
            self.operation = operation
            operation()
        }
        self.done.wait()
    }

    private func next() {
        self.left -= 1
        if self.left > 0 { self.operation() } else { self.done.signal() }
    }

    // MARK: Callbacks

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        let services = peripheral.services ?? []
        if self.phase == .discovering {
            self.left = services.count
            for service in services { peripheral.discoverCharacteristics(nil, for: service) }
        } else {
            for service in services { peripheral.discoverCharacteristics(nil, for: service) }
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        if self.phase == .discovering {
            self.left -= 1
            if self.left == 0 { self.done.signal() }
            return
        }
        for characteristic in service.characteristics ?? [] {
            self.characteristics[characteristic.uuid] = characteristic
        }
        peripheral.setNotifyValue(true, for: self.characteristics[Peripheral.notify]!)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        self.done.signal()
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        if self.phase == .listening {
            self.left -= 1
            guard self.left == 0 else { return }
            if let completion = self.completion { completion() } else { self.done.signal() }
        } else {
            self.next()
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        if self.phase == .writingWithoutResponse { self.done.signal() } else { self.next() }
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        if self.phase == .writingWithoutResponse, self.left > 0 { self.operation() }
    }
}
