import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("2 Misuse")
struct MisuseTests {
    @Test("2 commands before poweredOn are ignored and logged")
    func poweredOff() {
        let testbed = Testbed()
        let adapter = testbed.adapter("One")
        let central = CentralApp(on: adapter)
        let peripheral = PeripheralApp(on: adapter)
        let lines = CapturedLog()
        lines.capture {
            central.manager.scanForPeripherals(withServices: nil)
            central.manager.stopScan()
            #expect(central.manager.retrievePeripherals(withIdentifiers: [UUID()]).isEmpty)
            #expect(central.manager.retrieveConnectedPeripherals(withServices: [IDs.service]).isEmpty)
            peripheral.manager.startAdvertising(nil)
            peripheral.manager.add(peripheral.ball)
            #expect(!peripheral.manager.updateValue(Data(), for: peripheral.answer, onSubscribedCentrals: nil))
        }
        #expect(lines.all.count == 7)
        let expected = "[CoreBluetooth] API MISUSE: <CBCentralManager: 0x"
        #expect(lines.all.prefix(4).allSatisfy { $0.hasPrefix(expected) })
        #expect(
            lines.all.allSatisfy { $0.hasSuffix("> can only accept this command while in the powered on state") }
        )
        testbed.run()
        #expect(!central.manager.isScanning)
        #expect(!peripheral.manager.isAdvertising)
    }

    @Test("2 commands of a peripheral that is not connected are ignored and logged")
    func notConnected() throws {
        let talk = Conversation()
        let peripheral = try talk.find()
        let lines = CapturedLog()
        lines.capture {
            peripheral.discoverServices(nil)
            peripheral.readRSSI()
        }
        #expect(lines.all.count == 2)
        #expect(lines.all[0].hasPrefix("[CoreBluetooth] API MISUSE: <CBPeripheral: 0x"))
        #expect(
            lines.all[0].hasSuffix(
                """
                , identifier = \(peripheral.identifier.uuidString), name = Crystal, mtu = 0, state = disconnected> \
                can only accept commands while in the connected state
                """
            )
        )
    }

    @Test("2 a peripheral that is dropped while it connects")
    func droppedConnecting() throws {
        let talk = Conversation()
        talk.central.manager.scanForPeripherals(withServices: nil)
        talk.testbed.run { !talk.central.found.isEmpty }
        let lines = CapturedLog()
        lines.capture {
            talk.central.manager.connect(talk.central.found.removeFirst())
        }
        #expect(lines.all.count == 1)
        #expect(
            lines.all[0].hasPrefix("[CoreBluetooth] API MISUSE: Cancelling connection for unused peripheral <CBPer")
        )
        #expect(lines.all[0].hasSuffix("state = connecting>, Did you forget to keep a reference to it?"))
        talk.testbed.run(.seconds(3))
        #expect(talk.central.count("connect 2") == 0)
    }

    @Test("2 a peripheral that is dropped while connected")
    func droppedConnected() throws {
        let talk = Conversation()
        try autoreleasedDiscover(talk)
        let lines = CapturedLog()
        lines.capture { talk.central.found = [] }
        #expect(lines.all.count == 1)
        #expect(lines.all[0].hasPrefix("[CoreBluetooth] API MISUSE: Forcing disconnection of unused peripheral <CBPer"))
        #expect(lines.all[0].hasSuffix("state = connected>. Did you forget to cancel the connection?"))
        talk.testbed.run(.seconds(3))
        #expect(talk.ball.count("unsubscribed 0") == 1)
    }

    private func autoreleasedDiscover(_ talk: Conversation) throws {
        let (peripheral, _, answer) = try talk.discover()
        peripheral.setNotifyValue(true, for: answer)
        talk.testbed.run { answer.isNotifying }
    }

    @Test("2 a write without response where the property is absent")
    func writeWithoutResponse() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        let lines = CapturedLog()
        lines.capture { peripheral.writeValue("x".octets, for: answer, type: .withoutResponse) }
        #expect(lines.all.count == 1)
        #expect(lines.all[0].hasPrefix("[CoreBluetooth] WARNING: Characteristic <CBCharacteristic: 0x"))
        #expect(
            lines.all[0].contains("UUID = \(IDs.answer.uuidString), properties = 0x12, value = (null), notifying = NO>")
        )
        #expect(
            lines.all[0].hasSuffix(
                " does not specify the \"Write Without Response\" property - ignoring response-less write"
            )
        )
        talk.testbed.run()
        #expect(talk.ball.written.isEmpty)
    }

    @Test("2 discovery without a delegate")
    func noDelegate() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        peripheral.delegate = nil
        let lines = CapturedLog()
        lines.capture {
            peripheral.discoverServices(nil)
            peripheral.readRSSI()
        }
        #expect(lines.all.count == 2)
        #expect(
            lines.all[0].hasSuffix(
                "while delegate is either nil or does not implement peripheral:didDiscoverServices:"
            )
        )
        #expect(lines.all[1].contains("API MISUSE: Reading RSSI for peripheral <CBPeripheral: 0x"))
        talk.testbed.run()
        #expect(peripheral.services != nil)
    }

    @Test("2 attributes of a connection that has ended, and peripherals of another manager")
    func foreign() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        talk.central.disconnect(peripheral, in: talk.testbed)
        talk.central.connect(peripheral, in: talk.testbed)
        let other = CentralApp(on: talk.centralAdapter)
        talk.testbed.run { other.manager.state == .poweredOn }
        let lines = CapturedLog()
        lines.capture {
            peripheral.readValue(for: answer)
            other.manager.connect(peripheral)
        }
        #expect(lines.all.count == 2)
        #expect(lines.all[0].contains("is not a valid characteristic for peripheral"))
        #expect(lines.all[1].contains("is not a valid peripheral of"))
        talk.testbed.run()
        #expect(peripheral.state == .connected)
    }

    /// A central and a ball that know each other well and are switched off now.
    private func switchedOff() throws -> (Conversation, CBPeripheral, CBCharacteristic) {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        peripheral.setNotifyValue(true, for: answer)
        talk.testbed.run { answer.isNotifying }
        talk.centralAdapter.setPowered(false)
        talk.ballAdapter.setPowered(false)
        talk.testbed.run()
        return (talk, peripheral, answer)
    }

    /// Gives one command after the other, each of which must say this and nothing else.
    private func expectEach(
        of commands: [() -> Void],
        toSay line: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for command in commands {
            let lines = CapturedLog()
            lines.capture(command)
            #expect(lines.all == ["[CoreBluetooth] \(line)"], sourceLocation: sourceLocation)
        }
    }

    @Test("2 every command of a central manager that is not powered on is dropped with the same line")
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
        #expect(manager.description.hasPrefix("<CBCentralManager: 0x"))
        talk.testbed.run(.seconds(2))
        #expect(talk.central.calls == calls)
        #expect(peripheral.state == .disconnected)
    }

    @Test("2 every command of a peripheral manager that is not powered on is dropped with the same line")
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
        #expect(manager.description.hasPrefix("<CBPeripheralManager: 0x"))
        talk.testbed.run(.seconds(2))
        #expect(ball.calls == calls)
    }

    @Test("2 every command of a peripheral that is not connected is dropped with the same line")
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

    @Test("2 each discovery and the signal strength are warned of where no delegate listens, in Apple's words")
    func unheard() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        let service = try #require(peripheral.services?.first)
        peripheral.delegate = nil
        let lines = CapturedLog()
        lines.capture {
            peripheral.discoverServices(nil)
            peripheral.discoverCharacteristics(nil, for: service)
            peripheral.discoverDescriptors(for: answer)
            peripheral.readRSSI()
        }
        let either = "while delegate is either nil or does not implement"
        #expect(
            lines.all
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

    @Test("2 services that change without anybody who listens are warned of")
    func unheardChange() throws {
        final class Deaf: NSObject, CBPeripheralDelegate {}
        let deaf = Deaf()
        for delegate in [deaf, nil] {
            let talk = Conversation()
            let (peripheral, _, _) = try talk.discover()
            talk.testbed.run()
            peripheral.delegate = delegate
            let lines = CapturedLog()
            lines.capture {
                talk.ball.manager.remove(talk.ball.ball)
                talk.testbed.run { peripheral.services?.isEmpty == true }
            }
            #expect(
                lines.all == [
                    """
                    [CoreBluetooth] WARNING: The delegate for \(peripheral) does not implement \
                    -[peripheral:didModifyServices:]
                    """
                ]
            )
        }
    }

    /// Whether what a process said on standard error holds a text.
}
