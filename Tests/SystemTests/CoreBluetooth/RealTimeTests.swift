// Managers on dispatch queues, and calls from other threads, in real time: for the thread sanitizer as much as for the
// expectations.

import BluetoothAir
import NIOConcurrencyHelpers
import Testing

@testable import CoreBluetooth

@Suite("Real time", .serialized)
struct RealTimeTests {
    /// A ball that answers each question with a notification. Unchecked: it lives on its queue.
    private final class Ball: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
        private let queue = DispatchQueue(label: "ball")
        private var manager: CBPeripheralManager!
        private let question = CBMutableCharacteristic(
            type: QueueAppUUIDs.value,
            properties: [.read, .write, .writeWithoutResponse, .notify],
            value: nil,
            permissions: [.readable, .writeable]
        )

        init(_ adapter: BluetoothAdapter) {
            super.init()
            adapter.run { self.manager = CBPeripheralManager(delegate: self, queue: self.queue) }
        }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            dispatchPrecondition(condition: .onQueue(self.queue))
            guard peripheral.state == .poweredOn else { return }
            let service = CBMutableService(type: QueueAppUUIDs.service, primary: true)
            service.characteristics = [self.question]
            peripheral.removeAllServices()
            peripheral.add(service)
            peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [QueueAppUUIDs.service]])
        }

        func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
            request.value = Data([1])
            peripheral.respond(to: request, withResult: .success)
        }

        func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
            dispatchPrecondition(condition: .onQueue(self.queue))
            peripheral.respond(to: requests[0], withResult: .success)
            let answer = Data("You asked: ".utf8) + (requests[0].value ?? Data())
            peripheral.updateValue(answer, for: self.question, onSubscribedCentrals: nil)
        }
    }

    /// Connects, subscribes, asks some questions and disconnects, some times over. Unchecked: it lives on its queue.
    private final class Asker: QueueCentral, @unchecked Sendable {
        let isDone = DispatchSemaphore(value: 0)
        /// The peripheral, for other threads.
        let shared = NIOLockedValueBox<CBPeripheral?>(nil)
        let answers = NIOLockedValueBox<[String]>([])
        /// Signalled after each answer, for threads that call then.
        let answered = (0..<3).map { _ in DispatchSemaphore(value: 0) }
        private let questions: [String]
        private var askedCount = 0
        private var rounds: Int

        init(_ adapter: BluetoothAdapter, _ questions: [String], rounds: Int = 1) {
            self.questions = questions
            self.rounds = rounds
            super.init(adapter)
        }

        override func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
            self.shared.withLockedValue { $0 = peripheral }
            self.askedCount = 0
            super.centralManager(central, didConnect: peripheral)
        }

        override func peripheral(
            _ peripheral: CBPeripheral,
            didDiscoverCharacteristicsFor service: CBService,
            error: (any Error)?
        ) {
            if let question = service.characteristics?.first { peripheral.setNotifyValue(true, for: question) }
        }

        override func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateNotificationStateFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) { self.ask(peripheral, characteristic) }

        override func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateValueFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) {
            dispatchPrecondition(condition: .onQueue(self.queue))
            let answer = String(decoding: characteristic.value ?? Data(), as: UTF8.self)
            guard error == nil, self.askedCount > 0, answer.hasSuffix(self.questions[self.askedCount - 1]) else {
                return
            }
            self.answers.withLockedValue { $0.append(answer) }
            for semaphore in self.answered { semaphore.signal() }
            self.ask(peripheral, characteristic)
        }

        private func ask(_ peripheral: CBPeripheral, _ question: CBCharacteristic) {
            guard self.askedCount < self.questions.count else {
                return self.manager.cancelPeripheralConnection(peripheral)
            }
            self.askedCount += 1
            peripheral.writeValue(Data(self.questions[self.askedCount - 1].utf8), for: question, type: .withResponse)
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

    @Test("1.1 calls the delegates of both roles on their queues")
    func conversation() async throws {
        let air = PrivateAir()
        let ball = Ball(air.makeAdapter())
        let questions = (1...50).map { "Question \($0)?" }
        let asker = Asker(air.makeAdapter(), questions)
        try await StreamThreads.wait([asker.isDone], for: "the last answer")
        #expect(asker.answers.withLockedValue { $0 } == questions.map { "You asked: \($0)" })
        withExtendedLifetime(ball) {}
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
        let asker = Asker(air.makeAdapter(), (1...20).map { "Question \($0)?" }, rounds: 5)
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
        #expect(asker.answers.withLockedValue { $0.count } == 100)
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
        let asker = Asker(air.makeAdapter(), ["Is it there?"])
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
