extension DoorLock {
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        let octets = makeChallenge()
        challenges[central.identifier] = octets
        peripheral.updateValue(octets, for: challenge, onSubscribedCentrals: [central])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let request = requests.first else { return }
        let key = request.central.identifier
        // Taken away before it is compared: a second guess needs another challenge.
        guard let octets = challenges.removeValue(forKey: key),
            Door.isResponse(request.value ?? Data(), to: octets, secret: secret)
        else { return peripheral.respond(to: request, withResult: .insufficientAuthorization) }
        peripheral.respond(to: request, withResult: .success)
        openers.insert(key)
        onChange(true)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        challenges[central.identifier] = nil
        guard openers.remove(central.identifier) != nil, openers.isEmpty else { return }
        onChange(false)
    }
}
