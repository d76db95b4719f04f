// Limits of waits and timers that only code below Foundation uses, in the time of a world.

import Foundation
import Testing

@Suite("Waits and timers of the C library in process time")
struct CLibraryWaitsTests {
    @Test("ends epoll_wait and epoll_pwait at their limits")
    func epoll() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            let lines = Lines()
            let pipe = Pipe()
            let reading = pipe.fileHandleForReading.fileDescriptor
            let create = try CLibrary.function("epoll_create1", as: CLibrary.EpollCreate.self)
            let control = try CLibrary.function("epoll_ctl", as: CLibrary.EpollControl.self)
            let wait = try CLibrary.function("epoll_wait", as: CLibrary.EpollWait.self)
            let pwait = try CLibrary.function("epoll_pwait", as: CLibrary.EpollPwait.self)
            Thread.detachNewThread {
                let descriptor = create(0)
                // A mask, which begins with EPOLLIN, and what identifies the descriptor.
                var event: [UInt32] = [1, 0, 0, 0]
                lines("\(control(descriptor, 1, reading, &event))")
                var events = [UInt32](repeating: 0, count: 16)
                lines("\(wait(descriptor, &events, 4, 2500)) \(now())")
                lines("\(pwait(descriptor, &events, 4, 1500, nil)) \(now())")
                lines("\(wait(descriptor, &events, 4, 2500)) \(now()) \(events[0])")
                // Ready at once, and no wait at all.
                lines("\(wait(descriptor, &events, 4, 2500)) \(now())")
                lines("\(wait(descriptor, &events, 4, 0)) \(now())")
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + 5) {
                try? pipe.fileHandleForWriting.write(contentsOf: Data([1]))
            }
            try process.run(until: 3600)
            #expect(lines.all == ["0", "0 2.5", "0 4.0", "1 5.0 1", "1 5.0", "1 5.0"])
        }
    }

    @Test("ends sem_clockwait and sem_timedwait at their limits")
    func semaphores() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            let lines = Lines()
            // What it points to is for several threads.
            nonisolated(unsafe) let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
            sem_init(semaphore, 0, 0)
            let wait = try CLibrary.function("sem_clockwait", as: CLibrary.SemaphoreWait.self)
            Thread.detachNewThread {
                for clock in [CLOCK_MONOTONIC, CLOCK_REALTIME] {
                    var limit = timespec()
                    clock_gettime(clock, &limit)
                    limit.tv_sec += 2
                    lines("\(wait(semaphore, clock, &limit)) \(errno == ETIMEDOUT) \(now())")
                }
                var limit = timespec()
                timespec_get(&limit, TIME_UTC)
                limit.tv_sec += 3600
                lines("\(sem_timedwait(semaphore, &limit)) \(now())")
            }
            let posting = DispatchWorkItem { sem_post(semaphore) }
            DispatchQueue.global().asyncAfter(deadline: .now() + 5, execute: posting)
            try process.run(until: 3600)
            #expect(lines.all == ["-1 true 2.0", "-1 true 4.0", "0 5.0"])
        }
    }

    @Test("ends timed waits for a read-write lock at their limits")
    func readWriteLocks() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            let lines = Lines()
            // What it points to is for several threads.
            nonisolated(unsafe) let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
            pthread_rwlock_init(lock, nil)
            pthread_rwlock_wrlock(lock)
            let read = try CLibrary.function("pthread_rwlock_clockrdlock", as: CLibrary.LockWait.self)
            let write = try CLibrary.function("pthread_rwlock_clockwrlock", as: CLibrary.LockWait.self)
            Thread.detachNewThread {
                func limit(_ clock: clockid_t) -> timespec {
                    var limit = timespec()
                    clock_gettime(clock, &limit)
                    limit.tv_sec += 2
                    return limit
                }
                var time = limit(CLOCK_REALTIME)
                lines("\(pthread_rwlock_timedrdlock(lock, &time) == ETIMEDOUT) \(now())")
                time = limit(CLOCK_REALTIME)
                lines("\(pthread_rwlock_timedwrlock(lock, &time) == ETIMEDOUT) \(now())")
                time = limit(CLOCK_MONOTONIC)
                lines("\(read(lock, CLOCK_MONOTONIC, &time) == ETIMEDOUT) \(now())")
                time = limit(CLOCK_MONOTONIC)
                lines("\(write(lock, CLOCK_MONOTONIC, &time) == ETIMEDOUT) \(now())")
                time = limit(CLOCK_REALTIME)
                lines("\(pthread_rwlock_timedrdlock(lock, &time)) \(now())")
            }
            try process.run(until: 9)
            pthread_rwlock_unlock(lock)
            try process.run(until: 3600)
            #expect(lines.all == ["true 2.0", "true 4.0", "true 6.0", "true 8.0", "0 9.0"])
        }
    }

    @Test("fires timer_create timers of the world in its time, and one from before after the world")
    func timers() async {
        await #expect(processExitsWith: .success) {
            final class Context { static let lines = Lines() }
            func timer(_ clock: clockid_t, _ number: Int32) -> timer_t? {
                var event = sigevent()
                event.sigev_notify = Int32(SIGEV_THREAD)
                event.sigev_value.sival_int = number
                event._sigev_un._sigev_thread._function = { value in
                    Context.lines("\(value.sival_int) \(now())")
                }
                var identifier: timer_t?
                return timer_create(clock, &event, &identifier) == 0 ? identifier : nil
            }
            let before = try #require(timer(CLOCK_MONOTONIC, 1))
            var setting = itimerspec(it_interval: timespec(), it_value: timespec(tv_sec: 1, tv_nsec: 0))
            timer_settime(before, 0, &setting, nil)
            let process = try HeldProcess()
            let repeating = try #require(timer(CLOCK_MONOTONIC, 2))
            setting.it_interval.tv_sec = 2
            timer_settime(repeating, 0, &setting, nil)
            let absolute = try #require(timer(CLOCK_REALTIME, 3))
            setting = itimerspec(it_interval: timespec(), it_value: timespec())
            setting.it_value.tv_sec = Int(TimersTests.beginning.timeIntervalSince1970) + 4
            timer_settime(absolute, Int32(TIMER_ABSTIME), &setting, nil)
            var left = itimerspec()
            timer_gettime(absolute, &left)
            #expect(left.it_value.tv_sec == 4)
            try process.run(until: 6)
            #expect(Context.lines.all == ["2 1.0", "2 3.0", "3 4.0", "2 5.0"])
            timer_delete(repeating)
            process.end()
            // What is from before ends after the world, in real time.
            let limit = ContinuousClock.now + .seconds(60)
            while Context.lines.all.count < 5, ContinuousClock.now < limit { usleep(1000) }
            #expect(Context.lines.all.last?.hasPrefix("1 ") == true)
        }
    }

    @Test("fires timers of one instant one after the other, in the order in which they were set")
    func deadlinesThatMeet() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            let lines = Lines()
            var timers: [any DispatchSourceTimer] = []
            for (number, interval) in [1.0, 0.5, 0.25].enumerated() {
                let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "\(number)"))
                timer.schedule(deadline: .now() + interval, repeating: interval)
                timer.setEventHandler { lines("\(number) \(DispatchTime.now().uptimeNanoseconds % 1000)") }
                timer.resume()
                timers.append(timer)
            }
            for number in 3..<6 {
                DispatchQueue(label: "\(number)").asyncAfter(deadline: .now() + 2) { lines("\(number)") }
            }
            try process.run(until: 1.9)
            let before = lines.all.count
            let steps = process.steps
            try process.run(until: 2.1)
            #expect(Array(lines.all.dropFirst(before)) == ["0 0", "1 1", "2 2", "3", "4", "5"])
            #expect(process.steps - steps == 6)
            for timer in timers { timer.cancel() }
        }
    }
}
