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
        var lengths: [Int] = []
        central.onCall = { [unowned central] call in
            // Nobody asks for an MTU: it is there when the services are.
            guard call == "connect 2" || call == "services 1" else { return }
            lengths.append(central.found[0].maximumWriteValueLength(for: .withoutResponse))
        }
        let peripheral = try central.connect(in: testbed)
        let service = try peripheral.discover([IDs.service], in: testbed)
        #expect(lengths == [20, length] && peripheral.maximumWriteValueLength(for: .withResponse) == 512)
        #expect(peripheral.description.contains("mtu = \(mtu)"))
        let (question, answer) = (try service.characteristic(IDs.question), try service.characteristic(IDs.answer))

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
}
