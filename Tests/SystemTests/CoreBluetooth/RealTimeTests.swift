// Managers on dispatch queues, and calls from other threads, in real time: for the thread sanitizer as much as for the
// expectations.

import BluetoothAir
import NIOConcurrencyHelpers
import Testing

@testable import CoreBluetooth

@Suite("Real time", .serialized)
struct RealTimeTests {
    /// Answers reads, and takes writes without response. Unchecked: it lives on its queue.
    private final class Ball: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
        private let queue = DispatchQueue(label: "ball")
        private var manager: CBPeripheralManager!

        init(_ adapter: BluetoothAdapter) {
            super.init()
            adapter.run { self.manager = CBPeripheralManager(delegate: self, queue: self.queue) }
        }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            dispatchPrecondition(condition: .onQueue(self.queue))
            guard peripheral.state == .poweredOn else { return }
            let service = CBMutableService(type: QueueAppUUIDs.service, primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: QueueAppUUIDs.value,
                    properties: [.read, .writeWithoutResponse],
                    value: nil,
                    permissions: [.readable, .writeable]
                )
            ]
            peripheral.removeAllServices()
            peripheral.add(service)
            peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [QueueAppUUIDs.service]])
        }

        func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
            dispatchPrecondition(condition: .onQueue(self.queue))
            request.value = Data([1])
            peripheral.respond(to: request, withResult: .success)
        }
    }

    /// Connects, reads some times and disconnects, some times over. Unchecked: it lives on its queue.
    private final class Asker: QueueCentral, @unchecked Sendable {
        let isDone = DispatchSemaphore(value: 0)
        /// The peripheral, for other threads.
        let shared = NIOLockedValueBox<CBPeripheral?>(nil)
        let answers = NIOLockedValueBox(0)
        /// Signalled after each answer, for threads that call then.
        let answered = (0..<3).map { _ in DispatchSemaphore(value: 0) }
        private let reads: Int
        private var left = 0
        private var rounds: Int

        init(_ adapter: BluetoothAdapter, reads: Int, rounds: Int = 1) {
            self.reads = reads
            self.rounds = rounds
            super.init(adapter)
        }

        override func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
            self.shared.withLockedValue { $0 = peripheral }
            self.left = self.reads
            super.centralManager(central, didConnect: peripheral)
        }

        override func peripheral(
            _ peripheral: CBPeripheral,
            didDiscoverCharacteristicsFor service: CBService,
            error: (any Error)?
        ) {
            if let value = service.characteristics?.first { peripheral.readValue(for: value) }
        }

        override func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateValueFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) {
            dispatchPrecondition(condition: .onQueue(self.queue))
            guard error == nil, characteristic.value == Data([1]) else { return }
            self.answers.withLockedValue { $0 += 1 }
            for semaphore in self.answered { semaphore.signal() }
            self.left -= 1
            guard self.left > 0 else { return self.manager.cancelPeripheralConnection(peripheral) }
            peripheral.readValue(for: characteristic)
        }

        override func centralManager(
            _ central: CBCentralManager,
            didDisconnectPeripheral peripheral: CBPeripheral,
            error: (any Error)?
        ) {
            self.rounds -= 1
            if self.rounds > 0 { return central.connect(peripheral) }
            self.shared.withLockedValue { $0 = nil }
            self.isDone.signal()
        }
    }

    /// Gets the state on the main queue. Unchecked: it lives on that queue.
    private final class MainListener: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
        private var manager: CBCentralManager?
        let isDone = DispatchSemaphore(value: 0)

        init(_ adapter: BluetoothAdapter) {
            super.init()
            DispatchQueue.main.async { self.manager = adapter.run { CBCentralManager(delegate: self, queue: nil) } }
        }

        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            dispatchPrecondition(condition: .onQueue(.main))
            self.manager = nil
            self.isDone.signal()
        }
    }

    @Test("1.1 calls the delegate on the main queue without a queue")
    func mainQueue() async throws {
        let listener = MainListener(PrivateAir().makeAdapter())
        try await StreamThreads.wait([listener.isDone], for: "the state")
    }

    @Test("lets other threads read properties and call while connections come and go")
    func concurrentCalls() async throws {
        let air = PrivateAir()
        let ball = Ball(air.makeAdapter())
        let asker = Asker(air.makeAdapter(), reads: 20, rounds: 5)
        let isOver = NIOLockedValueBox(false)
        let threads = (0..<3).map { number in
            StreamThreads.start(asker) { asker in
                // Many of these calls are misuse, which is logged.
                LogLines.$listener.withValue({ _ in }) {
                    while true {
                        asker.answered[number].wait()
                        if isOver.withLockedValue({ $0 }) { return }
                        guard let peripheral = asker.shared.withLockedValue({ $0 }) else { continue }
                        _ = (peripheral.name, peripheral.state, peripheral.description, asker.manager.isScanning)
                        for characteristic in peripheral.services?.flatMap({ $0.characteristics ?? [] }) ?? [] {
                            _ = (characteristic.value, characteristic.isNotifying, characteristic.service?.peripheral)
                            guard peripheral.state == .connected, peripheral.canSendWriteWithoutResponse else {
                                continue
                            }
                            if number == 0 { peripheral.readRSSI() }
                            peripheral.writeValue(Data([4]), for: characteristic, type: .withoutResponse)
                        }
                    }
                }
            }
        }
        try await StreamThreads.wait([asker.isDone], for: "the last connection")
        isOver.withLockedValue { $0 = true }
        for semaphore in asker.answered { semaphore.signal() }
        try await StreamThreads.wait(threads, for: "the callers")
        #expect(asker.answers.withLockedValue { $0 } == 100)
        withExtendedLifetime(ball) {}
    }

    @Test("survives managers that come and go from many threads while Bluetooth is switched")
    func managers() async throws {
        let air = PrivateAir()
        let adapter = air.makeAdapter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let queue = DispatchQueue(label: "manager \(number)")
                    let options: [String: Any] = [BluetoothAdapter.optionKey: adapter]
                    let central = CBCentralManager(delegate: nil, queue: queue, options: options)
                    let peripheral = CBPeripheralManager(delegate: nil, queue: queue, options: options)
                    if number % 2 == 0 { await Task.yield() }
                    adapter.setPowered(number % 3 != 0)
                    withExtendedLifetime((central, peripheral)) {}
                }
            }
        }
        adapter.setPowered(true)
        let ball = Ball(adapter)
        let asker = Asker(air.makeAdapter(), reads: 1)
        try await StreamThreads.wait([asker.isDone], for: "an answer")
        withExtendedLifetime(ball) {}
    }

    @Test("enters a concurrent queue once at a time, with all messages in order")
    func concurrentQueue() async throws {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let (inside, received) = (NIOLockedValueBox(0), NIOLockedValueBox<[Int]>([]))
        let isComplete = DispatchSemaphore(value: 0)
        let mailbox = Mailbox<Int> { mailbox in
            queue.async {
                mailbox.drain { batch in
                    let count = inside.withLockedValue { count in
                        count += 1
                        return count
                    }
                    #expect(count == 1)
                    let total = received.withLockedValue { received in
                        received += batch
                        return received.count
                    }
                    inside.withLockedValue { $0 -= 1 }
                    if total == 10_000 { isComplete.signal() }
                }
            }
        }
        for number in 0..<10_000 { mailbox.send(number) }
        try await StreamThreads.wait([isComplete], for: "all messages")
        #expect(received.withLockedValue { $0 } == Array(0..<10_000))
    }
}
