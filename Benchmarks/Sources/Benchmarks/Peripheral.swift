// The peripheral of the benchmarks: ordinary CBPeripheralManager code with one characteristic of each kind, and as many
// further services as a case asks for.

import BenchmarkSupport
import CoreBluetooth

final class Peripheral: NSObject, CBPeripheralManagerDelegate {
    // Confined to `queue`.
    static let service = CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E")
    static let notify = CBUUID(string: "349A0D7B-6215-4E2C-A095-AF078D737445")
    static let write = CBUUID(string: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77")
    static let fixed = CBUUID(string: "0000A001-0000-1000-8000-00805F9B34FB")
    static let asked = CBUUID(string: "0000A002-0000-1000-8000-00805F9B34FB")

    let queue = DispatchQueue(label: "peripheral")
    private var manager: CBPeripheralManager?
    private let notifying = CBMutableCharacteristic(
        type: Peripheral.notify,
        properties: [.notify, .read],
        value: nil,
        permissions: .readable
    )
    private let value: Data
    private let furtherServices: Int
    private var left = 0
    private var payload = Data()
    /// The number of expected writes, and the function that is called after the last one.
    private var expected = 0
    private var completion: () -> Void = {}

    init(valueLength: Int, furtherServices: Int = 0) {
        self.value = Data(repeating: 0x5A, count: valueLength)
        self.furtherServices = furtherServices
        super.init()
    }

    func start(on adapter: BluetoothAdapter) {
        self.manager = adapter.run { CBPeripheralManager(delegate: self, queue: self.queue) }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: Self.service, primary: true)
        service.characteristics = [
            self.notifying,
            CBMutableCharacteristic(
                type: Self.write,
                properties: [.write, .writeWithoutResponse],
                value: nil,
                permissions: .writeable
            ),
            CBMutableCharacteristic(type: Self.fixed, properties: .read, value: self.value, permissions: .readable),
            CBMutableCharacteristic(type: Self.asked, properties: .read, value: nil, permissions: .readable),
        ]
        peripheral.add(service)
        for number in 0..<self.furtherServices {
            let further = CBMutableService(type: CBUUID(string: String(format: "B0%02X", number)), primary: true)
            further.characteristics = (0..<4).map { index in
                CBMutableCharacteristic(
                    type: CBUUID(string: String(format: "C%02X%X", number, index)),
                    properties: .read,
                    value: nil,
                    permissions: .readable
                )
            }
            peripheral.add(further)
        }
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
    }

    /// Notifies `count` times as fast as the queue takes it.
    func send(_ count: Int, octets: Int) {
        self.queue.async {
            self.left = count
            self.payload = Data(repeating: 0xA5, count: octets)
            self.pump()
        }
    }

    /// Notifies once, from any thread; returns whether the queue had space.
    func send(octets: Int) -> Bool {
        self.manager?.updateValue(Data(repeating: 0xA5, count: octets), for: self.notifying, onSubscribedCentrals: nil)
            ?? false
    }

    /// Calls `completion` after `count` writes.
    func expect(_ count: Int, completion: @escaping () -> Void) {
        self.queue.sync {
            self.expected = count
            self.completion = completion
        }
    }

    private func pump() {
        guard let manager = self.manager else { return }
        while self.left > 0, manager.updateValue(self.payload, for: self.notifying, onSubscribedCentrals: nil) {
            self.left -= 1
        }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { self.pump() }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        request.value = self.value.dropFirst(request.offset)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        peripheral.respond(to: requests[0], withResult: .success)
        guard self.expected > 0 else { return }
        self.expected -= requests.count
        if self.expected <= 0 { self.completion() }
    }
}
