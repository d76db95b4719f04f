import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("5 Identity, retention, retrieval")
struct RetrievalTests {
    @Test("5.2 the manager keeps no peripheral; what nobody keeps is gone")
    func retention() throws {
        let talk = Conversation()
        talk.central.manager.scanForPeripherals(withServices: nil)
        talk.testbed.run { !talk.central.found.isEmpty }
        weak var seen: CBPeripheral?
        let identifier: UUID
        do {
            let peripheral = try talk.peripheral
            seen = peripheral
            identifier = peripheral.identifier
        }
        talk.central.found = []
        #expect(seen == nil)
        let again = try #require(talk.central.manager.retrievePeripherals(withIdentifiers: [identifier]).first)
        #expect(again.identifier == identifier)
        #expect(again.name == "Crystal")
    }

    @Test("5.2 of a peripheral that the app lets go while values wait, no more of them comes")
    func valuesOfReleased() throws {
        let talk = Conversation()
        talk.central.subscribeToAnswer(services: nil)
        try #require(talk.testbed.run { !talk.ball.centrals.isEmpty })
        weak let seen = talk.central.found[0]
        talk.central.onCall = { [unowned central = talk.central] call in
            if call == "value" { central.found = [] }
        }
        for number in 0..<3 {
            #expect(talk.ball.manager.updateValue("\(number)".octets, for: talk.ball.answer, onSubscribedCentrals: nil))
        }
        talk.testbed.run()
        #expect(talk.central.values == ["0"] && seen == nil)
    }

    @Test("5.3 while it lives, a peripheral is one object")
    func sameObject() throws {
        let talk = Conversation()
        let peripheral = try talk.find()
        let again = talk.central.manager.retrievePeripherals(withIdentifiers: [peripheral.identifier])
        #expect(again.count == 1 && again[0] === peripheral)
        #expect((peripheral.copy() as? CBPeripheral) === peripheral)
    }

    @Test("5.4 known ones in the order asked for, unknown ones left out")
    func order() throws {
        let talk = Conversation()
        let other = PeripheralApp(on: talk.testbed.adapter("Other"))
        talk.testbed.run { other.manager.state == .poweredOn }
        other.open(name: "Other")
        talk.central.manager.scanForPeripherals(withServices: nil)
        talk.testbed.run { talk.central.found.count == 2 }
        let identifiers = talk.central.found.map(\.identifier)
        let asked = [identifiers[1], UUID(), identifiers[0]]
        let found = talk.central.manager.retrievePeripherals(withIdentifiers: asked)
        #expect(found.map(\.identifier) == [identifiers[1], identifiers[0]])
    }

    @Test("B8 every connected device has Generic Access and Generic Attribute, whatever was discovered of it")
    func commonServices() throws {
        let talk = Conversation()
        let common = ["1800", "1801"].map { CBUUID(string: $0) }
        for uuid in common {
            #expect(talk.central.manager.retrieveConnectedPeripherals(withServices: [uuid]).isEmpty)
        }
        let peripheral = try talk.connect()
        for uuid in common {
            let found = talk.central.manager.retrieveConnectedPeripherals(withServices: [uuid])
            #expect(found.count == 1 && found.first === peripheral)
        }
        #expect(talk.central.manager.retrieveConnectedPeripherals(withServices: [IDs.service]).isEmpty)
        #expect(talk.central.manager.retrieveConnectedPeripherals(withServices: []).isEmpty)
    }

    @Test("5.4 a retrieved peripheral connects without a scan")
    func connectRetrieved() throws {
        let talk = Conversation()
        talk.central.manager.scanForPeripherals(withServices: nil)
        talk.testbed.run { !talk.central.found.isEmpty }
        let identifier = try talk.peripheral.identifier
        talk.central.manager.stopScan()
        let other = CentralApp(on: talk.centralAdapter)
        talk.testbed.run { other.manager.state == .poweredOn }
        let peripheral = try #require(other.manager.retrievePeripherals(withIdentifiers: [identifier]).first)
        other.connect(peripheral, in: talk.testbed)
    }

    @Test("5.5 connected peripherals by service")
    func connected() throws {
        let talk = Conversation()
        let (peripheral, _, _) = try talk.discover()
        let manager: CBCentralManager = talk.central.manager
        #expect(manager.retrieveConnectedPeripherals(withServices: [IDs.other]).isEmpty)
        let found = manager.retrieveConnectedPeripherals(withServices: [IDs.other, IDs.service])
        #expect(found.count == 1 && found[0] === peripheral)
        manager.cancelPeripheralConnection(peripheral)
        talk.testbed.run { peripheral.state == .disconnected }
        #expect(manager.retrieveConnectedPeripherals(withServices: [IDs.service]).isEmpty)
    }

    @Test("13.2 connection events by identifier and by service")
    func connectionEvents() throws {
        let talk = Conversation()
        let watcher = CentralApp(on: talk.centralAdapter)
        talk.testbed.run { watcher.manager.state == .poweredOn }
        watcher.manager.registerForConnectionEvents(options: [.serviceUUIDs: [IDs.service]])
        talk.testbed.run()
        let (peripheral, _, _) = try talk.discover()
        #expect(watcher.calls == ["state 5", "event 1"])
        #expect(watcher.found[0].identifier == peripheral.identifier)
        talk.central.disconnect(peripheral, in: talk.testbed)
        #expect(watcher.calls == ["state 5", "event 1", "event 0"])

        watcher.manager.registerForConnectionEvents(options: [.peripheralUUIDs: [peripheral.identifier]])
        talk.central.connect(peripheral, in: talk.testbed)
        #expect(watcher.calls.suffix(1) == ["event 1"])
        #expect(watcher.calls.count == 4)

        watcher.manager.registerForConnectionEvents(options: nil)
        talk.central.disconnect(peripheral, in: talk.testbed)
        #expect(watcher.calls.count == 4)
    }

    @Test("13.2 who asks for a peer by its identifier and by its service hears of its link once")
    func connectionEventsByBoth() throws {
        let talk = Conversation()
        let watcher = CentralApp(on: talk.centralAdapter)
        talk.testbed.run { watcher.manager.state == .poweredOn }
        let peripheral = try talk.find()
        watcher.manager.registerForConnectionEvents(options: [
            .serviceUUIDs: [IDs.service], .peripheralUUIDs: [peripheral.identifier],
        ])
        talk.testbed.run()
        talk.central.connect(peripheral, in: talk.testbed)
        #expect(watcher.calls == ["state 5", "event 1"])
        _ = try peripheral.discover([IDs.service], in: talk.testbed)
        talk.testbed.run()
        #expect(watcher.calls == ["state 5", "event 1"])
        talk.central.disconnect(peripheral, in: talk.testbed)
        #expect(watcher.calls == ["state 5", "event 1", "event 0"])
    }

    @Test("5.1 the same seed gives the same identifiers and the same calls")
    func determinism() throws {
        func run() throws -> ([String], [UUID]) {
            let talk = Conversation()
            let (peripheral, question, answer) = try talk.discover()
            peripheral.setNotifyValue(true, for: answer)
            peripheral.writeValue("Is it?".octets, for: question, type: .withResponse)
            talk.testbed.run(.seconds(1))
            return (talk.central.calls + talk.ball.calls, talk.central.found.map(\.identifier))
        }
        let first = try run()
        let second = try run()
        #expect(first.0 == second.0)
        #expect(first.1 == second.1)
    }
}
