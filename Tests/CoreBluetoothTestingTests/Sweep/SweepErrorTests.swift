import Testing

@testable import CoreBluetoothTesting

@Suite("SweepError")
struct SweepErrorTests {
    @Test(
        "has the reasons of five failures, and names the seeds of further ones",
        arguments: [0, 1, 5, 6, 8]
    )
    func failures(count: Int) {
        var error = SweepError("\(count) seeds fail")
        error.command = count == 0 ? nil : "swift test"
        error.failures = (0..<count).map { number in
            SweepError.Failure(
                seeds: number == 5 ? [50, 51] : [UInt64(number)],
                reason: "reason \(number)",
                folder: number == 1 ? "/tmp/kept" : nil
            )
        }
        var lines = ["\(count) seeds fail"]
        if count > 0 { lines += ["Again: swift test", "Seed 0: reason 0"] }
        if count > 1 {
            lines += ["Seed 1: reason 1", "Trace and captures: /tmp/kept"]
            lines += (2...4).map { "Seed \($0): reason \($0)" }
        }
        if count == 6 { lines.append("Further seeds that fail: 50-51") }
        if count == 8 { lines.append("Further seeds that fail: \(SeedSet([50, 51, 6, 7]))") }
        #expect(error.description == lines.joined(separator: "\n"))
        #expect(error.errorDescription == error.description)
    }
}
