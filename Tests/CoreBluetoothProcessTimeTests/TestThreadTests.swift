// What waits in the test itself, outside of the world's calls, and what never comes to rest.

import CoreBluetoothProcessTime
import Dispatch
import Foundation
import Testing

@testable import CoreBluetoothTesting

@Suite("A test that waits by itself in process time")
struct TestThreadTests {
    /// A world with a device whose packets never end.
    static func busyWorld() -> World {
        let world = World(seed: 1, time: .process)
        world.addPeripheral(ScriptedPeripheral(name: "Beacon", services: []))
        return world
    }

    private static func sleeping() throws {
        let world = World(seed: 1, time: .process)
        Thread.sleep(forTimeInterval: 5)
        #expect(world.now == .seconds(5))
        let semaphore = DispatchSemaphore(value: 0)
        world.addDevice("phone").run {
            DispatchQueue(label: "own").asyncAfter(deadline: .now() + 7) { semaphore.signal() }
        }
        semaphore.wait()
        #expect(Int((world.now / .milliseconds(1)).rounded()) == 12_000)
        #expect(semaphore.wait(timeout: .now() + 8) == .timedOut)
        #expect(Int((world.now / .milliseconds(1)).rounded()) == 20_000)
        try world.run(until: true)
    }

    @Test("lets time pass while its thread sleeps, or waits for a semaphore")
    func sleeps() async {
        await #expect(processExitsWith: .success) { try TestThreadTests.sleeping() }
    }

    @Test("lets time pass while its task sleeps")
    func awaits() async {
        await #expect(processExitsWith: .success) {
            let world = TestThreadTests.busyWorld()
            for second in 1...5 {
                try await Task.sleep(for: .seconds(1))
                #expect(Int((world.now / .milliseconds(1)).rounded()) == second * 1000)
                world.advance(by: .zero)
            }
        }
    }

    @inline(never) static func waitForEver() { DispatchSemaphore(value: 0).wait() }

    @Test("ends the process if nothing ends the wait, and says where", arguments: [false, true])
    func waitsForEver(isBusy: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [isBusy] in
            let world = isBusy ? TestThreadTests.busyWorld() : World(seed: 1, time: .process)
            TestThreadTests.waitForEver()
            withExtendedLifetime(world) {}
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("the thread of the test "))
        #expect(text.contains(isBusy ? "without a limit for 3600.0 seconds" : "nothing is left that could end it"))
        #expect(text.contains("TestThreadTests.waitForEver()"))
    }
}

@Suite("Work that never comes to rest")
struct EndlessWorkTests {
    enum Time: String, CaseIterable, Codable {
        case virtual, real, process

        var time: WorldTime {
            switch self {
            case .virtual: .virtual
            case .real: .real
            case .process: .process
            }
        }
    }

    @inline(never) static func spin() { while true {} }

    @Test("fails each kind of world once, and names the function that runs", arguments: Time.allCases)
    func spins(time: Time) async {
        await #expect(processExitsWith: .success) { [time] in
            let world = World(seed: 1, time: time.time)
            world.loop.work.limit = 0.3
            world.addPeripheral(ScriptedPeripheral(name: "Beacon", services: []))
            world.after(.milliseconds(1)) {
                world.addDevice("phone").run { DispatchQueue(label: "spins").async { EndlessWorkTests.spin() } }
            }
            // One limit for an hour of turns.
            world.advance(by: time == .real ? .milliseconds(10) : .seconds(3_600))
            let error = #expect(throws: WorldError.self) { try world.run(until: false, within: .seconds(1)) }
            #expect(error?.reason.contains("EndlessWorkTests.spin()") == true, "\(String(describing: error))")
        }
    }
}
