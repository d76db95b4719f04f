import BluetoothAir
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("9 Database")
struct DatabaseTests {
    @Test("9.1 didAdd follows add")
    func add() {
        let talk = Conversation()
        #expect(talk.ball.calls == ["state 5", "added 8E38", "advertising true"])
    }

    @Test("9.2 an included service has to be published first")
    func includedFirst() {
        let talk = Conversation { ball in
            ball.ball.includedServices = [CBMutableService(type: IDs.other, primary: false)]
            ball.manager.add(ball.ball)
        }
        #expect(talk.ball.calls.last == "added 8E38 CBErrorDomain 1")
    }

    @Test("9.3 a static value is read without the app")
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

    @Test("9.5 properties that an app may not use")
    func forbiddenProperties() {
        let talk = Conversation { ball in
            ball.answer.properties = [.read, .broadcast]
            ball.manager.add(ball.ball)
        }
        #expect(talk.ball.calls.last == "added 8E38 CBErrorDomain 1")
    }

    @Test("9.6 services of the system are refused", arguments: ["1800", "1801", "1805", "180A", "180F", "1812"])
    func reserved(uuid: String) {
        let talk = Conversation { $0.manager.add(CBMutableService(type: CBUUID(string: uuid), primary: true)) }
        #expect(talk.ball.calls.last == "added \(uuid) CBErrorDomain 8")
        #expect((talk.ball.errors.last as? CBError)?.code == .uuidNotAllowed)
    }

    @Test("9.6 B7 an adapter can permit those of them that Linux does not serve itself")
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

    @Test("9.2 removed services are gone for centrals")
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

    @Test("a service that is added twice is there once")
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

    @Test("a value of more than 512 octets cannot be published")
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

    @Test("several managers publish on one adapter, and each gets its own requests")
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
}
