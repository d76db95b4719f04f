// The channels of one adapter: whose PSM a request is for, how many of a peer's channels may wait for an app, which
// channels end with a PSM, and that all end with the adapter.

import Foundation
import NIOConcurrencyHelpers
import NIOCore
import Testbed
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth

@Suite("12.1 Published channels")
struct PublishedChannelsTests {
    /// Opens a channel to a PSM, with both of its ends in use.
    private func open(_ psm: CBL2CAPPSM, _ talk: ChannelTalk) throws -> (central: StreamUser, ball: StreamUser) {
        var ends: (StreamUser?, StreamUser?)
        talk.talk.central.onChannel = { ends.0 = StreamUser($0, salt: 0x00, piece: 65_521) }
        talk.talk.ball.onChannel = { ends.1 = StreamUser($0, salt: 0xFF, piece: 65_521) }
        talk.peripheral.openL2CAPChannel(psm)
        try #require(talk.testbed.run { ends.0 != nil && ends.1 != nil })
        talk.talk.central.onChannel = nil
        talk.talk.ball.onChannel = nil
        let (central, ball) = (try #require(ends.0), try #require(ends.1))
        central.open()
        ball.open()
        talk.testbed.run(.milliseconds(1))
        return (central, ball)
    }

    /// Publishes one more PSM.
    private func publish(_ talk: ChannelTalk) throws -> CBL2CAPPSM {
        let count = talk.talk.ball.psms.count
        talk.talk.ball.manager.publishL2CAPChannel(withEncryption: false)
        try #require(talk.testbed.run { talk.talk.ball.psms.count == count + 1 })
        return talk.talk.ball.psms[count]
    }

    private func hasEnded(_ ends: (central: StreamUser, ball: StreamUser)) -> [Bool] {
        [ends.central, ends.ball].map { $0.inputEvents.last == .endEncountered }
    }

    @Test("with a PSM its own channels end, all of them, and those of the app's other PSMs go on")
    func ownChannels() throws {
        let talk = try ChannelTalk()
        let other = try self.publish(talk)
        #expect(other != talk.psm)
        let channels = [
            try self.open(talk.psm, talk), try self.open(other, talk), try self.open(talk.psm, talk),
        ]
        talk.talk.ball.manager.unpublishL2CAPChannel(talk.psm)
        talk.testbed.run()
        #expect(channels.map { self.hasEnded($0) } == [[true, true], [false, false], [true, true]])
        channels[1].central.write(100)
        channels[1].ball.write(50)
        talk.testbed.run()
        #expect(channels[1].ball.received == 100 && channels[1].central.received == 50)
        // The PSM is no more, and the other one is.
        talk.talk.ball.manager.unpublishL2CAPChannel(talk.psm)
        talk.testbed.run()
        #expect(talk.talk.ball.calls.last == "unpublished \(talk.psm) CBErrorDomain 1")
        let again = try self.open(other, talk)
        talk.talk.ball.manager.unpublishL2CAPChannel(other)
        talk.testbed.run()
        #expect(talk.talk.ball.calls.last == "unpublished \(other)")
        #expect([channels[1], again].map { self.hasEnded($0) } == [[true, true], [true, true]])
    }

    @Test("12.2 a request is granted where its PSM is published and its app has not too many channels before it")
    func answers() throws {
        let talk = try ChannelTalk()
        let psm = talk.psm
        let answers = talk.talk.ballAdapter.readEngine(in: talk.testbed) { core -> [UInt16] in
            guard let session = core.peripheralSessions.first, let link = core.host.links.first?.id else { return [] }
            func answer(_ psm: CBL2CAPPSM) -> UInt16 {
                core.channels.answer(L2CAPChannelRequest(link: link, spsm: SPSM(rawValue: psm))).rawValue
            }
            let pipe = ChannelPipe(window: (1, 1), mayBlock: { false }, wakeLoop: {})
            var answers = [answer(psm), answer(psm + 1)]
            var waiting: [ChannelHandle] = []
            func wait() { waiting.append(ChannelHandle(pipe, .runLoops, session.unclaimedChannels)) }
            while waiting.count < UnclaimedChannels.limit - 1 { wait() }
            answers.append(answer(psm))
            wait()
            answers += [answer(psm), answer(psm + 1)]
            waiting.removeLast()
            answers.append(answer(psm))
            waiting.removeAll()
            return answers
        }
        let (success, unknown, full) = (
            L2CAPConnectionResult.success.rawValue, L2CAPConnectionResult.spsmNotSupported.rawValue,
            L2CAPConnectionResult.noResources.rawValue
        )
        #expect(answers == [success, unknown, success, full, unknown, success])
        _ = try self.open(psm, talk)
    }

    @Test(
        "12.3 the channels of an adapter end with it, after what has come",
        arguments: ["killed", "shut down", "off", "on the other side"]
    )
    func adapterEnds(how: String) throws {
        let talk = try ChannelTalk()
        let ends = [try self.open(talk.psm, talk), try self.open(talk.psm, talk)]
        for end in ends { end.ball.write(300) }
        talk.testbed.run(.milliseconds(1))
        let isOver = NIOLockedValueBox(false)
        switch how {
        case "killed": talk.talk.centralAdapter.kill()
        case "shut down":
            talk.talk.centralAdapter.shutDown(within: .seconds(1)) { isOver.withLockedValue { $0 = true } }
        case "off": talk.talk.centralAdapter.setPowered(false)
        default: talk.talk.ballAdapter.kill()
        }
        talk.testbed.run(.seconds(10))
        #expect(isOver.withLockedValue { $0 } == (how == "shut down"))
        for end in ends {
            #expect(self.hasEnded(end) == [true, true])
            #expect(end.central.received == 300 && end.central.isUnchanged)
        }
    }

    @Test("what this side offers on a channel fills an LE data packet with each frame")
    func configuration() {
        let configuration = Channels.configuration
        #expect(configuration.mtu == 4_096 && configuration.mps == 247 && configuration.window == 512)
        #expect(configuration.sendLimit == 65_536)
    }
}
