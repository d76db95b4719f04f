// L2CAP channels through the façade, both roles in virtual time: publishing, opening, what a channel is, and everything
// that ends one.

import BluetoothAir
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("12 L2CAP channels")
struct ChannelTests {
    // MARK: Publishing

    @Test("12.1 the system picks a PSM of the dynamic range, another each time, and says so")
    func publishing() throws {
        let talk = Conversation()
        talk.ball.manager.publishL2CAPChannel(withEncryption: false)
        talk.ball.manager.publishL2CAPChannel(withEncryption: true)
        talk.testbed.run(.milliseconds(1))
        #expect(talk.ball.psms == [0x00C0, 0x00C1])
        #expect(talk.ball.calls.suffix(2) == ["published 192", "published 193"])
        talk.ball.manager.unpublishL2CAPChannel(0x00C0)
        talk.ball.manager.publishL2CAPChannel(withEncryption: false)
        talk.testbed.run(.milliseconds(1))
        #expect(talk.ball.calls.suffix(2) == ["unpublished 192", "published 194"])
    }

    @Test("12.1 where all PSMs are given out, publishing fails")
    func allPublished() throws {
        let talk = Conversation()
        for _ in 0..<129 { talk.ball.manager.publishL2CAPChannel(withEncryption: false) }
        talk.testbed.run(.milliseconds(1))
        #expect(Set(talk.ball.psms) == Set(0x80...0xFF))
        #expect(talk.ball.calls.last == "published 0 CBErrorDomain 4")
        talk.ball.manager.unpublishL2CAPChannel(0x90)
        talk.ball.manager.publishL2CAPChannel(withEncryption: false)
        talk.testbed.run(.milliseconds(1))
        #expect(talk.ball.psms.last == 0x90)
    }

    @Test("12.1 what was not published cannot be withdrawn")
    func unpublishingUnknown() {
        let talk = Conversation()
        talk.ball.manager.unpublishL2CAPChannel(0xC0)
        talk.testbed.run(.milliseconds(1))
        #expect(talk.ball.calls.last == "unpublished 192 CBErrorDomain 1")
    }

    @Test("12.1 unpublishing refuses new channels and closes those that are open, here and at the peer")
    func unpublishing() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.openUsers()
        ball.write(100)
        talk.talk.ball.manager.unpublishL2CAPChannel(talk.psm)
        talk.testbed.run()
        #expect(talk.talk.ball.calls.last == "unpublished \(talk.psm)")
        #expect(ball.inputEvents.last == .endEncountered && ball.outputEvents.last == .endEncountered)
        // What was written before still came.
        #expect(central.received == 100 && central.isUnchanged)
        #expect(central.inputEvents.last == .endEncountered && central.outputEvents.last == .endEncountered)
        talk.peripheral.openL2CAPChannel(talk.psm)
        talk.testbed.run()
        #expect(talk.talk.central.calls.last == "channel CBErrorDomain 13")
        #expect(talk.peripheral.state == .connected)
    }

    @Test("12.1 a PSM outlives being switched off, and the manager's end withdraws it")
    func power() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.openUsers()
        talk.talk.ballAdapter.setPowered(false)
        talk.testbed.run(.seconds(8))
        #expect(ball.inputEvents.last == .endEncountered && ball.output.streamStatus == .atEnd)
        #expect(central.inputEvents.last == .endEncountered && central.output.streamStatus == .atEnd)
        #expect(talk.peripheral.state == .disconnected)
        talk.talk.ballAdapter.setPowered(true)
        talk.testbed.run { talk.talk.ball.manager.state == .poweredOn }
        talk.talk.ball.advertise(name: "Crystal")
        talk.talk.central.manager.connect(talk.peripheral)
        try #require(talk.testbed.run { talk.peripheral.state == .connected })
        let (_, again) = try talk.openUsers()
        talk.talk.ball.end()
        talk.testbed.run()
        #expect(again.inputEvents.last == .endEncountered)
        talk.peripheral.openL2CAPChannel(talk.psm)
        talk.testbed.run()
        #expect(talk.talk.central.calls.last == "channel CBErrorDomain 13")
    }

    @Test("12.1 commands of a manager that is not powered on are misuse")
    func misuse() {
        let talk = Conversation()
        talk.ballAdapter.setPowered(false)
        talk.testbed.run()
        let lines = CapturedLog()
        lines.capture {
            talk.ball.manager.publishL2CAPChannel(withEncryption: false)
            talk.ball.manager.unpublishL2CAPChannel(0xC0)
        }
        #expect(lines.all.count { $0.hasSuffix("can only accept this command while in the powered on state") } == 2)
    }

    // MARK: Opening

    @Test("12.2 a channel describes itself by its peer and its PSM")
    func description() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.open()
        for channel in [central, ball] {
            let peer = try #require(channel.peer)
            #expect(
                channel.description.hasSuffix(", peer = \(peer.identifier.uuidString), psm = \(talk.psm)>")
            )
        }
        #expect(central.description.hasPrefix("<CBL2CAPChannel: 0x"))
    }

    @Test("12.2 both sides are given the channel, with peer, PSM and unopened streams")
    func opening() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.open()
        #expect(talk.talk.central.calls.last == "channel \(talk.psm)")
        #expect(talk.talk.ball.calls.last == "channel \(talk.psm)")
        #expect(central.psm == talk.psm && ball.psm == talk.psm)
        #expect(central.peer === talk.peripheral)
        #expect(ball.peer is CBCentral)
        for channel in [central, ball] {
            #expect(channel.inputStream.streamStatus == .notOpen && channel.outputStream.streamStatus == .notOpen)
            #expect(channel.inputStream === channel.inputStream && channel.outputStream === channel.outputStream)
        }
    }

    @Test("12.2 a central that subscribed is the same object as the channel's peer")
    func sameCentral() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        peripheral.setNotifyValue(true, for: answer)
        talk.testbed.run { !talk.ball.centrals.isEmpty }
        talk.ball.manager.publishL2CAPChannel(withEncryption: false)
        talk.testbed.run { !talk.ball.psms.isEmpty }
        peripheral.openL2CAPChannel(try #require(talk.ball.psms.first))
        try #require(talk.testbed.run { !talk.ball.channels.isEmpty })
        #expect(talk.ball.channels[0].peer === talk.ball.centrals[0])
    }

    @Test("12.2 a PSM out of range is an invalid parameter", arguments: [0, 1, 0x25, 0x7F, 0x100, 0xFFFF])
    func range(psm: CBL2CAPPSM) throws {
        let talk = try ChannelTalk()
        talk.peripheral.openL2CAPChannel(psm)
        talk.testbed.run()
        #expect(talk.talk.central.calls.last == "channel CBErrorDomain 1")
    }

    @Test("12.2 several are opened one after the other, each with its callback in the order of the calls")
    func order() throws {
        let talk = try ChannelTalk()
        for psm in [talk.psm, 5, 0xFF, talk.psm] { talk.peripheral.openL2CAPChannel(psm) }
        talk.testbed.run()
        #expect(
            talk.talk.central.calls.suffix(4) == [
                "channel \(talk.psm)", "channel CBErrorDomain 1", "channel CBErrorDomain 13", "channel \(talk.psm)",
            ]
        )
    }

    @Test("2 opening a channel while not connected is misuse")
    func notConnected() throws {
        let talk = try ChannelTalk()
        talk.talk.central.manager.cancelPeripheralConnection(talk.peripheral)
        talk.testbed.run()
        let lines = CapturedLog()
        lines.capture { talk.peripheral.openL2CAPChannel(talk.psm) }
        talk.testbed.run()
        #expect(lines.all.last?.hasSuffix("can only accept commands while in the connected state") == true)
        #expect(talk.talk.central.calls.last?.hasPrefix("channel") == false)
    }

    @Test("12.2 an app that demands encryption gets it: the devices pair, and the channel is opened then")
    func encryption() throws {
        let talk = try ChannelTalk(withEncryption: true)
        talk.peripheral.openL2CAPChannel(talk.psm)
        talk.testbed.run()
        #expect(talk.talk.central.calls.last == "channel \(talk.psm)")
        #expect(talk.talk.ball.calls.contains("channel \(talk.psm)"))
    }

    @Test("12.2 two apps of one device have PSMs of their own")
    func twoApps() throws {
        let talk = try ChannelTalk()
        let other = PeripheralApp(on: talk.talk.ballAdapter)
        talk.testbed.run { other.manager.state == .poweredOn }
        other.manager.publishL2CAPChannel(withEncryption: false)
        try #require(talk.testbed.run { !other.psms.isEmpty })
        talk.peripheral.openL2CAPChannel(other.psms[0])
        try #require(talk.testbed.run { !other.channels.isEmpty })
        #expect(talk.talk.ball.channels.isEmpty)
        talk.talk.ball.manager.unpublishL2CAPChannel(other.psms[0])
        talk.testbed.run()
        #expect(talk.talk.ball.calls.last == "unpublished \(other.psms[0]) CBErrorDomain 1")
        talk.peripheral.openL2CAPChannel(other.psms[0])
        #expect(talk.testbed.run { other.channels.count == 2 })
    }

    // MARK: Ends

    @Test("12.3 the peer's close is the end after everything was read")
    func peerCloses() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.openUsers()
        ball.reads = false
        central.write(3000)
        talk.testbed.run(.milliseconds(1))
        central.close()
        talk.testbed.run()
        #expect(central.input.streamStatus == .closed && central.output.streamStatus == .closed)
        #expect(ball.inputEvents == [.openCompleted, .hasBytesAvailable])
        #expect(ball.input.streamStatus == .open && ball.output.streamStatus == .atEnd)
        #expect(ball.outputEvents == [.openCompleted, .hasSpaceAvailable, .endEncountered])
        ball.read(atMost: 1000)
        talk.testbed.run(.milliseconds(1))
        #expect(ball.inputEvents.last == .hasBytesAvailable)
        ball.read()
        talk.testbed.run(.milliseconds(1))
        #expect(ball.received == 3000 && ball.isUnchanged)
        #expect(ball.inputEvents.last == .endEncountered)
        #expect(ball.inputEvents.count { $0 == .endEncountered } == 1)
        #expect(ball.input.streamStatus == .atEnd && !ball.input.hasBytesAvailable)
        var octet: UInt8 = 0
        #expect(ball.input.read(&octet, maxLength: 1) == 0)
        // Writing behind the end is an error.
        #expect(ball.output.write(&octet, maxLength: 1) == -1)
        #expect((ball.output.streamError as? POSIXError)?.code == .EPIPE)
        talk.testbed.run(.milliseconds(1))
        #expect(ball.outputEvents.last == .errorOccurred && ball.output.streamStatus == .error)
    }

    @Test("12.3 what was written before the close arrives, however much that is")
    func drain() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.openUsers()
        central.write(190_000)
        let written = central.written
        central.close()
        talk.testbed.run()
        #expect(written > 100_000)
        #expect(ball.received == written && ball.isUnchanged && ball.inputEvents.last == .endEncountered)
    }

    @Test("12.3 letting the channel go closes it, and says so when it was in use")
    func release() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.openUsers()
        central.write(500)
        weak let channel = central.channel
        let lines = CapturedLog()
        lines.capture {
            central.channel = nil
            talk.testbed.run()
        }
        #expect(channel == nil)
        #expect(ball.received == 500 && ball.inputEvents.last == .endEncountered)
        #expect(central.input.streamStatus == .atEnd && central.output.streamStatus == .atEnd)
        #expect(lines.all == ["[CoreBluetooth] No known channel matching peer \(talk.peripheral) with psm \(talk.psm)"])
    }

    @Test("12.3 a channel that the app ignores closes at once")
    func ignored() throws {
        let talk = try ChannelTalk()
        talk.talk.ball.onChannel = { _ in }
        talk.peripheral.openL2CAPChannel(talk.psm)
        let lines = CapturedLog()
        lines.capture { _ = talk.testbed.run { !talk.talk.central.channels.isEmpty } }
        let user = StreamUser(talk.talk.central.channels[0], salt: 0)
        user.open()
        lines.capture { talk.testbed.run() }
        #expect(user.inputEvents.last == .endEncountered)
        #expect(lines.all.contains { $0.hasPrefix("[CoreBluetooth] No known channel matching peer <CBCentral") })
    }

    @Test("12.3 closing both streams closes the channel without a log line")
    func close() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.openUsers()
        let lines = CapturedLog()
        lines.capture {
            central.input.close()
            talk.testbed.run()
            #expect(ball.outputEvents.last == .hasSpaceAvailable)
            central.output.close()
            talk.testbed.run()
            #expect(ball.outputEvents.last == .endEncountered)
            central.channel = nil
            talk.testbed.run()
        }
        #expect(lines.all.isEmpty)
    }

    @Test(
        "12.3 the connection's end is the channels' end",
        arguments: ["cancel", "severed", "central off", "released"]
    )
    func linkEnds(how: String) throws {
        var talk: ChannelTalk? = try ChannelTalk()
        let testbed = try #require(talk?.testbed)
        let (central, ball) = try #require(try talk?.openUsers())
        ball.write(700)
        testbed.run(.milliseconds(1))
        switch how {
        case "cancel": talk.map { $0.talk.central.manager.cancelPeripheralConnection($0.peripheral) }
        case "severed": testbed.air.setLoss(1)
        case "central off": talk?.talk.centralAdapter.setPowered(false)
        default:
            talk?.talk.central.end()
        }
        testbed.run(.seconds(8))
        #expect(central.received == 700 && central.isUnchanged)
        for user in [central, ball] {
            #expect(user.inputEvents.last == .endEncountered && user.outputEvents.last == .endEncountered)
        }
        talk = nil
    }

    @Test("12.3 an app that cancels its connection loses its channels, where the link stays for another app")
    func sharedLink() throws {
        let talk = try ChannelTalk()
        let other = CentralApp(on: talk.talk.centralAdapter)
        talk.testbed.run { other.manager.state == .poweredOn }
        let same = try #require(
            other.manager.retrievePeripherals(withIdentifiers: [talk.peripheral.identifier]).first
        )
        other.connect(same, in: talk.testbed)
        let (central, ball) = try talk.openUsers()
        // The other app has a channel of its own, which stays.
        var ends: (StreamUser?, StreamUser?)
        other.onChannel = { ends.0 = StreamUser($0, salt: 0x00, piece: 65_521) }
        talk.talk.ball.onChannel = { ends.1 = StreamUser($0, salt: 0xFF, piece: 65_521) }
        same.delegate = other
        same.openL2CAPChannel(talk.psm)
        try #require(talk.testbed.run { ends.0 != nil && ends.1 != nil })
        let (kept, itsPeer) = (try #require(ends.0), try #require(ends.1))
        kept.open()
        itsPeer.open()
        talk.testbed.run(.milliseconds(1))
        talk.talk.central.manager.cancelPeripheralConnection(talk.peripheral)
        talk.testbed.run()
        #expect(central.inputEvents.last == .endEncountered && ball.inputEvents.last == .endEncountered)
        #expect(same.state == .connected)
        #expect(!kept.inputEvents.contains(.endEncountered) && !itsPeer.inputEvents.contains(.endEncountered))
        itsPeer.write(10)
        kept.write(20)
        talk.testbed.run()
        #expect(kept.received == 10 && itsPeer.received == 20)
    }

    @Test("an app's own channel has no ends")
    func ownChannel() {
        let channel = CBL2CAPChannel()
        #expect(channel.peer == nil && channel.inputStream == nil && channel.outputStream == nil && channel.psm == 0)
    }
}
