// A peripheral manager and what becomes of its advertising, its services and its centrals with each state of the
// adapter, and what it makes of reports that cross its own calls.

import BluetoothHost
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("States of a peripheral manager")
struct PublisherStatesTests {
    @Test("1.7 B5 what each state leaves of services, subscribers, centrals, and advertising", arguments: 0...5)
    func states(number: Int) throws {
        let state = try #require(CBManagerState(rawValue: number))
        let setup = try PublishedEventsSetup()
        let first = try setup.connect(setup.first)
        setup.subscribe(setup.first)
        for _ in 0..<TransmitWindow.size { first.window.add() }
        #expect(setup.update() == ["refused"] && setup.manager.mustReportReadiness && setup.manager.isAdvertising)
        setup.manager.add(CBMutableService(type: IDs.other, primary: true))
        #expect(setup.commands() == ["add 2"] && setup.manager.awaitedAdds.count == 1)
        setup.ball.calls = []
        let isOn = state == .poweredOn
        #expect(setup.receive(.state(state)) == (isOn ? [] : ["stop seen"]))
        #expect(setup.ball.calls == ["state \(number)"] && setup.manager.state == state)
        #expect(setup.manager.isAdvertising == isOn && setup.manager.mustReportReadiness == isOn)
        #expect(setup.manager.awaitedAdds.isEmpty == !isOn)
        #expect((first.link == nil) == !isOn && first.window.canSend == !isOn)
        #expect((setup.manager.centrals[setup.first] == nil) == !isOn)
        #expect(setup.ball.answer.subscribedCentrals?.count == (isOn ? 1 : 0))
        // Below poweredOff the database is cleared.
        let isReset = number < 4
        #expect((setup.ball.answer.publishedHandle == nil) == isReset)
        #expect((setup.manager.database.token(of: setup.ball.ball) == nil) == isReset)
        #expect(setup.manager.database.allCharacteristics.isEmpty == isReset)
        // Advertising was paused where Bluetooth was only switched off.
        #expect(setup.receive(.state(.poweredOn)).isEmpty && setup.manager.isAdvertising == !isReset)
    }

    @Test(
        "1.7 B5 advertising goes on after any number of pauses, and not after its end",
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
        // What is stopped does not come back.
        setup.manager.stopAdvertising()
        #expect(setup.commands() == ["stop advertising"] && !setup.manager.isAdvertising)
        setup.receive(.state(.poweredOff), .state(.poweredOn))
        #expect(!setup.manager.isAdvertising)
    }

    @Test("1.7 B5 a pause lasts from poweredOff to poweredOn, or until advertising is over")
    func pauseOfAdvertising() throws {
        let setup = try PublishedEventsSetup()
        #expect(!setup.manager.isAdvertisingPaused)
        for (state, isPaused) in [
            (CBManagerState.poweredOff, true), (.poweredOff, true), (.poweredOn, false), (.poweredOn, false),
            (.poweredOff, true), (.resetting, false), (.poweredOff, false), (.poweredOn, false),
        ] {
            setup.receive(.state(state))
            #expect(setup.manager.isAdvertisingPaused == isPaused, "\(state.rawValue)")
        }
    }

    @Test("11.1 the report of a start counts where advertising is still wanted, and an error ends it but for one")
    func starts() throws {
        let setup = try PublishedEventsSetup()
        #expect(setup.manager.isAdvertising)
        setup.receive(.startedAdvertising(.reported(.alreadyAdvertising)))
        #expect(setup.manager.isAdvertising && setup.ball.calls.last == "advertising true CBErrorDomain 9")
        setup.receive(.startedAdvertising(.reported(.outOfSpace)))
        #expect(!setup.manager.isAdvertising && setup.ball.calls.last == "advertising false CBErrorDomain 4")
        // Not wanted any more.
        setup.receive(.startedAdvertising(nil))
        #expect(!setup.manager.isAdvertising && setup.ball.calls.last == "advertising false")
        setup.ball.advertise(name: "Ball", services: [IDs.service, IDs.other])
        #expect(setup.commands() == ["advertise Ball 2"] && !setup.manager.isAdvertising)
        setup.receive(.startedAdvertising(nil))
        #expect(setup.manager.isAdvertising && setup.ball.calls.last == "advertising true")
        setup.manager.stopAdvertising()
        setup.receive(.startedAdvertising(nil))
        #expect(!setup.manager.isAdvertising)
        // An error takes a pause with it.
        setup.ball.advertise(name: nil)
        setup.receive(.startedAdvertising(nil), .state(.poweredOff))
        setup.receive(.startedAdvertising(.reported(.unknown)), .state(.poweredOn))
        #expect(!setup.manager.isAdvertising)
    }

    /// The handles of a service with so many characteristics.
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

    @Test("9.1 each service that is added is reported in its turn, without an error where it was removed meanwhile")
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
        // Of a service that nobody has added nothing is told; one that was published is reported once more.
        setup.receive(.added(LocalServiceToken(number: 9), .success(self.handles(0x900, 1))))
        #expect(setup.ball.calls.count == 4)
        setup.receive(.added(LocalServiceToken(number: 3), .success(self.handles(0x400, 2))))
        #expect(setup.ball.calls.last == "added FFA2" && setup.ball.calls.count == 5)
        setup.manager.removeAllServices()
        #expect(setup.commands() == ["remove all"] && setup.ball.answer.publishedHandle == nil)
        setup.manager.remove(services[1])
        #expect(setup.commands().isEmpty)
    }

    @Test("9.5 9.6 which services may not be published, and for which reason", arguments: [false, true])
    func refusals(permitsSystemServices: Bool) throws {
        let testbed = Testbed()
        let configuration = BluetoothAdapter.Configuration(
            identity: "Crystal",
            permitsSystemServices: permitsSystemServices
        )
        let app = PeripheralApp(on: BluetoothAdapter(air: testbed.air, configuration: configuration))
        testbed.run { app.manager.state == .poweredOn }
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

    @Test("12.1 channels: what is published and withdrawn is told; one of an unknown central is not")
    func channels() throws {
        let setup = try PublishedEventsSetup()
        try setup.connect(setup.first)
        for encryption in [false, true] { setup.manager.publishL2CAPChannel(withEncryption: encryption) }
        setup.manager.publishL2CAPChannel(requiring: .authenticated)
        setup.manager.unpublishL2CAPChannel(0x90)
        #expect(setup.commands() == ["publish 1", "publish 2", "publish 3", "unpublish 144"])
        setup.receive(.channelPublished(0x90, nil), .channelPublished(0, .reported(.outOfSpace)))
        setup.receive(.channelUnpublished(0x90, nil), .channelUnpublished(0x91, .reported(.invalidParameters)))
        #expect(
            setup.ball.calls == [
                "published 144", "published 0 CBErrorDomain 4", "unpublished 144", "unpublished 145 CBErrorDomain 1",
            ]
        )
        setup.ball.calls = []
        let lines = CapturedLog()
        let pipe = ChannelPipe(window: (frames: 1, length: 1), mayBlock: { false }, wakeLoop: {})
        let unclaimed = UnclaimedChannels()
        lines.capture {
            for link in [setup.first, setup.unknown] {
                setup.receive(.channelOpened(link, 0x92, ChannelHandle(pipe, .runLoops, unclaimed)))
                setup.receive(.unknownChannelEnded(link, 0x93))
            }
        }
        #expect(setup.ball.calls == ["channel 146"] && setup.ball.channels.count == 1)
        #expect(setup.ball.channels.first?.peer === setup.manager.centrals[setup.first])
        #expect(lines.all.count == 1 && lines.all.first?.contains("channel matching peer <CBCentral: 0x") == true)
        #expect(lines.all.first?.hasSuffix("with psm 147") == true)
    }

    @Test("12.1 a channel needs what the adapter requires, and no less than the app asks for")
    func requiredLevels() {
        for (requires, expected) in [(false, ["publish 1", "publish 2"]), (true, ["publish 2", "publish 2"])] {
            let testbed = Testbed()
            var configuration = BluetoothAdapter.Configuration(identity: "Crystal")
            configuration.requiresPairing = requires
            let app = PeripheralApp(on: BluetoothAdapter(air: testbed.air, configuration: configuration))
            testbed.run { app.manager.state == .poweredOn }
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
