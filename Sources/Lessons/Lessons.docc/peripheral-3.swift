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
