import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("2 Misuse")
struct MisuseTests {
    @Test("2 commands before poweredOn are ignored and logged")
    func poweredOff() {
        let room = Room()
        let adapter = room.adapter("One")
        let central = CentralApp(on: adapter)
        let peripheral = PeripheralApp(on: adapter)
        let lines = Lines()
        lines.listen {
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
        room.run()
        #expect(!central.manager.isScanning)
        #expect(!peripheral.manager.isAdvertising)
    }

    @Test("2 commands of a peripheral that is not connected are ignored and logged")
    func notConnected() throws {
        let talk = Conversation()
        talk.central.manager.scanForPeripherals(withServices: nil)
        talk.room.run { !talk.central.found.isEmpty }
        let peripheral = try talk.peripheral
        let lines = Lines()
        lines.listen {
            peripheral.discoverServices(nil)
            peripheral.readRSSI()
        }
        #expect(lines.all.count == 2)
        #expect(lines.all[0].hasPrefix("[CoreBluetooth] API MISUSE: <CBPeripheral: 0x"))
        #expect(
            lines.all[0].hasSuffix(
                """
                , identifier = \(peripheral.identifier.uuidString), name = Crystal, mtu = 23, state = disconnected> \
                can only accept commands while in the connected state
                """
            )
        )
    }

    @Test("2 a peripheral that is dropped while it connects")
    func droppedConnecting() throws {
        let talk = Conversation()
        talk.central.manager.scanForPeripherals(withServices: nil)
        talk.room.run { !talk.central.found.isEmpty }
        let lines = Lines()
        lines.listen {
            talk.central.manager.connect(talk.central.found.removeFirst())
        }
        #expect(lines.all.count == 1)
        #expect(
            lines.all[0].hasPrefix("[CoreBluetooth] API MISUSE: Cancelling connection for unused peripheral <CBPer")
        )
        #expect(lines.all[0].hasSuffix("state = connecting>, Did you forget to keep a reference to it?"))
        talk.room.run(.seconds(3))
        #expect(talk.central.count("connect 2") == 0)
    }

    @Test("2 a peripheral that is dropped while connected")
    func droppedConnected() throws {
        let talk = Conversation()
        try autoreleasedDiscover(talk)
        let lines = Lines()
        lines.listen { talk.central.found = [] }
        #expect(lines.all.count == 1)
        #expect(lines.all[0].hasPrefix("[CoreBluetooth] API MISUSE: Forcing disconnection of unused peripheral <CBPer"))
        #expect(lines.all[0].hasSuffix("state = connected>. Did you forget to cancel the connection?"))
        talk.room.run(.seconds(3))
        #expect(talk.ball.count("unsubscribed 0") == 1)
    }

    private func autoreleasedDiscover(_ talk: Conversation) throws {
        let (peripheral, _, answer) = try talk.discover()
        peripheral.setNotifyValue(true, for: answer)
        talk.room.run { answer.isNotifying }
    }

    @Test("2 a write without response where the property is absent")
    func writeWithoutResponse() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        let lines = Lines()
        lines.listen { peripheral.writeValue("x".octets, for: answer, type: .withoutResponse) }
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
        talk.room.run()
        #expect(talk.ball.written.isEmpty)
    }

    @Test("2 discovery without a delegate")
    func noDelegate() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        peripheral.delegate = nil
        let lines = Lines()
        lines.listen {
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
        talk.room.run()
        #expect(peripheral.services != nil)
    }

    @Test("2 attributes of a connection that has ended, and peripherals of another manager")
    func foreign() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        talk.central.manager.cancelPeripheralConnection(peripheral)
        talk.room.run { peripheral.state == .disconnected }
        talk.central.manager.connect(peripheral)
        talk.room.run { peripheral.state == .connected }
        let other = CentralApp(on: talk.centralAdapter)
        talk.room.run { other.manager.state == .poweredOn }
        let lines = Lines()
        lines.listen {
            peripheral.readValue(for: answer)
            other.manager.connect(peripheral)
        }
        #expect(lines.all.count == 2)
        #expect(lines.all[0].contains("is not a valid characteristic for peripheral"))
        #expect(lines.all[1].contains("is not a valid peripheral of"))
        talk.room.run()
        #expect(peripheral.state == .connected)
    }

    @Test("2 what Apple answers with an exception ends the program")
    func fatal() async {
        await #expect(processExitsWith: .failure) {
            let room = Room()
            let app = PeripheralApp(on: room.adapter("One"))
            room.run()
            let service = CBMutableService(type: IDs.other, primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: IDs.other,
                    properties: [.read, .notify],
                    value: Data([1]),
                    permissions: .readable
                )
            ]
            app.manager.add(service)
        }
        await #expect(processExitsWith: .failure) {
            let talk = Conversation()
            let (peripheral, _, answer) = try talk.discover()
            peripheral.discoverDescriptors(for: answer)
            talk.room.run { answer.descriptors != nil }
            if let configuration = answer.descriptors?.first(where: { $0.uuid == CBUUID(string: "2902") }) {
                peripheral.writeValue(Data([1, 0]), for: configuration)
            }
        }
    }
}
