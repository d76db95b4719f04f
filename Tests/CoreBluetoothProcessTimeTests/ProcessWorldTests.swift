// A world whose time is the whole process's: an app with timers, sleeps, dates and random numbers of its own.

import CProcessTime
import CoreBluetooth
import CoreBluetoothProcessTime
import CoreBluetoothTesting
import Dispatch
import Foundation
import Testing

@Suite("A world that has the time of the process")
struct ProcessWorldTests {
    /// What devices draw whose queues and tasks run at the same time, and in which order they ask something of
    /// Bluetooth.
    private static func racingDraws() throws -> [String] {
        let world = World(seed: 5, time: .process)
        final class Drawer: @unchecked Sendable {
            // Unchecked: the lines are behind the lock.
            let lock = NSLock()
            var lines: [String] = []
            let queue = DispatchQueue(label: "drawer")
            var manager: CBPeripheralManager?

            func draw(_ name: String, _ number: Int) {
                let drawn = UUID().uuidString
                self.lock.withLock { self.lines.append("\(name) \(number) \(drawn)") }
            }

            func begin() {
                self.queue.async {
                    for number in 0..<30 { self.draw("queue", number) }
                    self.manager = CBPeripheralManager(delegate: nil, queue: self.queue)
                }
                Task {
                    for number in 0..<30 {
                        self.draw("task", number)
                        await Task.yield()
                    }
                }
            }
        }
        var lines: [String] = []
        let drawers = (0..<4).map { number in
            world.addDevice("device \(number)").run {
                let drawer = Drawer()
                drawer.begin()
                // The test itself draws, too.
                lines.append(UUID().uuidString)
                return drawer
            }
        }
        world.advance(by: .seconds(1))
        try world.run(until: drawers.allSatisfy { drawer in drawer.lock.withLock { drawer.lines.count == 60 } })
        for drawer in drawers { lines += drawer.lines.sorted() }
        return lines + world.trace.includingHCI.map(\.description)
    }

    @Test("draws the same numbers in queues and tasks that run at the same time")
    func racingDraws() async {
        await #expect(processExitsWith: .success) {
            let first = try Self.racingDraws()
            #expect(Set(first).count > 240)
            for _ in 0..<10 { try #require(try Self.racingDraws() == first) }
        }
    }

    @Test("fails at once beside other tests, and says what to do")
    func besideOthers() throws {
        let world = World(seed: 1, time: .process)
        // The runner says by this that a test has the process to itself.
        if CommandLine.arguments.contains("--no-parallel") { return try world.run(until: true) }
        let error = #expect(throws: WorldError.self) { try world.run(until: true) }
        #expect(error?.reason.contains("exit test") == true)
    }
}

@Suite("Waits until one instant in process time")
struct OneInstantTests {
    enum Wait: CaseIterable {
        case after, timer, sleep, semaphore, task
    }

    /// Starts work on three queues that waits for one second; the last one comes first. Returns the order in which it
    /// ends.
    private static func order(of wait: Wait) -> [String] {
        let world = World(seed: 1, time: .process)
        let (lines, passed) = (Lines(), Lines())
        let queues = (0..<3).map { DispatchQueue(label: "q \($0)") }
        let timers = queues.map { DispatchSource.makeTimerSource(queue: $0) }
        for number in 0..<3 {
            // A source may be used by any thread; its type does not say so.
            nonisolated(unsafe) let timer = timers[number]
            let queue = queues[number]
            queue.async {
                while passed.all.count < 2 - number { sched_yield() }
                switch wait {
                case .after:
                    queue.asyncAfter(deadline: .now() + 1) { lines("\(number)") }
                case .timer:
                    timer.setEventHandler { lines("\(number)") }
                    timer.schedule(deadline: .now() + 1)
                    timer.resume()
                case .sleep, .semaphore:
                    // The one before is asleep by then.
                    let begin = process_time_real_nanoseconds()
                    while process_time_real_nanoseconds() < begin + 20_000_000 { sched_yield() }
                    passed("\(number)")
                    // In the world's time.
                    if wait == .sleep {
                        Thread.sleep(forTimeInterval: 1)
                    } else {
                        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 1)
                    }
                    return lines("\(number)")
                case .task:
                    Task {
                        try? await Task.sleep(nanoseconds: 1_000_000_000)
                        lines("\(number)")
                    }
                }
                passed("\(number)")
            }
        }
        world.advance(by: .seconds(2))
        for timer in timers where wait != .timer { timer.resume() }
        return lines.all
    }

    @Test("comes in the order in which it was started, whichever thread asks first")
    func order() async {
        await #expect(processExitsWith: .success) {
            for wait in Wait.allCases { #expect(Self.order(of: wait) == ["0", "1", "2"], "\(wait)") }
        }
    }
}
