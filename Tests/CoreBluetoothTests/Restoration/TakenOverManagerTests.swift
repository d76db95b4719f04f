// Managers that take over the session of their predecessor, whose app the system has ended.

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Managers that take a session over")
struct TakenOverManagerTests {
    /// A ball and a central, each of an app with a policy and with a restore identifier.
    private struct Setup {
        let testbed = Testbed()
        let policy = PolicyStub("app")
        let adapters: (ball: BluetoothAdapter, central: BluetoothAdapter)

        init() { self.adapters = (self.testbed.adapter("Crystal"), self.testbed.adapter("Curious")) }

        func ball(_ policy: PolicyStub? = nil) -> PeripheralApp {
            self.testbed.ball(on: self.adapters.ball, restoring: "ball", of: policy)
        }

        func openBall() -> PeripheralApp {
            let ball = self.ball()
            ball.open()
            self.testbed.run(.milliseconds(1))
            return ball
        }

        func central(_ policy: PolicyStub? = nil) -> CentralApp {
            self.testbed.central(on: self.adapters.central, restoring: "asker", of: policy)
        }
    }

    @Test("13.1 a connection goes on with its MTU, its attributes, its subscription and the writes on their way")
    func connection() throws {
        let setup = Setup()
        let ball = setup.openBall()
        let first = setup.central(setup.policy)
        let peripheral = try first.connect(in: setup.testbed)
        let service = try peripheral.discover([IDs.service], in: setup.testbed)
        let (question, answer) = (try service.characteristic(IDs.question), try service.characteristic(IDs.answer))
        try peripheral.subscribe(to: answer, in: setup.testbed)
        setup.testbed.run(.seconds(3))
        // Nothing is sent for a moment, so that the writes stay on their way.
        setup.testbed.air.setLoss(1)
        for _ in 0..<500 { peripheral.writeValue("x".octets, for: question, type: .withoutResponse) }
        setup.testbed.run(.milliseconds(1))
        setup.policy.restart(in: setup.testbed)
        let second = setup.central(setup.policy)
        #expect(second.calls == ["restore 0", "state 5"])
        let restored = try #require(second.found.first)
        #expect(restored.identifier == peripheral.identifier && restored.state == .connected)
        #expect(restored.maximumWriteValueLength(for: .withoutResponse) == 512)
        #expect(!restored.canSendWriteWithoutResponse)
        setup.testbed.air.setLoss(0)
        #expect(setup.testbed.run { second.count("ready") == 1 })
        #expect(restored.canSendWriteWithoutResponse && restored.writeWindow.count <= TransmitWindow.size / 2)
        #expect(setup.testbed.run { ball.written.count == 500 })
        setup.testbed.run()
        #expect(ball.written.count == 500 && restored.writeWindow.count == 0)
        let same = try #require(restored.services?.first { $0.uuid == IDs.service })
        let told = try same.characteristic(IDs.answer)
        #expect(told.isNotifying && told !== answer)
        #expect(ball.manager.updateValue("Yes".octets, for: ball.answer, onSubscribedCentrals: nil))
        #expect(setup.testbed.run { second.values == ["Yes"] })
        #expect(told.value == "Yes".octets && first.values.isEmpty)
        // The connection is the new manager's, which ends it.
        second.disconnect(restored, in: setup.testbed)
        setup.testbed.run()
        #expect(ball.answer.subscribedCentrals?.isEmpty == true)
        withExtendedLifetime((first, peripheral)) {}
    }

    @Test("13.1 a central becomes the new manager's with its MTU, its subscription and the updates on their way")
    func subscriber() throws {
        let setup = Setup()
        let first = setup.ball(setup.policy)
        first.open()
        let central = setup.central()
        try central.connect(in: setup.testbed).subscribeToAnswer(in: setup.testbed)
        setup.testbed.run(.seconds(3))
        setup.testbed.air.setLoss(1)
        // The controller takes some of them, until it has no more memory.
        var (sent, before) = (0, -1)
        while sent > before {
            before = sent
            while first.manager.updateValue("x".octets, for: first.answer, onSubscribedCentrals: nil) { sent += 1 }
            setup.testbed.run(.milliseconds(10))
        }
        setup.policy.restart(in: setup.testbed)
        let second = setup.ball(setup.policy)
        #expect(second.calls == ["restore 0", "state 5"])
        let told = try second.restored(IDs.answer)
        #expect(told.subscribedCentrals?.count == 1)
        #expect(told.subscribedCentrals?.first?.maximumUpdateValueLength == 512)
        #expect(!second.manager.updateValue("y".octets, for: told, onSubscribedCentrals: nil))
        setup.testbed.air.setLoss(0)
        #expect(setup.testbed.run { second.count("ready") == 1 })
        #expect(second.manager.updateValue("z".octets, for: told, onSubscribedCentrals: nil))
        #expect(setup.testbed.run { central.values.last == "z" })
        #expect(central.values.count == sent + 1)
        withExtendedLifetime(first) {}
    }

    // MARK: Connections that were cancelled when the process ended

    @Test(
        "13.1 the end of a cancelled connection is not reported, and the device can be connected to again",
        arguments: [true, false]
    )
    func again(hasEndedBefore: Bool) throws {
        let setup = Setup()
        let ball = setup.openBall()
        let first = setup.central(setup.policy)
        let peripheral = try first.connect(in: setup.testbed)
        // Where nothing is received, the link outlasts the launch of the app.
        if !hasEndedBefore { setup.testbed.air.setLoss(1) }
        first.manager.cancelPeripheralConnection(peripheral)
        setup.policy.restart(in: setup.testbed)
        if hasEndedBefore { setup.testbed.run() }
        #expect(setup.policy.launchRequestCount == 0)
        let second = setup.central(setup.policy)
        #expect(second.calls == ["restore 0", "state 5"] && second.found.isEmpty)
        let found = second.manager.retrievePeripherals(withIdentifiers: [peripheral.identifier])
        let same = try #require(found.first)
        #expect(same !== peripheral && same.state == .disconnected)
        second.manager.connect(same)
        setup.testbed.run(.milliseconds(1))
        setup.testbed.air.setLoss(0)
        try #require(setup.testbed.run { same.state == .connected })
        let service = try same.discover([IDs.service], in: setup.testbed)
        #expect(service.characteristics?.count == 2)
        setup.testbed.run()
        #expect(second.calls == ["restore 0", "state 5", "connect 2"])
        withExtendedLifetime((ball, first, peripheral)) {}
    }
}
