// The trace as an instrument of tests, and the captures that a failing test leaves.

import BluetoothHCI
import BluetoothTransport
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Trace")
struct TraceTests {
    @Test("Each packet is a line with time, device, direction, layer and meaning")
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

    @Test("What is heard again and again without a change stands in it once")
    func advertisements() {
        let world = World(seed: 1)
        _ = world.addPeripheral(.thermometer(), as: "thermo")
        let reader = world.addDevice("phone").run { Reader() }
        world["thermo"]?.refusesConnections = true
        world.advance(by: .seconds(30))
        #expect(world.trace.of("phone", .gap).count(of: "Advertisement of thermo") == 1)
        #expect(reader.calls.contains("discovered Thermo"))
    }

    private struct Failure: Error {}

    @Test("A test that throws leaves a capture of each device, and says where")
    func captures() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let error = #expect(throws: WorldError.self) {
            try withWorld("a failing/test()", seed: 1, folder: folder("captures")) { world in
                _ = world.addPeripheral(.thermometer(), as: "thermo")
                let reader = world.addDevice("phone").run { Reader() }
                try world.run(until: reader.calls.contains("notifying true"))
                throw Failure()
            }
        }
        let failure = try #require(error)
        #expect(failure.underlying is Failure)
        #expect(
            failure.captures.map { URL(fileURLWithPath: $0).lastPathComponent } == [
                "a-failing-test-thermo.btsnoop", "a-failing-test-phone.btsnoop",
            ]
        )
        #expect(failure.description.contains("Capture: \(failure.captures[1])"))
        #expect(failure.description.contains("Failure()"))
        let capture = try Data(contentsOf: URL(fileURLWithPath: failure.captures[1]))
        #expect(capture.prefix(8) == Data("btsnoop\0".utf8))
        #expect(capture.count > 1000)
        // Commands go to the controller, events come from it.
        var reader = try BTSnoopReader(ByteBuffer(bytes: capture))
        var directions: [HCIPacket.Kind: Set<BTSnoop.Direction>] = [:]
        while let record = try reader.next() { directions[record.packet.kind, default: []].insert(record.direction) }
        #expect(directions[.command] == [.toController])
        #expect(directions[.event] == [.toHost])
        #expect(directions[.aclData] == [.toController, .toHost])
    }

    @Test("A line's time has two decimal places, at its right end")
    func times() {
        for (time, text) in [
            (.zero, "      0.00 ms"), (.microseconds(1_250), "      1.25 ms"), (.microseconds(1_500), "      1.50 ms"),
            (.milliseconds(20), "     20.00 ms"), (.seconds(100), " 100000.00 ms"),
        ] as [(Duration, String)] {
            let entry = TraceEntry(time: time, device: "phone", direction: nil, layer: .world, text: "is here")
            #expect(entry.description.hasPrefix(text + "  phone "))
        }
    }

    @Test("A test that succeeds leaves nothing")
    func noCaptures() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let count = try withWorld(seed: 1, folder: folder("captures")) { world in
            world.advance(by: .seconds(1))
            return world.trace.count
        }
        #expect(count == 0)
        #expect(!FileManager.default.fileExists(atPath: folder("captures")))
    }
}
