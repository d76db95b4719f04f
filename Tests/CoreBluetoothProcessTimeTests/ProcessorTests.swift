// The processor that a world's threads share: an app sees nothing of it.

#if os(Linux)
import Foundation
import Testing

@Suite("The processor that threads share")
struct ProcessorTests {
    /// On how many processors the threads of this process may run, by the kernel's word.
    static func processorCounts() throws -> [Int] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { thread in
            // One may have ended.
            guard let text = try? String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8) else {
                return nil
            }
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") })
            return line.drop { $0 != ":" }.reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) }
        }
    }

    /// Many rests that come at once.
    static func settle(_ process: HeldProcess) throws {
        let queue = DispatchQueue(label: "q")
        for _ in 0..<100 {
            queue.async {}
            try process.rest()
        }
    }

    @Test("lets threads share a processor until the world ends")
    func shared() async {
        await #expect(processExitsWith: .success) {
            let before = try ProcessorTests.processorCounts()
            let process = try HeldProcess()
            try ProcessorTests.settle(process)
            #expect(try ProcessorTests.processorCounts().contains(1))
            process.end()
            #expect(try Set(ProcessorTests.processorCounts()) == Set(before))
        }
    }

    @Test("shows all processors to an app and what it starts")
    func all() async {
        await #expect(processExitsWith: .success) {
            let count = ProcessInfo.processInfo.activeProcessorCount
            let process = try HeldProcess()
            let lines = Lines()
            try ProcessorTests.settle(process)
            DispatchQueue(label: "q").async { lines("\(ProcessInfo.processInfo.activeProcessorCount)") }
            try process.rest()
            try ProcessorTests.settle(process)
            DispatchQueue(label: "q").async {
                let thread = Thread { lines("\(ProcessInfo.processInfo.activeProcessorCount)") }
                thread.start()
            }
            try process.rest()
            try ProcessorTests.settle(process)
            let program = Process()
            program.executableURL = URL(fileURLWithPath: "/usr/bin/nproc")
            let output = Pipe()
            program.standardOutput = output
            try program.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            lines(text.trimmingCharacters(in: .newlines))
            #expect(lines.all == ["\(count)", "\(count)", "\(count)"])
        }
    }

    @Test("gives all processors to work that takes long")
    func longWork() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            let count = try #require(ProcessorTests.processorCounts().max())
            try ProcessorTests.settle(process)
            let lines = Lines()
            // Ends when threads that share a processor do no longer.
            DispatchQueue(label: "q").async {
                while (try? ProcessorTests.processorCounts().min()) != count {}
                lines("all")
            }
            try process.rest()
            #expect(lines.all == ["all"])
        }
    }
}
#endif
