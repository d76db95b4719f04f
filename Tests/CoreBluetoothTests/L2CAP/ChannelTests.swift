import Fixtures
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("12 L2CAP channels")
struct ChannelTests {
    // MARK: Publishing

    @Test("12.1 publishes another PSM of the dynamic range each time, until all are given out")
    func publishing() {
        let talk = Conversation()
        func publish(_ count: Int) -> [String] {
            for _ in 0..<count { talk.ball.manager.publishL2CAPChannel(withEncryption: false) }
            talk.testbed.run(.milliseconds(1))
            return talk.ball.calls.suffix(2)
        }
        #expect(publish(2) == ["published 192", "published 193"])
        talk.ball.manager.unpublishL2CAPChannel(0xC0)
        #expect(publish(1) == ["unpublished 192", "published 194"])
        #expect(publish(127).last == "published 0 CBErrorDomain 4" && Set(talk.ball.psms) == Set(0x80...0xFF))
        talk.ball.manager.unpublishL2CAPChannel(0x90)
        #expect(publish(1).last == "published 144")
    }

    @Test("12.1 keeps a PSM while Bluetooth is off, and withdraws it with its manager")
    func power() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.openUsers()
        talk.talk.ballAdapter.setPowered(false)
        talk.testbed.run(.seconds(8))
        #expect(ball.inputEvents.last == .endEncountered && ball.output.streamStatus == .atEnd)
        #expect(central.inputEvents.last == .endEncountered && central.output.streamStatus == .atEnd)
        #expect(talk.peripheral.state == .disconnected)
        talk.talk.ballAdapter.setPowered(true)
        talk.talk.central.connect(talk.peripheral, in: talk.testbed)
        let (_, again) = try talk.openUsers()
        talk.talk.ball.end()
        talk.testbed.run()
        #expect(again.inputEvents.last == .endEncountered)
        talk.peripheral.openL2CAPChannel(talk.psm)
        talk.testbed.run()
        #expect(talk.talk.central.calls.last == "channel CBErrorDomain 13")
    }

    // MARK: Opening

    @Test("12.2 gives both sides the channel with its peer, its PSM and unopened streams")
    func opening() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.open()
        #expect(talk.talk.central.calls.last == "channel \(talk.psm)")
        #expect(talk.talk.ball.calls.last == "channel \(talk.psm)")
        #expect(central.psm == talk.psm && ball.psm == talk.psm)
        #expect(central.peer === talk.peripheral)
        #expect(ball.peer is CBCentral)
        // One that the app makes has no ends.
        let own = CBL2CAPChannel()
        #expect(own.peer == nil && own.inputStream == nil && own.outputStream == nil && own.psm == 0)
        for channel in [central, ball] {
            #expect(channel.description.hasSuffix(", peer = \(channel.peer.identifier.uuidString), psm = \(talk.psm)>"))
            #expect(channel.inputStream.streamStatus == .notOpen && channel.outputStream.streamStatus == .notOpen)
            #expect(channel.inputStream === channel.inputStream && channel.outputStream === channel.outputStream)
        }
    }

    @Test("12.2 opens several channels one after the other, and calls back in the order of the calls")
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

    @Test("12.2 separates the PSMs of two apps of a device")
    func twoApps() throws {
        let talk = try ChannelTalk()
        let other = talk.testbed.ball(on: talk.talk.ballAdapter)
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

    @Test("12.3 ends the streams after everything was read when the peer closes")
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
        #expect(ball.outputEvents == [.openCompleted, .hasSpaceAvailable, .endEncountered])
        ball.read(atMost: 1000)
        talk.testbed.run(.milliseconds(1))
        ball.read()
        talk.testbed.run(.milliseconds(1))
        #expect(ball.received == 3000 && ball.isUnchanged && ball.inputEvents.last == .endEncountered)
        #expect(ball.inputEvents.count { $0 == .endEncountered } == 1)
        var octet: UInt8 = 0
        #expect(ball.input.read(&octet, maxLength: 1) == 0 && ball.output.write(&octet, maxLength: 1) == -1)
        #expect((ball.output.streamError as? POSIXError)?.code == .EPIPE)
    }

    @Test("12.3 closes a channel that is released, with a log line if it was in use")
    func release() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.openUsers()
        central.write(500)
        weak let channel = central.channel
        let lines = logLines {
            central.channel = nil
            talk.testbed.run()
        }
        #expect(channel == nil)
        #expect(ball.received == 500 && ball.inputEvents.last == .endEncountered)
        #expect(central.input.streamStatus == .atEnd && central.output.streamStatus == .atEnd)
        #expect(lines == ["[CoreBluetooth] No known channel matching peer \(talk.peripheral) with psm \(talk.psm)"])
    }

    @Test("12.3 closes without a log line when both streams are closed")
    func close() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.openUsers()
        let lines = logLines {
            central.input.close()
            talk.testbed.run()
            #expect(ball.outputEvents.last == .hasSpaceAvailable)
            central.output.close()
            talk.testbed.run()
            #expect(ball.outputEvents.last == .endEncountered)
            central.channel = nil
            talk.testbed.run()
        }
        #expect(lines.isEmpty)
    }

    @Test(
        "12.3 ends the channels with the connection",
        arguments: ["cancel", "severed", "central off", "released", "killed", "ball killed"]
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
        case "killed": talk?.talk.centralAdapter.kill()
        case "ball killed": talk?.talk.ballAdapter.kill()
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

    @Test("12.3 ends the channels of an app that cancels, not those of another app on the link")
    func sharedLink() throws {
        let talk = try ChannelTalk()
        let (other, same) = try talk.talk.otherApp(connectedTo: talk.peripheral)
        let (central, ball) = try talk.openUsers()
        let (kept, itsPeer) = try talk.openUsers(of: (other, same))
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
}
