import Testing

@testable import CoreBluetoothTesting

@Suite("Trace")
struct TraceTests {
    @Test("has a line for each packet with time, device, direction, layer and meaning")
    func lines() throws {
        let world = World(seed: 1)
        _ = world.addPeripheral(.thermometer(), as: "thermo")
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: reader.calls.contains("notifying true"))
        let trace = world.trace
        let read = try #require(trace.of("phone", .att).first(with: "Read Request"))
        #expect(read.direction == .sent)
        #expect(read.layer == .att)
        #expect(read.text.contains("(2A1C)"), "the characteristic's UUID is known from its discovery")
        #expect(read.time > .zero && read.time <= world.now)
        #expect(trace.of("thermo", .att).first(with: "Read Request")?.direction == .received)
        #expect(trace.of("phone").contains("Connected to thermo as central"))
        #expect(trace.of("thermo").contains("Connected to phone as peripheral"))
        #expect(trace.of("thermo", .gap).contains("Set advertising data: \"Thermo\", services 1809 180F"))
        #expect(trace.of("phone", .att).contains("Read Response 15"))
        #expect(read.description.contains(" ms  phone      → ATT   Read Request"))
        #expect(trace.of("phone").allSatisfy { $0.device == "phone" })
        #expect(trace.description.split(separator: "\n").count == trace.count)
        #expect(reader.peripheral?.state == .connected)
        world["phone"]?.dropLinks()
        world.note("and that was that")
        world.advance(by: .milliseconds(10))
        #expect(world.trace.of("phone").contains("Disconnected from thermo"))
        #expect(world.trace.of("phone", .world).contains("its links are lost"))
        #expect(world.trace.of("world").last?.text == "and that was that")
    }

    @Test("aligns the time of a line with two decimal places")
    func times() {
        for (time, text) in [
            (.zero, "      0.00 ms"), (.microseconds(1_250), "      1.25 ms"), (.microseconds(1_500), "      1.50 ms"),
            (.milliseconds(20), "     20.00 ms"), (.seconds(100), " 100000.00 ms"),
        ] as [(Duration, String)] {
            let entry = TraceEntry(time: time, device: "phone", direction: nil, layer: .world, text: "is here")
            #expect(entry.description.hasPrefix(text + "  phone "))
        }
    }

    private func world(traceLimit: Int = 50_000) throws -> (World, Reader) {
        let world = World(seed: 1, traceLimit: traceLimit)
        world.addPeripheral(.thermometer(), as: "thermo")
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: reader.calls.contains("notifying true"))
        return (world, reader)
    }

    @Test("leaves out the layer HCI until it is asked for")
    func withoutHCI() throws {
        let (world, reader) = try self.world()
        withExtendedLifetime(reader) {
            let trace = world.trace
            #expect(!trace.contains { $0.layer == .hci })
            #expect(!trace.contains("Reset") && trace.includingHCI.contains("Reset"))
            #expect(trace.first?.layer == .gap)
            #expect(trace.includingHCI.count > trace.count + 20)
            #expect(trace.of("phone", .hci).contains("Reset"))
            #expect(trace.of("phone", .hci).count == trace.includingHCI.of("phone", .hci).count)
            #expect(trace.layers(.att, .smp).allSatisfy { $0.layer == .att || $0.layer == .smp })
            #expect(trace.layers(.hci, .gap).contains("Reset"))
            #expect(!trace.description.contains(" HCI "))
            let error = #expect(throws: WorldError.self) { try world.run(until: false, within: .milliseconds(10)) }
            #expect(error?.lastLines.count == 20)
            #expect(error?.lastLines.allSatisfy { !$0.contains(" HCI ") } == true)
        }
    }

    @Test("is narrowed by devices, layers, time and text in any order")
    func narrowed() throws {
        let (world, _) = try self.world()
        let trace = world.trace
        let connected = try #require(trace.first(with: "Connected to thermo")).time
        let late = trace.during(connected...)
        #expect(late.first?.time == connected)
        #expect(late.count + trace.during(..<connected).count == trace.count)
        #expect(trace.of(["phone", "thermo"]).count == trace.of("phone").count + trace.of("thermo").count)
        #expect(trace.of(["nobody"]).isEmpty)
        let reads = trace.of("phone", .att).during(connected...).containing("Read Request")
        #expect(!reads.isEmpty && reads.allSatisfy { $0.device == "phone" && $0.text.hasPrefix("Read Request") })
        #expect(reads.count == trace.containing("Read Request").during(connected...).layers(.att).of("phone").count)
    }

    @Test("keeps the last lines of a world, with the names of links and attributes", arguments: [1, 10, 100])
    func limit(lines: Int) throws {
        let (world, _) = try self.world(traceLimit: lines)
        let (whole, _) = try self.world()
        let (kept, all) = (world.trace.includingHCI, whole.trace.includingHCI)
        #expect(kept.count == lines)
        #expect(kept.forgottenCount == all.count - lines && all.forgottenCount == 0)
        // The last lines are those of the whole trace, names of links and attributes among them.
        #expect(kept.map(\.description) == all.suffix(lines).map(\.description))
        world.note("one more")
        #expect(world.trace.includingHCI.count == lines && world.trace.last?.text == "one more")
    }
}
