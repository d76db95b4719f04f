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
        let ball = testbed.ball(on: testbed.adapter("Crystal", mtu: mtu))
        let central = testbed.central(on: testbed.adapter("Curious"))
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
        #expect(logLines { peripheral.writeValue(longest + [0], for: question, type: .withoutResponse) }.count == 1)
        peripheral.writeValue(Data(count: 512), for: question, type: .withResponse)
        try #require(testbed.run { central.count("wrote") == 1 })
        #expect(ball.written == [longest, Data(count: 512)])

        try peripheral.subscribe(to: answer, in: testbed)
        let subscriber = try #require(ball.centrals.first)
        #expect(subscriber.maximumUpdateValueLength == length)
        #expect(ball.manager.updateValue(longest, for: ball.answer, onSubscribedCentrals: nil))
        try #require(testbed.run { answer.value != nil })
        #expect(answer.value == longest)
        #expect(ball.manager.updateValue(longest + Data(count: 100), for: ball.answer, onSubscribedCentrals: nil))
        testbed.run { central.values.count == 2 }
        #expect(answer.value?.count == length)
    }
}
