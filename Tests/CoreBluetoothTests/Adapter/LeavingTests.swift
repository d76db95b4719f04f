// The end of a process by `exit`, in virtual time: what its peers are told, and what is kept. The air's links end without
// a word only after their supervision timeout, as those of most controllers do; some never end.

import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Testing

@testable import CoreBluetooth

@Suite("A process that ends by itself")
struct LeavingTests {
    /// Shorter than any supervision timeout.
    private let atOnce = TimeAmount.milliseconds(50)

    @Test("6.5 the centrals of a peripheral whose process ends are told so at once")
    func peripheralLeaves() throws {
        let lives = Lives()
        _ = try lives.subscribe()
        let before = lives.ball.calls
        let hasLeft = NIOLockedValueBox(false)
        lives.crystal.adapter.leave(within: .seconds(1)) { hasLeft.withLockedValue { $0 = true } }
        #expect(lives.room.run(until: { hasLeft.withLockedValue { $0 } }, within: self.atOnce))
        #expect(lives.central.calls.last == "disconnect 0 CBErrorDomain \(CBError.peripheralDisconnected.rawValue)")
        // Nobody hears a ball any more.
        lives.central.calls = []
        lives.central.manager.scanForPeripherals(withServices: nil)
        lives.room.run(.seconds(5))
        #expect(lives.central.calls.isEmpty)
        #expect(lives.ball.calls == before, "who leaves is told nothing")
    }

    @Test("10.4 the peripheral of a central whose process ends loses its subscriber at once")
    func centralLeaves() throws {
        let lives = Lives()
        _ = try lives.subscribe()
        let before = lives.central.calls
        lives.curious.adapter.leave(within: .seconds(1)) {}
        #expect(lives.room.run(until: { lives.ball.calls.last == "unsubscribed 0" }, within: self.atOnce))
        #expect(lives.central.calls == before, "who leaves is told nothing")
    }

    @Test("a value that was just sent is there before the link ends")
    func lastValue() throws {
        let lives = Lives()
        _ = try lives.subscribe()
        for text in ["one", "two", "three"] {
            lives.ball.manager.updateValue(text.octets, for: lives.ball.answer, onSubscribedCentrals: nil)
        }
        lives.crystal.adapter.leave(within: .seconds(1)) {}
        let hasEnded = { lives.central.calls.last?.hasPrefix("disconnect") == true }
        #expect(lives.room.run(until: hasEnded, within: self.atOnce))
        #expect(lives.central.values == ["one", "two", "three"])
    }

    @Test("13.1 what is kept stays: the next process connects and subscribes again")
    func restoration() throws {
        var lives = Lives()
        let identifier = try lives.subscribe().identifier
        lives.curious.restart(byExit: true)
        lives.central = CentralApp(on: lives.curious.adapter, options: lives.options)
        #expect(lives.room.run { lives.central.calls.contains { $0.hasPrefix("connect ") } })
        #expect(lives.central.found.first?.identifier == identifier)
        #expect(lives.room.run { lives.ball.calls.last == "subscribed 1" })
        #expect(lives.ball.manager.updateValue("again".octets, for: lives.ball.answer, onSubscribedCentrals: nil))
        #expect(lives.room.run { lives.central.values == ["again"] })
    }

    @Test("13.1 a manager that was let go before has left nothing behind")
    func letGo() throws {
        var lives = Lives()
        _ = try lives.subscribe()
        lives.central.end()
        lives.curious.restart(byExit: true)
        lives.central = CentralApp(on: lives.curious.adapter, options: lives.options)
        #expect(lives.room.run { !lives.central.calls.isEmpty })
        #expect(lives.central.calls == ["state 5"])
    }

    // MARK: Adapters that are let go

    /// Two apps on adapters of their own, connected, that are all let go at once.
    private func meetAndLetGo(in room: Room) throws {
        let ball = PeripheralApp(on: room.adapter("ball"))
        let central = CentralApp(on: room.adapter("central"))
        room.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
        ball.open()
        _ = try central.connect(in: room).discover(nil, in: room)
    }

    @Test("an adapter that is let go with its link leaves nothing behind on its event loop")
    func nothingIsLeft() throws {
        weak var loop: EmbeddedEventLoop?
        do {
            let room = Room()
            loop = room.loop
            try self.meetAndLetGo(in: room)
            room.run(.seconds(2))
        }
        #expect(loop == nil)
    }

    @Test("6.5 an adapter that is let go tells its peers that the links end")
    func lettingGo() throws {
        let room = Room()
        var ball: PeripheralApp? = PeripheralApp(on: room.adapter("ball"))
        let central = CentralApp(on: room.adapter("central"))
        room.run { ball?.manager.state == .poweredOn && central.manager.state == .poweredOn }
        ball?.open()
        let peripheral = try central.connect(in: room)
        ball?.end()
        ball = nil
        room.run(self.atOnce)
        #expect(peripheral.state == .disconnected)
        #expect(central.calls.last == "disconnect 0 CBErrorDomain \(CBError.peripheralDisconnected.rawValue)")
    }
}
