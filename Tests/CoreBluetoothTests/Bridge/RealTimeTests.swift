// The same delegate code on dispatch queues, in real time. Everything is waited for by condition.

import BluetoothAir
import Dispatch
import Foundation
import NIOConcurrencyHelpers
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Real time")
struct RealTimeTests {
    /// A ball that answers each question. Unchecked: it lives on its queue.
    private final class Ball: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
        let queue = DispatchQueue(label: "ball")
        private var manager: CBPeripheralManager!
        private let answer = CBMutableCharacteristic.answer()

        init(_ adapter: BluetoothAdapter) {
            super.init()
            adapter.run { self.manager = CBPeripheralManager(delegate: self, queue: self.queue) }
        }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            dispatchPrecondition(condition: .onQueue(self.queue))
            guard peripheral.state == .poweredOn else { return }
            let service = CBMutableService(type: IDs.service, primary: true)
            let question = CBMutableCharacteristic(
                type: IDs.question,
                properties: [.write],
                value: nil,
                permissions: [.writeable]
            )
            service.characteristics = [question, self.answer]
            peripheral.add(service)
            peripheral.startAdvertising([
                CBAdvertisementDataServiceUUIDsKey: [IDs.service], CBAdvertisementDataLocalNameKey: "Crystal",
            ])
        }

        func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
            dispatchPrecondition(condition: .onQueue(self.queue))
            peripheral.respond(to: requests[0], withResult: .success)
            let text = "You asked: \(requests[0].value?.text ?? "-")"
            peripheral.updateValue(text.octets, for: self.answer, onSubscribedCentrals: [requests[0].central])
        }
    }

    /// Asks some questions, one after the other. Unchecked: it lives on its queue.
    private final class Asker: QueueCentral, @unchecked Sendable {
        private var questions: [String]
        private let done: @Sendable ([String]) -> Void
        private var answers: [String] = []

        init(_ adapter: BluetoothAdapter, questions: [String], done: @escaping @Sendable ([String]) -> Void) {
            self.questions = questions
            self.done = done
            super.init(adapter)
        }

        override func peripheral(
            _ peripheral: CBPeripheral,
            didDiscoverCharacteristicsFor service: CBService,
            error: (any Error)?
        ) {
            if let answer = service.characteristics?.last { peripheral.setNotifyValue(true, for: answer) }
        }

        override func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateNotificationStateFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) { self.ask(peripheral) }

        override func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateValueFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) {
            dispatchPrecondition(condition: .onQueue(self.queue))
            self.answers.append(characteristic.value?.text ?? "-")
            self.ask(peripheral)
        }

        private func ask(_ peripheral: CBPeripheral) {
            guard !self.questions.isEmpty else {
                self.manager.cancelPeripheralConnection(peripheral)
                return
            }
            guard let question = peripheral.services?.first?.characteristics?.first else { return }
            peripheral.writeValue(self.questions.removeFirst().octets, for: question, type: .withResponse)
        }

        override func centralManager(
            _ central: CBCentralManager,
            didDisconnectPeripheral peripheral: CBPeripheral,
            error: (any Error)?
        ) { self.done(self.answers) }
    }

    @Test("1.1 both roles on queues: a whole conversation", .timeLimit(.minutes(1)))
    func conversation() async {
        let air = PrivateAir()
        let ball = Ball(air.makeAdapter())
        let questions = (1...50).map { "Question \($0)?" }
        let kept = NIOLockedValueBox<Asker?>(nil)
        let answers = await withCheckedContinuation { continuation in
            kept.withLockedValue {
                $0 = Asker(air.makeAdapter(), questions: questions) { continuation.resume(returning: $0) }
            }
        }
        #expect(answers == questions.map { "You asked: \($0)" })
        kept.withLockedValue { $0 = nil }
        withExtendedLifetime(ball) {}
    }

    /// Gets the state on the main queue. Unchecked: it lives on that queue.
    private final class MainListener: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
        private var manager: CBCentralManager?
        private let done: @Sendable () -> Void

        init(_ adapter: BluetoothAdapter, done: @escaping @Sendable () -> Void) {
            self.done = done
            super.init()
            DispatchQueue.main.async {
                self.manager = adapter.run { CBCentralManager(delegate: self, queue: nil) }
            }
        }

        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            dispatchPrecondition(condition: .onQueue(.main))
            self.manager = nil
            self.done()
        }
    }

    @Test("1.1 without a queue the main queue is used", .timeLimit(.minutes(1)))
    func mainQueue() async {
        let adapter = PrivateAir().makeAdapter()
        let kept = NIOLockedValueBox<MainListener?>(nil)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            kept.withLockedValue { $0 = MainListener(adapter) { continuation.resume() } }
        }
        kept.withLockedValue { $0 = nil }
    }
}
