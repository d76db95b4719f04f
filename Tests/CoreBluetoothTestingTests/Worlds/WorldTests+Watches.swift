import CoreBluetoothTesting
import Testing

@Suite("Watches of the trace")
struct WatchTests {
    @Test("runs the work of a watch once, after the line that it found")
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

    @Test("asks a watch that was added by a watch about later lines only")
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
