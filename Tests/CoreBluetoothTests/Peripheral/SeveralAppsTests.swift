// Several managers on one adapter and one link.

import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("10 Several managers on one link")
struct SeveralAppsTests {
    /// A second peripheral manager on the ball's adapter, which publishes a service of its own.
    private func publish(
        _ characteristic: (PeripheralApp) -> CBMutableCharacteristic,
        on talk: Conversation
    ) -> PeripheralApp {
        let other = talk.testbed.ball(on: talk.ballAdapter)
        let service = CBMutableService(type: IDs.other, primary: true)
        service.characteristics = [characteristic(other)]
        other.manager.add(service)
        talk.testbed.run()
        return other
    }

    @Test("10.2 refuses prepared writes to the services of two managers as a whole")
    func preparedWrites() throws {
        let talk = Conversation()
        let other = self.publish({ $0.question }, on: talk)
        let central = BareCentral(in: talk.testbed)
        let link = try central.connect()
        let first = try #require(try central.valueHandles(of: IDs.service.value, on: link).first)
        let second = try #require(try central.valueHandles(of: IDs.other.value, on: link).first)
        try #require(first != second)
        func write(_ handles: AttributeHandle...) -> ATTErrorCode? {
            let values = handles.map { AttributeValue(handle: $0, value: ByteBuffer(string: "value of \($0)")) }
            let result = central.perform(ReliableWrites(values), on: link)
            guard case .failure(.att(let code, handle: _)) = result else { return nil }
            return code
        }
        #expect(write(first, second) == .unlikelyError)
        #expect(write(second, first) == .unlikelyError)
        #expect(talk.ball.requests.isEmpty && other.requests.isEmpty)
        #expect(write(second) == nil && write(first) == nil)
        #expect(talk.ball.written.map(\.text) == ["value of \(first)"])
        #expect(other.written.map(\.text) == ["value of \(second)"])
    }

    @Test("10.5 tells only the manager whose updates have left that it can go on")
    func updates() throws {
        let talk = Conversation()
        let other = self.publish({ $0.answer }, on: talk)
        let peripheral = try talk.connect()
        peripheral.discoverServices(nil)
        try #require(talk.testbed.run { peripheral.services?.count == 2 })
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics([IDs.answer], for: service)
            try #require(talk.testbed.run { service.characteristics?.count == 1 })
            let answer = try service.characteristic(IDs.answer)
            try peripheral.subscribe(to: answer, in: talk.testbed)
        }
        #expect(talk.ball.count("subscribed 1") == 1 && other.count("subscribed 1") == 1)
        for (app, bystander) in [(talk.ball, other), (other, talk.ball)] {
            let counts = (app.count("ready"), bystander.count("ready"))
            talk.central.values = []
            var sent = 0
            while app.manager.updateValue("\(sent)".octets, for: app.answer, onSubscribedCentrals: nil) { sent += 1 }
            #expect(sent == TransmitWindow.size)
            let isSent = bystander.manager.updateValue("x".octets, for: bystander.answer, onSubscribedCentrals: nil)
            #expect(isSent)
            talk.testbed.run()
            #expect(app.count("ready") == counts.0 + 1 && bystander.count("ready") == counts.1)
            #expect(talk.central.values.filter { $0 != "x" } == (0..<sent).map { "\($0)" })
            #expect(talk.central.values.count == sent + 1)
        }
    }

    @Test("7.6 7.7 tells each central manager when its own writes have left")
    func writes() throws {
        let talk = Conversation()
        let (peripheral, question, _) = try talk.discover()
        let (other, same) = try talk.otherApp(connectedTo: peripheral)
        #expect(same.maximumWriteValueLength(for: .withoutResponse) == 512)
        let sameQuestion = try same.discover([IDs.service], in: talk.testbed).characteristic(IDs.question)
        for (index, (target, characteristic)) in [(peripheral, question), (same, sameQuestion)].enumerated() {
            talk.ball.written = []
            var sent = 0
            while target.canSendWriteWithoutResponse {
                target.writeValue("\(sent)".octets, for: characteristic, type: .withoutResponse)
                sent += 1
            }
            #expect(sent == TransmitWindow.size)
            #expect((index == 0 ? same : peripheral).canSendWriteWithoutResponse)
            talk.testbed.run()
            #expect(talk.ball.written.map(\.text) == (0..<sent).map { "\($0)" })
            #expect(talk.central.count("ready") == 1 && other.count("ready") == index)
            #expect(target.canSendWriteWithoutResponse && target.writeWindow.count == 0)
        }
    }
}
