import BluetoothAir
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("9 Database")
struct DatabaseTests {
    @Test("9.2 refuses a service that includes an unpublished one")
    func includedFirst() {
        let talk = Conversation { ball in
            ball.ball.includedServices = [CBMutableService(type: IDs.other, primary: false)]
            ball.manager.add(ball.ball)
        }
        #expect(talk.ball.calls.last == "added 8E38 CBErrorDomain 1")
    }

    @Test("9.3 serves a static value without the app")
    func staticValue() throws {
        let motto = CBMutableCharacteristic(
            type: IDs.other,
            properties: [.read],
            value: "Ask again later".octets,
            permissions: [.readable]
        )
        let talk = Conversation { ball in
            ball.ball.characteristics = [motto, ball.question, ball.answer]
            ball.open()
        }
        let (peripheral, _, _) = try talk.discover()
        let remote = try #require(
            peripheral.services?.first?.characteristics?.first { $0.uuid == IDs.other }
        )
        peripheral.readValue(for: remote)
        talk.testbed.run { !talk.central.values.isEmpty }
        #expect(talk.central.values == ["Ask again later"])
        #expect(talk.ball.requests.isEmpty)
    }

    @Test("9.6 refuses services of the system", arguments: ["1800", "1801", "1805", "180A", "180F", "1812"])
    func reserved(uuid: String) {
        let talk = Conversation { $0.manager.add(CBMutableService(type: CBUUID(string: uuid), primary: true)) }
        #expect(talk.ball.calls.last == "added \(uuid) CBErrorDomain 8")
        #expect((talk.ball.errors.last as? CBError)?.code == .uuidNotAllowed)
    }

    @Test("9.6 B7 publishes the services that Linux does not serve itself if the adapter permits it")
    func permitted() {
        let testbed = Testbed()
        let configuration = BluetoothAdapter.Configuration(identity: "Sensor", permitsSystemServices: true)
        let sensor = PeripheralApp(on: BluetoothAdapter(air: testbed.air, configuration: configuration))
        testbed.run { sensor.manager.state == .poweredOn }
        for (uuid, isPermitted) in [
            ("1800", false), ("1801", false), ("1812", false), ("1805", true), ("180A", true), ("180F", true),
        ] {
            sensor.manager.add(CBMutableService(type: CBUUID(string: uuid), primary: true))
            testbed.run { sensor.calls.last?.hasPrefix("added \(uuid)") == true }
            #expect(sensor.calls.last == (isPermitted ? "added \(uuid)" : "added \(uuid) CBErrorDomain 8"))
        }
    }

    @Test("9.2 hides removed services from centrals")
    func remove() throws {
        let talk = Conversation { ball in
            ball.manager.add(CBMutableService(type: IDs.other, primary: true))
            ball.open()
            ball.manager.removeAllServices()
            ball.manager.add(ball.ball)
        }
        let peripheral = try talk.connect()
        peripheral.discoverServices(nil)
        talk.testbed.run { peripheral.services != nil }
        #expect(peripheral.services?.map(\.uuid) == [IDs.service])
        #expect(talk.ball.count("added 8E38") >= 1)
    }

    @Test("publishes a service once that is added twice")
    func twice() throws {
        let talk = Conversation { ball in
            ball.open()
            ball.manager.add(ball.ball)
        }
        let (peripheral, question, _) = try talk.discover()
        #expect(peripheral.services?.count == 1)
        peripheral.writeValue("Q".octets, for: question, type: .withResponse)
        talk.testbed.run { !talk.ball.written.isEmpty }
        #expect(talk.ball.requests.first?.characteristic === talk.ball.question)
    }

    @Test("refuses a static value of more than 512 octets")
    func tooLong() {
        let talk = Conversation { ball in
            ball.ball.characteristics = [
                CBMutableCharacteristic(
                    type: IDs.other,
                    properties: .read,
                    value: Data(count: 513),
                    permissions: .readable
                )
            ]
            ball.manager.add(ball.ball)
        }
        #expect(talk.ball.calls.last == "added 8E38 CBErrorDomain 1")
    }

    @Test("publishes and advertises for several managers, and gives each its own requests")
    func managers() throws {
        let talk = Conversation()
        let other = PeripheralApp(on: talk.ballAdapter)
        talk.testbed.run { other.manager.state == .poweredOn }
        let service = CBMutableService(type: IDs.other, primary: true)
        service.characteristics = [other.question]
        other.manager.add(service)
        other.advertise(name: nil, services: [IDs.other])
        talk.testbed.run()
        #expect(other.calls == ["state 5", "added FFF0", "advertising true"])
        talk.central.manager.scanForPeripherals(withServices: [IDs.other])
        talk.testbed.run { !talk.central.found.isEmpty }
        let advertisement = try #require(talk.central.advertisements.first)
        #expect(advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [IDs.other, IDs.service])
        #expect(advertisement[CBAdvertisementDataLocalNameKey] as? String == "Crystal")
        let peripheral = try talk.peripheral
        talk.central.connect(peripheral, in: talk.testbed)
        peripheral.discoverServices(nil)
        talk.testbed.run { peripheral.services != nil }
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
        talk.testbed.run { peripheral.services?.allSatisfy { $0.characteristics != nil } == true }
        for service in peripheral.services ?? [] {
            let question = try #require(service.characteristics?.first { $0.uuid == IDs.question })
            peripheral.writeValue(
                service.uuid.uuidString.prefix(4).description.octets,
                for: question,
                type: .withResponse
            )
        }
        talk.testbed.run { talk.central.count("wrote") == 2 }
        #expect(talk.ball.written.map(\.text) == ["8E38"])
        #expect(other.written.map(\.text) == ["FFF0"])
        // One stops: the other's services are still advertised.
        talk.ball.manager.stopAdvertising()
        #expect(!talk.ball.manager.isAdvertising)
        talk.testbed.run()
        talk.central.advertisements = []
        talk.central.manager.scanForPeripherals(withServices: [IDs.other])
        talk.testbed.run { !talk.central.advertisements.isEmpty }
        #expect(
            talk.central.advertisements.first?[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [IDs.other]
        )
    }

    @Test("9.1 reports every add in order, and no removal")
    func adds() {
        let talk = Conversation { ball in
            let other = CBMutableService(type: IDs.other, primary: true)
            ball.manager.add(other)
            ball.manager.remove(other)
            ball.manager.add(ball.ball)
            ball.manager.add(ball.ball)
            ball.manager.removeAllServices()
            ball.manager.add(CBMutableService(type: CBUUID(string: "180F"), primary: true))
        }
        talk.testbed.run()
        #expect(
            talk.ball.calls == ["state 5", "added FFF0", "added 8E38", "added 8E38", "added 180F CBErrorDomain 8"]
        )
    }

    @Test("9.1 ignores changes after publishing")
    func immutable() throws {
        let talk = Conversation()
        talk.ball.answer.properties = [.read]
        talk.ball.answer.permissions = []
        talk.ball.ball.characteristics = []
        talk.ball.reading = "as before".octets
        let (peripheral, _, answer) = try talk.discover()
        #expect(answer.properties == [.read, .notify])
        peripheral.readValue(for: answer)
        #expect(talk.testbed.run { talk.central.values == ["as before"] })
    }

    @Test("9.2 removes only the manager's own services")
    func ownServices() throws {
        let talk = Conversation()
        let other = PeripheralApp(on: talk.ballAdapter)
        talk.testbed.run { other.manager.state == .poweredOn }
        let service = CBMutableService(type: IDs.other, primary: true)
        other.manager.add(service)
        talk.testbed.run()
        let calls = other.calls
        other.manager.remove(talk.ball.ball)
        other.manager.removeAllServices()
        talk.testbed.run()
        #expect(other.calls == calls)
        let peripheral = try talk.connect()
        peripheral.discoverServices(nil)
        talk.testbed.run { peripheral.services != nil }
        #expect(peripheral.services?.map(\.uuid) == [IDs.service])
    }

    private func characteristic(
        _ properties: CBCharacteristicProperties,
        _ permissions: CBAttributePermissions,
        _ uuid: String = "FFF1"
    ) -> CBMutableCharacteristic {
        CBMutableCharacteristic(
            type: CBUUID(string: uuid),
            properties: properties,
            value: nil,
            permissions: permissions
        )
    }

    @Test("9.5 refuses the properties broadcast and extended", arguments: [0x01, 0x80] as [UInt])
    func forbidden(bits: UInt) {
        let talk = Conversation { ball in
            ball.ball.characteristics = [
                self.characteristic(CBCharacteristicProperties(rawValue: bits | 0x02), .readable)
            ]
            ball.manager.add(ball.ball)
        }
        #expect(talk.ball.calls.last == "added 8E38 CBErrorDomain 1")
    }

    @Test("10.3 answers what the permissions forbid without the app")
    func permissions() throws {
        let readOnly = self.characteristic([.read, .write], .readable, "FFF1")
        let writeOnly = self.characteristic([.read, .write], .writeable, "FFF2")
        let talk = Conversation { ball in
            ball.ball.characteristics = [readOnly, writeOnly]
            ball.open()
        }
        let peripheral = try talk.connect()
        let remote = try #require(try peripheral.discover([IDs.service], in: talk.testbed).characteristics)
        talk.central.calls = []
        peripheral.writeValue(Data([1]), for: remote[0], type: .withResponse)
        peripheral.readValue(for: remote[1])
        peripheral.writeValue(Data(count: 300), for: remote[0], type: .withResponse)
        talk.testbed.run { talk.central.calls.count == 3 }
        #expect(
            talk.central.calls == ["wrote CBATTErrorDomain 3", "value CBATTErrorDomain 2", "wrote CBATTErrorDomain 3"]
        )
        #expect(talk.ball.requests.isEmpty)
    }

    @Test("8.3 8.1 pairs for characteristics that need an encrypted link")
    func encryption() throws {
        let secret = self.characteristic([.read, .write], [.readEncryptionRequired, .writeEncryptionRequired], "FFF1")
        let whisper = self.characteristic([.notifyEncryptionRequired], [], "FFF2")
        let talk = Conversation { ball in
            ball.ball.characteristics = [secret, whisper]
            ball.open()
        }
        let peripheral = try talk.connect()
        let remote = try #require(try peripheral.discover([IDs.service], in: talk.testbed).characteristics)
        talk.central.calls = []
        peripheral.readValue(for: remote[0])
        peripheral.writeValue(Data([1]), for: remote[0], type: .withResponse)
        peripheral.setNotifyValue(true, for: remote[1])
        talk.testbed.run { talk.central.calls.count == 3 }
        #expect(talk.central.errors.isEmpty)
        #expect(talk.ball.requests.count == 2)
        #expect(talk.ball.count("subscribed 1") == 1)
    }
}
