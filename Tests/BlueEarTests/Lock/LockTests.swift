import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import Testbed
import Testing

@testable import BlueEar

@Suite("Lock and key")
struct LockTests {
    private func lock(on device: Device, secret: String = "sesame") -> (ElectronicLock, () -> [ElectronicLock.Event]) {
        let lock = device.run { ElectronicLock(secret: secret) }
        lock.generator = SeededNumbers(1)
        final class Log { var events: [ElectronicLock.Event] = [] }
        let log = Log()
        lock.onEvent = { event in
            if case .stateChanged = event { return }
            log.events.append(event)
        }
        return (lock, { log.events })
    }

    private func key(
        on device: Device,
        in world: World,
        secret: String = "sesame"
    ) -> (ElectronicKey, () -> [ElectronicKey.Event]) {
        let key = ElectronicKey(secret: secret)
        key.manager.scheduler = WorldScheduler(world)
        final class Log { var events: [ElectronicKey.Event] = [] }
        let log = Log()
        key.onEvent = { event in
            if case .stateChanged = event { return }
            log.events.append(event)
        }
        device.run { key.begin() }
        return (key, { log.events })
    }

    @Test("opens when the key comes near, and closes when it goes")
    func comingAndGoing() throws {
        try withWorld { world in
            let door = world.addDevice("door")
            let phone = world.addDevice("phone", distance: 1000)
            let (lock, events) = lock(on: door)
            let (key, keyEvents) = key(on: phone, in: world)
            world.advance(by: .seconds(60))
            #expect(!lock.isOpen && !key.hasOpened)
            #expect(events() == [.ready])
            for visit in 1...3 {
                phone.distance = 2
                try world.run(until: lock.isOpen && key.hasOpened)
                world.advance(by: .seconds(60))
                #expect(lock.isOpen)
                phone.distance = 1000
                try world.run(until: !lock.isOpen && !key.hasOpened)
                world.advance(by: .seconds(600 * visit))
                #expect(!lock.isOpen)
            }
            #expect(
                events().map { event -> String in
                    switch event {
                    case .ready: return "ready"
                    case .challenged: return "challenged"
                    case .opened: return "opened"
                    case .closed: return "closed"
                    default: return "\(event)"
                    }
                } == ["ready"] + Array(repeating: ["challenged", "opened", "closed"], count: 3).flatMap { $0 }
            )
            #expect(keyEvents().filter { $0 == .searching }.count == 1)
            #expect(keyEvents().filter { $0 == .opened }.count == 3)
            #expect(keyEvents().filter { $0 == .away }.count == 3)
        }
    }

    @Test("stays closed to another secret")
    func wrongSecret() throws {
        try withWorld { world in
            let (lock, events) = lock(on: world.addDevice("door"))
            let (thief, thiefEvents) = key(on: world.addDevice("thief"), in: world, secret: "please")
            try world.run(until: thiefEvents().contains(.refused(reason: "this is not the key")))
            #expect(!lock.isOpen && !thief.hasOpened)
            let (owner, _) = key(on: world.addDevice("owner"), in: world)
            try world.run(until: lock.isOpen && owner.hasOpened)
            #expect(!thief.hasOpened)
            #expect(events().filter { if case .opened = $0 { true } else { false } }.count == 1)
            #expect(lock.manager.listeners.count == 2)
        }
    }

    @Test("accepts a response once: not again, on another link or from another device")
    func replay() throws {
        try withWorld { world in
            let (lock, events) = lock(on: world.addDevice("door"))
            let owner = world.addDevice("owner")
            let (key, _) = key(on: owner, in: world)
            try world.run(until: key.hasOpened)
            let overheard = Data(ChallengeResponse.response(to: challenges(from: 1)[0], secret: "sesame"))
            owner.isPowered = false
            try world.run(until: !lock.isOpen)
            // A device that replays the response.
            let thief = world.addDevice("thief")
            let messenger = CentralRole.BluetoothManager()
            messenger.scheduler = WorldScheduler(world)
            messenger.message = [ChallengeResponse.response: ChallengeResponse.text(overheard)]
            messenger.stays = true
            thief.run { messenger.scan() }
            try world.run(until: events().contains { if case .refused = $0 { true } else { false } })
            #expect(!lock.isOpen)
            // Even the right response comes too late on this link.
            let fresh = ChallengeResponse.response(to: challenges(from: 1)[1], secret: "sesame")
            try messenger.send([ChallengeResponse.response: ChallengeResponse.text(fresh)])
            try world.run(until: events().filter { if case .refused = $0 { true } else { false } }.count == 2)
            #expect(!lock.isOpen)
        }
    }

    @Test("D2: refuses the response to the challenge of an earlier link")
    func oldChallenge() throws {
        try withWorld { world in
            let (lock, events) = lock(on: world.addDevice("door"))
            let challenges = challenges(from: 1)
            let visitor = world.addDevice("visitor").run { Visitor() }
            visitor.subscribes = true
            try world.run(until: visitor.isSubscribed && lock.manager.listeners.count == 1)
            visitor.leave()
            try world.run(until: visitor.peripheral?.state == .disconnected && lock.manager.listeners.isEmpty)
            visitor.subscribes = false
            visitor.come()
            try world.run(until: visitor.characteristic != nil)
            try visitor.answer(challenges[0], secret: "sesame")
            try world.run(until: events().count >= 3)
            #expect(!lock.isOpen)
            guard case .challenged(let peer) = events()[1] else { return #expect(Bool(false), "\(events())") }
            // Why it is refused cannot be notified to a central that does not listen.
            #expect(events() == [.ready, .challenged(peer), .failed(.nobodyThere), .refused(peer)])
            // On the same link the response to a challenge of its own opens.
            visitor.subscribe()
            try world.run(until: events().count == 5)
            try visitor.answer(challenges[1], secret: "sesame")
            try world.run(until: lock.isOpen)
            #expect(events().suffix(2) == [.challenged(peer), .opened(by: peer)])
        }
    }

    @Test("opens on the next link after a loss in any step")
    func lostInEveryStep() throws {
        func visit(cut: Int?) throws -> Int {
            var steps = 0
            try withWorld { world in
                let (lock, events) = lock(on: world.addDevice("door"))
                let phone = world.addDevice("phone")
                let (key, _) = key(on: phone, in: world)
                key.manager.log = { _ in
                    steps += 1
                    if steps == cut { world.after(.zero) { phone.isPowered = false } }
                }
                if cut != nil {
                    world.advance(by: .seconds(30))
                    phone.isPowered = true
                }
                try world.run(until: lock.isOpen && key.hasOpened)
                #expect(
                    !events().contains { if case .refused = $0 { true } else { false } },
                    "\(cut ?? 0): \(events())"
                )
            }
            return steps
        }
        let count = try visit(cut: nil)
        #expect(count > 5)
        for step in 1...count { _ = try visit(cut: step) }
    }

    private func challenges(from seed: UInt64) -> [Data] {
        var generator = SeededNumbers(seed)
        return (0..<3).map { _ in ChallengeResponse.makeChallenge(using: &generator) }
    }

    @Test("closes when the last of two keys is gone")
    func twoKeys() throws {
        try withWorld { world in
            let (lock, events) = lock(on: world.addDevice("door"))
            let phones = ["one", "two"].map { world.addDevice($0) }
            let keys = phones.map { key(on: $0, in: world) }
            try world.run(until: keys.allSatisfy { $0.0.hasOpened })
            phones[0].distance = 1000
            try world.run(until: !keys[0].0.hasOpened && lock.manager.listeners.count == 1)
            #expect(lock.isOpen)
            phones[1].distance = 1000
            try world.run(until: !lock.isOpen)
            #expect(events().last == .closed)
        }
    }

    @Test("closes when its adapter fails, and opens again")
    func controllerFailure() throws {
        try withWorld { world in
            let door = world.addDevice("door")
            let (lock, _) = lock(on: door)
            let (key, _) = key(on: world.addDevice("phone"), in: world)
            try world.run(until: key.hasOpened)
            door.resetController()
            try world.run(until: !lock.isOpen)
            try world.run(until: lock.isOpen && key.hasOpened)
        }
    }
}

/// A central that sends the responses that its test chooses, subscribed or not.
private final class Visitor: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private var manager: CBCentralManager?
    private(set) var peripheral: CBPeripheral?
    /// The messages' characteristic, once it is discovered on the present link.
    private(set) var characteristic: CBCharacteristic?
    private(set) var isSubscribed = false
    /// Whether it subscribes as soon as it can.
    var subscribes = false

    override init() {
        super.init()
        manager = CBCentralManager(delegate: self, queue: nil)
    }

    func come() { peripheral.map { manager?.connect($0) } }

    func leave() {
        characteristic = nil
        peripheral.map { manager?.cancelPeripheralConnection($0) }
    }

    func subscribe() { characteristic.map { peripheral?.setNotifyValue(true, for: $0) } }

    func answer(_ challenge: Data, secret: String) throws {
        let response = ChallengeResponse.response(to: challenge, secret: secret)
        let message = [ChallengeResponse.response: ChallengeResponse.text(response)]
        let data = try PropertyListMessage.encode(message)
        characteristic.map { peripheral?.writeValue(data, for: $0, type: .withResponse) }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: [CBUUID(string: BlueEarService.serviceUUID)])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        self.peripheral = peripheral
        peripheral.delegate = self
        come()
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices(nil)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        peripheral.services?.forEach { peripheral.discoverCharacteristics(nil, for: $0) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        characteristic = service.characteristics?.first
        if subscribes { subscribe() }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { isSubscribed = characteristic.isNotifying }
}
