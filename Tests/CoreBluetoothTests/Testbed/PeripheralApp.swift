// An app in the peripheral role: ordinary delegate code that records each call, and publishes a Magic 8-Ball.

import Testbed

@testable import CoreBluetooth

final class PeripheralApp: NSObject, RecordingApp, CBPeripheralManagerDelegate {
    private(set) var manager: CBPeripheralManager!
    /// The calls, in order.
    var calls: [String] = []
    var errors: [any Error] = []
    var centrals: [CBCentral] = []
    var requests: [CBATTRequest] = []
    /// Answers requests; without one every write succeeds and every read gives `reading`.
    var onRequests: (([CBATTRequest]) -> Void)?
    var reading = Data()
    /// The values that were written, in order.
    var written: [Data] = []
    /// The PSMs that were published.
    var psms: [CBL2CAPPSM] = []
    /// The channels that were opened, kept as an app has to.
    var channels: [CBL2CAPChannel] = []
    /// Takes a channel in place of `channels`.
    var onChannel: ((CBL2CAPChannel) -> Void)?
    /// The dictionaries that were restored.
    var restored: [[String: Any]] = []
    /// Called after a call was recorded.
    var onCall: ((String) -> Void)?

    /// The ball's characteristics.
    let question = CBMutableCharacteristic.question()
    let answer = CBMutableCharacteristic.answer()
    let ball = CBMutableService(type: IDs.service, primary: true)

    init(on adapter: BluetoothAdapter, restoring identifier: String? = nil) {
        super.init()
        self.ball.characteristics = [self.question, self.answer]
        self.manager = CBPeripheralManager(
            delegate: self,
            queue: nil,
            options: BluetoothAdapter.options(for: adapter, restoring: identifier)
        )
    }

    func end() { self.manager = nil }

    /// Publishes the ball and advertises it.
    func open(name: String? = "Crystal", services: [CBUUID] = [IDs.service]) {
        self.manager.add(self.ball)
        self.advertise(name: name, services: services)
    }

    /// Publishes a secret in place of the ball's characteristics, and advertises it.
    func open(_ secret: CBMutableCharacteristic, in testbed: Testbed) {
        self.ball.characteristics = [secret]
        self.reading = Data([42])
        testbed.run { self.manager.state == .poweredOn }
        self.open()
    }

    func advertise(name: String?, services: [CBUUID] = [IDs.service]) {
        var data: [String: Any] = [CBAdvertisementDataServiceUUIDsKey: services]
        data[CBAdvertisementDataLocalNameKey] = name
        self.manager.startAdvertising(data)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        self.restored.append(dict)
        self.record("restore \(peripheral.state.rawValue)")
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        self.record("state \(peripheral.state.rawValue)")
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        self.record("advertising \(peripheral.isAdvertising)", error)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        self.record("added \(service.uuid.uuidString.prefix(4))", error)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        self.centrals.append(central)
        self.record("subscribed \((characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count ?? -1)")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        self.record("unsubscribed \((characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count ?? -1)")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        self.requests.append(request)
        self.record("read \(request.offset)")
        if let onRequests = self.onRequests { return onRequests([request]) }
        guard request.offset <= self.reading.count else {
            return peripheral.respond(to: request, withResult: .invalidOffset)
        }
        request.value = self.reading.dropFirst(request.offset)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        self.requests += requests
        self.written += requests.compactMap(\.value)
        self.record("write \(requests.count)")
        if let onRequests = self.onRequests { return onRequests(requests) }
        peripheral.respond(to: requests[0], withResult: .success)
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { self.record("ready") }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {
        if error == nil { self.psms.append(PSM) }
        self.record("published \(PSM)", error)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didUnpublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {
        self.record("unpublished \(PSM)", error)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        if let channel {
            if let onChannel = self.onChannel { onChannel(channel) } else { self.channels.append(channel) }
        }
        self.record(channel.map { "channel \($0.psm)" } ?? "channel", error)
    }
}
