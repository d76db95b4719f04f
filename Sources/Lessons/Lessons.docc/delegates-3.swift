extension Ball {
    /// Asks a question: first the subscription to the answer, then the question itself.
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
