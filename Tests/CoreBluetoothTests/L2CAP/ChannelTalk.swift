import BluetoothAir
import Fixtures
import Testbed
import Testing

@testable import CoreBluetooth

extension StreamUser {
    /// A user of a channel with another side.
    convenience init(_ channel: CBL2CAPChannel, salt: UInt8, piece: Int = 65_521) {
        self.init(channel, channel.inputStream, channel.outputStream, salt: salt, piece: piece)
    }
}

/// A central and a ball that publishes a channel.
struct ChannelTalk {
    let talk: Conversation
    let peripheral: CBPeripheral
    let psm: CBL2CAPPSM

    var testbed: Testbed { self.talk.testbed }

    init(settings: AirSettings = .instant) throws {
        let talk = Conversation(settings: settings)
        self.talk = talk
        self.peripheral = try talk.connect()
        talk.ball.manager.publishL2CAPChannel(withEncryption: false)
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

    /// Opens one more channel, whose only owners are the two users.
    func users(
        _ psm: CBL2CAPPSM? = nil,
        of other: (app: CentralApp, peripheral: CBPeripheral)? = nil,
        piece: Int = 65_521
    ) throws -> (central: StreamUser, ball: StreamUser) {
        let central = other?.app ?? self.talk.central
        var ends: (StreamUser?, StreamUser?)
        central.onChannel = { ends.0 = StreamUser($0, salt: 0x00, piece: piece) }
        self.talk.ball.onChannel = { ends.1 = StreamUser($0, salt: 0xFF, piece: piece) }
        (other?.peripheral ?? self.peripheral).openL2CAPChannel(psm ?? self.psm)
        try #require(self.testbed.run { ends.0 != nil && ends.1 != nil })
        central.onChannel = nil
        self.talk.ball.onChannel = nil
        return (try #require(ends.0), try #require(ends.1))
    }

    /// Opens one more channel with all streams open.
    func openUsers(
        _ psm: CBL2CAPPSM? = nil,
        of other: (app: CentralApp, peripheral: CBPeripheral)? = nil,
        piece: Int = 65_521
    ) throws -> (central: StreamUser, ball: StreamUser) {
        let users = try self.users(psm, of: other, piece: piece)
        users.central.open()
        users.ball.open()
        self.testbed.run(.milliseconds(1))
        return users
    }
}
