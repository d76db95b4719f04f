// Mistakes in scripts, at the exact limits, and where they are reported.

import BluetoothHost
import CoreBluetooth
import Foundation
import Testing

@testable import CoreBluetoothTesting

@Suite("Mistakes in scripts")
struct ScriptMistakesTests {
    private func mistakes(_ characteristic: ScriptedPeripheral.Characteristic) -> [String] {
        ScriptedPeripheral.mistakes(in: [.init("FFF0", characteristics: [characteristic])])
    }

    @Test("permits 512 octets in values, descriptors and descriptions", arguments: [512, 513])
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

    @Test("requires time between values that are sent, and a property")
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

    @Test("requires a characteristic that can be subscribed to for requests to subscribe")
    func subscriptions() {
        let (read, notify) = (CBCharacteristicProperties.read, CBCharacteristicProperties.notify)
        for (properties, hasConfiguration) in [(read, true), (notify, false), (notify, true)] {
            let mistake = "the characteristic FFF1 answers requests to subscribe and cannot be subscribed to"
            let mistakes = self.mistakes(
                .init(
                    "FFF1",
                    properties: properties,
                    onSubscriptionRequest: { _ in .success },
                    hasClientConfiguration: hasConfiguration
                )
            )
            #expect(mistakes == (properties == .notify && hasConfiguration ? [] : [mistake]))
        }
    }

    @Test("requires properties, and no descriptor that is derived from them")
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

    @Test("permits services that include each other in any order, but not in a circle")
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

    @Test("names services that cannot be published")
    func services() {
        func mistake(_ services: ScriptedPeripheral.Service...) -> String {
            let world = World(seed: 1)
            world.addPeripheral(ScriptedPeripheral(name: "Thing", services: services))
            do {
                try world.run(until: true)
                return ""
            } catch {
                return (error as? WorldError)?.reason ?? "\(error)"
            }
        }
        #expect(mistake(.init("FFF0", characteristics: [], handle: 40)).isEmpty)
        #expect(
            mistake(.init("FFF0", characteristics: [], handle: 40), .init("FFF1", characteristics: [], handle: 40))
                .contains("\"Thing\": the services FFF0 and FFF1 have the same handle, 40")
        )
        #expect(
            mistake(.init("FFF0", characteristics: [], handle: 1))
                .contains("\"Thing\": the service FFF0 cannot be: the handles of the service are not free")
        )
        #expect(
            mistake(.init("FFF0", characteristics: [], includes: [CBUUID(string: "180F")]))
                .contains("\"Thing\": the service FFF0 includes 180F, which the script does not have")
        )
    }

    @Test("reports a mistake once, at the line of the call that made it")
    func lines() throws {
        let wrong: [ScriptedPeripheral.Service] = [.init("FFF0", characteristics: [.init("FFF1", properties: [])])]
        let right = ScriptedPeripheral.thing([.init("FFF1", properties: .read)])
        let tooLong = Data(count: 513)
        func check(_ line: Int, _ mistake: String, in world: World, _ device: ScriptedDevice) throws {
            let error = #expect(throws: WorldError.self) { try world.run(until: false) }
            let reason = try #require(error?.reason)
            let place = "CoreBluetoothTestingTests/ScriptedPeripheralTests+Mistakes.swift:\(line): "
            #expect(reason.hasPrefix(place + "\"Thing\"") && reason.contains(mistake), "\(reason)")
            #expect(device.trace.contains(mistake))
            try world.run(until: true)
        }
        let (world, other) = (World(seed: 1), World(seed: 1))
        let (made, device) = (#line + 1, other.addPeripheral(right))
        let scripted = world.addPeripheral(ScriptedPeripheral(name: "Thing", services: wrong))
        try check(made, "the characteristic FFF1 has no properties", in: world, scripted)
        device.publish(wrong)
        try check(#line - 1, "the characteristic FFF1 has no properties", in: other, device)
        device.publish(right.services)
        #expect(device.notify(Data([1]), for: "FFF1") == 0)
        try check(#line - 1, "the characteristic FFF1 has neither", in: other, device)
        device.notify(Data(), for: "2A38")
        try check(#line - 1, "has no characteristic 2A38; it has FFF1", in: other, device)
        #expect(!device.hasSubscriber(for: "2A38"))
        try check(#line - 1, "has no characteristic 2A38; it has FFF1", in: other, device)
        device.setValue(Data([1]), of: CBUUID(string: "2A38"))
        try check(#line - 1, "has no characteristic 2A38; it has FFF1", in: other, device)
        device.setValue(tooLong, of: CBUUID(string: "FFF1"))
        try check(#line - 1, "a value of the characteristic FFF1 has 513 octets; 512 are the limit", in: other, device)
    }

    @Test("sends a value of 512 octets, and nothing of one octet more")
    func longestValue() throws {
        let thing = ScriptedPeripheral.thing([.init("FFF1", properties: [.read, .notify], sendsToAll: true)])
        let (world, device, _) = try Explorer.meet(thing)
        #expect(device.notify(Data(repeating: 2, count: 512), for: "FFF1") == 1 && device.updateCount == 1)
        #expect(device.notify(Data(repeating: 3, count: 513), for: "FFF1") == 0 && device.updateCount == 1)
        #expect(device.value(of: CBUUID(string: "FFF1")) == Data(repeating: 2, count: 512))
        #expect(throws: WorldError.self) { try world.run(until: true) }
    }
}
