// Code that wraps Core Bluetooth in async functions.

import CoreBluetoothTesting
import Testbed
import Testing

@MainActor
@Suite("Code that awaits")
struct WaitingTests {
    /// A reader as async code has it.
    @MainActor
    private final class AsyncReader {
        private let reader = Delegate()

        private final class Delegate: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
            var central: CBCentralManager!
            var peripheral: CBPeripheral?
            var waiting: CheckedContinuation<UInt8, any Error>?

            override init() {
                super.init()
                self.central = CBCentralManager(delegate: self, queue: .main)
            }

            func centralManagerDidUpdateState(_ central: CBCentralManager) {}

            func centralManager(
                _ central: CBCentralManager,
                didDiscover peripheral: CBPeripheral,
                advertisementData: [String: Any],
                rssi RSSI: NSNumber
            ) {
                self.peripheral = peripheral
                peripheral.delegate = self
                central.stopScan()
                central.connect(peripheral)
            }

            func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
                peripheral.discoverServices([Reader.service])
            }

            func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
                for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
            }

            func peripheral(
                _ peripheral: CBPeripheral,
                didDiscoverCharacteristicsFor service: CBService,
                error: (any Error)?
            ) {
                for characteristic in service.characteristics ?? [] { peripheral.readValue(for: characteristic) }
            }

            func peripheral(
                _ peripheral: CBPeripheral,
                didUpdateValueFor characteristic: CBCharacteristic,
                error: (any Error)?
            ) {
                if let error {
                    self.waiting?.resume(throwing: error)
                } else {
                    self.waiting?.resume(returning: characteristic.value?.first ?? 0)
                }
                self.waiting = nil
            }
        }

        func readTemperature() async throws -> UInt8 {
            while self.reader.central.state != .poweredOn { await Task.yield() }
            self.reader.central.scanForPeripherals(withServices: [Reader.service])
            return try await withCheckedThrowingContinuation { self.reader.waiting = $0 }
        }
    }

    @Test("Virtual time passes while a task awaits")
    func awaits() async throws {
        let world = World(seed: 1)
        world.addPeripheral(.thermometer(onRead: { _ in .value(Data([23])).delayed(by: .seconds(3)) }))
        let reader = world.addDevice("phone").run { AsyncReader() }
        let temperature = try await world.wait { try await reader.readTemperature() }
        #expect(temperature == 23)
        #expect(world.now > .seconds(3))
    }

    @Test("What the task throws comes out, and so does that it has not ended")
    func throwing() async throws {
        let world = World(seed: 1)
        world.addPeripheral(.thermometer(onRead: { _ in .error(.readNotPermitted) }))
        let reader = world.addDevice("phone").run { AsyncReader() }
        await #expect(throws: CBATTError.self) { try await world.wait { try await reader.readTemperature() } }
        let start = world.now
        var isCancelled = false
        await #expect(throws: WorldError.self) {
            try await world.wait(within: .seconds(1)) {
                while !Task.isCancelled { await Task.yield() }
                isCancelled = true
            }
        }
        #expect(world.now - start == .seconds(1))
        // It is cancelled, so that it ends.
        for _ in 0..<1_000 where !isCancelled { await Task.yield() }
        #expect(isCancelled)
    }
}
