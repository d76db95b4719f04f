// A peripheral app that the user no longer lets use Bluetooth, while a central is connected: what it had is gone, and
// the link, which other apps may use, is not held back for it.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth

@Suite("1.4 9.7 An app that may no longer use Bluetooth")
struct DisallowedPeripheralTests {
    /// An app with a policy that publishes a ball and a PSM, and a central that has subscribed.
    private func setup() throws -> ManagedBall {
        let setup = ManagedBall()
        setup.ball.open()
        setup.ball.manager.publishL2CAPChannel(withEncryption: false)
        try #require(setup.testbed.run { setup.ball.psms.count == 1 })
        let peripheral = try setup.central.connect(in: setup.testbed)
        let answer = try peripheral.discover([IDs.service], in: setup.testbed).characteristic(IDs.answer)
        peripheral.setNotifyValue(true, for: answer)
        try #require(setup.testbed.run { answer.isNotifying })
        setup.testbed.run(.seconds(3))
        return setup
    }

    @Test("1.4 its services, its subscribers, its centrals and its PSMs are gone, and do not come back by themselves")
    func everything() throws {
        let setup = try self.setup()
        #expect(setup.contents() == [1, 1, 1])
        #expect(try setup.answer() == L2CAPConnectionResult.success.rawValue)
        setup.change(to: .denied)
        #expect(setup.ball.manager.state == .unauthorized)
        #expect(setup.contents() == [0, 0, 0])
        #expect(try setup.answer() == L2CAPConnectionResult.spsmNotSupported.rawValue)
        setup.change(to: .allowedAlways)
        #expect(setup.ball.manager.state == .poweredOn)
        #expect(setup.contents() == [0, 0, 0])
        #expect(try setup.answer() == L2CAPConnectionResult.spsmNotSupported.rawValue)
    }

    @Test("1.4 A2: a link that was held back since the app was behind goes on")
    func heldBack() throws {
        let setup = try self.setup()
        let asked = try #require(setup.ball.question.publishedHandle)
        // Set before, and told in the turn in which the app is behind.
        setup.policy.authorization = .denied
        let states = setup.adapter.readEngine(in: setup.testbed) { core -> [Bool] in
            guard let session = core.peripheralSessions.first, let application = session.application,
                let link = core.host.links.first?.id
            else { return [] }
            for _ in 1...228 { session.received(ByteBuffer(repeating: 1, count: 512), for: asked, on: link) }
            var states = [core.isHeldBack(link)]
            core.authorizationDidChange(of: application)
            states.append(core.isHeldBack(link))
            return states
        }
        #expect(states == [true, false])
        setup.testbed.run()
        #expect(setup.ball.manager.state == .unauthorized)
    }
}

extension ManagedBall {
    /// How many services, centrals and subscriptions the app's session has.
    fileprivate func contents() -> [Int]? {
        self.adapter.readEngine(in: self.testbed) { core -> [Int] in
            guard let session = core.peripheralSessions.first else { return [] }
            return [session.services.count, session.centrals.count, session.subscriptions.count]
        }
    }

    /// What a request for a channel of the app's PSM is answered with.
    fileprivate func answer() throws -> UInt16? {
        let psm = try #require(self.ball.psms.first)
        return self.adapter.readEngine(in: self.testbed) { core -> UInt16 in
            guard let link = core.host.links.first?.id else { return .max }
            let request = L2CAPChannelRequest(link: link, spsm: SPSM(rawValue: psm))
            return core.channels.answer(request).rawValue
        }
    }

    fileprivate func change(to authorization: CBManagerAuthorization) {
        self.policy.decide(authorization)
        self.testbed.run()
    }
}
