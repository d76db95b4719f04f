import NIOCore
import Testbed
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth

@Suite("1.4 9.7 A peripheral manager whose app may do less")
struct PeripheralSessionPermissionTests {
    /// A ball of an app with a permission.
    private func ball(_ permission: ManagerPermission) -> ManagedBall {
        let setup = ManagedBall()
        setup.policy.change(to: permission, in: setup.testbed)
        setup.ball.calls = []
        return setup
    }

    @Test("9.7 publishes services added meanwhile when the app may publish, unless they were removed")
    func addedLater() throws {
        let setup = self.ball(.nothing)
        let other = CBMutableService(type: IDs.other, primary: true)
        setup.ball.manager.add(setup.ball.ball)
        setup.ball.manager.add(other)
        setup.testbed.run()
        #expect(setup.ball.calls == [] && setup.contents()?.first == 0)
        setup.ball.manager.remove(other)
        setup.testbed.run()
        setup.policy.change(to: .everything, in: setup.testbed)
        #expect(setup.ball.calls == ["added 8E38"] && setup.contents()?.first == 1)
        let handle = try #require(setup.ball.answer.publishedHandle)
        #expect(setup.owns(handle) == true)
        setup.policy.change(to: .nothing, in: setup.testbed)
        #expect(setup.owns(handle) == false && setup.contents()?.first == 1)
        setup.policy.change(to: .background, in: setup.testbed)
        #expect(setup.ball.calls == ["added 8E38"] && setup.contents()?.first == 1)
        let again = try #require(setup.ball.answer.publishedHandle)
        #expect(setup.owns(again) == true)
    }

    @Test("9.7 does not publish again services removed meanwhile")
    func removedMeanwhile() {
        let setup = self.ball(.everything)
        let manager: CBPeripheralManager = setup.ball.manager
        let other = CBMutableService(type: IDs.other, primary: true)
        /// The number of services after a change without the permission, and with it again.
        func counts(_ change: () -> Void) -> [Int?] {
            setup.policy.change(to: .nothing, in: setup.testbed)
            change()
            setup.testbed.run()
            let without = setup.contents()?.first
            setup.policy.change(to: .everything, in: setup.testbed)
            return [without, setup.contents()?.first]
        }
        manager.add(setup.ball.ball)
        setup.testbed.run()
        let all = counts {
            manager.add(other)
            manager.removeAllServices()
        }
        #expect(all == [0, 0] && counts { manager.add(other) } == [0, 1])
        #expect(counts { manager.remove(other) } == [0, 0] && counts { manager.add(other) } == [0, 1])
        let one = counts {
            manager.add(setup.ball.ball)
            manager.remove(setup.ball.ball)
        }
        #expect(one == [1, 1])
        manager.add(CBMutableService(type: CBUUID(string: "FFF3"), primary: true))
        setup.testbed.run()
        #expect(setup.ball.count("added FFF3") == 1)
    }

    @Test("9.7 ends subscriptions with the services, once")
    func subscribersMeanwhile() throws {
        let setup = ManagedBall()
        try setup.subscribe()
        for _ in 1...2 {
            setup.policy.change(to: .nothing, in: setup.testbed)
            #expect(setup.ball.count("unsubscribed 0") == 1)
            #expect(setup.contents() == [1, 1, 0])
        }
        setup.policy.change(to: .everything, in: setup.testbed)
        #expect(setup.contents() == [1, 1, 0])
        #expect(setup.ball.answer.subscribedCentrals?.isEmpty == true)
    }

    /// A ball with a PSM, and a central that has subscribed.
    private func subscribed() throws -> ManagedBall {
        let setup = ManagedBall()
        setup.ball.manager.publishL2CAPChannel(withEncryption: false)
        try #require(setup.testbed.run { setup.ball.psms.count == 1 })
        try setup.subscribe()
        setup.testbed.run(.seconds(3))
        return setup
    }

    @Test("1.4 removes services, subscribers, centrals and PSMs for good when the user denies Bluetooth")
    func everything() throws {
        let setup = try self.subscribed()
        #expect(setup.contents() == [1, 1, 1])
        #expect(try setup.answer() == L2CAPConnectionResult.success.rawValue)
        for (authorization, state) in [(.denied, .unauthorized), (.allowedAlways, .poweredOn)]
            as [(CBManagerAuthorization, CBManagerState)]
        {
            setup.policy.decide(authorization)
            setup.testbed.run()
            #expect(setup.ball.manager.state == state && setup.contents() == [0, 0, 0])
            #expect(try setup.answer() == L2CAPConnectionResult.spsmNotSupported.rawValue)
        }
    }

    @Test("1.4 A2 resumes a link that was held back when the user denies Bluetooth")
    func heldBack() throws {
        let setup = try self.subscribed()
        let asked = try #require(setup.ball.question.publishedHandle)
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
    /// The numbers of services, centrals and subscriptions of the app's session.
    fileprivate func contents() -> [Int]? {
        self.adapter.readEngine(in: self.testbed) { core -> [Int] in
            guard let session = core.peripheralSessions.first else { return [] }
            return [session.services.count, session.centrals.count, session.subscriptions.count]
        }
    }

    fileprivate func owns(_ handle: AttributeHandle) -> Bool? {
        self.adapter.readEngine(in: self.testbed) { core -> Bool in
            core.peripheralSessions.first?.owns(handle) ?? false
        }
    }

    /// The answer to a request for a channel of the app's PSM.
    fileprivate func answer() throws -> UInt16? {
        let psm = try #require(self.ball.psms.first)
        return self.adapter.readEngine(in: self.testbed) { core -> UInt16 in
            guard let link = core.host.links.first?.id else { return .max }
            let request = L2CAPChannelRequest(link: link, spsm: SPSM(rawValue: psm))
            return core.channels.answer(request).rawValue
        }
    }
}
