// Links that are lost at every step, and peers that are silent, foreign or gone.

import CoreBluetooth
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar

@Suite("Lost links")
struct LostLinkTests {
    private let testbed = Testbed()

    /// The side that loses power.
    enum Side: CaseIterable {
        case peripheral
        case central
    }

    /// Plays one exchange of messages in pieces; returns the number of steps of both sides.
    private func play(cut: (side: Side, step: Int)?, length: Int) -> Int {
        let testbed = Testbed()
        var generator = SeededNumbers(1)
        let down = message(of: length, &generator)
        let up = message(of: length, &generator)
        let speaker = testbed.speaker(down, mtu: 64)
        let adapter = testbed.adapter()
        let lost = cut?.side == .peripheral ? speaker.adapter : adapter
        var steps = 0
        let count: (String) -> Void = { _ in
            steps += 1
            guard let cut, steps == cut.step else { return }
            // Not inside the callback.
            testbed.world.after(.zero) { lost.setPowered(false) }
        }
        speaker.onCall = count
        let listener = Listener(up, on: adapter, in: testbed)
        listener.onCall = count
        listener.scan()
        if cut != nil {
            testbed.run(.seconds(40))
            lost.setPowered(true)
        }
        #expect(testbed.run { listener.isFinished }, "\(String(describing: cut)): \(listener.calls)")
        #expect(Set(listener.received) == [down], "\(String(describing: cut))")
        #expect(Set(speaker.received.map(\.message)) == [up], "\(String(describing: cut))")
        #expect(listener.errors.allSatisfy { $0 == .incomplete }, "\(listener.errors)")
        #expect(speaker.errors.allSatisfy { $0 == .incomplete }, "\(speaker.errors)")
        #expect(testbed.run { speaker.begun.count == speaker.ended.count }, "\(String(describing: cut))")
        #expect(listener.begun == listener.ended)
        return steps
    }

    @Test("recovers from a loss of power at every step of an exchange", arguments: Side.allCases, [10, 300])
    func everyStep(side: Side, length: Int) {
        let total = play(cut: nil, length: length)
        #expect(total >= 20)
        for step in 1...total {
            _ = play(cut: (side, step), length: length)
        }
    }

    @Test("waits a day for a peripheral, and then sends what was waiting")
    func away() throws {
        let speaker = testbed.speaker()
        let listener = testbed.listener { $0.stays = true }
        #expect(testbed.run { listener.sent == [["Yo": "Lo"]] })
        speaker.adapter.setPowered(false)
        #expect(testbed.run { listener.calls.last == "didDisconnectPeripheral" })
        try listener.manager.send(["kept": "for you"])
        testbed.run(.hours(24))
        #expect(listener.received.count == 1)
        #expect(!listener.isFinished)
        #expect(!listener.calls.contains("didFailConnection"))
        speaker.adapter.setPowered(true)
        #expect(testbed.run { speaker.received.contains { $0.message == ["kept": "for you"] } })
        #expect(testbed.run { listener.received.count == 2 })
        #expect(listener.errors.isEmpty && speaker.errors.isEmpty)
    }

    @Test("reports a peripheral that does not connect in time, and tries again")
    func connectionTimeout() {
        let speaker = testbed.speaker()
        let listener = Listener(["Yo": "Lo"], on: testbed.adapter(), in: testbed)
        listener.onCall = { name in
            guard name.hasPrefix("didDiscover: ") else { return }
            speaker.adapter.setPowered(false)
        }
        listener.scan()
        testbed.run(.seconds(12))
        #expect(listener.calls.filter { $0 == "didFailConnection" }.count == 1)
        listener.onCall = nil
        speaker.adapter.setPowered(true)
        #expect(testbed.run { listener.isFinished })
        #expect(speaker.received.map(\.message) == [["Yo": "Lo"]])
    }

    @Test("publishes a restored service again after the adapter was off")
    func restoredWithoutAdapter() throws {
        let speaker = testbed.speaker()
        testbed.run(.seconds(1))
        let manager = try #require(speaker.manager.peripheralManager)
        let service = try #require(speaker.manager.service)
        speaker.adapter.run {
            speaker.manager.peripheralManager(
                manager,
                willRestoreState: [CBPeripheralManagerRestoredStateServicesKey: [service]]
            )
        }
        speaker.adapter.setPowered(false)
        testbed.run(.seconds(1))
        var isAdded = false
        speaker.onCall = { if $0 == "didAdd service" { isAdded = true } }
        speaker.adapter.setPowered(true)
        #expect(testbed.run { isAdded })
        let listener = testbed.listener()
        #expect(testbed.run { listener.isFinished })
        #expect(listener.errors.isEmpty && speaker.received.map(\.message) == [["Yo": "Lo"]])
    }

    @Test("finishes at once when it leaves during a pending connection")
    func leavingWhileConnecting() {
        let speaker = testbed.speaker()
        let listener = testbed.listener { $0.stays = true }
        #expect(testbed.run { listener.sent == [["Yo": "Lo"]] })
        speaker.adapter.setPowered(false)
        #expect(testbed.run { listener.calls.last == "didDisconnectPeripheral" })
        #expect(!listener.isFinished)
        listener.manager.leaveWhenDone()
        #expect(listener.isFinished)
        speaker.adapter.setPowered(true)
        testbed.run(.seconds(60))
        #expect(listener.received.count == 1 && speaker.manager.listeners.isEmpty)
    }

    @Test("reports a failed connection, and tries again")
    func failToConnect() throws {
        let speaker = testbed.speaker()
        let listener = Listener(["Yo": "Lo"], on: testbed.adapter(), in: testbed)
        var failures = 0
        listener.onCall = { name in
            guard name.hasPrefix("didDiscover: "), failures < 3 else { return }
            failures += 1
            testbed.world.after(.zero) {
                guard let manager = listener.manager.centralManager,
                    let peripheral = listener.manager.discoveredPeripheral
                else { return }
                listener.manager.centralManager(
                    manager,
                    didFailToConnect: peripheral,
                    error: CBError(.connectionFailed)
                )
            }
        }
        listener.scan()
        #expect(testbed.run { listener.isFinished })
        #expect(listener.calls.filter { $0 == "didFailConnection" }.count == 3)
        #expect(listener.calls.filter { $0 == "didStartScanningPeripherals" }.count == 4)
        #expect(speaker.received.count == 1)
    }

    @Test(
        "reports a peripheral without the service or the characteristic, and explores it again",
        arguments: [true, false]
    )
    func foreign(hasService: Bool) {
        let foreign = ArticlePeripheral(on: testbed.adapter())
        if hasService { foreign.service.characteristics = [] }
        testbed.run(.seconds(1))
        if !hasService { foreign.peripheralManager?.removeAllServices() }
        let listener = testbed.listener()
        #expect(testbed.run(until: { listener.errors == [.notAnEar] }, within: .seconds(8)))
        #expect(testbed.run { listener.calls.suffix(2) == ["didFailConnection", "didDisconnectPeripheral"] })
        #expect(!listener.isFinished && listener.ended == 0)
        foreign.service.characteristics = [foreign.characteristic]
        foreign.peripheralManager?.removeAllServices()
        foreign.peripheralManager?.add(foreign.service)
        #expect(testbed.run { listener.isFinished })
    }

    @Test("waits for a silent peripheral, and answers it")
    func silent() {
        let peripheral = ArticlePeripheral(on: testbed.adapter())
        peripheral.isSilent = true
        let listener = testbed.listener()
        #expect(testbed.run { listener.begun == 1 })
        testbed.run(.minutes(10))
        #expect(!listener.isFinished && listener.errors.isEmpty)
        peripheral.peripheralManager?.updateValue(
            peripheral.hello,
            for: peripheral.characteristic,
            onSubscribedCentrals: nil
        )
        #expect(testbed.run { listener.isFinished })
        #expect(peripheral.received == [["Yo": "Lo"]])
    }
}
