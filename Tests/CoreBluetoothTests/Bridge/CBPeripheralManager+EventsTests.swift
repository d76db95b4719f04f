import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Events of a peripheral manager")
struct CBPeripheralManagerEventsTests {
    @Test(
        "1.7 B5 continues advertising after pauses, not after its end",
        arguments: [
            ([4, 5], true), ([4, 4, 5], true), ([4, 5, 4, 5], true), ([4, 1, 5], false), ([1, 5], false),
            ([1, 4, 5], false), ([4, 5, 3, 5], false), ([5], true), ([4, 5, 1, 5, 4, 5], false),
        ] as [([Int], Bool)]
    )
    func pauses(states: [Int], goesOn: Bool) throws {
        let setup = try PublishedEventsSetup()
        for number in states {
            setup.receive(.state(try #require(CBManagerState(rawValue: number))))
            if number != 5 { #expect(!setup.manager.isAdvertising) }
        }
        #expect(setup.manager.isAdvertising == goesOn)
        setup.manager.stopAdvertising()
        #expect(setup.commands() == ["stop advertising"] && !setup.manager.isAdvertising)
        setup.receive(.state(.poweredOff), .state(.poweredOn))
        #expect(!setup.manager.isAdvertising)
    }

    @Test("11.1 tracks reports of starts and errors of advertising")
    func starts() throws {
        let setup = try PublishedEventsSetup()
        #expect(setup.manager.isAdvertising)
        setup.receive(.startedAdvertising(.reported(.alreadyAdvertising)))
        #expect(setup.manager.isAdvertising && setup.ball.calls.last == "advertising true CBErrorDomain 9")
        setup.receive(.startedAdvertising(.reported(.outOfSpace)))
        #expect(!setup.manager.isAdvertising && setup.ball.calls.last == "advertising false CBErrorDomain 4")
        setup.receive(.startedAdvertising(nil))
        #expect(!setup.manager.isAdvertising && setup.ball.calls.last == "advertising false")
        setup.ball.advertise(name: "Ball", services: [IDs.service, IDs.other])
        #expect(setup.commands() == ["advertise Ball 2"] && !setup.manager.isAdvertising)
        setup.receive(.startedAdvertising(nil))
        #expect(setup.manager.isAdvertising && setup.ball.calls.last == "advertising true")
        setup.manager.stopAdvertising()
        setup.receive(.startedAdvertising(nil))
        #expect(!setup.manager.isAdvertising)
        setup.ball.advertise(name: nil)
        setup.receive(.startedAdvertising(nil), .state(.poweredOff))
        setup.receive(.startedAdvertising(.reported(.unknown)), .state(.poweredOn))
        #expect(!setup.manager.isAdvertising)
    }

    private func handles(_ first: AttributeHandle, _ count: Int) -> GATTServiceHandles {
        GATTServiceHandles(
            range: first...first + 20,
            characteristics: (0..<count).map { index in
                .init(value: first + 2 + 3 * AttributeHandle(index), clientConfiguration: nil, descriptors: [])
            }
        )
    }

    private func service(_ count: Int, _ uuid: CBUUID = IDs.other) -> CBMutableService {
        let service = CBMutableService(type: uuid, primary: true)
        service.characteristics = (0..<count).map { _ in CBMutableCharacteristic.answer() }
        return service
    }

    @Test("9.1 reports each added service in turn, without an error if it was removed meanwhile")
    func adds() throws {
        let setup = try PublishedEventsSetup()
        let services = [
            self.service(1, CBUUID(string: "FFA1")), self.service(2, CBUUID(string: "FFA2")),
            self.service(1, CBUUID(string: "FFA3")), self.service(1, CBUUID(string: "FFA4")),
        ]
        for service in services { setup.manager.add(service) }
        setup.manager.remove(services[0])
        setup.manager.remove(services[3])
        #expect(setup.commands() == ["add 2", "add 3", "add 4", "add 5", "remove 2", "remove 5"])
        setup.receive(.added(LocalServiceToken(number: 2), .success(self.handles(0x200, 1))))
        setup.receive(.added(LocalServiceToken(number: 3), .success(self.handles(0x300, 2))))
        setup.receive(.added(LocalServiceToken(number: 4), .failure(.reported(.outOfSpace))))
        setup.receive(.added(LocalServiceToken(number: 5), .failure(.reported(.outOfSpace))))
        #expect(setup.ball.calls == ["added FFA1", "added FFA2", "added FFA3 CBErrorDomain 4", "added FFA4"])
        let handles = services.map { service in
            (service.characteristics ?? []).map { ($0 as? CBMutableCharacteristic)?.publishedHandle ?? 0 }
        }
        #expect(handles == [[0], [0x302, 0x305], [0], [0]])
        let tokens = services.map { setup.manager.database.token(of: $0)?.number ?? 0 }
        #expect(tokens == [0, 3, 0, 0] && setup.manager.awaitedAdds.isEmpty)
        setup.receive(.added(LocalServiceToken(number: 9), .success(self.handles(0x900, 1))))
        #expect(setup.ball.calls.count == 4)
        setup.receive(.added(LocalServiceToken(number: 3), .success(self.handles(0x400, 2))))
        #expect(setup.ball.calls.last == "added FFA2" && setup.ball.calls.count == 5)
        setup.manager.removeAllServices()
        #expect(setup.commands() == ["remove all"] && setup.ball.answer.publishedHandle == nil)
        setup.manager.remove(services[1])
        #expect(setup.commands().isEmpty)
    }

    @Test("9.5 9.6 refuses services of the system and invalid properties", arguments: [false, true])
    func refusals(permitsSystemServices: Bool) throws {
        let testbed = Testbed()
        let app = testbed.ball(on: testbed.adapter("Crystal") { $0.permitsSystemServices = permitsSystemServices })
        let system: Int? = permitsSystemServices ? nil : 8
        for (uuid, properties, code) in [
            ("1800", [], 8), ("1801", [], 8), ("1812", [], 8), ("1805", [], system), ("180A", [], system),
            ("180F", [], system), ("180D", [], nil), ("FFF0", [.read, .write], nil), ("FFF0", [.broadcast], 1),
            ("FFF0", [.extendedProperties, .read], 1), ("1800", [.broadcast], 8), ("FFF0", [.indicate], nil),
        ] as [(String, CBCharacteristicProperties, Int?)] {
            let service = self.service(1, CBUUID(string: uuid))
            let second = CBMutableCharacteristic.question()
            second.properties = properties
            service.characteristics?.append(second)
            #expect(app.manager.objection(to: service)?.code.rawValue == code, "\(uuid) \(properties)")
        }
        #expect(app.manager.objection(to: CBMutableService(type: IDs.other, primary: false)) == nil)
    }

    @Test("12.1 publishes a channel with the stricter level of the adapter and the app")
    func requiredLevels() {
        for (requires, expected) in [(false, ["publish 1", "publish 2"]), (true, ["publish 2", "publish 2"])] {
            let testbed = Testbed()
            let app = testbed.ball(on: testbed.adapter("Crystal") { $0.requiresPairing = requires })
            for encryption in [false, true] { app.manager.publishL2CAPChannel(withEncryption: encryption) }
            var levels: [String] = []
            app.manager.commands.drain { commands in
                for command in commands {
                    if case .publishChannel(let level) = command { levels.append("publish \(level.rawValue)") }
                }
            }
            #expect(levels == expected)
        }
    }
}
