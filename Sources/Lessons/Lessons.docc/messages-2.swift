/// The UUIDs of the messenger.
enum Messenger {
    static var service: CBUUID { CBUUID(string: "0CDBE648-EED0-11E6-BC64-92361F002671") }
    static var messages: CBUUID { CBUUID(string: "199AB74C-EED0-11E6-BC64-92361F002672") }
}

/// Says a message to everybody who subscribes.
final class Speaker: NSObject, CBPeripheralManagerDelegate {
    private let message: [String: String]
    private let messages = CBMutableCharacteristic(
        type: Messenger.messages,
        properties: .notify,
        value: nil,
        permissions: .readable
    )
    private var manager: CBPeripheralManager?
    /// What is still to be sent, the oldest piece first.
    private var waiting: [(piece: Data, listener: CBCentral)] = []

    init(_ message: [String: String]) {
        self.message = message
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: Messenger.service, primary: true)
        service.characteristics = [messages]
        peripheral.add(service)
        peripheral.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [Messenger.service],
            CBAdvertisementDataLocalNameKey: "Speaker",
        ])
    }
}
