// The link is lost in every step, from either side; peers are silent, strange or not there: nothing hangs, everything
// is reported, and the two find each other again.

import CoreBluetooth
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar

@Suite("Lost links")
struct LostLinkTests {
    /// Who loses power.
    enum Side: CaseIterable {
        case peripheral
        case central
    }

    /// Plays one exchange of messages in pieces; returns how many steps both sides took.
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
            // As a flat battery would: at once, but not from inside a callback.
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
        // What was broken off is reported on either side, and nothing else.
        #expect(listener.errors.allSatisfy { $0 == .incomplete }, "\(listener.errors)")
        #expect(speaker.errors.allSatisfy { $0 == .incomplete }, "\(speaker.errors)")
        #expect(testbed.run { speaker.begun.count == speaker.ended.count }, "\(String(describing: cut))")
        #expect(listener.begun == listener.ended)
        return steps
    }

    @Test("Power is lost in every step of an exchange", arguments: Side.allCases, [10, 300])
    func everyStep(side: Side, length: Int) {
        let total = play(cut: nil, length: length)
        #expect(total >= 20)
        for step in 1...total {
            _ = play(cut: (side, step), length: length)
        }
    }

    @Test("Who stays waits for a peripheral that went away, for a day, and says then what was to be said")
    func away() throws {
        let testbed = Testbed()
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

    @Test("A peripheral that does not connect in time is reported, and tried again")
    func connectionTimeout() {
        let testbed = Testbed()
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

    @Test("A service that came back with the app's state is published anew when the adapter was off meanwhile")
    func restoredWithoutAdapter() throws {
        let testbed = Testbed()
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

    @Test("Who leaves while a connection is waited for has finished at once, and connects no more")
    func leavingWhileConnecting() {
        let testbed = Testbed()
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

    @Test("A connection that fails is reported, and tried again")
    func failToConnect() throws {
        let testbed = Testbed()
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

    @Test("A peripheral to which no connection came about is not waited for when the adapter comes back")
    func failToConnectWithoutAdapter() throws {
        let testbed = Testbed()
        let speaker = testbed.speaker()
        let listener = Listener(["Yo": "Lo"], on: testbed.adapter(), in: testbed)
        listener.onCall = { name in
            guard name.hasPrefix("didDiscover: ") else { return }
            testbed.world.after(.zero) {
                guard let manager = listener.manager.centralManager,
                    let peripheral = listener.manager.discoveredPeripheral
                else { return }
                listener.manager.centralManager(
                    manager,
                    didFailToConnect: peripheral,
                    error: CBError(.connectionFailed)
                )
                listener.onCall = nil
                listener.adapter.setPowered(false)
            }
        }
        listener.scan()
        #expect(testbed.run { listener.calls.contains("didFailConnection") })
        testbed.run(.milliseconds(100))
        listener.adapter.setPowered(true)
        #expect(testbed.run { listener.isFinished })
        #expect(listener.calls.filter { $0 == "didStartScanningPeripherals" }.count == 2)
        #expect(speaker.received.count == 1)
    }

    @Test("Who begins anew while the adapter is off searches when it is back")
    func againWithoutAdapter() throws {
        let testbed = Testbed()
        let speaker = testbed.speaker()
        let listener = testbed.listener()
        #expect(testbed.run { listener.isFinished })
        listener.adapter.setPowered(false)
        testbed.run(.seconds(1))
        let scans = listener.calls.count { $0 == "didStartScanningPeripherals" }
        listener.scan()
        testbed.run(.seconds(1))
        #expect(listener.calls.count { $0 == "didStartScanningPeripherals" } == scans)
        listener.adapter.setPowered(true)
        #expect(testbed.run { speaker.received.count == 2 })
    }

    @Test("A link that comes about when its connection was given up is closed at once")
    func connectedTooLate() throws {
        let testbed = Testbed()
        let speaker = testbed.speaker()
        let listener = Listener(["Yo": "Lo"], on: testbed.adapter(), in: testbed)
        var isGivenUp = false
        listener.onCall = { name in
            guard name == "didConnectPeripheral", !isGivenUp,
                let manager = listener.manager.centralManager,
                let peripheral = listener.manager.discoveredPeripheral
            else { return }
            isGivenUp = true
            testbed.world.after(.zero) {
                // As if the pause had begun before the link was there.
                listener.manager.pause(1)
                listener.manager.centralManager(manager, didConnect: peripheral)
            }
        }
        listener.scan()
        #expect(testbed.run { isGivenUp })
        testbed.run(.milliseconds(500))
        #expect(listener.manager.discoveredPeripheral?.state == .disconnected)
        #expect(testbed.run { listener.isFinished })
        #expect(speaker.received.count == 1)
    }

    @Test("A peripheral without the characteristic is reported, left, and looked at again later")
    func foreign() {
        let testbed = Testbed()
        let foreign = ArticlePeripheral(on: testbed.adapter())
        foreign.service.characteristics = []
        let listener = testbed.listener()
        #expect(testbed.run { listener.errors == [.notAnEar] })
        #expect(testbed.run { listener.calls.suffix(2) == ["didFailConnection", "didDisconnectPeripheral"] })
        #expect(!listener.isFinished && listener.ended == 0)
        foreign.service.characteristics = [foreign.characteristic]
        foreign.peripheralManager?.removeAllServices()
        foreign.peripheralManager?.add(foreign.service)
        #expect(testbed.run { listener.isFinished })
    }

    @Test("A peripheral that says nothing is waited for; when it speaks at last it is answered")
    func silent() {
        let testbed = Testbed()
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

    @Test("Centrals that come and go leave nothing behind")
    func nothingLeft() {
        let testbed = Testbed()
        let speaker = testbed.speaker()
        for count in 1...100 {
            let listener = testbed.listener { $0.reads = count % 2 == 0 }
            #expect(testbed.run { listener.isFinished })
        }
        #expect(testbed.run { speaker.manager.listeners.isEmpty })
        #expect(speaker.received.count == 100)
        #expect(speaker.manager.peers.count <= ListeningCentral.maximumSilent)
    }

    @Test("Work that is cancelled is not done, and work that nobody keeps is")
    @MainActor
    func scheduler() async {
        let scheduler = RunLoopScheduler()
        var done: [Int] = []
        let work = scheduler.schedule(after: 0.01) { done.append(1) }
        work.cancel()
        await withCheckedContinuation { continuation in
            _ = scheduler.schedule(after: 0.05) {
                done.append(2)
                continuation.resume()
            }
        }
        #expect(done == [2])
    }
}
