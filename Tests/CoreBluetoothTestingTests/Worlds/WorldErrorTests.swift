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

    @Test("has the last five calls of apps, also those that are older than the last twenty lines")
    func earlierCalls() throws {
        let world = World(seed: 1)
        let reader = world.addDevice("phone").run { Reader(scanServices: nil) }
        try world.run(until: reader.central.state == .poweredOn)
        for _ in 1...5 { reader.central.stopScan() }
        for number in 1...21 { world.note("line \(number)") }
        let error = WorldError("the reason", trace: world.trace)
        #expect(error.earlierCalls.count == 5 && error.earlierCalls.allSatisfy { $0.contains("stopScan()") })
        let start = "the reason\nEarlier calls of apps:\n\(error.earlierCalls[0])\n"
        #expect(error.description.hasPrefix(start) && error.lastLines.count == 20)
        reader.central.scanForPeripherals(withServices: nil)
        let next = WorldError("the reason", trace: world.trace)
        #expect(next.earlierCalls == Array(error.earlierCalls.dropFirst()))
        #expect(next.lastLines.last?.contains("scanForPeripherals") == true)
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
