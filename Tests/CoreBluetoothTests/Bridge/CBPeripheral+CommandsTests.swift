import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7.6 Writes without response that cannot be sent")
struct CBPeripheralCommandsTests {
    @Test("logs the reason: too long, not connected or without capacity, in this order")
    func refusedWrites() throws {
        let talk = Conversation()
        let (peripheral, question, _) = try talk.discover()
        talk.testbed.run()
        let longest = peripheral.maximumWriteValueLength(for: .withoutResponse)
        func said(_ count: Int) -> [String] {
            logLines {
                peripheral.writeValue(Data(count: count), for: question, type: .withoutResponse)
            }.map { line -> String in
                if line.contains("are too long for a response-less write to <CBCharacteristic") { return "long" }
                if line.contains("has no capacity for further response-less writes - ignoring one; ") { return "full" }
                return line.contains("can only accept commands while in the connected state") ? "off" : line
            }
        }
        #expect(said(longest) == [] && said(longest + 1) == ["long"] && peripheral.writeWindow.count == 1)
        while peripheral.writeWindow.count < 4_096 { peripheral.writeWindow.add() }
        #expect(said(longest) == ["full"] && said(longest + 1) == ["long"])
        var none: [ByteBuffer] = []
        _ = peripheral.writeWindow.remove(1, buffers: &none)
        #expect(said(0) == [] && said(0) == ["full"] && peripheral.writeWindow.count == 4_096)
        talk.central.manager.cancelPeripheralConnection(peripheral)
        #expect(said(longest) == ["off"] && said(longest + 1) == ["long"])
    }

    @Test("loses writes beyond the window only if a test asks for that")
    func lostWrites() throws {
        let testbed = Testbed()
        let ball = testbed.ball(on: testbed.adapter("Crystal"))
        let central = testbed.central(on: testbed.adapter("Curious") { $0.losesOverrunningWrites = true })
        ball.open()
        let peripheral = try central.connect(in: testbed)
        let question = try peripheral.discover([IDs.service], in: testbed).characteristic(IDs.question)
        let lines = logLines {
            for number in 0..<TransmitWindow.size + 3 {
                #expect(peripheral.canSendWriteWithoutResponse == (number < TransmitWindow.size))
                peripheral.writeValue("\(number)".octets, for: question, type: .withoutResponse)
            }
        }
        #expect(lines.count == 3 && lines.allSatisfy { $0.contains("has no capacity") })
        testbed.run()
        #expect(ball.written == (0..<TransmitWindow.size).map { "\($0)".octets })
        #expect(central.count("ready") == 1 && peripheral.canSendWriteWithoutResponse)
    }
}
