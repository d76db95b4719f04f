// The worlds whose traces are on file.

import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import Testing

@testable import BlueEar
@testable import ITCB

/// A world with apps and devices, and what happens in it.
enum Scenario: String, CaseIterable, Sendable {
    case firstQuestion, firstMessages, pairing, lostLink, restoration, cachedReconnection, changedServices
    case channelWithBackPressure, longWrite, notificationsToTwo

    /// The first line of the file.
    var title: String {
        switch self {
        case .firstQuestion: "A Magic 8-Ball is asked a question and answers it, by the SDK on both sides."
        case .firstMessages: "Two BlueEar messengers send each other their first messages."
        case .pairing: "An app reads a value that needs an authenticated pairing: two users compare six digits."
        case .lostLink: "A link is lost while an app is subscribed; the app connects again and subscribes."
        case .restoration: "An app that the system has ended is launched and restored when its peripheral is back."
        case .cachedReconnection: "A bonded peripheral is found unchanged at the second connection: no discovery."
        case .changedServices: "A peripheral changes its services during a connection."
        case .channelWithBackPressure: "A peripheral sends 6,000 octets on an L2CAP channel whose reader is slow."
        case .longWrite: "An app writes 400 octets with an MTU of 185, and reads them back."
        case .notificationsToTwo: "A peripheral app notifies two subscribers: values that wait are sent together."
        }
    }

    /// Whether keys, which the system draws at random, are in the trace.
    var hasKeys: Bool { self == .pairing || self == .cachedReconnection }

    /// The devices whose lines are on file: one side, or both if each is an app.
    var devices: [String] {
        switch self {
        case .firstQuestion: ["asker", "ball", "world"]
        case .firstMessages: ["speaker", "listener", "world"]
        case .notificationsToTwo: ["sender", "world"]
        default: ["phone", "world"]
        }
    }

    /// Runs it in a new world and returns what passed.
    func run(seed: UInt64 = 1) throws -> Trace {
        switch self {
        case .firstQuestion: try Self.firstQuestion(seed)
        case .firstMessages: try Self.firstMessages(seed)
        case .pairing: try Self.pairing(seed)
        case .lostLink: try Self.lostLink(seed)
        case .restoration: try Self.restoration(seed)
        case .cachedReconnection: try Self.cachedReconnection(seed)
        case .changedServices: try Self.changedServices(seed)
        case .channelWithBackPressure: try Self.channelWithBackPressure(seed)
        case .longWrite: try Self.longWrite(seed)
        case .notificationsToTwo: try Self.notificationsToTwo(seed)
        }
    }

    // MARK: Worlds

    /// A thermometer that notifies once a second.
    private static func thermometer(isWritable: Bool = false, agent: (any PairingAgent)? = nil) -> ScriptedPeripheral {
        ScriptedPeripheral(
            name: "Thermo",
            services: [
                .init(
                    "1809",
                    characteristics: [
                        .init(
                            "2A1C",
                            properties: isWritable ? [.read, .write, .notify] : [.read, .notify],
                            value: Data([21]),
                            updates: isWritable
                                ? nil : .every(.seconds(1)) { Data([UInt8(truncatingIfNeeded: 21 + $0)]) },
                            security: agent == nil ? .none : .authenticated
                        )
                    ]
                )
            ],
            mtu: 185,
            pairingAgent: agent
        )
    }

    /// Advances until the phone has noted a call so many times.
    private static func wait(_ world: World, for call: String, _ count: Int = 1, of phone: TracedPhone) throws {
        try world.run(until: phone.calls.count { $0.hasPrefix(call) } >= count)
    }

    private static func lostLink(_ seed: UInt64) throws -> Trace {
        let world = World(seed: seed)
        let thermometer = world.addPeripheral(Self.thermometer(), as: "thermo")
        let phone = world.addDevice("phone").run { TracedPhone(in: world, service: "1809") }
        phone.reconnects = true
        phone.whenReady = { peripheral in phone["2A1C"].map { peripheral.setNotifyValue(true, for: $0) } }
        try Self.wait(world, for: "didUpdateValue", 2, of: phone)
        thermometer.dropLinks()
        try Self.wait(world, for: "didDisconnect", of: phone)
        let count = phone.calls.count
        try world.run(until: phone.calls.dropFirst(count).contains { $0.hasPrefix("didUpdateValue") })
        return world.trace
    }

    private static func longWrite(_ seed: UInt64) throws -> Trace {
        let world = World(seed: seed)
        _ = world.addPeripheral(Self.thermometer(isWritable: true), as: "thermo")
        let phone = world.addDevice("phone").run { TracedPhone(in: world, service: "1809") }
        try Self.wait(world, for: "didDiscoverCharacteristics", of: phone)
        let characteristic = try #require(phone["2A1C"])
        let value = Data((0..<400).map { UInt8(truncatingIfNeeded: $0) })
        phone.peripheral?.writeValue(value, for: characteristic, type: .withResponse)
        try Self.wait(world, for: "didWriteValue", of: phone)
        phone.peripheral?.readValue(for: characteristic)
        try Self.wait(world, for: "didUpdateValue", of: phone)
        #expect(characteristic.value == value)
        return world.trace
    }

    private static func pairing(_ seed: UInt64) throws -> Trace {
        let world = World(seed: seed)
        let user = { ScriptedPairingAgent(.displayAndConfirm) }
        _ = world.addPeripheral(Self.thermometer(isWritable: true, agent: user()), as: "thermo")
        let phone = world.addDevice("phone", pairingAgent: user()).run { TracedPhone(in: world, service: "1809") }
        phone.whenReady = { peripheral in phone["2A1C"].map { peripheral.readValue(for: $0) } }
        try Self.wait(world, for: "didUpdateValue", of: phone)
        return world.trace
    }

    private static func cachedReconnection(_ seed: UInt64) throws -> Trace {
        let world = World(seed: seed)
        let user = { ScriptedPairingAgent(.displayAndConfirm) }
        let thermometer = world.addPeripheral(Self.thermometer(isWritable: true, agent: user()), as: "thermo")
        let phone = world.addDevice("phone", pairingAgent: user()).run { TracedPhone(in: world, service: "1809") }
        phone.whenReady = { peripheral in phone["2A1C"].map { peripheral.readValue(for: $0) } }
        phone.reconnects = true
        try Self.wait(world, for: "didUpdateValue", of: phone)
        world.note("the second connection")
        let start = world.now
        thermometer.disconnect()
        try Self.wait(world, for: "didUpdateValue", 2, of: phone)
        return world.trace.during(start...)
    }

    private static func changedServices(_ seed: UInt64) throws -> Trace {
        let world = World(seed: seed)
        let thermometer = world.addPeripheral(Self.thermometer(isWritable: true), as: "thermo")
        let phone = world.addDevice("phone").run { TracedPhone(in: world, service: "1809") }
        try Self.wait(world, for: "didDiscoverCharacteristics", of: phone)
        thermometer.publish([
            .init("180F", characteristics: [.init("2A19", properties: .read, value: Data([100]))]),
            .init("1809", characteristics: [.init("2A1C", properties: .read, value: Data([22]))]),
        ])
        try Self.wait(world, for: "didDiscoverCharacteristics", 2, of: phone)
        let characteristic = try #require(phone["2A1C"])
        phone.peripheral?.readValue(for: characteristic)
        try Self.wait(world, for: "didUpdateValue", of: phone)
        return world.trace
    }

    private static func restoration(_ seed: UInt64) throws -> Trace {
        let world = World(seed: seed)
        let thermometer = world.addPeripheral(Self.thermometer(isWritable: true), as: "thermo")
        var phone: TracedPhone?
        let app = world.addDevice("phone").install("reader", backgroundModes: .central) { () -> TracedPhone in
            let new = TracedPhone(in: world, service: "1809", restoreIdentifier: "reader")
            new.reconnects = true
            phone = new
            return new
        }
        let first = app.launch()
        try Self.wait(world, for: "didDiscoverCharacteristics", of: first)
        thermometer.isPowered = false
        try Self.wait(world, for: "didDisconnect", of: first)
        app.enterBackground()
        world.advance(by: .seconds(11))
        app.terminate()
        world.advance(by: .seconds(60))
        thermometer.isPowered = true
        try world.run(until: phone !== first && phone?.calls.contains("didConnect") == true)
        return world.trace
    }

    private static func channelWithBackPressure(_ seed: UInt64) throws -> Trace {
        let world = World(seed: seed)
        var script = Self.thermometer(isWritable: true)
        let sent = Data((0..<6_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        script.channels = [.init(psm: 0x80, onOpen: { $0.send(sent) })]
        _ = world.addPeripheral(script, as: "thermo")
        let phone = world.addDevice("phone").run { TracedPhone(in: world, service: "1809") }
        phone.whenReady = { $0.openL2CAPChannel(0x80) }
        try Self.wait(world, for: "didOpen channel", of: phone)
        world.advance(by: .seconds(1))
        let input = try #require(phone.channel?.inputStream)
        var received = Data()
        var buffer = [UInt8](repeating: 0, count: 2_000)
        while received.count < sent.count {
            let count = input.read(&buffer, maxLength: buffer.count)
            if count > 0 { received += buffer[..<count] }
            world.note("app: read \(received.count) octets in all")
            world.advance(by: .seconds(1))
            try #require(world.now < .seconds(60))
        }
        #expect(received == sent)
        return world.trace
    }

    private static func notificationsToTwo(_ seed: UInt64) throws -> Trace {
        let world = World(seed: seed)
        let sender = world.addDevice("sender").run { TracedSender(in: world) }
        let phones = ["phone", "tablet"].map { name in
            let phone = world.addDevice(name).run { TracedPhone(in: world, service: "1809") }
            phone.whenReady = { peripheral in phone["2A1C"].map { peripheral.setNotifyValue(true, for: $0) } }
            return phone
        }
        try world.run(until: sender.subscriberCount == 2)
        sender.send(12)
        try world.run(
            until: phones.allSatisfy { phone in phone.calls.count { $0.hasPrefix("didUpdateValue") } == 12 }
        )
        return world.trace
    }

    // MARK: SDKs

    private static func firstQuestion(_ seed: UInt64) throws -> Trace {
        let world = World(seed: seed)
        let observer = TracedBalls(in: world)
        let ball = world.addDevice("ball").run { ITCB_SDK_Peripheral() }
        ball.localName = "Crystal"
        ball._scheduler = TracedScheduler(world)
        ball._generator = FixedAnswers()
        ball.addObserver(observer)
        let asker = world.addDevice("asker").run { ITCB_SDK_Central() }
        asker._scheduler = TracedScheduler(world)
        asker.addObserver(observer)
        try world.run(until: observer.isAnswered)
        world.advance(by: .seconds(1))
        return world.trace
    }

    private static func firstMessages(_ seed: UInt64) throws -> Trace {
        try TracedMessengers.exchange(in: World(seed: seed))
    }
}
