// Every kind of timer in every kind of world, in tests that await and that do not, on the main queue, on the main
// thread and off it: the table of the article "Timers, sleeps and dates". A cell fires on the world's clock, or says at
// once why it cannot.

import CoreBluetoothProcessTime
import CoreBluetoothTesting
import Dispatch
import Foundation
import NIOPosix
import Testing
import XCTest

/// What an app may wait with.
enum TimerKind: String, CaseIterable, Codable {
    case scheduledTimer, addedTimer, commonTimer, timerOfThread
    case mainSource, source, mainAfter, after
    case taskSleep, taskSleepNanoseconds, continuousClock, suspendingClock, mainActorSleep, asyncStream
    case threadSleep, semaphore, group, condition
    case eventLoop

    /// Calls `fire` once, after so many seconds.
    func arm(_ delay: Double, _ fire: @escaping @Sendable () -> Void) {
        let duration = Duration.seconds(delay)
        let queue = DispatchQueue(label: "own")
        switch self {
        case .scheduledTimer:
            _ = Timer.scheduledTimer(withTimeInterval: delay, repeats: false) { _ in fire() }
        case .addedTimer, .commonTimer:
            let timer = Timer(fire: Date() + delay, interval: 0, repeats: false) { _ in fire() }
            RunLoop.main.add(timer, forMode: self == .addedTimer ? .default : .common)
        case .timerOfThread:
            let thread = Thread {
                _ = Timer.scheduledTimer(withTimeInterval: delay, repeats: false) { _ in fire() }
                RunLoop.current.run()
            }
            thread.start()
        case .mainSource, .source:
            let source = DispatchSource.makeTimerSource(queue: self == .mainSource ? .main : queue)
            source.setEventHandler {
                fire()
                source.cancel()
            }
            source.schedule(deadline: .now() + delay)
            source.resume()
        case .mainAfter: DispatchQueue.main.asyncAfter(deadline: .now() + delay) { fire() }
        case .after: queue.asyncAfter(deadline: .now() + delay) { fire() }
        case .taskSleep: self.start(fire) { try await Task.sleep(for: duration) }
        case .taskSleepNanoseconds: self.start(fire) { try await Task.sleep(nanoseconds: UInt64(delay * 1e9)) }
        case .continuousClock: self.start(fire) { try await ContinuousClock().sleep(for: duration) }
        case .suspendingClock: self.start(fire) { try await SuspendingClock().sleep(for: duration) }
        case .mainActorSleep:
            Task { @MainActor in
                try? await Task.sleep(for: duration)
                fire()
            }
        case .asyncStream:
            self.start(fire) {
                let stream = AsyncStream { try? await Task.sleep(for: duration) }
                for await _ in stream { break }
            }
        case .threadSleep: self.start(fire, on: queue) { Thread.sleep(forTimeInterval: delay) }
        case .semaphore:
            self.start(fire, on: queue) { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + delay) }
        case .group:
            self.start(fire, on: queue) {
                let group = DispatchGroup()
                group.enter()
                _ = group.wait(timeout: .now() + delay)
                group.leave()
            }
        case .condition:
            self.start(fire, on: queue) {
                let condition = NSCondition()
                condition.withLock { _ = condition.wait(until: Date() + delay) }
            }
        case .eventLoop:
            MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: .nanoseconds(Int64(delay * 1e9))) { fire() }
        }
    }

    private func start(_ fire: @escaping @Sendable () -> Void, _ sleep: @escaping @Sendable () async throws -> Void) {
        Task {
            try? await sleep()
            fire()
        }
    }

    private func start(
        _ fire: @escaping @Sendable () -> Void,
        on queue: DispatchQueue,
        _ sleep: @escaping @Sendable () -> Void
    ) {
        queue.async {
            sleep()
            fire()
        }
    }

    /// Whether a world in virtual time sees that it is waited with, and says so: not that of a loop whose own thread
    /// waits.
    var isSeen: Bool { self != .eventLoop }
    /// How long it is waited with in virtual time, in seconds: a thread that sleeps is waited for.
    var longDelay: Double { self == .threadSleep ? 0.01 : 3600 }
}

/// The cells of one kind of world, each in a world of its own.
enum TimerTable {
    private static func armed(_ kind: TimerKind, _ world: World, after delay: Double) -> Lines {
        let lines = Lines()
        world.addDevice("phone").run { kind.arm(delay) { lines("\(Date().timeIntervalSinceReferenceDate)") } }
        return lines
    }

    /// The seconds since the beginning, to the millisecond: equal deadlines differ by some nanoseconds.
    private static func seconds(_ lines: Lines) -> [Int] {
        lines.all.compactMap(Double.init).map {
            Int((($0 - TimersTests.beginning.timeIntervalSinceReferenceDate) * 1000).rounded())
        }
    }

    static func processTime() throws {
        for kind in TimerKind.allCases {
            let world = World(seed: 1, time: .process)
            let lines = self.armed(kind, world, after: 100)
            world.advance(by: .seconds(99))
            try world.run(until: true)
            #expect(lines.all.isEmpty, "\(kind)")
            world.advance(by: .seconds(2))
            #expect(self.seconds(lines) == [100_000], "\(kind)")
        }
    }

    static func processTimeAwaiting() async throws {
        for kind in TimerKind.allCases {
            let world = World(seed: 1, time: .process)
            let lines = self.armed(kind, world, after: 0.1)
            try await world.wait(until: !lines.all.isEmpty, within: .milliseconds(200))
            #expect(self.seconds(lines) == [100], "\(kind)")
        }
    }

    static func realTime() throws {
        for kind in TimerKind.allCases {
            let world = World(seed: 1, time: .real)
            let lines = self.armed(kind, world, after: 0.01)
            try world.run(until: !lines.all.isEmpty, within: .seconds(60))
            #expect(lines.all.count == 1, "\(kind)")
        }
    }

    static func realTimeAwaiting() async throws {
        for kind in TimerKind.allCases {
            let world = World(seed: 1, time: .real)
            let lines = self.armed(kind, world, after: 0.01)
            try await world.wait(until: !lines.all.isEmpty, within: .seconds(60))
            #expect(lines.all.count == 1, "\(kind)")
        }
    }

    static func virtualTime() throws {
        for kind in TimerKind.allCases where kind.isSeen {
            let world = World(seed: 1)
            let lines = self.armed(kind, world, after: kind.longDelay)
            self.expectHint(#expect(throws: WorldError.self) { try self.runWhileUnseen(kind, world) }, kind)
            #expect(lines.all.isEmpty == (kind != .threadSleep), "\(kind)")
        }
    }

    static func virtualTimeAwaiting() async throws {
        for kind in TimerKind.allCases where kind.isSeen {
            let world = World(seed: 1)
            let lines = self.armed(kind, world, after: kind.longDelay)
            self.expectHint(#expect(throws: WorldError.self) { try self.runWhileUnseen(kind, world) }, kind)
            let error = await #expect(throws: WorldError.self) { try await world.wait(until: false, within: .zero) }
            self.expectHint(error, kind)
            #expect(lines.all.isEmpty == (kind != .threadSleep), "\(kind)")
        }
    }

    /// No time passes; a thread of its own may need a moment until it is seen.
    private static func runWhileUnseen(_ kind: TimerKind, _ world: World) throws {
        while true {
            do {
                try world.run(until: false, within: .zero)
            } catch let error as WorldError where kind == .timerOfThread && !error.reason.contains("a Timer") {
                sched_yield()
            }
        }
    }

    private static func expectHint(_ error: WorldError?, _ kind: TimerKind) {
        #expect(error?.reason.contains("use World(time: .process)") == true, "\(kind)")
    }
}

@Suite("Timers in every world")
struct TimerTableTests {
    @Test("fire in process time, off the main queue")
    func process() async {
        await #expect(processExitsWith: .success) { try TimerTable.processTime() }
    }

    @Test("fire in process time, on the main queue")
    func processOnMain() async {
        await #expect(processExitsWith: .success) { try await MainActor.run { try TimerTable.processTime() } }
    }

    @Test("fire in process time for a test that awaits, off the main queue")
    func processAwaiting() async {
        await #expect(processExitsWith: .success) { try await TimerTable.processTimeAwaiting() }
    }

    @Test("fire in process time for a test that awaits, on the main queue")
    func processAwaitingOnMain() async {
        await #expect(processExitsWith: .success) { @MainActor in try await TimerTable.processTimeAwaiting() }
    }

    @Test("fire in real time, on and off the main queue")
    func real() async {
        await #expect(processExitsWith: .success) {
            try TimerTable.realTime()
            try await MainActor.run { try TimerTable.realTime() }
            try await TimerTable.realTimeAwaiting()
        }
        await #expect(processExitsWith: .success) { @MainActor in try await TimerTable.realTimeAwaiting() }
    }

    @Test("are named at once in virtual time, on and off the main queue")
    func virtual() async {
        await #expect(processExitsWith: .success) {
            try TimerTable.virtualTime()
            try await MainActor.run { try TimerTable.virtualTime() }
            try await TimerTable.virtualTimeAwaiting()
        }
        await #expect(processExitsWith: .success) { @MainActor in try await TimerTable.virtualTimeAwaiting() }
    }

    @Test("say on standard error in virtual time who waits, once")
    func standardError() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for _ in 0..<2 {
                let world = World(seed: 1)
                world.addDevice("phone").run { TimerTableTests.blinkLater() }
                for name in ["clock", "lamp"] { world.addDevice(name).run { TimerTableTests.blink() } }
                withExtendedLifetime(world) {}
            }
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("[CoreBluetoothTesting] ") }
        #expect(lines.count == 2, "\(lines)")
        for (line, words) in zip(lines, ["asyncAfter in ", "a thread's sleep in "]) {
            #expect(
                line.hasPrefix("[CoreBluetoothTesting] \(words)") && line.contains("TimerTableTests.blink"),
                "\(line)"
            )
        }
    }

    @inline(never) static func blinkLater() { DispatchQueue.main.asyncAfter(deadline: .now() + 3600) {} }

    @inline(never) static func blink() { Thread.sleep(forTimeInterval: 0.001) }

    @Test("report a Timer that the run loop of a queue's thread gets, which nobody runs on a phone either")
    func stray() async {
        await #expect(processExitsWith: .success) {
            let world = World(seed: 1, time: .process)
            world.addDevice("phone").run {
                DispatchQueue(label: "bluetooth").async {
                    _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in }
                }
            }
            let error = #expect(throws: WorldError.self) { try world.run(until: true) }
            #expect(error?.reason.contains(#"of the queue "bluetooth", which nobody runs"#) == true)
        }
    }

    @Test("repeat, change their dates and end as they do on a phone")
    func life() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let world = World(seed: 1, time: .process)
            let lines = Lines()
            nonisolated(unsafe) var moved: Timer?
            world.addDevice("phone").run {
                _ = Timer.scheduledTimer(withTimeInterval: 10, repeats: true) { timer in
                    lines("tick \(Int(now().rounded()))")
                    if lines.all.count >= 3 { timer.invalidate() }
                }
                moved = Timer.scheduledTimer(withTimeInterval: 1_000, repeats: false) { _ in lines("moved") }
            }
            moved?.fireDate = Date() + 15
            world.advance(by: .seconds(3_600))
            #expect(lines.all == ["tick 10", "moved", "tick 20"])
            try world.run(until: true)
        }
    }
}

final class MainThreadTimerTests: XCTestCase {
    func testFireInProcessTime() throws { try TimerTable.processTime() }

    func testFireInProcessTimeForATestThatAwaits() async throws { try await TimerTable.processTimeAwaiting() }

    @MainActor
    func testFireInProcessTimeForATestThatAwaitsOnTheMainActor() async throws {
        try await TimerTable.processTimeAwaiting()
    }

    func testFireInRealTime() throws { try TimerTable.realTime() }

    func testAreNamedInVirtualTime() throws { try TimerTable.virtualTime() }
}
