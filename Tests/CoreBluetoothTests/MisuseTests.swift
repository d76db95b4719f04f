import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("2 Misuse")
struct MisuseTests {
    @Test("2 ignores a write without response to a characteristic without the property")
    func writeWithoutResponse() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        self.expectEach(
            of: [{ peripheral.writeValue("x".octets, for: answer, type: .withoutResponse) }],
            toSay: """
                WARNING: Characteristic \(answer) does not specify the "Write Without Response" property - ignoring \
                response-less write
                """
        )
        talk.testbed.run()
        #expect(talk.ball.written.isEmpty)
    }

    /// A central and a ball that are switched off after a subscription.
    private func switchedOff() throws -> (Conversation, CBPeripheral, CBCharacteristic) {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.subscribe()
        talk.centralAdapter.setPowered(false)
        talk.ballAdapter.setPowered(false)
        talk.testbed.run()
        return (talk, peripheral, answer)
    }

    /// Expects each command to log one line.
    private func expectEach(
        of commands: [() -> Void],
        toSay line: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for command in commands {
            #expect(logLines(of: command) == ["[CoreBluetooth] \(line)"], sourceLocation: sourceLocation)
        }
    }

    @Test("2 ignores every call of a central manager that is not powered on")
    func centralCommands() throws {
        let (talk, peripheral, _) = try self.switchedOff()
        let manager: CBCentralManager = talk.central.manager
        let calls = talk.central.calls
        let commands: [() -> Void] = [
            { manager.scanForPeripherals(withServices: nil) }, { manager.stopScan() }, { manager.connect(peripheral) },
            { manager.cancelPeripheralConnection(peripheral) },
            { _ = manager.retrievePeripherals(withIdentifiers: [peripheral.identifier]) },
            { _ = manager.retrieveConnectedPeripherals(withServices: [IDs.service]) },
            { manager.registerForConnectionEvents(options: nil) },
        ]
        self.expectEach(
            of: commands,
            toSay: "API MISUSE: \(manager) can only accept this command while in the powered on state"
        )
        talk.testbed.run(.seconds(2))
        #expect(talk.central.calls == calls)
        #expect(peripheral.state == .disconnected)
    }

    @Test("2 ignores every call of a peripheral manager that is not powered on")
    func peripheralCommands() throws {
        let (talk, _, _) = try self.switchedOff()
        let ball = talk.ball
        let manager: CBPeripheralManager = ball.manager
        let calls = ball.calls
        let central = try #require(ball.centrals.first)
        let commands: [() -> Void] = [
            { manager.startAdvertising(nil) }, { manager.stopAdvertising() }, { manager.add(ball.ball) },
            { manager.remove(ball.ball) }, { manager.removeAllServices() },
            { #expect(!manager.updateValue(Data(), for: ball.answer, onSubscribedCentrals: nil)) },
            { manager.setDesiredConnectionLatency(.low, for: central) },
            { manager.publishL2CAPChannel(withEncryption: false) },
        ]
        self.expectEach(
            of: commands,
            toSay: "API MISUSE: \(manager) can only accept this command while in the powered on state"
        )
        talk.testbed.run(.seconds(2))
        #expect(ball.calls == calls)
    }

    @Test("2 ignores every call of a peripheral that is not connected")
    func disconnectedCommands() throws {
        let talk = Conversation { ball in
            ball.answer.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "The answer")]
            ball.open()
        }
        let (peripheral, question, answer) = try talk.discover()
        let service = try #require(peripheral.services?.first)
        peripheral.discoverDescriptors(for: answer)
        talk.testbed.run { answer.descriptors != nil }
        let descriptor = try #require(answer.descriptors?.first { $0.uuid == CBUUID(string: "2901") })
        talk.central.disconnect(peripheral, in: talk.testbed)
        let calls = talk.central.calls
        let commands: [() -> Void] = [
            { peripheral.discoverServices(nil) }, { peripheral.discoverIncludedServices(nil, for: service) },
            { peripheral.discoverCharacteristics(nil, for: service) }, { peripheral.discoverDescriptors(for: answer) },
            { peripheral.readValue(for: answer) }, { peripheral.readValue(for: descriptor) },
            { peripheral.writeValue(Data(), for: question, type: .withResponse) },
            { peripheral.writeValue(Data(), for: question, type: .withoutResponse) },
            { peripheral.writeValue(Data(), for: descriptor) }, { peripheral.setNotifyValue(true, for: answer) },
            { peripheral.readRSSI() }, { peripheral.openL2CAPChannel(0xC0) },
        ]
        self.expectEach(
            of: commands,
            toSay: "API MISUSE: \(peripheral) can only accept commands while in the connected state"
        )
        talk.testbed.run(.seconds(2))
        #expect(talk.central.calls == calls)
    }

    @Test("2 warns of discoveries and of reading the strength without a delegate")
    func unheard() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        let service = try #require(peripheral.services?.first)
        peripheral.delegate = nil
        let lines = logLines {
            peripheral.discoverServices(nil)
            peripheral.discoverCharacteristics(nil, for: service)
            peripheral.discoverDescriptors(for: answer)
            peripheral.readRSSI()
        }
        let either = "while delegate is either nil or does not implement"
        #expect(
            lines
                == [
                    "Discovering services for peripheral \(peripheral) \(either) peripheral:didDiscoverServices:",
                    """
                    Discovering characteristics on peripheral \(peripheral) \(either) \
                    peripheral:didDiscoverCharacteristicsForService:error:
                    """,
                    """
                    Discovering characteristic descriptors for peripheral \(peripheral) \(either) \
                    peripheral:didDiscoverDescriptorsForCharacteristic:error:
                    """,
                    "Reading RSSI for peripheral \(peripheral) \(either) peripheral:didReadRSSI:error:",
                ].map { "[CoreBluetooth] API MISUSE: " + $0 }
        )
    }

    @Test("2 warns of changed services without a delegate method")
    func unheardChange() throws {
        final class Deaf: NSObject, CBPeripheralDelegate {}
        let deaf = Deaf()
        for delegate in [deaf, nil] {
            let talk = Conversation()
            let (peripheral, _, _) = try talk.discover()
            talk.testbed.run()
            peripheral.delegate = delegate
            let lines = logLines {
                talk.ball.manager.remove(talk.ball.ball)
                talk.testbed.run { peripheral.services?.isEmpty == true }
            }
            #expect(
                lines == [
                    """
                    [CoreBluetooth] WARNING: The delegate for \(peripheral) does not implement \
                    -[peripheral:didModifyServices:]
                    """
                ]
            )
        }
    }

    @Test("2 5.2 logs and ends the connection, or the request, of a peripheral that the app releases")
    func released() throws {
        let talk = Conversation()
        let start = "[CoreBluetooth] API MISUSE:"
        func drop(_ state: String, _ first: String, _ last: String) throws {
            let description = try talk.peripheral.description
            let lines = logLines { talk.central.found = [] }
            #expect(description.contains("state = \(state)"))
            #expect(lines == ["\(start) \(first) unused peripheral \(description)\(last)"])
        }
        func subscribe() throws { _ = try talk.subscribe() }
        try subscribe()
        try drop("connected", "Forcing disconnection of", ". Did you forget to cancel the connection?")
        talk.testbed.run { talk.ball.count("unsubscribed 0") == 1 }
        talk.central.calls = []
        _ = try talk.requestConnection()
        try drop("connecting", "Cancelling connection for", ", Did you forget to keep a reference to it?")
        talk.ball.advertise(name: "Crystal")
        talk.testbed.run(.seconds(3))
        #expect(talk.central.count("connect 2") == 0)
    }

    @Test("2 5.3 rejects a peripheral of another manager")
    func foreignPeripheral() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        let (other, _) = try talk.otherApp(knowing: peripheral)
        let manager: CBCentralManager = other.manager
        self.expectEach(
            of: [{ manager.connect(peripheral) }, { manager.cancelPeripheralConnection(peripheral) }],
            toSay: "API MISUSE: \(peripheral) is not a valid peripheral of \(manager)"
        )
        talk.testbed.run(.seconds(1))
        #expect(other.calls == ["state 5"] && peripheral.state == .connected)
    }
}
