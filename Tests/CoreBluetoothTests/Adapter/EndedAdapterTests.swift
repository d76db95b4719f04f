// What is left of an adapter that has ended, as by `kill -9` or in an orderly way: nothing that its managers share, and
// no state that a manager made later would be told.

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Adapters that have ended")
struct EndedAdapterTests {
    @Test("a manager that is made on an adapter that has ended is told no state", arguments: [true, false])
    func laterManagers(isKilled: Bool) {
        let testbed = Testbed()
        let adapter = testbed.adapter("Curious")
        let first = CentralApp(on: adapter)
        testbed.run { first.manager.state == .poweredOn }
        if isKilled { adapter.kill() } else { adapter.shutDown(within: .seconds(1)) {} }
        testbed.run(.seconds(2))
        let central = CentralApp(on: adapter)
        let ball = PeripheralApp(on: adapter)
        testbed.run(.seconds(2))
        #expect(central.calls.isEmpty && central.manager.state == .unknown)
        #expect(ball.calls.isEmpty && ball.manager.state == .unknown)
        #expect(first.calls == ["state 5"])
    }

    /// Two apps on adapters of their own, connected, whose processes are killed.
    private func connectAndKill(in testbed: Testbed) throws {
        let (ballAdapter, centralAdapter) = (testbed.adapter("ball"), testbed.adapter("central"))
        let ball = PeripheralApp(on: ballAdapter)
        let central = CentralApp(on: centralAdapter)
        testbed.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
        ball.open()
        _ = try central.connect(in: testbed).discover(nil, in: testbed)
        centralAdapter.kill()
        ballAdapter.kill()
        testbed.run(.milliseconds(1))
    }

    @Test("an adapter that is killed with its link leaves nothing behind on its event loop")
    func nothingIsLeft() throws {
        weak var loop: (any EventLoop)?
        do {
            let testbed = Testbed()
            loop = testbed.loop
            try CapturedLog().capture { try self.connectAndKill(in: testbed) }
            testbed.run(.seconds(60))
        }
        #expect(loop == nil)
    }
}
