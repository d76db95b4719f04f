// Lesson 2: the peripheral's delegate. It explores a ball, asks it a question, and receives the answer.

import CoreBluetooth
import Foundation

// MARK: - A ball, as the central sees it

/// A ball that is connected.
final class Ball: NSObject {
    let peripheral: CBPeripheral
    /// Called when the ball can be asked.
    var onReady: () -> Void = {}
    /// Called with a question that the ball has confirmed.
    var onDelivery: (String) -> Void = { _ in }
    /// Called with each answer.
    var onAnswer: (String) -> Void = { _ in }
    /// Called when something went wrong.
    var onError: (Error) -> Void = { _ in }
    /// How a question is written.
    var writeType = CBCharacteristicWriteType.withoutResponse
    /// The question that is on its way.
    var question: String?

    init(_ peripheral: CBPeripheral) {
        self.peripheral = peripheral
        super.init()
        peripheral.delegate = self
    }

    /// A characteristic that was discovered.
    func characteristic(_ uuid: CBUUID) -> CBCharacteristic? {
        let service = peripheral.services?.first { $0.uuid == EightBall.service }
        return service?.characteristics?.first { $0.uuid == uuid }
    }
}

// MARK: - Discovery

extension Ball: CBPeripheralDelegate {
    /// Discovers what the ball offers.
    func discover() {
        peripheral.discoverServices([EightBall.service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        if let error { return onError(error) }
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics([EightBall.question, EightBall.answer], for: service)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        if let error { return onError(error) }
        onReady()
    }
}

// MARK: - The question

extension Ball {
    /// Asks a question: first subscribes to the answer, then writes the question.
    func ask(_ text: String) {
        guard let answer = characteristic(EightBall.answer) else { return }
        question = text
        if answer.isNotifying {
            writeQuestion()
        } else {
            peripheral.setNotifyValue(true, for: answer)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        if let error { return onError(error) }
        writeQuestion()
    }

    private func writeQuestion() {
        guard let text = question, let target = characteristic(EightBall.question) else { return }
        peripheral.writeValue(Data(text.utf8), for: target, type: writeType)
    }
}

// MARK: - The answer

extension Ball {
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        if let error { return onError(error) }
        onAnswer(String(decoding: characteristic.value ?? Data(), as: UTF8.self))
    }
}

// MARK: - The app

/// Asks the first ball some questions, one after the other.
final class Questions {
    /// Called with the ball before it is explored.
    var prepare: (Ball) -> Void = { _ in }
    private let finder = BallFinder()
    private let show: (String) -> Void
    private var questions: [String]
    private var ball: Ball?

    init(_ questions: [String], show: @escaping (String) -> Void) {
        self.questions = questions
        self.show = show
        finder.onConnect = { [unowned self] in explore($0) }
    }

    private func explore(_ peripheral: CBPeripheral) {
        guard ball == nil else { return }
        let ball = Ball(peripheral)
        self.ball = ball
        prepare(ball)
        ball.onReady = { [unowned self] in askNext() }
        ball.onDelivery = { [unowned self] in show("delivered: \($0)") }
        ball.onAnswer = { [unowned self] in
            show("answer: \($0)")
            askNext()
        }
        ball.onError = { [unowned self] in show("error: \($0.localizedDescription)") }
        ball.discover()
    }

    private func askNext() {
        guard !questions.isEmpty else { return }
        let question = questions.removeFirst()
        show("question: \(question)")
        ball?.ask(question)
    }
}
