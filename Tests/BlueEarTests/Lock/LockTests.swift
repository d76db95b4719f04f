import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import Testbed
import Testing

@testable import BlueEar

@Suite("Lock and key")
struct LockTests {
    private func lock(on device: Device, secret: String = "sesame") -> (ElectronicLock, () -> [ElectronicLock.Event]) {
        let lock = device.run { ElectronicLock(secret: secret) }
        lock.generator = SeededNumbers(1)
        final class Log { var events: [ElectronicLock.Event] = [] }
        let log = Log()
        lock.onEvent = { event in
            if case .stateChanged = event { return }
            log.events.append(event)
        }
        return (lock, { log.events })
    }

    private func key(
        on device: Device,
        in world: World,
        secret: String = "sesame"
    ) -> (ElectronicKey, () -> [ElectronicKey.Event]) {
        let key = ElectronicKey(secret: secret)
        key.manager.scheduler = WorldScheduler(world)
        final class Log { var events: [ElectronicKey.Event] = [] }
        let log = Log()
        key.onEvent = { event in
            if case .stateChanged = event { return }
            log.events.append(event)
        }
        device.run { key.begin() }
        return (key, { log.events })
    }

    @Test("opens when the key comes near, and closes when it leaves")
    func comingAndGoing() throws {
        try withWorld { world in
            let door = world.addDevice("door")
            let phone = world.addDevice("phone", distance: 1000)
            let (lock, events) = lock(on: door)
            let (key, keyEvents) = key(on: phone, in: world)
            world.advance(by: .seconds(60))
            #expect(!lock.isOpen && !key.hasOpened)
            #expect(events() == [.ready])
            for visit in 1...3 {
                phone.distance = 2
                try world.run(until: lock.isOpen && key.hasOpened)
                world.advance(by: .seconds(60))
                #expect(lock.isOpen)
                phone.distance = 1000
                try world.run(until: !lock.isOpen && !key.hasOpened)
                world.advance(by: .seconds(600 * visit))
                #expect(!lock.isOpen)
            }
            #expect(
                events().map { String("\($0)".prefix { $0 != "(" }) }
                    == ["ready"] + Array(repeating: ["challenged", "opened", "closed"], count: 3).flatMap { $0 }
            )
            for (event, count) in [(.searching, 1), (.opened, 3), (.away, 3)] as [(ElectronicKey.Event, Int)] {
                #expect(keyEvents().count { $0 == event } == count)
            }
        }
    }

    @Test("opens on the next link after a loss at any step")
    func lostInEveryStep() throws {
        func visit(cut: Int?) throws -> Int {
            var steps = 0
            try withWorld { world in
                let (lock, events) = lock(on: world.addDevice("door"))
                let phone = world.addDevice("phone")
                let (key, _) = key(on: phone, in: world)
                key.manager.log = { _ in
                    steps += 1
                    if steps == cut { world.after(.zero) { phone.isPowered = false } }
                }
                if cut != nil {
                    world.advance(by: .seconds(30))
                    phone.isPowered = true
                }
                try world.run(until: lock.isOpen && key.hasOpened)
                #expect(
                    !events().contains { if case .refused = $0 { true } else { false } },
                    "\(cut ?? 0): \(events())"
                )
            }
            return steps
        }
        let count = try visit(cut: nil)
        #expect(count > 5)
        for step in 1...count { _ = try visit(cut: step) }
    }
}
