// Lesson 3: the peripheral. A ball publishes its service, advertises, receives questions and notifies answers.

import CoreBluetooth
import Foundation

// MARK: - The ball

/// A Magic 8-Ball.
final class MagicBall: NSObject {
    let name: String
    /// How the ball finds its answer.
    var answer: (String) -> String = { _ in Bool.random() ? "Yes." : "Ask again later." }
    /// How the ball responds to a question that was written.
    var judge: (String) -> CBATTError.Code = { _ in .success }
    /// The centrals that are notified of an answer; `nil` for all subscribers.
    var recipients: (CBCentral) -> [CBCentral]? = { _ in nil }
    /// The permissions of the question's characteristic.
    private let permissions: CBAttributePermissions
    private var answerCharacteristic: CBMutableCharacteristic?
    private var manager: CBPeripheralManager?

    init(name: String, permissions: CBAttributePermissions = .writeable) {
        self.name = name
        self.permissions = permissions
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }
}

// MARK: - The service

extension MagicBall: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let question = CBMutableCharacteristic(
            type: EightBall.question,
            properties: [.write, .writeWithoutResponse],
            value: nil,
            permissions: permissions
        )
        let answer = CBMutableCharacteristic(
            type: EightBall.answer,
            properties: .notify,
            value: nil,
            permissions: .readable
        )
        let service = CBMutableService(type: EightBall.service, primary: true)
        service.characteristics = [question, answer]
        answerCharacteristic = answer
        peripheral.removeAllServices()
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        guard error == nil else { return }
        peripheral.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [EightBall.service],
            CBAdvertisementDataLocalNameKey: name,
        ])
    }
}

// MARK: - Questions in, answers out

extension MagicBall {
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let request = requests.first, let answerCharacteristic else { return }
        let question = String(decoding: request.value ?? Data(), as: UTF8.self)
        let verdict = judge(question)
        peripheral.respond(to: request, withResult: verdict)
        guard verdict == .success else { return }
        peripheral.updateValue(
            Data(answer(question).utf8),
            for: answerCharacteristic,
            onSubscribedCentrals: recipients(request.central)
        )
    }
}
