import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Restoration of centrals")
struct CentralRestorationTests {
    @Test("13.1 a connection comes back by itself, with the attributes and the subscription of the app")
    func connection() throws {
        var setup = RestorationSetup(.central)
        let identifier = try setup.subscribe().identifier
        setup.restartCentral()
        #expect(setup.testbed.run { !setup.central.calls.isEmpty })
        #expect(setup.central.calls.prefix(2) == ["restore 0", "state 5"])
        let dictionary = try #require(setup.central.restored.first)
        #expect(Set(dictionary.keys) == [CBCentralManagerRestoredStatePeripheralsKey])
        let peripheral = try #require(setup.central.found.first)
        #expect(peripheral.identifier == identifier)
        #expect(peripheral.name == "Crystal")
        #expect(peripheral.state == .connecting)
        // The discovered attributes are there, with their subscription.
        let answer = try setup.answer()
        #expect(peripheral.services?.map(\.uuid) == [IDs.service])
        #expect(peripheral.services?.first?.characteristics?.map(\.uuid) == [IDs.question, IDs.answer])
        #expect(answer.descriptors?.map(\.uuid.uuidString) == ["2902"])
        #expect(answer.isNotifying)
        #expect(answer.service?.peripheral === peripheral)

        #expect(setup.testbed.run { peripheral.state == .connected })
        #expect(setup.central.count("connect 2") == 1)
        #expect(setup.testbed.run { setup.ball.answer.subscribedCentrals?.count == 1 })
        setup.update("after")
        #expect(setup.testbed.run { setup.central.values == ["after"] })
        // The objects work, and nothing of this was reported twice.
        peripheral.readValue(for: answer)
        #expect(setup.testbed.run { setup.central.values.count == 2 })
        #expect(setup.central.calls == ["restore 0", "state 5", "connect 2", "value", "value"])
        #expect(try setup.answer() === answer)
    }

    @Test("13.1 a subscription that the peer no longer accepts is reported as lost, and not tried again")
    func lostSubscription() throws {
        var setup = RestorationSetup(.central, permitsPairing: false)
        func publish(_ properties: CBCharacteristicProperties) {
            let service = CBMutableService(type: IDs.other, primary: true)
            let news = CBMutableCharacteristic(type: IDs.other, properties: properties, value: nil, permissions: [])
            service.characteristics = [news]
            setup.ball.manager.add(service)
        }
        publish(.notify)
        setup.testbed.run(.milliseconds(1))
        let first = try setup.connect().discover([IDs.other], in: setup.testbed).characteristic(IDs.other)
        try first.service?.peripheral?.subscribe(to: first, in: setup.testbed)
        setup.restartCentral()
        // In the meantime the ball was started anew, and gives its news to those alone that it knows.
        setup.restartBall()
        setup.ball.open()
        publish(.notifyEncryptionRequired)
        try #require(setup.testbed.run { setup.central.count("connect 2") == 1 })
        let restored = try #require(setup.central.found.first?.services?.first?.characteristics?.first)
        setup.testbed.run(.seconds(2))
        #expect(setup.central.calls == ["restore 0", "state 5", "connect 2", "notifying false CBATTErrorDomain 5"])
        #expect(!restored.isNotifying)
        setup.restartCentral()
        setup.testbed.run(.seconds(5))
        #expect(setup.central.calls == ["restore 0", "state 5", "connect 2"])
    }

    @Test("13.1 a pending connection survives while the peripheral is away")
    func pending() throws {
        var setup = RestorationSetup(.central)
        let peripheral = try setup.connect()
        let identifier = peripheral.identifier
        setup.ball.manager.stopAdvertising()
        setup.central.disconnect(peripheral, in: setup.testbed)
        setup.central.manager.connect(peripheral)
        setup.testbed.run(.seconds(1))
        #expect(peripheral.state == .connecting)

        setup.restartCentral()
        setup.testbed.run(.seconds(60))
        #expect(setup.central.calls == ["restore 0", "state 5"])
        let restored = try #require(setup.central.found.first)
        #expect(restored.identifier == identifier)
        #expect(restored.state == .connecting)
        #expect(restored.services == nil)
        setup.ball.advertise(name: "Crystal")
        #expect(setup.testbed.run { restored.state == .connected })
        #expect(setup.central.calls.last == "connect 2")
    }

    @Test("13.1 the scan goes on, with its services and options", arguments: [false, true], [false, true])
    func scan(duplicates: Bool, solicited: Bool) throws {
        for services in [[], [IDs.service, IDs.other]] {
            var setup = RestorationSetup(.central)
            setup.ball.manager.stopAdvertising()
            var options: [String: Any] = [CBCentralManagerScanOptionAllowDuplicatesKey: duplicates]
            if solicited { options[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] = [IDs.other] }
            setup.central.manager.scanForPeripherals(withServices: services, options: options)
            setup.testbed.run(.milliseconds(10))
            setup.restartCentral()
            setup.testbed.run { setup.central.calls == ["restore 0", "state 5"] }
            let dictionary = try #require(setup.central.restored.first)
            let found = dictionary[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID]
            #expect(found == (services.isEmpty ? nil : services))
            let kept = dictionary[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any]
            #expect((kept != nil) == (duplicates || solicited))
            #expect(dictionary.count == (found == nil ? 0 : 1) + (kept == nil ? 0 : 1))
            let keptDuplicates = kept?[CBCentralManagerScanOptionAllowDuplicatesKey] as? NSNumber
            #expect(keptDuplicates?.boolValue == (duplicates ? true : nil))
            let keptSolicited = kept?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID]
            #expect(keptSolicited == (solicited ? [IDs.other] : nil))
            #expect(setup.central.manager.isScanning)
            setup.ball.advertise(name: "Crystal")
            setup.testbed.run(.seconds(3))
            let count = setup.central.count("discover Crystal")
            // Without services, only devices that solicit one are found.
            let isFound = !solicited || !services.isEmpty
            #expect(!isFound ? count == 0 : duplicates ? count > 3 : count == 1)
        }
    }

    @Test(
        "13.1 a released manager, a cancelled connection, an ended scan and what Bluetooth ended are not restored"
    )
    func givenUp() throws {
        var setup = RestorationSetup(.central)
        let peripheral = try setup.subscribe()
        setup.central.disconnect(peripheral, in: setup.testbed)
        #expect(setup.callsOfNextCentral() == ["state 5"])
        #expect(!setup.curious.storage.names.contains { $0.hasPrefix("central-") })
        for end in [
            { $0.central.manager.stopScan() }, { $0.central.end() }, { $0.curious.adapter.setPowered(false) },
        ] as [(RestorationSetup) -> Void] {
            setup.central.manager.scanForPeripherals(withServices: [IDs.service])
            setup.testbed.run(.milliseconds(10))
            end(setup)
            setup.testbed.run(.milliseconds(10))
            #expect(setup.callsOfNextCentral() == ["state 5"])
        }
    }

    @Test("13.1 the connection of a peripheral that the app does not keep is cancelled")
    func notKept() throws {
        var setup = RestorationSetup(.central)
        _ = try setup.connect()
        let lines = logLines {
            setup.restartCentral()
            setup.central.onCall = { [central = setup.central] call in
                guard call.hasPrefix("restore") else { return }
                central.found = []
                central.restored = []
            }
            setup.testbed.run(.seconds(1))
        }
        #expect(setup.central.calls == ["restore 0", "state 5"])
        #expect(lines.contains { $0.contains("Cancelling connection for unused peripheral") })
        #expect(setup.callsOfNextCentral() == ["state 5"])
    }

    @Test("13.1 a controller that is lost as the process ends does not lose the state")
    func controllerLost() throws {
        var setup = RestorationSetup(.central)
        _ = try setup.subscribe()
        setup.curious.breakController()
        setup.testbed.loop.run()
        #expect(setup.central.manager.state == .resetting)
        setup.restartCentral()
        #expect(setup.testbed.run { setup.central.count("connect 2") == 1 })
        // When it is back, the app begins anew, as everybody does then.
        setup.curious.breakController()
        setup.testbed.run { setup.central.count("state 5") == 2 }
        setup.testbed.run(.milliseconds(10))
        #expect(setup.callsOfNextCentral() == ["state 5"])
    }

    @Test("13.1 auto-reconnect is restored")
    func autoReconnect() throws {
        var setup = RestorationSetup(.central)
        let peripheral = try setup.connect()
        setup.central.disconnect(peripheral, in: setup.testbed)
        setup.central.manager.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        setup.testbed.run { peripheral.state == .connected }
        setup.restartCentral()
        #expect(setup.testbed.run { setup.central.count("connect 2") == 1 })
        setup.crystal.adapter.setPowered(false)
        #expect(setup.testbed.run { setup.central.calls.last?.hasPrefix("disconnect 1") == true })
        setup.crystal.adapter.setPowered(true)
        #expect(setup.testbed.run { setup.central.count("connect 2") == 2 })
    }
}
