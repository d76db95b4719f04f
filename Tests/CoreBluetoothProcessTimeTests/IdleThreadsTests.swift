// What is known without the kernel of the threads of libdispatch's pool that wait for work: that it is so, and that a
// thread which runs is never taken for one that rests.

#if os(Linux)
import CProcessTime
import Foundation
import Testing

@Suite("Idle threads of the pool")
struct IdleThreadsTests {
    /// The threads that wait for work, as the list has them.
    static var listed: [Int32] {
        var identifiers = [Int32](repeating: 0, count: 1024)
        let count = process_time_idle_threads(&identifiers, identifiers.count)
        return Array(identifiers.prefix(count))
    }

    static func isAsleep(_ thread: Int32) throws -> Bool {
        let status = try String(contentsOfFile: "/proc/self/task/\(thread)/stat", encoding: .utf8)
        return try #require(status.components(separatedBy: ") ").last).hasPrefix("S")
    }

    /// Whether a thread sleeps, or is about to.
    static func fallsAsleep(_ thread: Int32) throws -> Bool {
        // The process's own clocks stand still.
        let limit = process_time_real_nanoseconds() + 60_000_000_000
        while process_time_real_nanoseconds() < limit {
            if try self.isAsleep(thread) { return true }
        }
        return false
    }

    static var thread: Int32 {
        get throws { try CLibrary.function("gettid", as: (@convention(c) () -> Int32).self)() }
    }

    /// Work that hops between queues of all kinds, tasks and threads, and does something for a moment in each place.
    private final class Hops: @unchecked Sendable {
        // Unchecked: the lock protects the numbers; the rest does not change.
        private let lock = NSLock()
        private var begun = 0
        private var ended = 0
        private var state: UInt64
        private let serial: [DispatchQueue]
        private let concurrent = [
            DispatchQueue.global(), .global(qos: .userInitiated), .global(qos: .background),
            DispatchQueue(label: "concurrent", attributes: .concurrent),
        ]
        /// How much has begun and has not ended.
        var runningCount: Int { self.lock.withLock { self.begun - self.ended } }
        var endedCount: Int { self.lock.withLock { self.ended } }

        init(seed: UInt64) {
            self.state = seed
            self.serial = [DispatchQoS.unspecified, .userInitiated, .utility].map { DispatchQueue(label: "s", qos: $0) }
        }

        private func number(below limit: Int) -> Int {
            self.lock.withLock {
                self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int(self.state >> 33) % limit
            }
        }

        func start(hops: Int) {
            self.lock.withLock { self.begun += 1 }
            let work: @Sendable () -> Void = { self.run(hops: hops) }
            switch self.number(below: 12) {
            case 0..<5: self.serial[self.number(below: self.serial.count)].async(execute: work)
            case 5..<8: self.concurrent[self.number(below: self.concurrent.count)].async(execute: work)
            case 8, 9: Task { work() }
            case 10: self.concurrent[0].async { self.concurrent[3].sync(execute: work) }
            default: Thread.detachNewThread(work)
            }
        }

        private func run(hops: Int) {
            // Long enough that a look may fall into it.
            for _ in 0..<self.number(below: 3_000) { _ = self.number(below: 2) }
            if hops > 0 { self.start(hops: hops - 1) }
            if self.number(below: 8) == 0 {
                // Waits for what another thread does.
                let semaphore = DispatchSemaphore(value: 0)
                self.concurrent[0].async { semaphore.signal() }
                semaphore.wait()
            }
            self.lock.withLock { self.ended += 1 }
        }
    }

    @Test("rests only when all hops have ended and idle threads sleep, also with signals in between")
    func hops() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            // Not SA_RESTART: the wait in the kernel ends.
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { _ in }
            try #require(sigaction(SIGPROF, &action, nil) == 0)
            let kill = try CLibrary.function("tgkill", as: (@convention(c) (Int32, Int32, Int32) -> Int32).self)
            let hops = Hops(seed: 1)
            for round in 0..<400 {
                for _ in 0...(round % 4) { hops.start(hops: round % 7) }
                if round % 2 == 1 { for thread in IdleThreadsTests.listed { _ = kill(getpid(), thread, SIGPROF) } }
                try process.rest()
                try #require(hops.runningCount == 0, "after round \(round)")
                let listed = IdleThreadsTests.listed
                #expect(Set(listed).count == listed.count)
                for thread in listed { #expect(try IdleThreadsTests.fallsAsleep(thread)) }
                guard round % 2 == 1 else { continue }
                for thread in listed { #expect(kill(getpid(), thread, SIGPROF) == 0) }
                try process.rest()
                #expect(IdleThreadsTests.listed == listed)
            }
            #expect(hops.endedCount > 400)
            #expect(!IdleThreadsTests.listed.isEmpty)
        }
    }

    @Test("does not count a thread that waits inside of work as idle")
    func waitsInsideOfWork() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            let lines = Lines()
            let semaphore = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                lines("\((try? IdleThreadsTests.thread) ?? 0)")
                semaphore.wait()
                lines("\(semaphore.wait(timeout: .now() + 5)) \(now())")
            }
            try process.rest()
            let thread = try #require(lines.all.first.flatMap { Int32($0) })
            #expect(try IdleThreadsTests.fallsAsleep(thread))
            #expect(!IdleThreadsTests.listed.contains(thread))
            semaphore.signal()
            try process.rest()
            #expect(try IdleThreadsTests.fallsAsleep(thread))
            #expect(!IdleThreadsTests.listed.contains(thread))
            try process.run(until: 60)
            #expect(lines.all.dropFirst() == ["timedOut 5.0"])
            #expect(IdleThreadsTests.listed.contains(thread))
        }
    }

    // What runs in the middle of a look. The function that is called there has no context.
    private static let flag = NSLock()
    nonisolated(unsafe) private static var runs = false
    nonisolated(unsafe) private static var inLook: (Int32) -> Void = { _ in }
    private static var isRunning: Bool {
        get { self.flag.withLock { self.runs } }
        set { self.flag.withLock { self.runs = newValue } }
    }

    /// Does something once, in the middle of the next look, and lets all come to rest.
    private static func rest(_ process: HeldProcess, inLook body: @escaping (Int32) -> Bool) throws {
        self.inLook = { thread in
            guard body(thread) else { return }
            process_time_observe_looks(nil)
        }
        process_time_observe_looks { IdleThreadsTests.inLook($0) }
        try process.rest()
    }

    /// Runs until looks have long found all others asleep.
    private static func runForLong() {
        let end = process_time_real_nanoseconds() + 200_000_000
        while process_time_real_nanoseconds() < end {}
        self.isRunning = false
    }

    @Test("waits for work that is given in the middle of a look", arguments: [false, true])
    func workInLook(isNewThread: Bool) async {
        await #expect(processExitsWith: .success) { [isNewThread] in
            let process = try HeldProcess()
            let queue = DispatchQueue(label: "q")
            queue.async {}
            try process.rest()
            try #require(!IdleThreadsTests.listed.isEmpty)
            try IdleThreadsTests.rest(process) { thread in
                guard thread == 0 else { return false }
                IdleThreadsTests.isRunning = true
                let work: @Sendable () -> Void = { IdleThreadsTests.runForLong() }
                if isNewThread { Thread.detachNewThread(work) } else { queue.async(execute: work) }
                return true
            }
            #expect(!IdleThreadsTests.isRunning)
        }
    }

    @Test("waits for a thread that was woken after it was found asleep")
    func wokenInLook() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            let (first, second, end) = (
                DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
            )
            let lines = Lines()
            Thread.detachNewThread {
                lines("\((try? IdleThreadsTests.thread) ?? 0)")
                first.wait()
                IdleThreadsTests.runForLong()
            }
            try process.rest()
            Thread.detachNewThread {
                lines("\((try? IdleThreadsTests.thread) ?? 0)")
                second.wait()
                first.signal()
                end.wait()
            }
            try process.rest()
            let threads = lines.all.compactMap { Int32($0) }
            try #require(threads.count == 2)
            try IdleThreadsTests.rest(process) { thread in
                guard thread == threads[0] else { return false }
                IdleThreadsTests.isRunning = true
                second.signal()
                while IdleThreadsTests.isRunning, (try? IdleThreadsTests.isAsleep(threads[0])) == true {}
                _ = try? IdleThreadsTests.fallsAsleep(threads[1])
                return true
            }
            #expect(!IdleThreadsTests.isRunning)
        }
    }

    @Test("forgets idle threads in real time, and lists them again in another world")
    func threadsThatLeave() async {
        await #expect(processExitsWith: .success) {
            for world in 0..<3 {
                let process = try HeldProcess()
                let semaphore = DispatchSemaphore(value: 0)
                // As many threads at once as there are of these.
                for _ in 0..<4 { DispatchQueue(label: "q").async { semaphore.wait() } }
                try process.rest()
                let others = Set(IdleThreadsTests.listed)
                for _ in 0..<4 { semaphore.signal() }
                try process.rest()
                #expect(IdleThreadsTests.listed.count >= others.count + 4, "world \(world)")
                process.end()
                // Each works once in real time, and waits as libdispatch has it.
                let listed = IdleThreadsTests.listed.count
                for _ in 0..<listed { DispatchQueue(label: "q").async { semaphore.wait() } }
                let limit = ContinuousClock().now + .seconds(60)
                while !IdleThreadsTests.listed.isEmpty, ContinuousClock().now < limit { sched_yield() }
                #expect(IdleThreadsTests.listed.isEmpty)
                for _ in 0..<listed { semaphore.signal() }
            }
        }
    }
}
#endif
