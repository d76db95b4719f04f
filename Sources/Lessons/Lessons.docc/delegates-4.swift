extension Ball {
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        if let error { return onError(error) }
        onAnswer(String(decoding: characteristic.value ?? Data(), as: UTF8.self))
    }
}
