import Testing

@testable import CoreBluetoothTesting

@Suite("WorldError")
struct WorldErrorTests {
    @Test("says that nothing has passed, and names the captures")
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

    @Test("has the last twenty lines of the trace between reason and captures")
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
    }
}
