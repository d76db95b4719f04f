// A peripheral app that the user no longer lets use Bluetooth, while a central is connected: what it had is gone, and
// the link, which other apps may use, is not held back for it.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth

@Suite("1.4 9.7 An app that may no longer use Bluetooth", .adaptersOnRecord)
struct DisallowedPeripheralTests {
    /// An app with a policy that publishes a ball and a PSM, and a central that has subscribed.
    private struct Setup {
        let testbed = Testbed()
        let policy = PolicyStub("ball")
        let adapter: BluetoothAdapter
        let ball: PeripheralApp
        let central: CentralApp

        init() throws {
            let adapter = self.testbed.adapter("Crystal")
            let ball = self.policy.make(in: self.testbed) { PeripheralApp(on: adapter) }
            let central = CentralApp(on: self.testbed.adapter("Curious"))
            (self.adapter, self.ball, self.central) = (adapter, ball, central)
            self.testbed.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
            ball.open()
            ball.manager.publishL2CAPChannel(withEncryption: false)
            try #require(self.testbed.run { ball.psms.count == 1 })
            let peripheral = try central.connect(in: self.testbed)
            let answer = try peripheral.discover([IDs.service], in: self.testbed).characteristic(IDs.answer)
            peripheral.setNotifyValue(true, for: answer)
            try #require(self.testbed.run { answer.isNotifying })
            self.testbed.run(.seconds(3))
        }

        /// How many services, centrals and subscriptions the app's session has.
        func contents() -> [Int]? {
            self.adapter.readEngine(in: self.testbed) { core -> [Int] in
                guard let session = core.peripheralSessions.first else { return [] }
                return [session.services.count, session.centrals.count, session.subscriptions.count]
            }
        }

        /// What a request for a channel of the app's PSM is answered with.
        func answer() throws -> UInt16? {
            let psm = try #require(self.ball.psms.first)
            return self.adapter.readEngine(in: self.testbed) { core -> UInt16 in
                guard let link = core.host.links.first?.id else { return .max }
                let request = L2CAPChannelRequest(link: link, spsm: SPSM(rawValue: psm))
                return core.channels.answer(request).rawValue
            }
        }

        func change(to authorization: CBManagerAuthorization) {
            self.policy.authorization = authorization
            self.policy.observer?.authorizationDidChange(of: self.policy)
            self.testbed.run()
        }
    }

    @Test("1.4 its services, its subscribers, its centrals and its PSMs are gone, and do not come back by themselves")
    func everything() throws {
        let setup = try Setup()
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
        let setup = try Setup()
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
