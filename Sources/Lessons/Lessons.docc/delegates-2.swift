extension Ball: CBPeripheralDelegate {
    /// Asks the ball what it has.
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
