// An app in the peripheral role that does anything at any time, and compares each callback with the calls before it.

import BluetoothTypes

@testable import CoreBluetooth

/// One peripheral manager of a simulation.
final class SimulatedPublisher: NSObject, CBPeripheralManagerDelegate {
    let name: String
    let log: SimulationLog
    private(set) var manager: CBPeripheralManager!
    private var lastState = CBManagerState.unknown

    /// Services that come and go; the last one includes the first.
    let services: [CBMutableService]
    let question = CBMutableCharacteristic.question()
    let answer = CBMutableCharacteristic.answer()
    let bell = CBMutableCharacteristic(
        type: IDs.other,
        properties: [.read, .write, .indicate],
        value: nil,
        permissions: [.readable, .writeable]
    )
    let label = CBMutableCharacteristic(
        type: IDs.secret,
        properties: [.read],
        value: Data("r, and never asked for".utf8),
        permissions: [.readable]
    )

    /// Services whose `didAdd` is awaited.
    private var awaitedAdds: [CBMutableService] = []
    /// Starts of advertising that were not reported yet.
    private var awaitedStarts = 0
    /// Whether `updateValue` returned false, and `isReadyToUpdateSubscribers` was not called since.
    private(set) var awaitsCapacity = false
    /// Requests that are answered later.
    private(set) var unanswered: [CBATTRequest] = []
    private(set) var centrals: [CBCentral] = []
    /// Decides how a request is answered: 0 to 99.
    var chance: () -> Int = { 0 }

    init(_ name: String, on adapter: BluetoothAdapter, log: SimulationLog) {
        self.name = name
        self.log = log
        let ball = CBMutableService(type: IDs.service, primary: true)
        self.answer.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "The answer")]
        ball.characteristics = [self.question, self.answer]
        let tower = CBMutableService(type: CBUUID(string: "FFE0"), primary: true)
        tower.characteristics = [self.bell]
        let outer = CBMutableService(type: CBUUID(string: "FFE1"), primary: true)
        outer.characteristics = [self.label]
        outer.includedServices = [ball]
        self.services = [ball, tower, outer]
        super.init()
        self.manager = CBPeripheralManager(
            delegate: self,
            queue: nil,
            options: [BluetoothAdapter.optionKey: adapter]
        )
    }

    var updatable: [CBMutableCharacteristic] { [self.answer, self.bell] }

    // MARK: Actions

    func add(_ service: CBMutableService) {
        if self.manager.state == .poweredOn { self.awaitedAdds.append(service) }
        self.manager.add(service)
    }

    func advertise(name: String?, services: [CBUUID]) {
        if self.manager.state == .poweredOn { self.awaitedStarts += 1 }
        var data: [String: Any] = [CBAdvertisementDataServiceUUIDsKey: services]
        data[CBAdvertisementDataLocalNameKey] = name
        self.manager.startAdvertising(data)
    }

    func update(_ characteristic: CBMutableCharacteristic, _ value: Data, _ centrals: [CBCentral]?) {
        let isSent = self.manager.updateValue(value, for: characteristic, onSubscribedCentrals: centrals)
        if !isSent, self.manager.state == .poweredOn { self.awaitsCapacity = true }
    }

    func answerAll() {
        let requests = self.unanswered
        self.unanswered = []
        for request in requests { self.answer(request) }
    }

    private func answer(_ request: CBATTRequest) {
        request.value = Data("r\(request.offset)".utf8)
        self.manager.respond(to: request, withResult: .success)
    }

    // MARK: Invariants

    func check() {
        let isOn = self.manager.state == .poweredOn
        self.log.require(isOn || !self.manager.isAdvertising, "\(self.name) advertises while it is off")
        for characteristic in self.updatable where characteristic.publishedHandle == nil {
            self.log.require(
                characteristic.subscribedCentrals?.isEmpty ?? true,
                "\(self.name): subscribers of a service that is gone"
            )
        }
    }

    func checkRest() {
        self.log.require(self.awaitedAdds.isEmpty, "\(self.name): didAdd never called")
        self.log.require(!self.awaitsCapacity, "\(self.name): ready never called")
        self.log.require(self.awaitedStarts == 0, "\(self.name): \(self.awaitedStarts) starts never reported")
    }

    private func reported(_ call: String) {
        self.log.note("\(self.name) \(call)")
        self.log.require(self.manager.state == .poweredOn, "\(self.name): \(call) while off")
    }

    // MARK: CBPeripheralManagerDelegate

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        self.log.note("\(self.name) state \(peripheral.state.rawValue)")
        self.log.require(peripheral.state != self.lastState, "\(self.name): the same state twice")
        self.lastState = peripheral.state
        guard peripheral.state != .poweredOn else { return }
        self.awaitedAdds = []
        self.awaitedStarts = 0
        self.awaitsCapacity = false
        self.unanswered = []
        for characteristic in self.updatable {
            self.log.require(characteristic.subscribedCentrals?.isEmpty ?? true, "\(self.name): subscribers while off")
        }
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        self.reported("advertising \(error.map { "\(($0 as NSError).code)" } ?? "")")
        self.log.require(self.awaitedStarts > 0, "\(self.name): advertising started without a call")
        self.awaitedStarts -= 1
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        self.reported("added \(service.uuid) \(error.map { "\(($0 as NSError).code)" } ?? "")")
        self.log.require(self.awaitedAdds.first === service, "\(self.name): another service was to be added first")
        if !self.awaitedAdds.isEmpty { self.awaitedAdds.removeFirst() }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        self.reported("subscribed")
        if !self.centrals.contains(where: { $0 === central }) { self.centrals.append(central) }
        guard let own = characteristic as? CBMutableCharacteristic else {
            return self.log.violation("a foreign object")
        }
        self.log.require(
            own.subscribedCentrals?.contains { $0 === central } == true,
            "\(self.name): report of a subscriber that is not listed"
        )
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        self.reported("unsubscribed")
        guard let own = characteristic as? CBMutableCharacteristic else {
            return self.log.violation("a foreign object")
        }
        self.log.require(
            own.subscribedCentrals?.contains { $0 === central } == false,
            "\(self.name): report of the end of a subscriber that is still listed"
        )
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        self.reported("read \(request.offset)")
        switch self.chance() {
        case 0..<2: break
        case 2..<10: self.unanswered.append(request)
        case 10..<20: peripheral.respond(to: request, withResult: .unlikelyError)
        default:
            let value = Data("r".utf8) + Data(count: self.chance() * 6)
            guard request.offset <= value.count else {
                return peripheral.respond(to: request, withResult: .invalidOffset)
            }
            request.value = value.dropFirst(request.offset)
            peripheral.respond(to: request, withResult: .success)
        }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        self.reported("write \(requests.count)")
        self.log.require(!requests.isEmpty, "\(self.name): a write of nothing")
        switch self.chance() {
        case 0..<2: break
        case 2..<10: self.unanswered.append(requests[0])
        case 10..<20: peripheral.respond(to: requests[0], withResult: .unlikelyError)
        default:
            peripheral.respond(to: requests[0], withResult: .success)
            // Once more does no harm.
            peripheral.respond(to: requests[requests.count - 1], withResult: .success)
        }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        self.reported("ready")
        self.log.require(self.awaitsCapacity, "\(self.name): ready without a failed update")
        self.awaitsCapacity = false
    }
}
