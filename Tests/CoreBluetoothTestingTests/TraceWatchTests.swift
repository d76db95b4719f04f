// When a watch of the trace is asked: once for each packet that is a line, in the order of the lines, and no more when
// it has found what it waits for.

import CoreBluetoothTesting
import Testbed
import Testing

@Suite("Watches of the trace")
struct TraceWatchTests {
    @Test("A watch is asked of each line of a packet once, and of no line of the world")
    func asked() throws {
        let world = World(seed: 1)
        world.addPeripheral(.thermometer())
        let reader = world.addDevice("phone").run { Reader() }
        let before = world.trace.includingHCI.count { $0.direction != nil }
        var asked: [String] = []
        world.when(
            { entry in
                asked.append(entry.description)
                return false
            },
            do: { asked.append("never") }
        )
        world.note("a line of the world")
        try world.run(until: reader.calls.contains("notifying true"))
        world.advance(by: .seconds(5))
        let lines = world.trace.includingHCI.filter { $0.direction != nil }.map(\.description)
        #expect(asked == Array(lines.dropFirst(before)) && asked.count > 20)
    }

    @Test("A watch that has found its line is asked no more, and its work is done behind that line")
    func found() throws {
        let world = World(seed: 1)
        world.addPeripheral(.thermometer())
        let reader = world.addDevice("phone").run { Reader() }
        var (askedCount, lineCounts, times) = (0, [Int](), [Duration]())
        world.when(
            { entry in
                askedCount += 1
                return entry.device == "phone" && entry.text.hasPrefix("Read Request")
            },
            do: {
                lineCounts.append(world.trace.of("phone", .att).count(of: "Read Request"))
                times.append(world.now)
            }
        )
        try world.run(until: reader.values.count == 1)
        let count = askedCount
        #expect(lineCounts == [1])
        let request = try #require(world.trace.of("phone", .att).first(with: "Read Request"))
        #expect(times == [request.time])
        reader.peripheral?.readValue(for: try #require(reader.characteristic))
        try world.run(until: reader.values.count == 2)
        #expect(askedCount == count && lineCounts == [1])
    }

    @Test("A watch that a watch's work adds is asked of the lines behind it alone")
    func added() throws {
        let world = World(seed: 1)
        world.addPeripheral(.thermometer())
        let reader = world.addDevice("phone").run { Reader() }
        var steps: [String] = []
        world.when(
            { $0.device == "phone" && $0.text.hasPrefix("Read Request") },
            do: {
                steps.append("request")
                world.when(
                    { $0.device == "phone" && $0.text.hasPrefix("Read Re") },
                    do: { steps.append(world.trace.of("phone", .att).contains("Read Response") ? "response" : "early") }
                )
            }
        )
        try world.run(until: reader.values.count == 1)
        #expect(steps == ["request", "response"])
    }
}
