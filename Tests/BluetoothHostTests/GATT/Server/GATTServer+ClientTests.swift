import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: client")
struct GATTServerClientTests {
    @Test("counts the requests to the application of each link from 1 on, and begins anew behind the largest number")
    func requests() {
        var client = GATTServer.Client()
        let link = LinkID(rawValue: 2)
        let (first, second) = (client.nextRequestID(on: link), client.nextRequestID(on: link))
        #expect(first.rawValue == 0x0000_0002_0000_0001 && second.rawValue == 0x0000_0002_0000_0002)
        #expect(second.link == link && second.sequence == 2)
        client.sequence = .max
        let third = client.nextRequestID(on: link)
        #expect(third.rawValue == 0x0000_0002_0000_0000)
    }

    @Test("finds a subscription, or its place in the order of the handles")
    func subscriptions() {
        var client = GATTServer.Client()
        for (handle, bits) in [(0x10, 1), (0x20, 2), (0x30, 3)] as [(AttributeHandle, UInt8)] {
            client.subscriptions.append(.init(characteristic: handle, bits: bits, security: .none))
        }
        let handles: [AttributeHandle] = [0x01, 0x10, 0x11, 0x20, 0x21, 0x30, 0x31]
        #expect(handles.map { client.place(ofSubscription: $0).index } == [0, 0, 1, 1, 2, 2, 3])
        #expect(handles.map { client.configuration(of: $0) } == [0, 1, 0, 2, 0, 3, 0])
    }
}
