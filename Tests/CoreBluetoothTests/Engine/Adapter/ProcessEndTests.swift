// The end of a process, in virtual time. A link of the air that is not terminated ends after its supervision timeout
// only, as with most controllers; with some it never ends.

import NIOConcurrencyHelpers
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("The end of a process")
struct ProcessEndTests {
    /// Shorter than any supervision timeout.
    private let atOnce = TimeAmount.milliseconds(50)

    @Test("6.5 the centrals of a peripheral whose process ends lose the link at once")
    func peripheralLeaves() throws {
        let setup = RestorationSetup(.central)
        _ = try setup.subscribe()
        let before = setup.ball.calls
        let hasLeft = NIOLockedValueBox(false)
        setup.crystal.adapter.shutDown(within: .seconds(1)) { hasLeft.withLockedValue { $0 = true } }
        #expect(setup.testbed.run(until: { hasLeft.withLockedValue { $0 } }, within: self.atOnce))
        #expect(setup.central.calls.last == "disconnect 0 CBErrorDomain \(CBError.peripheralDisconnected.rawValue)")
        // No ball is heard.
        setup.central.calls = []
        setup.central.manager.scanForPeripherals(withServices: nil)
        setup.testbed.run(.seconds(5))
        #expect(setup.central.calls.isEmpty)
        #expect(setup.ball.calls == before, "the process that ends gets no callback")
    }

    @Test("10.4 the peripheral of a central whose process ends loses its subscriber at once")
    func centralLeaves() throws {
        let setup = RestorationSetup(.central)
        _ = try setup.subscribe()
        let before = setup.central.calls
        setup.curious.adapter.shutDown(within: .seconds(1)) {}
        #expect(setup.testbed.run(until: { setup.ball.calls.last == "unsubscribed 0" }, within: self.atOnce))
        #expect(setup.central.calls == before, "the process that ends gets no callback")
    }

    @Test("a value that was just sent arrives before the link ends")
    func lastValue() throws {
        let setup = RestorationSetup(.central)
        _ = try setup.subscribe()
        for text in ["one", "two", "three"] { setup.update(text) }
        setup.crystal.adapter.shutDown(within: .seconds(1)) {}
        let hasEnded = { setup.central.calls.last?.hasPrefix("disconnect") == true }
        #expect(setup.testbed.run(until: hasEnded, within: self.atOnce))
        #expect(setup.central.values == ["one", "two", "three"])
    }

    // MARK: Adapters that have ended

    /// Two apps on adapters of their own, connected, that are killed, or released when this returns.
    private func connect(in testbed: Testbed, isKilled: Bool) throws {
        let (ballAdapter, centralAdapter) = (testbed.adapter("ball"), testbed.adapter("central"))
        let ball = testbed.ball(on: ballAdapter)
        let central = testbed.central(on: centralAdapter)
        ball.open()
        _ = try central.connect(in: testbed).discover(nil, in: testbed)
        guard isKilled else { return }
        centralAdapter.kill()
        ballAdapter.kill()
        testbed.run(.milliseconds(1))
    }

    @Test("an adapter that ends with its link leaves nothing on its event loop", arguments: [true, false])
    func nothingIsLeft(isKilled: Bool) throws {
        weak var loop: (any EventLoop)?
        do {
            let testbed = Testbed()
            loop = testbed.loop
            try CapturedLog().capture { try self.connect(in: testbed, isKilled: isKilled) }
            testbed.run(.seconds(60))
        }
        #expect(loop == nil)
    }

    @Test("6.5 an adapter that is released terminates its links")
    func lettingGo() throws {
        let testbed = Testbed()
        var ball: PeripheralApp? = testbed.ball(on: testbed.adapter("ball"))
        let central = testbed.central(on: testbed.adapter("central"))
        ball?.open()
        let peripheral = try central.connect(in: testbed)
        ball?.end()
        ball = nil
        testbed.run(self.atOnce)
        #expect(peripheral.state == .disconnected)
        #expect(central.calls.last == "disconnect 0 CBErrorDomain \(CBError.peripheralDisconnected.rawValue)")
    }

    @Test("reports nothing to a manager that is created on an adapter that has ended", arguments: [true, false])
    func laterManagers(isKilled: Bool) {
        let testbed = Testbed()
        let adapter = testbed.adapter("Curious")
        let first = testbed.central(on: adapter)
        if isKilled { adapter.kill() } else { adapter.shutDown(within: .seconds(1)) {} }
        testbed.run(.seconds(2))
        let central = CentralApp(on: adapter)
        let ball = PeripheralApp(on: adapter)
        testbed.run(.seconds(2))
        #expect(central.calls.isEmpty && central.manager.state == .unknown)
        #expect(ball.calls.isEmpty && ball.manager.state == .unknown)
        #expect(first.calls == ["state 5"])
    }

    // MARK: Storage

    @Test("13.1 stores a request made just before the end, and no later one")
    func lastChange() throws {
        try withFolderStorage { folder throws in
            let testbed = Testbed()
            let adapter = testbed.adapter("Curious", storage: folder)
            let central = testbed.central(on: adapter, restoring: "asker")
            #expect(try folder.names(withPrefix: "central-").isEmpty)
            central.manager.scanForPeripherals(withServices: [IDs.service])
            adapter.shutDown(within: .seconds(1)) {}
            testbed.run(.seconds(2))
            let names = try folder.names(withPrefix: "central-")
            try #require(names.count == 1)
            let record = folder.load(CentralRecord.self, from: names[0])
            #expect(record?.scan?.services == [IDs.service.value])
            central.manager.stopScan()
            testbed.run(.seconds(1))
            #expect(folder.load(CentralRecord.self, from: names[0]) == record)
        }
    }
}
