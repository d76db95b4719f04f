// Programs read the properties of peripherals and call them from any thread, as Apple's atomic properties allow. These
// tests are for the thread sanitizer as much as for their expectations.

import BluetoothAir
import Dispatch
import Foundation
import NIOConcurrencyHelpers
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Threads")
struct ThreadsTests {
    /// Publishes the ball on its own queue. Unchecked: it lives on that queue.
    private final class Ball: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
        private var manager: CBPeripheralManager!
        private let answer = CBMutableCharacteristic(
            type: IDs.answer,
            properties: [.read, .notify, .write, .writeWithoutResponse],
            value: nil,
            permissions: [.readable, .writeable]
        )

        init(_ adapter: BluetoothAdapter) {
            super.init()
            adapter.run { self.manager = CBPeripheralManager(delegate: self, queue: DispatchQueue(label: "ball")) }
        }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            guard peripheral.state == .poweredOn else { return }
            let service = CBMutableService(type: IDs.service, primary: true)
            service.characteristics = [self.answer]
            peripheral.removeAllServices()
            peripheral.add(service)
            peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [IDs.service]])
        }

        func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
            request.value = Data([1])
            peripheral.respond(to: request, withResult: .success)
        }

        func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
            peripheral.respond(to: requests[0], withResult: .success)
            peripheral.updateValue(Data([2]), for: self.answer, onSubscribedCentrals: nil)
        }
    }

    /// Connects and disconnects again and again, while other threads read and call. Unchecked: it lives on its queue,
    /// but for what is locked; that threads use the peripheral is what is tested.
    private final class ConcurrentCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable
    {
        private var manager: CBCentralManager!
        private let seen = NIOLockedValueBox<CBPeripheral?>(nil)
        private let isDone = NIOLockedValueBox(false)
        private var rounds: Int
        /// Counts the callbacks; each of the threads reads again after one.
        private let callbacks = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        private let done: @Sendable () -> Void

        init(_ adapter: BluetoothAdapter, rounds: Int, done: @escaping @Sendable () -> Void) {
            self.rounds = rounds
            self.done = done
            super.init()
            adapter.run { self.manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "reader")) }
            for number in self.callbacks.indices {
                // Calls in the wrong moment are misuse, and there are many of them.
                Thread { [self] in LogLines.$listener.withValue({ _ in }) { self.look(number) } }.start()
            }
        }

        /// What a thread of no particular queue does.
        private func look(_ number: Int) {
            while !self.isDone.withLockedValue({ $0 }) {
                // The deadline is for the end, after which there are no callbacks.
                _ = self.callbacks[number].wait(timeout: .now() + 1)
                guard let peripheral = self.seen.withLockedValue({ $0 }) else { continue }
                _ = (peripheral.name, peripheral.state, peripheral.canSendWriteWithoutResponse, peripheral.description)
                for characteristic in peripheral.services?.flatMap({ $0.characteristics ?? [] }) ?? [] {
                    _ = (characteristic.value, characteristic.isNotifying, characteristic.service?.peripheral)
                    if peripheral.state == .connected {
                        switch number {
                        case 0: peripheral.readValue(for: characteristic)
                        case 1: peripheral.writeValue(Data([3]), for: characteristic, type: .withResponse)
                        default: peripheral.writeValue(Data([4]), for: characteristic, type: .withoutResponse)
                        }
                    }
                }
                _ = (self.manager.state, self.manager.isScanning)
            }
        }

        private func wake() { for semaphore in self.callbacks { semaphore.signal() } }

        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            if central.state == .poweredOn { central.scanForPeripherals(withServices: [IDs.service]) }
        }

        func centralManager(
            _ central: CBCentralManager,
            didDiscover peripheral: CBPeripheral,
            advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) {
            self.seen.withLockedValue { $0 = peripheral }
            self.wake()
            peripheral.delegate = self
            central.connect(peripheral)
        }

        func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
            self.wake()
            peripheral.discoverServices(nil)
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateValueFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) { self.wake() }

        func peripheral(
            _ peripheral: CBPeripheral,
            didWriteValueFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) { self.wake() }

        func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
            self.wake()
            if let service = peripheral.services?.first { peripheral.discoverCharacteristics(nil, for: service) }
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didDiscoverCharacteristicsFor service: CBService,
            error: (any Error)?
        ) {
            if let answer = service.characteristics?.first { peripheral.setNotifyValue(true, for: answer) }
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateNotificationStateFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) {
            for _ in 0..<20 { peripheral.writeValue(Data([5]), for: characteristic, type: .withResponse) }
            peripheral.readRSSI()
        }

        func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
            self.manager.cancelPeripheralConnection(peripheral)
        }

        func centralManager(
            _ central: CBCentralManager,
            didDisconnectPeripheral peripheral: CBPeripheral,
            error: (any Error)?
        ) {
            self.rounds -= 1
            if self.rounds > 0 { return central.connect(peripheral) }
            self.isDone.withLockedValue { $0 = true }
            self.seen.withLockedValue { $0 = nil }
            self.wake()
            self.done()
        }
    }

    @Test("properties and calls from other threads while connections come and go", .timeLimit(.minutes(1)))
    func concurrentCalls() async {
        let air = PrivateAir()
        let ball = Ball(air.makeAdapter())
        let kept = NIOLockedValueBox<ConcurrentCentral?>(nil)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            kept.withLockedValue { $0 = ConcurrentCentral(air.makeAdapter(), rounds: 10) { continuation.resume() } }
        }
        kept.withLockedValue { $0 = nil }
        withExtendedLifetime(ball) {}
    }

    @Test("managers that come and go from many threads", .timeLimit(.minutes(1)))
    func managers() async {
        let air = PrivateAir()
        let adapter = air.makeAdapter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let queue = DispatchQueue(label: "manager \(number)")
                    let central = CBCentralManager(
                        delegate: nil,
                        queue: queue,
                        options: [BluetoothAdapter.optionKey: adapter]
                    )
                    let peripheral = CBPeripheralManager(
                        delegate: nil,
                        queue: queue,
                        options: [BluetoothAdapter.optionKey: adapter]
                    )
                    if number % 2 == 0 { await Task.yield() }
                    adapter.setPowered(number % 3 != 0)
                    withExtendedLifetime((central, peripheral)) {}
                }
            }
        }
        adapter.setPowered(true)
        let ball = Ball(adapter)
        let kept = NIOLockedValueBox<ConcurrentCentral?>(nil)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            kept.withLockedValue { $0 = ConcurrentCentral(air.makeAdapter(), rounds: 1) { continuation.resume() } }
        }
        kept.withLockedValue { $0 = nil }
        withExtendedLifetime(ball) {}
    }
}
