// A phase of many operations, and the memory after each tenth.

import BenchmarkSupport
import CMemory
import Foundation

/// The memory of a process.
struct Memory {
    /// The limit of the growth of resident memory, in MB.
    static let residentBound = 4.0
    /// The limit of the growth of allocated memory, in KiB: less than a few octets for each operation.
    static let allocatedBound = 512.0

    /// In MB.
    var resident = Meter.residentMemory()
    /// The allocated memory, in KiB.
    var allocated = Double(allocated_octets()) / 1024
}

/// Operations that are repeated.
struct Phase {
    private let name: String
    private let count: Int

    init(_ name: String, _ count: Int) {
        self.name = name
        self.count = count
    }

    /// Calls `work` once, which reports each operation that it has done. Returns whether the memory
    /// stayed the same.
    func run(_ work: (_ count: Int, _ done: @escaping () -> Void) -> Void) -> Bool {
        guard self.count > 0 else { return true }
        var done = 0
        var tenths: [Memory] = []
        let start = DispatchTime.now().uptimeNanoseconds
        let (name, count) = (self.name, self.count)
        work(count) {
            done += 1
            while done * 10 >= count * (tenths.count + 1), tenths.count < 10 {
                let memory = Memory()
                tenths.append(memory)
                let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
                print(
                    String(
                        format: "%@: %d after %.1f s: %.1f MB resident, %.0f KiB allocated",
                        name,
                        done,
                        seconds,
                        memory.resident,
                        memory.allocated
                    )
                )
                fflush(stdout)
            }
        }
        expect(done >= count, "\(name): only \(done) of \(count)")
        let (warm, last) = (tenths[1], tenths[9])
        let growth = (resident: last.resident - warm.resident, allocated: last.allocated - warm.allocated)
        let isFlat = growth.resident <= Memory.residentBound && growth.allocated <= Memory.allocatedBound
        print(
            String(
                format: "%@: grown by %.1f MB resident and %.0f KiB allocated: %@",
                name,
                growth.resident,
                growth.allocated,
                isFlat ? "flat" : "NOT FLAT"
            )
        )
        return isFlat
    }

    /// Runs the main run loop until a condition holds that code on the main thread makes true. A minute without an
    /// operation done is too long.
    static func wait(progress: @escaping () -> Int, until isDone: () -> Bool) {
        var last = progress()
        let watch = DispatchSource.makeTimerSource(queue: .main)
        watch.schedule(deadline: .now() + 60, repeating: 60)
        watch.setEventHandler {
            expect(progress() != last, "nothing moves any more after \(last) operations")
            last = progress()
        }
        watch.resume()
        // With a limit, each call would make timers, which stay allocated for a while.
        while !isDone() { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
        watch.cancel()
    }
}
