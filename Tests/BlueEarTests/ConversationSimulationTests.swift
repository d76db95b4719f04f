import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testbed
import Testing

@testable import BlueEar

@Suite("Simulation of messengers, locks and keys")
struct ConversationSimulationTests {
    @Test(
        "delivers only what was sent, confirms only what was delivered, and ends each conversation once",
        arguments: simulationSeeds(8)
    )
    func conversations(seed: UInt64) throws {
        try withWorld(seed: seed, settings: seed % 2 == 0 ? .instant : .realistic) { world in
            let party = Party(world, seed)
            for _ in 1...60 { party.act() }
            party.end()
        }
    }

    @Test("opens a lock only to a key with its secret, and in the end to that key", arguments: simulationSeeds(4))
    func locks(seed: UInt64) throws {
        try withWorld(seed: seed, settings: seed % 2 == 0 ? .instant : .realistic) { world in
            let door = Door(world, seed)
            for _ in 1...50 { door.act() }
            try door.end()
        }
    }
}

/// Messengers of both roles.
private final class Party {
    private let world: World
    private var choices: SeededChoices
    private var devices: [Device] = []
    private var speakers: [Speaker] = []
    private var listeners: [Listener] = []
    private var said: Set<[String: String]> = []
    private var generator: SeededNumbers

    init(_ world: World, _ seed: UInt64) {
        self.world = world
        self.choices = SeededChoices(seed: seed)
        self.generator = SeededNumbers(seed)
        for index in 0...self.choices.below(2) {
            let device = world.addDevice("speaker \(index)", mtu: self.choices.pick([23, 24, 64, 185, 517]))
            self.devices.append(device)
            let speaker = Speaker(self.choices.once(in: 3) ? nil : self.makeMessage(), on: device.adapter)
            speaker.manager.localName = self.choices.pick(["Ear", "A name that is too long for a packet"])
            self.speakers.append(speaker)
        }
        for index in 0...self.choices.below(3) {
            let device = world.addDevice("listener \(index)", mtu: self.choices.pick([23, 64, 185, 517]))
            self.devices.append(device)
            let message = self.choices.once(in: 3) ? nil : self.makeMessage()
            let listener = Listener(message, on: device.adapter, scheduler: WorldScheduler(world))
            listener.manager.stays = !self.choices.once(in: 3)
            listener.manager.reads = self.choices.once(in: 4)
            listener.manager.keepsWaiting = !self.choices.once(in: 3)
            listener.manager.accepts = self.choices.pick([nil, nil, nil, { $0 == "Ear" }, { $0 == "Nobody" }])
            listener.manager.userIdleTime = self.choices.pick([nil, nil, { 3 }, { 30 }])
            self.listeners.append(listener)
            listener.scan()
        }
    }

    private func makeMessage() -> [String: String] {
        let lengths = [60, 61, 62, 100, 179, 180, 181, 182, 183, 509, 510, 511, 512, 513, 514, 515, 1_000, 3_000]
        let made = message(of: self.choices.pick(lengths), &self.generator)
        self.said.insert(made)
        return made
    }

    /// Performs a random action; a message that is refused is not sent.
    func act() {
        let speaker = self.choices.pick(self.speakers)
        let listener = self.choices.pick(self.listeners)
        let device = self.choices.pick(self.devices)
        switch self.choices.below(16) {
        case 0, 1: try? speaker.manager.send(self.makeMessage())
        case 2, 3:
            let peers = speaker.manager.listeners
            if !peers.isEmpty { try? speaker.manager.send(self.makeMessage(), to: self.choices.pick(peers)) }
        case 4, 5, 6: try? listener.manager.send(self.makeMessage())
        case 7: device.isPowered.toggle()
        case 8: device.distance = self.choices.pick([1, 2, 1_000])
        case 9: for device in self.devices { (device.isPowered, device.distance) = (true, 2) }
        case 10: if self.choices.once(in: 2) { device.resetController() }
        case 11: if self.choices.once(in: 3) { listener.manager.leaveWhenDone() }
        case 12: listener.scan()
        case 13:
            self.said.insert(["k": "v"])
            let sends = self.choices.once(in: 2)
            for _ in 0..<self.choices.pick([3, 63, 64, 66]) {
                if sends { try? speaker.manager.send(["k": "v"]) } else { try? listener.manager.send(["k": "v"]) }
            }
        case 14: speaker.manager.message = self.choices.once(in: 2) ? nil : self.makeMessage()
        default: listener.manager.message = self.choices.once(in: 2) ? nil : self.makeMessage()
        }
        let times: [Duration] = [
            .zero, .milliseconds(1), .milliseconds(15), .milliseconds(200), .seconds(1), .seconds(11),
        ]
        self.world.advance(by: self.choices.pick(times))
        self.check()
    }

    private func check() {
        let limit = BlueEarService.maximumWaitingMessages
        for speaker in self.speakers {
            #expect(speaker.manager.peers.allSatisfy { $0.waiting.count <= limit })
            #expect(speaker.begun.count - speaker.ended.count == speaker.manager.listeners.count)
        }
        for listener in self.listeners {
            #expect(listener.manager.waiting.count <= limit + 1, "with the answer")
            #expect((0...1).contains(listener.begun - listener.ended))
        }
    }

    /// Makes all of them meet again.
    func end() {
        for device in self.devices { (device.isPowered, device.distance) = (true, 2) }
        self.world.advance(by: .seconds(60))
        self.check()
        let heard = self.speakers.flatMap { $0.received.map(\.message) } + self.listeners.flatMap(\.received)
        #expect(heard.allSatisfy(self.said.contains))
        // A message that was confirmed to a listener has reached a speaker.
        let confirmed = Set(self.listeners.flatMap(\.sent))
        #expect(confirmed.isSubset(of: self.speakers.flatMap { $0.received.map(\.message) }))
        for listener in self.listeners {
            #expect(listener.begun - listener.ended == (listener.manager.isTalking ? 1 : 0))
        }
    }
}

/// A lock, two keys, a key with another secret, and a guest that sends random messages.
private final class Door {
    private let world: World
    private var choices: SeededChoices
    private var devices: [Device] = []
    private let lock: ElectronicLock
    private var keys: [ElectronicKey] = []
    private let guest: Listener

    init(_ world: World, _ seed: UInt64) {
        self.world = world
        self.choices = SeededChoices(seed: seed)
        let door = world.addDevice("door", mtu: seed % 3 == 0 ? 23 : 517)
        self.lock = door.run { ElectronicLock(secret: "sesame", name: "Door") }
        self.lock.generator = SeededNumbers(seed)
        self.devices.append(door)
        for (index, secret) in ["sesame", "sesame", "Sesame"].enumerated() {
            let phone = world.addDevice("phone \(index)", distance: index == 0 ? 2 : 1_000)
            let key = ElectronicKey(secret: secret)
            key.manager.scheduler = WorldScheduler(world)
            phone.run { key.begin() }
            self.keys.append(key)
            self.devices.append(phone)
        }
        let device = world.addDevice("guest")
        self.devices.append(device)
        self.guest = Listener(nil, on: device.adapter, scheduler: WorldScheduler(world))
        self.guest.manager.stays = true
        self.guest.scan()
    }

    /// A message of the lock's protocol, or one like it.
    private func makeMessage() -> [String: String] {
        let digits = Array("0123456789abcdefABCDEFg/:@`G ")
        let count = self.choices.pick([0, 1, 2, 30, 31, 32, 33, 34, 62, 63, 64, 65, 66, 128, 130])
        let allowed = self.choices.once(in: 3) ? digits : Array(digits.prefix(22))
        let text = String((0..<count).map { _ in self.choices.pick(allowed) })
        var message: [String: String] = [:]
        for key in self.choices.some([ChallengeResponse.challenge, ChallengeResponse.response]) { message[key] = text }
        if self.choices.once(in: 3) { message[ChallengeResponse.error] = self.choices.pick(["", "why"]) }
        return message
    }

    func act() {
        let device = self.choices.pick(self.devices)
        switch self.choices.below(8) {
        case 0: device.isPowered.toggle()
        case 1, 2: device.distance = self.choices.pick([2, 2, 1_000])
        case 3: for device in self.devices { (device.isPowered, device.distance) = (true, 2) }
        case 4, 5: try? self.guest.manager.send(self.makeMessage())
        case 6: try? self.choices.pick(self.keys).manager.send(self.makeMessage())
        default: device.resetController()
        }
        let times: [Duration] = [.zero, .milliseconds(15), .milliseconds(200), .seconds(1), .seconds(11)]
        self.world.advance(by: self.choices.pick(times))
        #expect(!self.keys[2].hasOpened, "the secret is another one")
        if self.lock.isOpen { #expect(!self.lock.manager.listeners.isEmpty) }
    }

    /// Makes the keys meet the lock once, so that what waits is sent, then only the first key.
    func end() throws {
        for distance in [2.0, 1_000] {
            for device in self.devices { (device.isPowered, device.distance) = (true, distance) }
            self.world.advance(by: .seconds(60))
        }
        #expect(!self.lock.isOpen)
        self.devices[0].distance = 2
        self.devices[1].distance = 2
        try self.world.run(until: self.lock.isOpen && self.keys[0].hasOpened, within: .seconds(60))
    }
}
