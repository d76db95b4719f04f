import Fixtures
import Testing

@testable import BluetoothHost

@Suite("Host: identifiers of channels")
struct ChannelTableTests {
    private static let listener = CreditBasedChannels.Listener(
        configuration: L2CAPChannelConfiguration(),
        security: .none
    )

    @Test func `Dynamic SPSMs are assigned in turn, until every one is in use`() throws {
        var channels = ChannelTable()
        #expect(try channels.listen(on: nil, from: 0xFE, Self.listener) == 0xFE)
        #expect(try channels.listen(on: nil, from: 0xFE, Self.listener) == 0xFF)
        #expect(try channels.listen(on: 0x81, from: 0xFE, Self.listener) == 0x81)
        #expect(try channels.listen(on: nil, from: 0xFE, Self.listener) == 0x80)
        channels.stopListening(on: 0xFE)
        #expect(try channels.listen(on: nil, from: 0xFE, Self.listener) == 0x82)
        #expect(channels.listeners.keys.sorted() == [0x80, 0x81, 0x82, 0xFF])
        for _ in 4..<128 { _ = try channels.listen(on: nil, from: 0xFE, Self.listener) }
        #expect(throws: L2CAPListenError.inUse) { try channels.listen(on: nil, from: 0xFE, Self.listener) }
        #expect(try channels.listen(on: 0x25, from: 0xFE, Self.listener) == 0x25)
    }

    @Test func `An SPSM outside of the valid range, or in use, is refused`() throws {
        var channels = ChannelTable()
        #expect(try channels.listen(on: 0x25, from: 0x80, Self.listener) == 0x25)
        #expect(throws: L2CAPListenError.inUse) { try channels.listen(on: 0x25, from: 0x80, Self.listener) }
        #expect(throws: L2CAPListenError.invalidSPSM) { try channels.listen(on: 0, from: 0x80, Self.listener) }
        #expect(throws: L2CAPListenError.invalidSPSM) { try channels.listen(on: 0x100, from: 0x80, Self.listener) }
        #expect(channels.listeners.count == 1)
    }
}
