// A central and a ball with an open channel between them: the beginning of most tests of channels.

import BluetoothAir
import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

struct ChannelTalk {
    let talk: Conversation
    let peripheral: CBPeripheral
    let psm: CBL2CAPPSM

    var testbed: Testbed { self.talk.testbed }

    /// Connects, and publishes a channel.
    init(settings: AirSettings = .instant, withEncryption: Bool = false, seed: UInt64 = 1) throws {
        let talk = Conversation(settings: settings, seed: seed)
        self.talk = talk
        self.peripheral = try talk.connect()
        talk.ball.manager.publishL2CAPChannel(withEncryption: withEncryption)
        try #require(talk.testbed.run { !talk.ball.psms.isEmpty })
        self.psm = talk.ball.psms[0]
    }

    /// Opens one more channel; both ends of it.
    func open() throws -> (central: CBL2CAPChannel, ball: CBL2CAPChannel) {
        let count = self.talk.central.channels.count
        self.peripheral.openL2CAPChannel(self.psm)
        try #require(
            self.testbed.run { self.talk.central.channels.count > count && self.talk.ball.channels.count > count }
        )
        return (self.talk.central.channels[count], self.talk.ball.channels[count])
    }

    /// Opens one more channel, whose only owners are the two users that come back.
    func users(piece: Int = 65_521) throws -> (central: StreamUser, ball: StreamUser) {
        var ends: (StreamUser?, StreamUser?)
        self.talk.central.onChannel = { ends.0 = StreamUser($0, salt: 0x00, piece: piece) }
        self.talk.ball.onChannel = { ends.1 = StreamUser($0, salt: 0xFF, piece: piece) }
        self.peripheral.openL2CAPChannel(self.psm)
        try #require(self.testbed.run { ends.0 != nil && ends.1 != nil })
        self.talk.central.onChannel = nil
        self.talk.ball.onChannel = nil
        return (try #require(ends.0), try #require(ends.1))
    }

    /// Opens one more channel with all streams open.
    func openUsers(piece: Int = 65_521) throws -> (central: StreamUser, ball: StreamUser) {
        let users = try self.users(piece: piece)
        users.central.open()
        users.ball.open()
        self.testbed.run(.milliseconds(1))
        return users
    }
}
