// The peripheral role seen from both ends: what is published, who may read it, and what reaches the app.

import BluetoothAir
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("9 10 11 Publishing")
struct PublishingTests {
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

    /// The remote characteristic with a UUID.
    private func remote(
        _ talk: Conversation,
        _ characteristics: [CBMutableCharacteristic]
    ) throws -> (
        CBPeripheral, [CBCharacteristic]
    ) {
        let peripheral = try talk.connect()
        let service = try peripheral.discover([IDs.service], in: talk.testbed)
        return (peripheral, try characteristics.map { try service.characteristic($0.uuid) })
    }

    @Test("9.1 every add is reported, in order, even of a service that is removed at once; removal is not reported")
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

    @Test("9.1 what is changed after publishing changes nothing for centrals")
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

    @Test("9.2 an app withdraws its own services alone")
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

    @Test("9.3 10.1 without a value the app is asked each time, and the request comes without one")
    func dynamicValue() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        var number = 0
        talk.ball.onRequests = { requests in
            #expect(requests[0].value == nil)
            #expect(requests[0].central.identifier == talk.ball.requests[0].central.identifier)
            number += 1
            requests[0].value = "\(number)".octets
            talk.ball.manager.respond(to: requests[0], withResult: .success)
        }
        for _ in 1...3 { peripheral.readValue(for: answer) }
        talk.testbed.run { talk.central.values.count == 3 }
        #expect(talk.central.values == ["1", "2", "3"])
    }

    @Test("9.4 the configuration descriptor is made by the system, the app's own are static")
    func descriptors() throws {
        let talk = Conversation { ball in
            ball.answer.descriptors = [
                CBMutableDescriptor(type: CBUUID(string: "2904"), value: Data([4, 0, 0, 0x27, 1, 0, 0])),
                CBMutableDescriptor(type: CBUUID(string: "2901"), value: nil),
            ]
            ball.open()
        }
        let (peripheral, question, answer) = try talk.discover()
        peripheral.discoverDescriptors(for: answer)
        peripheral.discoverDescriptors(for: question)
        talk.testbed.run { question.descriptors != nil }
        // One without a value is nothing to publish.
        #expect(Set(answer.descriptors?.map(\.uuid.uuidString) ?? []) == ["2902", "2904"])
        #expect(question.descriptors?.isEmpty == true)
    }

    @Test("9.5 broadcast and extended properties are refused", arguments: [0x01, 0x80] as [UInt])
    func forbidden(bits: UInt) {
        let talk = Conversation { ball in
            ball.ball.characteristics = [
                self.characteristic(CBCharacteristicProperties(rawValue: bits | 0x02), .readable)
            ]
            ball.manager.add(ball.ball)
        }
        #expect(talk.ball.calls.last == "added 8E38 CBErrorDomain 1")
    }

    @Test("10.3 what permissions forbid is answered by the system, not by the app")
    func permissions() throws {
        let readOnly = self.characteristic([.read, .write], .readable, "FFF1")
        let writeOnly = self.characteristic([.read, .write], .writeable, "FFF2")
        let talk = Conversation { ball in
            ball.ball.characteristics = [readOnly, writeOnly]
            ball.open()
        }
        let (peripheral, remote) = try self.remote(talk, [readOnly, writeOnly])
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

    @Test("8.3 8.1 what needs an encrypted link is used on one: the devices pair, and the app does not notice")
    func encryption() throws {
        let secret = self.characteristic([.read, .write], [.readEncryptionRequired, .writeEncryptionRequired], "FFF1")
        let whisper = self.characteristic([.notifyEncryptionRequired], [], "FFF2")
        let talk = Conversation { ball in
            ball.ball.characteristics = [secret, whisper]
            ball.open()
        }
        let (peripheral, remote) = try self.remote(talk, [secret, whisper])
        talk.central.calls = []
        peripheral.readValue(for: remote[0])
        peripheral.writeValue(Data([1]), for: remote[0], type: .withResponse)
        peripheral.setNotifyValue(true, for: remote[1])
        talk.testbed.run { talk.central.calls.count == 3 }
        #expect(talk.central.errors.isEmpty)
        #expect(talk.ball.requests.count == 2)
        #expect(talk.ball.count("subscribed 1") == 1)
    }

    @Test("10.1 an offset behind the value is invalidOffset")
    func offset() throws {
        let talk = Conversation()
        talk.ball.reading = Data(count: 600)
        let (peripheral, _, answer) = try talk.discover()
        // The value shrinks while it is read.
        talk.ball.onCall = { if $0 == "read 0" { talk.ball.reading = Data(count: 516) } }
        talk.ball.onRequests = { requests in
            guard requests[0].offset == 0 else {
                return talk.ball.manager.respond(to: requests[0], withResult: .invalidOffset)
            }
            requests[0].value = Data(count: 516)
            talk.ball.manager.respond(to: requests[0], withResult: .success)
        }
        peripheral.readValue(for: answer)
        #expect(talk.testbed.run { talk.central.calls.last?.hasPrefix("value") == true })
    }

    @Test("10.2 prepared writes to several characteristics arrive as one array, all or none, answered once")
    func preparedWrites() throws {
        let talk = Conversation { ball in
            ball.ball.characteristics = [
                self.characteristic([.write], .writeable, "FFF1"), self.characteristic([.write], .writeable, "FFF2"),
            ]
            ball.open()
        }
        let central = BareCentral(in: talk.testbed)
        let link = try central.connect()
        let handles = try central.valueHandles(of: IDs.service.value, on: link)
        try #require(handles.count == 2)
        talk.ball.onRequests = { requests in
            talk.ball.manager.respond(
                to: requests[0],
                withResult: talk.ball.written.count == 2 ? .success : .insufficientResources
            )
        }
        func write() -> ATTErrorCode? {
            central.perform(
                ReliableWrites([
                    AttributeValue(handle: handles[0], value: ByteBuffer(string: "first")),
                    AttributeValue(handle: handles[1], value: ByteBuffer(string: "second")),
                ]),
                on: link
            ).failure?.code
        }
        #expect(write() == nil)
        #expect(talk.ball.calls.suffix(1) == ["write 2"])
        #expect(talk.ball.written.map(\.text) == ["first", "second"])
        #expect(talk.ball.requests.map(\.characteristic.uuid.uuidString) == ["FFF1", "FFF2"])
        #expect(talk.ball.requests.map(\.offset) == [0, 0])
        #expect(write() == .insufficientResources)
        #expect(talk.ball.count("write 2") == 2)
    }

    @Test("10.4 a central that leaves unsubscribes from each characteristic; there is no callback for its coming")
    func leaving() throws {
        let talk = Conversation { ball in
            ball.ball.characteristics = [
                ball.question, ball.answer, self.characteristic([.indicate], .readable, "FFF1"),
            ]
            ball.open()
        }
        let calls = talk.ball.calls
        let (peripheral, _, answer) = try talk.discover()
        talk.testbed.run(.seconds(2))
        #expect(talk.ball.calls == calls)
        let bell = try #require(peripheral.services?[0].characteristics?.first { $0.uuid == CBUUID(string: "FFF1") })
        peripheral.setNotifyValue(true, for: answer)
        peripheral.setNotifyValue(true, for: bell)
        talk.testbed.run { bell.isNotifying }
        talk.central.manager.cancelPeripheralConnection(peripheral)
        talk.testbed.run(.seconds(1))
        #expect(talk.ball.calls.count { $0 == "subscribed 1" } == 2)
        #expect(talk.ball.calls.count { $0 == "unsubscribed 0" } == 2)
    }

    @Test("10.5 an update without capacity sends nothing at all; without subscribers it is no failure")
    func refusedUpdate() throws {
        let talk = Conversation()
        #expect(talk.ball.manager.updateValue("nobody".octets, for: talk.ball.answer, onSubscribedCentrals: nil))
        let (peripheral, _, answer) = try talk.discover()
        peripheral.setNotifyValue(true, for: answer)
        talk.testbed.run { answer.isNotifying }
        var sent = 0
        while talk.ball.manager.updateValue("\(sent)".octets, for: talk.ball.answer, onSubscribedCentrals: nil) {
            sent += 1
        }
        #expect(!talk.ball.manager.updateValue("again".octets, for: talk.ball.answer, onSubscribedCentrals: nil))
        talk.testbed.run(.seconds(1))
        #expect(talk.central.values == (0..<sent).map { "\($0)" })
        #expect(talk.ball.count("ready") == 1, "called once, however often it was refused")
        #expect(talk.ball.manager.updateValue("now".octets, for: talk.ball.answer, onSubscribedCentrals: nil))
        #expect(talk.testbed.run { talk.central.values.last == "now" })
    }

    @Test(
        "10.6 the desired latency becomes connection parameters that the central grants",
        arguments: [
            (CBPeripheralManagerConnectionLatency.low, 15...30), (.medium, 60...120), (.high, 240...480),
        ] as [(CBPeripheralManagerConnectionLatency, ClosedRange<Int>)]
    )
    func latency(_ latency: CBPeripheralManagerConnectionLatency, _ milliseconds: ClosedRange<Int>) throws {
        let testbed = Testbed(settings: .realistic)
        let source = BreakableSource(air: testbed.air)
        var intervals: [Int] = []
        source.onPacket = { packet, isFromHost in
            guard !isFromHost, case .leConnectionUpdateComplete(let event)? = try? HCIEvent(packet) else { return }
            intervals.append(Int(event.interval.timeAmount.nanoseconds / 1_000_000))
        }
        let central = CentralApp(on: source.adapter("Curious", testbed))
        let ball = PeripheralApp(on: testbed.adapter("Crystal"))
        testbed.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
        ball.open()
        central.subscribeToAnswer(services: nil)
        try #require(testbed.run { !ball.centrals.isEmpty })
        testbed.run(.seconds(1))
        ball.manager.setDesiredConnectionLatency(latency, for: ball.centrals[0])
        #expect(testbed.run { !intervals.isEmpty })
        #expect(intervals.allSatisfy(milliseconds.contains))
        #expect(central.found[0].state == .connected)
    }

    @Test("10.6 the parameters that stand for a desired latency")
    func latencyParameters() {
        func parameters(
            _ minimum: Int64,
            _ maximum: Int64,
            latency: UInt16,
            supervisionTimeout: Int64
        ) -> ConnectionParameters {
            ConnectionParameters(
                minimumInterval: ConnectionInterval(.milliseconds(minimum)),
                maximumInterval: ConnectionInterval(.milliseconds(maximum)),
                latency: latency,
                supervisionTimeout: SupervisionTimeout(.seconds(supervisionTimeout))
            )
        }
        typealias Latency = CBPeripheralManagerConnectionLatency
        #expect(Latency.low.connectionParameters == parameters(15, 30, latency: 0, supervisionTimeout: 2))
        #expect(Latency.medium.connectionParameters == parameters(60, 120, latency: 0, supervisionTimeout: 4))
        #expect(Latency.high.connectionParameters == parameters(240, 480, latency: 2, supervisionTimeout: 6))
    }

    @Test(
        "11.2 what is heard of names and services of each length",
        arguments: [
            // Name, services, what of the name is heard.
            ("Crystal", 0, "Crystal"), (String(repeating: "n", count: 26), 0, String(repeating: "n", count: 26)),
            (String(repeating: "n", count: 27), 0, String(repeating: "n", count: 10)), ("Crystals", 1, "Crystals"),
            ("Crystal__", 1, "Crystal__"), ("Crystal__10", 1, "Crystal__1"), ("Crystal__10", 2, "Crystal__1"),
            ("Crystal__10", 3, "Crystal_"),
        ]
    )
    func advertised(name: String, services: Int, heard: String) throws {
        let uuids = [IDs.service, IDs.question, IDs.answer].prefix(services)
        let talk = Conversation { $0.open(name: name, services: Array(uuids)) }
        talk.central.manager.scanForPeripherals(withServices: uuids.isEmpty ? nil : Array(uuids))
        try #require(talk.testbed.run { !talk.central.advertisements.isEmpty })
        talk.testbed.run(.seconds(1))
        let advertisement = try #require(talk.central.advertisements.last)
        #expect(advertisement[CBAdvertisementDataLocalNameKey] as? String == heard)
        let inPacket = advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        let inOverflow = advertisement[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID] ?? []
        // B6: two are sent as they are; of three, two are in the overflow area.
        #expect(inPacket == Array(uuids.prefix(services == 3 ? 1 : 2)))
        #expect(Set(inOverflow).isSuperset(of: uuids.dropFirst(inPacket.count)))
    }

    @Test("11.1 keys other than name and services are not heeded")
    func otherKeys() throws {
        let talk = Conversation { ball in
            ball.manager.startAdvertising([
                CBAdvertisementDataLocalNameKey: "Crystal", CBAdvertisementDataTxPowerLevelKey: 4,
                CBAdvertisementDataManufacturerDataKey: Data([1, 2, 3]),
            ])
        }
        #expect(talk.ball.calls.last == "advertising true")
        talk.central.manager.scanForPeripherals(withServices: nil)
        try #require(talk.testbed.run { !talk.central.advertisements.isEmpty })
        #expect(talk.central.advertisements[0][CBAdvertisementDataTxPowerLevelKey] == nil)
        #expect(talk.central.advertisements[0][CBAdvertisementDataManufacturerDataKey] == nil)
    }
}

extension GATTError {
    fileprivate var code: ATTErrorCode? {
        if case .att(let code, handle: _) = self { code } else { nil }
    }
}
