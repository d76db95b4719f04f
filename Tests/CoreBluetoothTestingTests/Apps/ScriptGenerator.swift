// Random scripts: services, answers, updates, faults, advertisements and channels.

import CoreBluetooth
import CoreBluetoothTesting
import Fixtures

struct ScriptGenerator {
    var choices: SeededChoices

    init(seed: UInt64) { self.choices = SeededChoices(seed: seed) }

    mutating func below(_ count: Int) -> Int { self.choices.below(count) }
    mutating func once(in count: Int) -> Bool { self.choices.once(in: count) }
    mutating func pick<Element>(_ elements: [Element]) -> Element { self.choices.pick(elements) }

    mutating func data(_ counts: [Int] = [0, 1, 2, 20, 22, 23, 40, 247, 511, 512]) -> Data {
        Data(self.choices.octets(self.pick(counts)))
    }

    static let characteristics = ["2A00", "2A19", "2A37", "FFF1", "FFF2", "9A6C2A60-8A3C-4B1F-8E54-0D0B3BF1A001"]

    mutating func answer(_ depth: Int = 0) -> ScriptedPeripheral.Answer {
        let value = self.data()
        let answer: ScriptedPeripheral.Answer
        switch self.below(12) {
        case 0...3: answer = .success
        case 4...6: answer = .value(value)
        case 7: answer = .error(self.pick([.readNotPermitted, .unlikelyError, .insufficientResources, .success]))
        case 8 where self.once(in: 3): answer = .noResponse
        case 9 where depth == 0:
            let (first, second) = (self.answer(1), self.answer(1))
            answer = .later { answer in
                answer(first)
                // Only the first one counts.
                answer(second)
            }
        default: answer = .value(Data([UInt8(depth)]))
        }
        guard self.once(in: 4) else { return answer }
        return answer.delayed(by: .milliseconds(self.pick([1, 30, 400, 3_000])))
    }

    private mutating func updates() -> ScriptedPeripheral.Updates {
        if self.once(in: 2) {
            let first = self.data([1, 20, 300])
            return .every(.milliseconds(self.pick([20, 150, 1_000]))) { first + [UInt8(truncatingIfNeeded: $0)] }
        }
        return .at(
            (0..<self.below(5)).map { _ in (.milliseconds(self.pick([0, 10, 700, 2_500])), self.data([0, 2, 30])) }
        )
    }

    private mutating func descriptors() -> [ScriptedPeripheral.Descriptor] {
        let all: [ScriptedPeripheral.Descriptor] = [
            .writableDescription("first"), .serverConfiguration(isBroadcast: self.once(in: 2)),
            .presentationFormat(4, exponent: -1, unit: 0x272F), .validRange(Data([1]), Data([9])),
            .init("FFD1", value: self.data(), isWritable: self.once(in: 2)),
        ]
        return self.choices.some(all)
    }

    private mutating func characteristic(_ uuid: String) -> ScriptedPeripheral.Characteristic {
        let properties = CBCharacteristicProperties(
            rawValue: UInt(self.pick([0x02, 0x0A, 0x0E, 0x12, 0x1E, 0x2A, 0x04, 0x10, 0x3E, 0x3A]))
        )
        let sends = !properties.isDisjoint(with: [.notify, .indicate])
        var characteristic = ScriptedPeripheral.Characteristic(uuid, properties: properties, value: self.data())
        if self.once(in: 4) { characteristic.userDescription = "what it is" }
        if self.once(in: 3) {
            let answers = (0..<3).map { _ in self.answer() }
            var number = 0
            characteristic.onRead = { _ in
                number += 1
                return answers[number % 3]
            }
        }
        if self.once(in: 3) {
            let answers = (0..<3).map { _ in self.answer() }
            var number = 0
            characteristic.onWrite = { value, device in
                number += 1
                if number % 4 == 0, sends { device.notify(value, for: uuid) }
                return answers[number % 3]
            }
        }
        if sends, self.once(in: 2) { characteristic.updates = self.updates() }
        characteristic.descriptors = self.descriptors()
        if self.once(in: 8) { characteristic.hasClientConfiguration = false }
        if sends, self.once(in: 6) { characteristic.sendsToAll = true }
        return characteristic
    }

    mutating func services() -> [ScriptedPeripheral.Service] {
        let names = ["180F", "FFF0", "1812", "9A6C2A60-8A3C-4B1F-8E54-0D0B3BF1A000"]
        return (0...self.below(3)).map { index in
            let uuids = Self.characteristics.filter { _ in !self.once(in: 3) }
            return ScriptedPeripheral.Service(
                names[index],
                isPrimary: index == 0 || !self.once(in: 3),
                characteristics: uuids.map { self.characteristic($0) },
                includes: index > 0 && self.once(in: 2) ? [CBUUID(string: names[index - 1])] : [],
                handle: self.once(in: 4) ? UInt16(0x100 * (index + 1)) : nil
            )
        }
    }

    private mutating func faults() -> [ScriptedPeripheral.Fault] {
        (0..<self.below(3)).map { _ in
            let uuid = CBUUID(string: self.pick(Self.characteristics))
            let step: ScriptedPeripheral.Step =
                switch self.below(6) {
                case 0: .onConnection
                case 1: .after(.milliseconds(self.pick([10, 2_000, 6_000])))
                case 2: .onRead(of: uuid)
                case 3: .onWrite(to: uuid)
                case 4: .onSubscription(to: uuid)
                default: .afterNotification(self.pick([1, 2, 10]))
                }
            return switch self.below(7) {
            case 0...2: .disconnect(step)
            case 3, 4: .loseLink(step)
            case 5 where self.once(in: 2): .stopResponding(step)
            default: .powerOff(step)
            }
        }
    }

    private mutating func channels() -> [ScriptedPeripheral.Channel] {
        guard self.once(in: 2) else { return [] }
        let (greeting, closes) = (self.data([0, 1, 5_000]), self.once(in: 3))
        return [
            ScriptedPeripheral.Channel(
                psm: 0x81,
                onOpen: { channel in
                    channel.send(greeting)
                    if closes { channel.close() }
                },
                onData: { data, channel in channel.send(data) }
            )
        ]
    }

    mutating func script() -> ScriptedPeripheral {
        let services = self.services()
        let advertised = self.pick([
            nil, [], [CBUUID(string: "180F")], [CBUUID(string: "180F"), CBUUID(string: "FFF0")],
        ])
        return ScriptedPeripheral(
            name: self.pick([nil, "Thermo", "a name of more octets than fit into it"]),
            services: services,
            advertisement: ScriptedPeripheral.Advertisement(
                services: advertised,
                manufacturerData: self.once(in: 3) ? self.data([2, 5, 20]) : nil,
                serviceData: self.once(in: 4) ? [(CBUUID(string: "FFF0"), self.data([0, 3]))] : [],
                isConnectable: !self.once(in: 12),
                interval: .milliseconds(self.pick([20, 100, 1_285, 10_240]))
            ),
            mtu: self.pick([23, 24, 100, 247, 517]),
            refusesConnections: self.once(in: 24),
            faults: self.faults(),
            genericAttribute: self.pick([.absent, .empty, .serviceChanged, .databaseHash, .databaseHash]),
            channels: self.channels(),
            latency: self.pick([.zero, .zero, .milliseconds(40)]),
            writeBuffer: self.once(in: 3)
                ? ScriptedPeripheral.WriteBuffer(capacity: self.pick([1, 2]), processingTime: .seconds(1)) : nil
        )
    }
}
