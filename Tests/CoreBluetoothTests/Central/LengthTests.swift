import BluetoothAir
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7.5 7.6 7.7 10.5 Lengths and capacity")
struct LengthTests {
    @Test(
        "7.7 10.5 limits writes without response and cuts updates by the MTU",
        arguments: [(23, 20), (185, 182), (247, 244), (517, 512)]
    )
    func lengths(mtu: Int, length: Int) throws {
        let testbed = Testbed()
        let ball = PeripheralApp(
            on: BluetoothAdapter(air: testbed.air, configuration: .init(identity: "Crystal", preferredMTU: mtu))
        )
        let central = CentralApp(on: testbed.adapter("Curious"))
        testbed.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
        ball.open()
        var atConnection: Int?
        central.onCall = { [unowned central] call in
            if call == "connect 2" {
                atConnection = central.found[0].maximumWriteValueLength(for: .withoutResponse)
                central.found[0].discoverServices([IDs.service])
            }
            if call == "services 1" {
                // Nobody asks for an MTU: it is there when the services are.
                #expect(central.found[0].maximumWriteValueLength(for: .withoutResponse) == length)
                central.found[0].discoverCharacteristics(nil, for: central.found[0].services![0])
            }
        }
        central.manager.scanForPeripherals(withServices: nil)
        try #require(testbed.run { !central.found.isEmpty })
        central.manager.stopScan()
        let peripheral = central.found[0]
        central.manager.connect(peripheral)
        try #require(testbed.run { peripheral.services?.first?.characteristics?.count == 2 })
        #expect(atConnection == 20)
        #expect(peripheral.maximumWriteValueLength(for: .withResponse) == 512)
        #expect(peripheral.description.contains("mtu = \(mtu)"))
        let question = try #require(peripheral.services?[0].characteristics?[0])
        let answer = try #require(peripheral.services?[0].characteristics?[1])

        let longest = Data((0..<length).map { UInt8(truncatingIfNeeded: $0) })
        peripheral.writeValue(longest, for: question, type: .withoutResponse)
        let lines = CapturedLog()
        lines.capture { peripheral.writeValue(longest + [0], for: question, type: .withoutResponse) }
        #expect(lines.all.count == 1)
        peripheral.writeValue(Data(count: 512), for: question, type: .withResponse)
        try #require(testbed.run { central.count("wrote") == 1 })
        #expect(ball.written == [longest, Data(count: 512)])

        peripheral.setNotifyValue(true, for: answer)
        try #require(testbed.run { answer.isNotifying })
        let subscriber = try #require(ball.centrals.first)
        #expect(subscriber.maximumUpdateValueLength == length)
        #expect(ball.manager.updateValue(longest, for: ball.answer, onSubscribedCentrals: nil))
        try #require(testbed.run { answer.value != nil })
        #expect(answer.value == longest)
        #expect(ball.manager.updateValue(longest + Data(count: 100), for: ball.answer, onSubscribedCentrals: nil))
        testbed.run { central.values.count == 2 }
        #expect(answer.value?.count == length)
    }

    @Test("7.5 copies the data of a write")
    func copied() throws {
        let talk = Conversation()
        let (peripheral, question, _) = try talk.discover()
        var data = Data(repeating: 1, count: 300)
        peripheral.writeValue(data, for: question, type: .withResponse)
        data[0] = 2
        peripheral.writeValue(data, for: question, type: .withoutResponse)
        data.removeAll()
        talk.testbed.run { talk.ball.written.count == 2 }
        #expect(talk.ball.written.map(\.first).sorted { ($0 ?? 0) < ($1 ?? 0) } == [1, 2])
        #expect(talk.ball.written.allSatisfy { $0.count == 300 })
    }

    @Test("7.6 loses nothing on an air that loses one packet in ten if the app heeds canSendWriteWithoutResponse")
    func lossy() throws {
        let talk = Conversation(settings: AirSettings(hasAirTime: true, loss: 0.1), seed: 3)
        let (peripheral, question, _) = try talk.discover()
        var next = 0
        func send() {
            while next < 500, peripheral.canSendWriteWithoutResponse {
                peripheral.writeValue("\(next)".octets, for: question, type: .withoutResponse)
                next += 1
            }
        }
        talk.central.onCall = { if $0 == "ready" { send() } }
        send()
        #expect(talk.testbed.run(until: { talk.ball.written.count == 500 }, within: .seconds(120)))
        #expect(talk.ball.written == (0..<500).map { "\($0)".octets })
    }

    @Test("7.6 queues 4096 writes without capacity, then drops and logs them")
    func withoutCapacity() throws {
        let talk = Conversation()
        let (peripheral, question, _) = try talk.discover()
        let lines = CapturedLog()
        lines.capture {
            for number in 0..<4100 { peripheral.writeValue("\(number)".octets, for: question, type: .withoutResponse) }
        }
        #expect(lines.all.count == 4)
        #expect(lines.all.allSatisfy { $0.contains("has no capacity for further response-less writes") })
        talk.testbed.run { talk.ball.written.count == 4096 }
        #expect(talk.ball.written.count == 4096)
    }
}
