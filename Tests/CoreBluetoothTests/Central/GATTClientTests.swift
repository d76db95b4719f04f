import BluetoothAir
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7 GATT client")
struct GATTClientTests {
    @Test("7.1 accumulates discovered attributes")
    func accumulate() throws {
        let talk = Conversation { ball in
            let second = CBMutableService(type: IDs.other, primary: true)
            ball.manager.add(second)
            ball.open()
        }
        let peripheral = try talk.connect()
        #expect(peripheral.services == nil)
        peripheral.discoverServices([IDs.service])
        talk.testbed.run { peripheral.services?.count == 1 }
        let ball = try #require(peripheral.services?.first)
        #expect(ball.uuid == IDs.service)
        #expect(ball.isPrimary)
        #expect(ball.peripheral === peripheral)
        #expect(ball.characteristics == nil)
        #expect(ball.includedServices == nil)
        peripheral.discoverServices([IDs.other])
        #expect(talk.testbed.run { peripheral.services?.count == 2 })
        #expect(peripheral.services?.contains { $0 === ball } == true)
        peripheral.discoverCharacteristics([IDs.answer], for: ball)
        talk.testbed.run { ball.characteristics?.count == 1 }
        peripheral.discoverCharacteristics([IDs.question], for: ball)
        #expect(talk.testbed.run { ball.characteristics?.count == 2 })
        #expect(ball.characteristics?.map(\.uuid) == [IDs.question, IDs.answer])
        #expect(ball.characteristics?.allSatisfy { $0.service === ball } == true)
    }

    @Test("7.2 7.11 hides the services of the system, also if they are asked for", arguments: [false, true])
    func hidden(isAskedFor: Bool) throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        let hidden = ["1800", "1801", "1812", "7905F431-B5CE-4E99-A40F-4B1E122D00D0"].map { CBUUID(string: $0) }
        #expect(CBPeripheral.hiddenServices == hidden.map(\.value))
        peripheral.discoverServices(isAskedFor ? hidden + [IDs.service] : nil)
        talk.testbed.run { peripheral.services != nil }
        #expect(peripheral.services?.map(\.uuid) == [IDs.service])
        // A service that is not there is no error.
        peripheral.discoverServices([CBUUID(string: "180D")])
        talk.testbed.run()
        #expect(talk.central.calls.last == "services 1")
    }

    @Test("7.3 calls back once for each call, in the order of the calls")
    func order() throws {
        let talk = Conversation()
        talk.ball.reading = "cold".octets
        let (peripheral, question, answer) = try talk.discover()
        talk.central.calls = []
        peripheral.readValue(for: answer)
        peripheral.setNotifyValue(true, for: question)
        peripheral.setNotifyValue(true, for: answer)
        peripheral.writeValue("Q?".octets, for: question, type: .withResponse)
        peripheral.discoverDescriptors(for: answer)
        peripheral.setNotifyValue(true, for: answer)
        peripheral.writeValue(Data(count: 513), for: question, type: .withResponse)
        peripheral.readValue(for: question)
        talk.testbed.run { talk.central.calls.count == 8 }
        #expect(
            talk.central.calls == [
                "value", "notifying false CBATTErrorDomain 6", "notifying true", "wrote", "descriptors 1",
                "notifying true", "wrote CBATTErrorDomain 13", "value CBATTErrorDomain 2",
            ]
        )
    }

    @Test("7.5 keeps writes without response in order with other calls")
    func mixedOrder() throws {
        let talk = Conversation()
        let (peripheral, question, answer) = try talk.discover()
        peripheral.setNotifyValue(true, for: answer)
        peripheral.writeValue("1".octets, for: question, type: .withoutResponse)
        peripheral.writeValue("2".octets, for: question, type: .withResponse)
        peripheral.writeValue("3".octets, for: question, type: .withoutResponse)
        talk.testbed.run { talk.ball.written.count == 3 }
        #expect(talk.ball.calls.suffix(4) == ["subscribed 1", "write 1", "write 1", "write 1"])
        #expect(talk.ball.written.map(\.text) == ["1", "2", "3"])
    }

    @Test("7.9 reads a subscription from its descriptor, and reports a refused write of a descriptor")
    func descriptors() throws {
        let talk = Conversation { ball in
            ball.answer.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "The answer")]
            ball.open()
        }
        let (peripheral, _, answer) = try talk.discover()
        peripheral.setNotifyValue(true, for: answer)
        peripheral.discoverDescriptors(for: answer)
        try #require(talk.testbed.run { answer.descriptors?.count == 2 })
        let descriptors = try #require(answer.descriptors)
        for descriptor in descriptors { peripheral.readValue(for: descriptor) }
        try #require(talk.testbed.run { descriptors.allSatisfy { $0.value != nil } })
        let text = try #require(descriptors.first { $0.uuid == CBUUID(string: "2901") })
        let configuration = try #require(descriptors.first { $0.uuid == CBUUID(string: "2902") })
        #expect(text.value as? NSString == "The answer" && configuration.value as? NSNumber == 1)
        peripheral.writeValue("no".octets, for: text)
        talk.testbed.run { talk.central.calls.last?.hasPrefix("wrote descriptor") == true }
        #expect(talk.central.calls.last == "wrote descriptor CBATTErrorDomain 3")
    }

    @Test("7.10 reads the signal strength")
    func rssi() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        talk.central.rssi = []
        peripheral.readRSSI()
        talk.testbed.run { !talk.central.rssi.isEmpty }
        #expect((-60 ... -20).contains(talk.central.rssi[0].intValue))
    }

    @Test("B1 7.11 discovers included services as one object each, and treats an empty list of UUIDs as nil")
    func included() throws {
        let inner = CBMutableService(type: IDs.other, primary: false)
        let talk = Conversation { ball in
            ball.manager.add(inner)
            ball.ball.includedServices = [inner]
            ball.open()
        }
        let peripheral = try talk.connect()
        peripheral.discoverServices([])
        talk.testbed.run { peripheral.services != nil }
        let service = try #require(peripheral.services?.first)
        #expect(peripheral.services?.count == 1)
        peripheral.discoverCharacteristics([], for: service)
        peripheral.discoverIncludedServices([], for: service)
        talk.testbed.run { service.includedServices != nil }
        let included = try #require(service.includedServices?.first)
        #expect(included.uuid == IDs.other)
        #expect(!included.isPrimary)
        #expect(peripheral.services?.count == 1 && service.characteristics?.count == 2)
        peripheral.discoverIncludedServices([IDs.question], for: service)
        talk.testbed.run { talk.central.count("included 1") == 2 }
        // A second discovery returns the same object.
        peripheral.discoverIncludedServices(nil, for: service)
        talk.testbed.run { talk.central.count("included 1") == 3 }
        #expect(service.includedServices?.count == 1 && service.includedServices?.first === included)
        peripheral.discoverCharacteristics(nil, for: included)
        #expect(talk.testbed.run { included.characteristics?.isEmpty == true })
    }
}
