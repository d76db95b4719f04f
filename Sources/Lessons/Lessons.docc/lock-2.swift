/// A lock that is open as long as a key is connected that has proved the secret.
final class DoorLock: NSObject, CBPeripheralManagerDelegate {
    /// Called when the lock opens and closes.
    var onChange: (Bool) -> Void = { _ in }
    /// Makes a challenge, another one each time.
    var makeChallenge: () -> Data = { Data((0..<16).map { _ in UInt8.random(in: 0...255) }) }
    private let secret: String
    private let challenge = CBMutableCharacteristic(
        type: Door.challenge,
        properties: .notify,
        value: nil,
        permissions: .readable
    )
    private var manager: CBPeripheralManager?
    /// The challenges that are not answered yet.
    private var challenges: [UUID: Data] = [:]
    private var openers: Set<UUID> = []

    init(secret: String) {
        self.secret = secret
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let response = CBMutableCharacteristic(
            type: Door.response,
            properties: .write,
            value: nil,
            permissions: .writeable
        )
        let service = CBMutableService(type: Door.service, primary: true)
        service.characteristics = [challenge, response]
        peripheral.add(service)
        peripheral.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [Door.service],
            CBAdvertisementDataLocalNameKey: "Lock",
        ])
    }
}
