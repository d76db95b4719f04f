// Random conversations: devices of both roles that send, come and go, lose power, fail and leave at random, some of them
// disturbed by callbacks that come too late; all that they report is on record.

import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testbed
import Testing

@testable import BlueEar

@Suite("Random conversations")
struct RandomizedConversationTests {
    @Test(
        "Whatever is done, what arrives was sent, and in the end the conversations go on",
        arguments: 1...14 as ClosedRange<UInt64>
    )
    func walk(seed: UInt64) throws {
        try withWorld(seed: seed, settings: seed % 2 == 0 ? .instant : .realistic) { world in
            let party = Party(world, seed)
            for step in 1...60 { party.act(step, isDisturbed: seed % 4 == 3) }
            party.end()
        }
    }

    @Test(
        "Keys, locks and who is neither: whatever is said and done, a lock is open to a key with its secret alone",
        arguments: 1...8 as ClosedRange<UInt64>
    )
    func locks(seed: UInt64) throws {
        try withWorld(seed: seed, settings: seed % 2 == 0 ? .instant : .realistic) { world in
            let door = Door(world, seed)
            for step in 1...50 { door.act(step) }
        }
    }
}

/// Who talks with whom.
private final class Party {
    private let world: World
    private var numbers: SeededNumbers
    private var devices: [Device] = []
    private var speakers: [Speaker] = []
    private var listeners: [Listener] = []
    private var said: Set<[String: String]> = []
    private var isDisturbed = false

    init(_ world: World, _ seed: UInt64) {
        self.world = world
        numbers = SeededNumbers(seed)
        for index in 0..<pick([1, 1, 2]) {
            let device = world.addDevice("speaker \(index)", mtu: pick([23, 24, 64, 185, 517]))
            devices.append(device)
            let speaker = Speaker(pick([nil, makeMessage(), makeMessage()]), on: device.adapter)
            speaker.manager.localName = pick(["Ear", "Peripheral - iOS", "A name that is too long for a packet"])
            speakers.append(speaker)
        }
        for index in 0..<pick([1, 2, 3]) {
            let device = world.addDevice("listener \(index)", mtu: pick([23, 64, 185, 517]))
            devices.append(device)
            let scheduler = WorldScheduler(world)
            let listener = Listener(
                pick([nil, makeMessage(), makeMessage()]),
                on: device.adapter,
                scheduler: scheduler
            )
            listener.manager.stays = pick([true, true, false])
            listener.manager.reads = pick([false, false, false, true])
            listener.manager.keepsWaiting = pick([true, true, false])
            listener.manager.wantedName = pick([nil, nil, nil, "Ear", "Nobody"])
            listener.manager.userIdleTime = pick([nil, nil, { 3 }, { 30 }])
            listeners.append(listener)
            listener.scan()
        }
    }

    private func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &numbers)! }

    private func makeMessage() -> [String: String] {
        let lengths = [60, 61, 62, 100, 179, 180, 181, 182, 183, 509, 510, 511, 512, 513, 514, 515, 1_000, 3_000]
        let made = message(of: pick(lengths), &numbers)
        said.insert(made)
        return made
    }

    /// Does something at random.
    func act(_ step: Int, isDisturbed: Bool) {
        let speaker = pick(speakers)
        let listener = pick(listeners)
        let device = pick(devices)
        switch Int.random(in: 0..<(isDisturbed ? 20 : 16), using: &numbers) {
        case 0, 1: report { try speaker.manager.send(self.makeMessage()) }
        case 2:
            report {
                try speaker.manager.send(
                    self.makeMessage(),
                    to: speaker.manager.listeners.randomElement(using: &self.numbers)
                )
            }
        case 3:
            report { try speaker.manager.send(self.makeMessage(), to: UUID(uuidString: BlueEarService.serviceUUID)) }
        case 4, 5, 6: report { try listener.manager.send(self.makeMessage()) }
        case 7: device.isPowered.toggle()
        case 8: device.distance = pick([1, 2, 1_000])
        case 9: for device in devices { (device.isPowered, device.distance) = (true, 2) }
        case 10: if pick([true, false]) { device.resetController() }
        case 11: if pick([true, false, false]) { listener.manager.leaveWhenDone() }
        case 12: listener.scan()
        case 13:
            let short = ["k": "v"]
            said.insert(short)
            let sends = pick([true, false])
            for _ in 0..<pick([3, 63, 64, 66]) {
                report { sends ? try speaker.manager.send(short) : try listener.manager.send(short) }
            }
        case 14: speaker.manager.message = pick([nil, makeMessage()])
        case 15: listener.manager.message = pick([nil, makeMessage()])
        default: disturb(listener)
        }
        world.advance(
            by: pick([.zero, .milliseconds(1), .milliseconds(15), .milliseconds(200), .seconds(1), .seconds(11)])
        )
        RunRecord.note("\(step) \(state)")
    }

    private func report(_ body: () throws -> Void) {
        do { try body() } catch { RunRecord.note("thrown \(error)") }
    }

    /// A callback of Core Bluetooth's that does not fit what happens.
    private func disturb(_ listener: Listener) {
        isDisturbed = true
        let manager = listener.manager
        guard let central = manager.centralManager, let peripheral = manager.discoveredPeripheral else { return }
        let error: (any Error)? = pick([
            nil, nil, CBATTError(.unlikelyError), CBATTError(.invalidPdu), CBError(.connectionTimeout),
            CBError(.peerRemovedPairingInformation),
        ])
        let name = pick(["", "E", "Ear", "Ears", "Nobody"])
        let service = peripheral.services?.first
        let characteristic = service?.characteristics?.first
        switch Int.random(in: 0..<10, using: &numbers) {
        case 0: manager.centralManager(central, didConnect: peripheral)
        case 1: manager.centralManager(central, didFailToConnect: peripheral, error: error)
        case 2: manager.centralManager(central, didDisconnectPeripheral: peripheral, error: error)
        case 3:
            let data = [CBAdvertisementDataLocalNameKey: name]
            manager.centralManager(central, didDiscover: peripheral, advertisementData: data, rssi: -40)
        case 4: manager.peripheral(peripheral, didDiscoverServices: error)
        case 5: service.map { manager.peripheral(peripheral, didDiscoverCharacteristicsFor: $0, error: error) }
        case 6: characteristic.map { manager.peripheral(peripheral, didUpdateNotificationStateFor: $0, error: error) }
        case 7: characteristic.map { manager.peripheral(peripheral, didUpdateValueFor: $0, error: error) }
        case 8: characteristic.map { manager.peripheral(peripheral, didWriteValueFor: $0, error: error) }
        default: service.map { manager.peripheral(peripheral, didModifyServices: [$0]) }
        }
    }

    private var state: String {
        let speakers = speakers.map { speaker in
            let peers = speaker.manager.peers.map { peer in
                "\(peer.isSubscribed) \(peer.waiting.count) \(peer.lastMessage?.count ?? -1) \(peer.assembler.isCollecting)"
            }
            return "\(speaker.manager.listeners.count) \(speaker.manager.lastMessage?.count ?? -1) \(peers)"
        }
        let listeners = listeners.map { listener in
            let manager = listener.manager
            let stage = "\(manager.stage)".prefix { $0 != "(" }
            let flags = [
                manager.isTalking, manager.awaitsConfirmation, manager.hasAnswered, manager.hasExchanged,
                manager.hasBegun,
                manager.isLeaving, manager.remembered != nil, manager.timer != nil, manager.assembler.isCollecting,
            ]
            return "\(stage) \(manager.waiting.count) \(flags) \(manager.advertisedName ?? "-")"
        }
        return "\(speakers) \(listeners)"
    }

    /// Lets all of them meet again.
    func end() {
        for device in devices { (device.isPowered, device.distance) = (true, 2) }
        world.advance(by: .seconds(60))
        RunRecord.note("end \(state)")
        let heard = speakers.flatMap { $0.received.map(\.message) } + listeners.flatMap(\.received)
        #expect(heard.allSatisfy(said.contains))
        guard !isDisturbed else { return }
        for listener in listeners {
            #expect(listener.begun - listener.ended == (listener.manager.isTalking ? 1 : 0))
        }
        for speaker in speakers {
            #expect(speaker.begun.count - speaker.ended.count == speaker.manager.listeners.count)
        }
    }
}

/// A lock, two keys, a wrong one, and one who says anything.
private final class Door {
    private let world: World
    private var numbers: SeededNumbers
    private var devices: [Device] = []
    private let lock: ElectronicLock
    private var keys: [ElectronicKey] = []
    private let guest: Listener

    init(_ world: World, _ seed: UInt64) {
        self.world = world
        numbers = SeededNumbers(seed)
        let door = world.addDevice("door", mtu: seed % 3 == 0 ? 23 : 517)
        lock = door.run { ElectronicLock(secret: "sesame", name: "Door") }
        lock.generator = SeededNumbers(seed)
        lock.onEvent = { note($0) }
        devices.append(door)
        for (index, secret) in ["sesame", "sesame", "Sesame"].enumerated() {
            let phone = world.addDevice("phone \(index)", distance: index == 0 ? 2 : 1_000)
            let key = ElectronicKey(secret: secret)
            key.manager.scheduler = WorldScheduler(world)
            key.onEvent = { note($0) }
            phone.run { key.begin() }
            keys.append(key)
            devices.append(phone)
        }
        let device = world.addDevice("guest")
        devices.append(device)
        guest = Listener(nil, on: device.adapter, scheduler: WorldScheduler(world))
        guest.manager.stays = true
        guest.scan()
    }

    private func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &numbers)! }

    /// A message of the lock's protocol, or one that looks like it.
    private func makeMessage() -> [String: String] {
        let digits = Array("0123456789abcdefABCDEFg/:@`G ")
        let count = pick([0, 1, 2, 30, 31, 32, 33, 34, 62, 63, 64, 65, 66, 128, 130])
        let isHexadecimal = pick([true, true, false])
        let text = (0..<count).map { _ in pick(isHexadecimal ? Array(digits.prefix(22)) : digits) }
        var message: [String: String] = [:]
        if pick([true, false]) { message[ChallengeResponse.challenge] = String(text) }
        if pick([true, false]) { message[ChallengeResponse.response] = String(text) }
        if pick([true, false]) { message[ChallengeResponse.state] = pick(["open", "closed", "Open", ""]) }
        if pick([false, false, true]) { message[ChallengeResponse.error] = pick(["", "why"]) }
        RunRecord.note(
            "\(text.count) \(ChallengeResponse.octets(String(text)).map { ChallengeResponse.text($0) } ?? "none")"
        )
        return message
    }

    func act(_ step: Int) {
        let device = pick(devices)
        do {
            switch Int.random(in: 0..<9, using: &numbers) {
            case 0: device.isPowered.toggle()
            case 1, 2: device.distance = pick([2, 2, 1_000])
            case 3: for device in devices { (device.isPowered, device.distance) = (true, 2) }
            case 4, 5: try guest.manager.send(makeMessage())
            case 6: try lock.manager.send(makeMessage(), to: lock.manager.listeners.randomElement(using: &numbers))
            case 7: try pick(keys).manager.send(makeMessage())
            default: device.resetController()
            }
        } catch {
            RunRecord.note("thrown \(error)")
        }
        world.advance(by: pick([.zero, .milliseconds(15), .milliseconds(200), .seconds(1), .seconds(11)]))
        RunRecord.note("\(step) \(lock.isOpen) \(keys.map(\.hasOpened)) \(lock.manager.listeners.count)")
        if lock.isOpen { #expect(keys.prefix(2).contains { $0.manager.isTalking } || lock.manager.listeners.count > 0) }
    }
}
