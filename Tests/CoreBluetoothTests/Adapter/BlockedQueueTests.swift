// A host does not depend on its app: while the queue of a manager's delegate is blocked, the links stay up, and what needs
// no app is answered. Time is virtual, the queues are real.

import BluetoothAir
import BluetoothTypes
import Dispatch
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Testing

@testable import CoreBluetooth

@Suite("Adapter: blocked queue")
struct BlockedQueueTests {
    private static var service: CBUUID { CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E") }
    private static var fixed: CBUUID { CBUUID(string: "0000A001-0000-1000-8000-00805F9B34FB") }

    /// Publishes a value that its host serves by itself.
    private final class Server: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
        let queue = DispatchQueue(label: "server")
        private var manager: CBPeripheralManager!

        init(_ adapter: BluetoothAdapter) {
            super.init()
            adapter.run { self.manager = CBPeripheralManager(delegate: self, queue: self.queue) }
        }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            guard peripheral.state == .poweredOn else { return }
            let service = CBMutableService(type: BlockedQueueTests.service, primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: BlockedQueueTests.fixed,
                    properties: .read,
                    value: Data([0x2A]),
                    permissions: .readable
                )
            ]
            peripheral.add(service)
            peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [BlockedQueueTests.service]])
        }
    }

    /// Connects, and reads the value at each ``read()``.
    private final class Client: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
        let queue = DispatchQueue(label: "client")
        private var manager: CBCentralManager!
        private var peripheral: CBPeripheral?
        private var characteristic: CBCharacteristic?
        private let observed = NIOLockedValueBox((isReady: false, values: 0, ends: 0))

        init(_ adapter: BluetoothAdapter) {
            super.init()
            adapter.run { self.manager = CBCentralManager(delegate: self, queue: self.queue) }
        }

        var isReady: Bool { self.observed.withLockedValue { $0.isReady } }
        /// How many times the value was read.
        var values: Int { self.observed.withLockedValue { $0.values } }
        /// How many connections ended.
        var ends: Int { self.observed.withLockedValue { $0.ends } }

        func read() {
            self.queue.async {
                guard let peripheral = self.peripheral, let characteristic = self.characteristic else { return }
                peripheral.readValue(for: characteristic)
            }
        }

        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            if central.state == .poweredOn { central.scanForPeripherals(withServices: [BlockedQueueTests.service]) }
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
            peripheral.discoverServices([BlockedQueueTests.service])
        }

        func centralManager(
            _ central: CBCentralManager,
            didDisconnectPeripheral peripheral: CBPeripheral,
            error: (any Error)?
        ) { self.observed.withLockedValue { $0.ends += 1 } }

        func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
            for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didDiscoverCharacteristicsFor service: CBService,
            error: (any Error)?
        ) {
            self.characteristic = service.characteristics?.first
            self.observed.withLockedValue { $0.isReady = self.characteristic != nil }
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateValueFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) {
            guard error == nil, characteristic.value == Data([0x2A]) else { return }
            self.observed.withLockedValue { $0.values += 1 }
        }
    }

    /// Lets virtual time pass, 10 ms by 10 ms, until something has come about on the client's queue; times out after
    /// a quarter of an hour of real time, since all tests of a busy machine run beside this one.
    private func advance(_ loop: NIOAsyncTestingEventLoop, _ client: Client, until isDone: () -> Bool) async {
        let limit = Date(timeIntervalSinceNow: 900)
        while !isDone(), Date() < limit {
            await loop.advanceTime(by: .milliseconds(10))
            // Time waits for the app, however busy the machine is.
            await withCheckedContinuation { continuation in client.queue.async { continuation.resume() } }
        }
    }

    /// Keeps a queue from doing anything until the returned semaphore is signalled.
    private func block(_ queue: DispatchQueue) -> DispatchSemaphore {
        let (isBlocked, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        queue.async {
            isBlocked.signal()
            end.wait()
        }
        isBlocked.wait()
        return end
    }

    @Test("3.4 a queue that is blocked for 60 s costs its host no link and keeps it from no answer")
    func blockedFor60Seconds() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let (first, second) = try await loop.executeInContext {
            let air = Air(eventLoop: loop, settings: .realistic, seed: 1)
            func adapter(_ name: String) -> BluetoothAdapter {
                BluetoothAdapter(air: air, configuration: .init(deviceName: name), callbacks: .onQueues)
            }
            return (adapter("server"), adapter("client"))
        }
        let server = Server(first)
        let client = Client(second)
        await self.advance(loop, client) { client.isReady }
        try #require(client.isReady)

        // The server's app does nothing, and its host answers once a second.
        var unblock = self.block(server.queue)
        for second in 1...60 {
            client.read()
            await self.advance(loop, client) { client.values == second }
            #expect(client.values == second)
            await loop.advanceTime(by: .seconds(1))
        }
        unblock.signal()
        #expect(client.ends == 0)

        // The client's app asks for something and then does nothing: the answer waits for it, and the link is there.
        client.read()
        client.queue.sync {}
        unblock = self.block(client.queue)
        for _ in 0..<60 { await loop.advanceTime(by: .seconds(1)) }
        unblock.signal()
        await self.advance(loop, client) { client.values == 61 }
        #expect(client.values == 61 && client.ends == 0)
        withExtendedLifetime((server, first, second)) {}
        await loop.shutdownGracefully()
    }
}
