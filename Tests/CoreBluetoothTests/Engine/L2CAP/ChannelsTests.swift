import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth

@Suite("12.1 12.2 12.3 The channels of an adapter")
struct ChannelsTests {
    private func publish(_ talk: ChannelTalk) throws -> CBL2CAPPSM {
        let count = talk.talk.ball.psms.count
        talk.talk.ball.manager.publishL2CAPChannel(withEncryption: false)
        try #require(talk.testbed.run { talk.talk.ball.psms.count == count + 1 })
        return talk.talk.ball.psms[count]
    }

    private func hasEnded(_ ends: (central: StreamUser, ball: StreamUser)) -> [Bool] {
        [ends.central, ends.ball].map { $0.inputEvents.last == .endEncountered }
    }

    @Test("12.1 ends the channels of a withdrawn PSM and refuses new ones, not those of others")
    func ownChannels() throws {
        let talk = try ChannelTalk()
        let other = try self.publish(talk)
        #expect(other != talk.psm)
        let channels = [
            try talk.openUsers(talk.psm), try talk.openUsers(other), try talk.openUsers(talk.psm),
        ]
        talk.talk.ball.manager.unpublishL2CAPChannel(talk.psm)
        talk.testbed.run()
        #expect(channels.map { self.hasEnded($0) } == [[true, true], [false, false], [true, true]])
        channels[1].central.write(100)
        channels[1].ball.write(50)
        talk.testbed.run()
        #expect(channels[1].ball.received == 100 && channels[1].central.received == 50)
        talk.talk.ball.manager.unpublishL2CAPChannel(talk.psm)
        talk.testbed.run()
        #expect(talk.talk.ball.calls.last == "unpublished \(talk.psm) CBErrorDomain 1")
        talk.peripheral.openL2CAPChannel(talk.psm)
        talk.testbed.run()
        #expect(talk.talk.central.calls.last == "channel CBErrorDomain 13")
        let again = try talk.openUsers(other)
        talk.talk.ball.manager.unpublishL2CAPChannel(other)
        talk.testbed.run()
        #expect(talk.talk.ball.calls.last == "unpublished \(other)")
        #expect([channels[1], again].map { self.hasEnded($0) } == [[true, true], [true, true]])
    }

    @Test("12.2 accepts a request for a published PSM unless too many channels wait for the app")
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
        _ = try talk.openUsers(psm)
    }
}
