// What cannot be in a script, at the exact limits.

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Foundation
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Mistakes in scripts")
struct ScriptMistakesTests {
    private func mistakes(_ characteristic: ScriptedPeripheral.Characteristic) -> [String] {
        ScriptedPeripheral.mistakes(in: [.init("FFF0", characteristics: [characteristic])])
    }

    @Test("A value, a descriptor and a description may have 512 octets, and not one more", arguments: [512, 513])
    func lengths(count: Int) {
        let octets = Data(repeating: 0x78, count: count)
        let text = String(repeating: "é", count: 255) + String(repeating: "x", count: count - 510)
        let isTooLong = count == 513
        #expect(self.mistakes(.init("FFF1", properties: .read, value: octets)).count == (isTooLong ? 1 : 0))
        let descriptor = ScriptedPeripheral.Descriptor("2904", value: octets)
        #expect(self.mistakes(.init("FFF1", properties: .read, descriptors: [descriptor])).count == (isTooLong ? 1 : 0))
        let described = self.mistakes(.init("FFF1", properties: .read, userDescription: text))
        #expect(described == (isTooLong ? ["the user description of FFF1 has more than 512 octets"] : []))
    }

    @Test("Values that are sent need time between them, and a property; values at their times need no interval")
    func updates() {
        let octets = Data([1])
        let updates = ScriptedPeripheral.Updates.every(.nanoseconds(1)) { _ in octets }
        for properties in [CBCharacteristicProperties.notify, .indicate] {
            #expect(self.mistakes(.init("FFF1", properties: properties, updates: updates)).isEmpty)
        }
        #expect(
            self.mistakes(.init("FFF1", properties: .notify, updates: .every(.zero) { _ in octets }))
                == ["the characteristic FFF1 sends values without time between them"]
        )
        #expect(self.mistakes(.init("FFF1", properties: .notify, updates: .at([(.zero, octets)]))).isEmpty)
        #expect(
            self.mistakes(.init("FFF1", properties: .read, updates: .at([(.zero, octets)])))
                == ["the characteristic FFF1 sends values without the property notify or indicate"]
        )
    }

    @Test("A characteristic has properties, and descriptors that do not follow from them")
    func descriptors() {
        #expect(self.mistakes(.init("FFF1", properties: [])) == ["the characteristic FFF1 has no properties"])
        for uuid in ["2900", "2902"] {
            let descriptor = ScriptedPeripheral.Descriptor(uuid, value: Data([0, 0]))
            #expect(
                self.mistakes(.init("FFF1", properties: .read, descriptors: [descriptor]))
                    == ["the descriptor \(uuid) of FFF1 follows from the properties"]
            )
        }
    }

    @Test("Services include each other in any order, and not in a circle")
    func circles() {
        func mistakes(_ includes: [String: [String]]) -> [String] {
            ScriptedPeripheral.mistakes(
                in: includes.sorted { $0.key < $1.key }.map { uuid, others in
                    .init(uuid, characteristics: [], includes: others.map { CBUUID(string: $0) })
                }
            )
        }
        #expect(mistakes(["FFF0": ["FFF1", "FFF2"], "FFF1": ["FFF2"], "FFF2": []]).isEmpty)
        #expect(mistakes(["FFF0": [], "FFF1": ["FFF0"], "FFF2": ["FFF1", "FFF0"]]).isEmpty)
        #expect(
            mistakes(["FFF0": ["FFF1"], "FFF1": ["FFF2"], "FFF2": ["FFF0"], "FFF3": []])
                == ["the service FFF0 includes itself, by way of others or not"]
        )
    }

    @Test("Values at their times come in order, each after the one before it, and none behind the last")
    func times() {
        let updates = ScriptedPeripheral.Updates.at([
            (.seconds(5), Data([2])), (.seconds(1), Data([1])), (.seconds(5), Data([3])),
        ])
        #expect((0...3).map(updates.delay(before:)) == [.seconds(1), .seconds(4), .zero, nil])
        #expect(updates.value(0) == Data([1]))
        #expect(ScriptedPeripheral.Updates.every(.seconds(2)) { _ in Data() }.delay(before: 7) == .seconds(2))
    }

    @Test(
        "An advertisement and its scan response hold 31 octets each, and one octet more is a mistake",
        arguments: [(26, 27, true), (27, 27, false), (29, 24, true), (30, 24, false), (29, 25, false)]
    )
    func advertisement(manufacturer: Int, service: Int, fits: Bool) throws {
        var script = ScriptedPeripheral(name: nil, services: [])
        script.advertisement.services = []
        script.advertisement.manufacturerData = Data(repeating: 1, count: manufacturer)
        script.advertisement.serviceData = [(service: CBUUID(string: "FFF0"), data: Data(repeating: 2, count: service))]
        let world = World(seed: 1)
        let device = world.addPeripheral(script, as: "Thing")
        let error = #expect(throws: WorldError.self) { try world.run(until: false, within: .seconds(1)) }
        let mistake = "advertises more than 31 octets and 31 of scan response can hold"
        #expect(error?.reason.contains(mistake) == !fits)
        withExtendedLifetime(device) {}
    }

    @Test("Descriptors that are written as numbers have the octets of the specification (Vol 3, Part G, 3.3.3)")
    func numbers() {
        typealias Descriptor = ScriptedPeripheral.Descriptor
        #expect(Descriptor.serverConfiguration(isBroadcast: true).value == Data([1, 0]))
        #expect(Descriptor.serverConfiguration(isBroadcast: false).value == Data([0, 0]))
        let format = Descriptor.presentationFormat(0x0E, exponent: -2, unit: 0x272F, namespace: 2, description: 0x0106)
        #expect(format.value == Data([0x0E, 0xFE, 0x2F, 0x27, 0x02, 0x06, 0x01]))
        #expect(
            Descriptor.presentationFormat(0x04, unit: 0x2700).value
                == Data([0x04, 0x00, 0x00, 0x27, 0x01, 0x00, 0x00])
        )
        #expect(Descriptor.validRange(Data([1, 2]), Data([3, 4])).value == Data([1, 2, 3, 4]))
    }

    @Test("A device pairs where its agent, a channel or a value needs it")
    func pairs() {
        func script(_ characteristics: [ScriptedPeripheral.Characteristic] = []) -> ScriptedPeripheral {
            ScriptedPeripheral(name: "a", services: [.init("FFF0", characteristics: characteristics)])
        }
        #expect(!script([.init("FFF1", properties: .read)]).pairs)
        #expect(
            script([.init("FFF1", properties: .read), .init("FFF2", properties: .read, security: .encrypted)]).pairs
        )
        var open = script()
        open.channels = [.init(psm: 0x80)]
        #expect(!open.pairs)
        open.channels.append(.init(psm: 0x81, security: .encrypted))
        #expect(open.pairs)
    }

    @Test("A capture without an advertisement is advertised with its name and the primary services that fit")
    func withoutAdvertisement() {
        func advertised(_ count: Int, _ uuid: (UInt16) -> BluetoothUUID) -> Int? {
            var recorded = RecordedPeripheral()
            recorded.services = (0..<UInt16(count)).map { number in
                RecordedService(uuid: uuid(number), isPrimary: number != 0, handles: number + 1...number + 1)
            }
            let script = ScriptedPeripheral(recorded, .init(file: #fileID, line: #line))
            #expect(script.advertisement.interval == .milliseconds(100))
            return script.advertisement.services?.count
        }
        // Three octets of flags; then each has a length and a type. The first one is no primary service.
        #expect(advertised(8) { BluetoothUUID(0xFF00 + $0) } == 7)
        #expect(advertised(9) { BluetoothUUID(0xFF00 + $0) } == 7)
        #expect(advertised(3) { BluetoothUUID(form: .full(1, UInt64($0))) } == 1)
    }
}
