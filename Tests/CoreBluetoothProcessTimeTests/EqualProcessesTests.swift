// The same seed in several processes: the same octets. PROCESS_TIME_PROCESSES says how many there are.

import CoreBluetoothTesting
import Crypto
import Foundation
import Testing

@Suite("Process time in several processes")
struct EqualProcessesTests {
    private actor Counter {
        private var count = 0

        func next() -> Int {
            self.count += 1
            return self.count
        }
    }

    /// What a program with timers, tasks, an actor, a thread, dates, random numbers and keys writes in an hour.
    static func program() throws -> [String] {
        let process = try HeldProcess()
        defer { process.end() }
        let lines = Lines()
        let now: @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }
        let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
        for number in 0..<20 {
            first.asyncAfter(deadline: .now() + .random(in: 1...1.5)) { lines("\(now()) after \(number) \(UUID())") }
            second.asyncAfter(deadline: .now() + 2) { lines("\(now()) same \(number) \(Int.random(in: 0...999))") }
        }
        // A dispatch source may be used from any thread; its type does not say so.
        nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: first)
        timer.schedule(deadline: .now() + 0.25, repeating: 0.25)
        timer.setEventHandler { lines("\(now()) timer \(Date().timeIntervalSince1970)") }
        timer.resume()
        first.asyncAfter(deadline: .now() + 60) { timer.cancel() }
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 3.25)
            lines("\(now()) slept \(Set((0..<10).map { "\($0)" }))")
            let repeating = Timer(timeInterval: 7, repeats: true) { _ in lines("\(now()) loop") }
            RunLoop.current.add(repeating, forMode: .default)
            RunLoop.current.run(until: Date() + 100)
        }
        let counter = Counter()
        Task {
            for _ in 0..<10 {
                try await Task.sleep(for: .milliseconds(.random(in: 1...999)))
                let key = P256.Signing.PrivateKey()
                let signature = try key.signature(for: Data("message".utf8)).rawRepresentation
                lines("\(now()) key \(await counter.next()) \(signature.base64EncodedString())")
            }
        }
        try process.run(until: 3600)
        return lines.all
    }

    @Test("writes the same octets in processes with one seed")
    func processes() async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["PROCESS_TIME_PROCESSES"].flatMap { Int($0) } ?? 2
        var outputs: Set<[UInt8]> = []
        for _ in 0..<count {
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let lines = try EqualProcessesTests.program()
                #expect(lines.count > 290)
                print(lines.joined(separator: "\n"))
                for date in try LookoutTests.sightings(seed: 1) { print(date.timeIntervalSince1970) }
            }
            outputs.insert(try #require(result).standardOutputContent)
        }
        #expect(outputs.count == 1, "\(count) processes")
        #expect(try #require(outputs.first).count > 10_000)
    }
}
