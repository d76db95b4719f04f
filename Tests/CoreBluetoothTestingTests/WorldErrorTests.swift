// What the error of a world says line by line, and a duration whose last digits have no place.

import Fixtures
import Testing

@testable import CoreBluetoothTesting

@Suite("The words of a world's error")
struct WorldErrorTests {
    @Test("Without a trace it says that nothing has passed; the captures follow, a line each")
    func nothing() {
        let world = World(seed: 1)
        var error = WorldError("the reason", trace: world.trace)
        let nothing = "the reason\nNothing has passed between any host and its controller."
        #expect(error.lastLines.isEmpty && error.captures.isEmpty && error.underlying == nil)
        #expect(error.description == nothing)
        error.captures = ["/tmp/a", "/tmp/b"]
        #expect(error.description == nothing + "\nCapture: /tmp/a\nCapture: /tmp/b")
        #expect(error.errorDescription == error.description)
    }

    @Test("The last twenty lines of the trace stand under a heading, between the reason and the captures")
    func lastLines() {
        let world = World(seed: 1)
        for number in 1...21 { world.note("line \(number)") }
        var error = WorldError("the reason", trace: world.trace)
        error.captures = ["/tmp/a"]
        let lines = error.description.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.prefix(2) == ["the reason", "The last lines of the trace:"])
        #expect(lines.count == 23 && lines.last == "Capture: /tmp/a")
        let numbers = lines.dropFirst(2).dropLast().map { $0.split(separator: " ").last.map(String.init) ?? "" }
        #expect(numbers == (2...21).map { "\($0)" })
        #expect(lines.dropFirst(2).dropLast().allSatisfy { $0.hasPrefix("      0.00 ms  world ") })
        RunRecord.note(error.description)
    }

    @Test("A duration has three decimal places of its unit at most, rounded")
    func durations() {
        let all: [(Duration, String)] = [
            (.nanoseconds(400), "0 ms"), (.nanoseconds(1_400), "0.001 ms"), (.nanoseconds(1_600), "0.002 ms"),
            (.microseconds(12_340), "12.34 ms"), (.microseconds(1_000_400), "1 s"),
            (.microseconds(1_000_600), "1.001 s"), (.microseconds(61_023_400), "61.023 s"), (.zero, "0 ms"),
        ]
        for (duration, words) in all { #expect(text(of: duration) == words) }
    }
}
