import Fixtures
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("12.2 Channels of one app's connection")
struct PeripheralConnectionChannelsTests {
    @Test("closes a channel that is being opened when its app cancels, on a link that stays")
    func cancelled() throws {
        let talk = try ChannelTalk()
        let (other, same) = try talk.talk.otherApp(connectedTo: talk.peripheral)
        talk.testbed.run(.seconds(3))
        talk.peripheral.openL2CAPChannel(talk.psm)
        talk.peripheral.openL2CAPChannel(talk.psm)
        talk.talk.central.manager.cancelPeripheralConnection(talk.peripheral)
        talk.testbed.run(.seconds(1))
        #expect(talk.peripheral.state == .disconnected && same.state == .connected)
        #expect(talk.talk.central.channels.isEmpty)
        #expect(!talk.talk.central.calls.contains { $0.hasPrefix("channel") })
        // The peer has accepted the first one; the second was not requested.
        #expect(talk.talk.ball.channels.count == 1)
        let channel = try #require(talk.talk.ball.channels.first)
        let user = StreamUser(channel, salt: 0xFF)
        user.open()
        talk.testbed.run()
        #expect(user.inputEvents.last == .endEncountered)
        same.openL2CAPChannel(talk.psm)
        #expect(talk.testbed.run { other.channels.count == 1 && talk.talk.ball.channels.count == 2 })
        let next = StreamUser(talk.talk.ball.channels[1], salt: 0xFF)
        next.open()
        talk.testbed.run()
        #expect(next.inputEvents.last != .endEncountered)
    }
}
