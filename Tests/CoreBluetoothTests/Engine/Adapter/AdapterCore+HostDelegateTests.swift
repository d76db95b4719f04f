import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6 10 Reports of the host")
struct AdapterCoreHostDelegateTests {
    private func code<Output>(_ result: Result<Output, GATTError>) -> ATTErrorCode? {
        guard case .failure(.att(let code, handle: _)) = result else { return nil }
        return code
    }

    @Test("10.3 refuses requests for attributes of no manager with Unlikely Error")
    func withoutOwner() throws {
        let talk = Conversation()
        talk.ball.reading = "there".octets
        let published = talk.ballAdapter.readEngine(in: talk.testbed) { core -> GATTServiceHandles? in
            let characteristic = GATTCharacteristicDefinition(
                uuid: 0xFFF1,
                properties: [.read, .write, .writeWithoutResponse],
                permissions: [.readable, .writeable]
            )
            return try? core.host.addService(GATTServiceDefinition(uuid: 0xFFF0, characteristics: [characteristic]))
        }
        let handles = try #require(published ?? nil)
        let handle = try #require(handles.characteristics.first?.value)
        let central = BareCentral(in: talk.testbed)
        let link = try central.connect()
        let own = try central.valueHandles(of: IDs.service.value, on: link)
        try #require(own.count == 2)
        #expect(self.code(central.perform(ReadValue(handle), on: link)) == .unlikelyError)
        #expect(self.code(central.perform(WriteValue(ByteBuffer(string: "?"), to: handle), on: link)) == .unlikelyError)
        central.host.writeWithoutResponse(ByteBuffer(string: "?"), to: handle, on: link)
        talk.testbed.run(.milliseconds(100))
        #expect(talk.ball.requests.isEmpty && talk.ball.written.isEmpty)
        // The manager's own attributes are at hand on the same link.
        #expect(try central.perform(ReadValue(own[1]), on: link).get() == ByteBuffer(string: "there"))
        #expect(self.code(central.perform(WriteValue(ByteBuffer(string: "?"), to: own[0]), on: link)) == nil)
        #expect(talk.ball.written == ["?".octets])
    }

    @Test("6.5 reports peripheralDisconnected for a link that the host ends by itself", arguments: [false, true])
    func endedByHost(reconnects: Bool) throws {
        let talk = Conversation()
        let options: [String: Any] = [CBConnectPeripheralOptionEnableAutoReconnect: NSNumber(value: reconnects)]
        let peripheral = try talk.connect(options: options)
        talk.testbed.run(.seconds(3))
        talk.centralAdapter.changeEngine(in: talk.testbed) { core in
            if let link = core.host.links.first { core.host.disconnect(link.id) }
        }
        talk.testbed.run(.seconds(3))
        let end = talk.central.calls.first { $0.hasPrefix("disconnect") }
        #expect(end == "disconnect \(reconnects ? 1 : 0) CBErrorDomain 7")
        #expect(talk.central.count("connect 2") == (reconnects ? 2 : 1))
        #expect(peripheral.state == (reconnects ? .connected : .disconnected))
    }
}
