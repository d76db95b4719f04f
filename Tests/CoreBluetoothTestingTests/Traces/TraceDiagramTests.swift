import Testing

@testable import CoreBluetoothTesting

@Suite("TraceDiagram")
struct TraceDiagramTests {
    @Test("draws a line for each device, and one arrow for a packet that was sent and received")
    func picture() throws {
        let world = World(seed: 1)
        world.addPeripheral(.thermometer(), as: "thermo")
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: reader.calls.contains("notifying true"))
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

    @Test("cuts a long trace, and says so in the last row")
    func cut() {
        let world = World(seed: 1)
        for number in 1...2_000 { world.note("line \(number)") }
        #expect(!world.trace.diagram.mermaid.contains("more lines"))
        for number in 1...7 { world.note("line \(2_000 + number)") }
        let lines = world.trace.diagram.mermaid.split(separator: "\n")
        #expect(lines.count { $0.contains("line ") } == 2_000)
        #expect(lines.last?.contains("7 more lines of the trace") == true)
    }
}
