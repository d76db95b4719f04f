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
