// The picture of a run, its narrowing, and its limit.

import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Narrowed traces and their pictures")
struct TraceDiagramTests {
    private func world(traceLimit: Int = 50_000) throws -> (World, Reader) {
        let world = World(seed: 1, traceLimit: traceLimit)
        world.addPeripheral(.thermometer(), as: "thermo")
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: reader.calls.contains("notifying true"))
        return (world, reader)
    }

    @Test("Commands that set a controller up, and counts of packets, are left out until they are asked for")
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

    @Test("A trace is narrowed by devices, layers, time and text, in any order")
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

    @Test("A world keeps the last lines, as many as its limit says", arguments: [1, 10, 100])
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

    @Test("A picture has a line for each device, and one arrow for what one sent and another received")
    func picture() throws {
        let (world, _) = try self.world()
        world.note("and that was that")
        world["phone"]?.distance = 5
        let diagram = world.trace.layers(.att, .world).diagram(title: "A <reading>")
        let lines = diagram.mermaid.split(separator: "\n").map { $0.drop { $0 == " " } }
        #expect(lines.contains("participant P0 as phone") && lines.contains("participant P1 as thermo"))
        #expect(lines.count { $0.contains("Read Request") } == world.trace.of("phone", .att).count(of: "Read Request"))
        #expect(lines.filter { $0.contains("Read Request") }.allSatisfy { $0.hasPrefix("P0->>P1: ") })
        #expect(lines.filter { $0.contains("Read Response") }.allSatisfy { $0.hasPrefix("P1->>P0: ") })
        #expect(lines.contains { $0.hasPrefix("Note over P0,P1: and that was that") })
        #expect(lines.contains { $0.hasPrefix("Note over P0: ") && $0.hasSuffix("moves to 5 m") })
        #expect(diagram.svg.hasPrefix("<svg") && diagram.svg.contains("A &lt;reading&gt;"))
        // Without the other device, what it sent and received is not guessed.
        let alone = world.trace.of("phone", .att).diagram.mermaid
        #expect(alone.contains("P0->>P0: ") && alone.contains("P0-->>P0: ") && !alone.contains("P1"))
        #expect(World(seed: 1).trace.diagram.mermaid.contains("Nothing has passed"))
    }

    @Test("A long trace is cut, and the last row says so")
    func cut() {
        let world = World(seed: 1)
        #expect(TraceDiagram.limit == 2000)
        for number in 1...TraceDiagram.limit { world.note("line \(number)") }
        #expect(!world.trace.diagram.mermaid.contains("more lines"))
        for number in 1...7 { world.note("line \(TraceDiagram.limit + number)") }
        let lines = world.trace.diagram.mermaid.split(separator: "\n")
        #expect(lines.count { $0.contains("line ") } == TraceDiagram.limit)
        #expect(lines.last?.contains("7 more lines of the trace") == true)
    }
}
