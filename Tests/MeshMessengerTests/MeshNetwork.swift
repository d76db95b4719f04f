// Phones with the mesh messenger in one world, whose time is that of the whole process: the app is as it ships.

import ClientSamples
import CoreBluetoothProcessTime
import CoreBluetoothTesting
import Testing

/// A phone, and the app on it.
@MainActor
struct Phone {
    let device: Device
    let app: MeshMessenger

    var name: String { self.app.nickname }
    var model: MeshViewModel { self.app.viewModel }

    /// Sends a private message to the user of another phone, who has to be known.
    func send(_ text: String, to other: Phone) throws {
        self.model.send(text, to: try #require(self.model.person(other.name)?.id))
    }
}

@MainActor
final class MeshNetwork {
    /// How far apart neighbours stand who hear nobody beyond their neighbours, in metres.
    static let reach = 300.0

    let world: World
    private(set) var phones: [Phone] = []
    /// Messages to everybody, with their senders' names.
    private(set) var published: [(sender: String, text: String)] = []
    /// Private messages, with their recipients' names.
    private(set) var confided: [(recipient: String, text: String)] = []

    init(seed: UInt64 = 1, settings: AirSettings = .realistic) {
        self.world = World(seed: seed, settings: settings, time: .process)
    }

    @discardableResult
    func add(_ name: String, x: Double = 0, y: Double = 0) -> Phone {
        let device = self.world.addDevice(name, position: AirPosition(x: x, y: y))
        let app = device.run {
            let app = MeshMessenger(nickname: name)
            app.start()
            return app
        }
        let phone = Phone(device: device, app: app)
        self.phones.append(phone)
        return phone
    }

    /// Phones in a row of which each hears its neighbours alone.
    func addLine(_ count: Int, from x: Double = 0, names: String = "phone") {
        for number in 0..<count { self.add("\(names) \(number)", x: x + Self.reach * Double(number)) }
    }

    /// Phones in a circle of which each hears its two neighbours alone.
    func addRing(_ count: Int) {
        let radius = Self.reach / 2 / sin(.pi / Double(count))
        for number in 0..<count {
            let angle = 2 * Double.pi * Double(number) / Double(count)
            self.add("phone \(number)", x: radius * cos(angle), y: radius * sin(angle))
        }
    }

    // MARK: Messages

    func publish(_ text: String, from phone: Phone) {
        phone.model.send(text)
        self.published.append((phone.name, text))
    }

    func confide(_ text: String, from phone: Phone, to other: Phone) throws {
        try phone.send(text, to: other)
        self.confided.append((other.name, text))
    }

    /// Whether every phone knows every other one.
    var isAcquainted: Bool { self.phones.allSatisfy { $0.model.people.count == self.phones.count - 1 } }

    /// What has not arrived, in words.
    var missing: [String] {
        self.phones.flatMap { phone in
            let received = Dictionary(phone.model.received.map { ($0, 1) }, uniquingKeysWith: +)
            let expected =
                self.published.filter { $0.sender != phone.name }.map(\.text)
                + self.confided.filter { $0.recipient == phone.name }.map(\.text)
            return expected.compactMap { text -> String? in
                let count = received[text, default: 0]
                return count == 1 ? nil : "\(phone.name) has \"\(text.prefix(40))\" \(count) times"
            }
        }
    }

    /// Whether every message is where it belongs, once, and every sender of a private one knows it.
    var isComplete: Bool { self.missing.isEmpty && self.phones.allSatisfy(\.model.isAllDelivered) }

    func run(
        until condition: () -> Bool,
        within limit: Duration = .seconds(30),
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        do {
            try self.world.run(until: condition, within: limit, file: file, line: line)
        } catch {
            throw MeshFailure(description: "\(self.missing.prefix(10).joined(separator: ", "))\n\(error)")
        }
    }
}

struct MeshFailure: Error, CustomStringConvertible {
    let description: String
}
