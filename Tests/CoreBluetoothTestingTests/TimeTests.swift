// The time of a world for code that takes a clock, for tests that await, and at the pace of real time.

import Foundation
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("The time of a world")
struct TimeTests {
    /// Counts the seconds of a clock.
    private actor Counter<C: Clock> where C.Duration == Duration {
        let clock: C
        private(set) var count = 0
        private(set) var isCancelled = false

        init(_ clock: C) { self.clock = clock }

        func run() async {
            do {
                while true {
                    try await self.clock.sleep(for: .seconds(1))
                    self.count += 1
                }
            } catch {
                self.isCancelled = true
            }
        }
    }

    @Test("Code that takes a clock sleeps by the world's")
    func clock() async throws {
        let world = World(seed: 1)
        let counter = world.addDevice("phone").run { Counter(world.clock) }
        let task = Task { await counter.run() }
        world.advance(by: .milliseconds(999))
        #expect(await counter.count == 0)
        world.advance(by: .seconds(60))
        #expect(await counter.count == 60)
        task.cancel()
        world.advance(by: .milliseconds(1))
        #expect(await counter.isCancelled)
        #expect(world.clock.now.offset == world.now)
    }

    @Test("A sleep ends with the world")
    func sleepEndsWithTheWorld() async throws {
        var world: World? = World(seed: 1)
        let counter = Counter(world!.clock)
        let task = Task { await counter.run() }
        world?.advance(by: .seconds(1))
        world = nil
        await task.value
        #expect(await counter.isCancelled)
    }

    @Test("A test that awaits waits for a condition")
    func waitsForACondition() async throws {
        let world = World(seed: 1)
        world.addPeripheral(.thermometer())
        let reader = world.addDevice("phone").run { Reader() }
        try await world.wait(until: reader.values.first == [21])
        #expect(world.now > .milliseconds(1))
        await #expect(throws: WorldError.self) { try await world.wait(until: false, within: .seconds(1)) }
    }

    @Test("Time that the test lets pass ends, also where a task of the test lets it pass without end")
    @MainActor
    func tasksLetTimePass() async {
        let world = World(seed: 1)
        let time = Task { @MainActor in
            while !Task.isCancelled {
                world.advance(by: .milliseconds(10))
                await Task.yield()
            }
        }
        await Task.yield()
        let start = world.now
        world.advance(by: .seconds(1))
        #expect(world.now - start >= .seconds(1))
        time.cancel()
    }

    @Test("A world of real time takes its time, and one that is faster takes less")
    func pace() throws {
        let clock = ContinuousClock()
        let real = World(seed: 1, time: .real)
        #expect(clock.measure { real.advance(by: .milliseconds(200)) } >= .milliseconds(199))
        let faster = World(seed: 1, time: .real(timesFaster: 10))
        let time = clock.measure { faster.advance(by: .seconds(2)) }
        #expect(time >= .milliseconds(199))
        #expect(faster.now == .seconds(2))
        // What happens meanwhile is the same.
        faster.addPeripheral(.thermometer())
        let reader = faster.addDevice("phone").run { Reader() }
        try faster.run(until: reader.values.first == [21])
    }

    @Test("In a world of real time, work that an app does by its own timers is taken at once")
    func timersInRealTime() throws {
        let world = World(seed: 1, time: .real(timesFaster: 5))
        world.addPeripheral(.thermometer())
        let reader = world.addDevice("phone").run { () -> Box in
            let box = Box()
            DispatchQueue(label: "timer").asyncAfter(deadline: .now() + 0.02) { box.start() }
            return box
        }
        try world.run(until: reader.values.first == [21], within: .seconds(60))
    }

    /// An app that makes its manager later.
    private final class Box: @unchecked Sendable {
        // Unchecked: the lock protects the reader.
        private let lock = NSLock()
        private var reader: Reader?

        func start() { self.lock.withLock { self.reader = Reader() } }

        func stop() { self.lock.withLock { self.reader = nil } }

        var isStarted: Bool { self.lock.withLock { self.reader != nil } }

        var values: [[UInt8]] { self.lock.withLock { self.reader?.values ?? [] } }
    }

    @Test("A manager that is made after a hop is on the device, and one outside of devices is a mistake")
    func managersOutside() throws {
        let world = World(seed: 1)
        world.addPeripheral(.thermometer())
        let box = world.addDevice("phone").run { () -> Box in
            let box = Box()
            DispatchQueue(label: "first").async { Task.detached { DispatchQueue.global().async { box.start() } } }
            return box
        }
        try world.run(until: box.values.first == [21])

        let reader = Reader()
        let error = #expect(throws: WorldError.self) { try world.run(until: true) }
        #expect(error?.reason.contains("device.run") == true)
        box.stop()
        withExtendedLifetime(reader) {}
    }

    @Test("What waits for a timer of real time is named where a condition does not become true")
    func timersAreNamed() throws {
        let world = World(seed: 1)
        world.addDevice("phone").run { DispatchQueue(label: "timer").asyncAfter(deadline: .now() + 60) {} }
        let error = #expect(throws: WorldError.self) { try world.run(until: false, within: .seconds(1)) }
        #expect(error?.reason.contains("waits for a timer of real time") == true)
    }

    @Test("A queue that nobody serves is named, and the world does not wait for ever")
    func suspendedQueue() throws {
        let world = World(seed: 1)
        let queue = DispatchQueue(label: "suspended", attributes: .initiallyInactive)
        world.loop.work.limit = 0.1
        world.addDevice("phone").run { queue.async {} }
        let error = #expect(throws: WorldError.self) { try world.run(until: true) }
        #expect(error?.reason.contains("\"suspended\" (not begun)") == true)
        // It was waited for once: while nothing of it changes, nobody waits for it again.
        #expect(throws: Never.self) { try world.run(until: true) }
        queue.activate()
    }

    @Test("Threads that wait for a semaphore or sleep are at rest, or waited for")
    func blockedThreads() throws {
        let world = World(seed: 1)
        world.addPeripheral(.thermometer())
        let semaphore = DispatchSemaphore(value: 0)
        let done = Box()
        let reader = world.addDevice("phone").run { () -> Reader in
            DispatchQueue(label: "waits").async {
                semaphore.wait()
                done.start()
            }
            return Reader()
        }
        try world.run(until: reader.values.first == [21])
        #expect(!done.isStarted)
        world.after(.seconds(1)) { semaphore.signal() }
        try world.run(until: done.isStarted)
        world.addDevice("tablet").run {
            DispatchQueue(label: "sleeps").async {
                Thread.sleep(forTimeInterval: 0.1)
                done.stop()
            }
        }
        world.advance(by: .zero)
        #expect(!done.isStarted)
    }
}
