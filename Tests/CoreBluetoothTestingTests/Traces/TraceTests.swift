import CoreBluetooth
import Foundation
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
        #expect(trace.of("phone", .app).contains("readValue(for: 2A1C)"))
        reader.peripheral?.openL2CAPChannel(0x80)
        #expect(world.trace.of("phone").last?.text == "openL2CAPChannel(128)")
        world["phone"]?.dropLinks()
        world.note("and that was that")
        world.advance(by: .milliseconds(10))
        #expect(world.trace.of("phone").contains("Disconnected from thermo"))
        #expect(world.trace.of("phone", .world).contains("its links are lost"))
        #expect(world.trace.of("world").last?.text == "and that was that")
    }

    @Test(
        "has what code asks of Core Bluetooth at its time, before the packets that follow from it, and what is ignored"
    )
    func calls() throws {
        let world = World(seed: 1)
        let (central, manager) = world.addDevice("phone").run {
            (CBCentralManager(delegate: nil, queue: nil), CBPeripheralManager(delegate: nil, queue: nil))
        }
        central.scanForPeripherals(withServices: nil)
        world.advance(by: .seconds(1))
        central.scanForPeripherals(withServices: [CBUUID(string: "180F")])
        world.note("a line")
        manager.publishL2CAPChannel(withEncryption: false)
        world.advance(by: .milliseconds(100))
        #expect(
            world.trace.layers(.app, .world).map(\.text) == [
                "a call is ignored in the state .unknown", "scanForPeripherals(withServices: [180F])", "a line",
                "publishL2CAPChannel(withEncryption:)",
            ]
        )
        let lines = world.trace.map(\.description)
        let call = "   1000.00 ms  phone      · app   scanForPeripherals(withServices: [180F])"
        let start = lines.firstIndex { $0.hasSuffix(" ms  phone      → GAP   Start scanning") }
        #expect(try #require(lines.firstIndex(of: call)) < #require(start))
    }

    @Test("has the calls of several queues in one order each time")
    func queues() {
        final class Scanner: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
            // Unchecked: used on one queue after the other.
            private let number: Int
            private var central: CBCentralManager!

            init(_ number: Int) {
                self.number = number
                super.init()
                self.central = CBCentralManager(delegate: self, queue: DispatchQueue(label: "\(number)"))
            }

            func centralManagerDidUpdateState(_ central: CBCentralManager) {
                for last in 0..<4 {
                    central.scanForPeripherals(withServices: [CBUUID(string: "18\(self.number)\(last)")])
                }
            }
        }
        func trace() -> String {
            let world = World(seed: 1)
            let scanners = ["phone", "tablet"].flatMap { name in
                world.addDevice(name).run { (0..<4).map { Scanner($0) } }
            }
            world.advance(by: .milliseconds(100))
            return withExtendedLifetime(scanners) { world.trace.layers(.app).description }
        }
        let first = trace()
        #expect(first.split(separator: "\n").count == 32)
        for _ in 0..<10 { #expect(trace() == first) }
    }

    @Test("is in the article as a failing test shows it")
    func article() throws {
        let world = World(seed: 1)
        world.addPeripheral(thermometer())
        let monitor = world.addDevice("phone").run { HeartMonitor() }
        let error = #expect(throws: WorldError.self) {
            try world.run(until: monitor.rate != nil, within: .seconds(5))
        }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = root.appendingPathComponent("Sources/CoreBluetoothTesting/CoreBluetoothTesting.docc/TestYourCode.md")
        let lines = try #require(error).lastLines.joined(separator: "\n")
        #expect(try String(contentsOf: page, encoding: .utf8).contains(lines), "\(lines)")
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

    @Test("hides the layer HCI by default")
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

    @Test("is filtered by devices, layers, time and text in any order")
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
        #expect(trace.of("phone", .att).last(with: "Read Request")?.time == reads.last?.time)
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
