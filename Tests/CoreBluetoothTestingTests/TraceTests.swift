// The trace as an instrument of tests, and the captures that a failing test leaves.

import BluetoothHCI
import BluetoothTransport
import Fixtures
import NIOCore
import Testbed
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

    /// A recorder with two devices, and packets for it: an advertising report, and a notification whose fourth octet is
    /// the same as that of an extended report.
    private struct Recording {
        static let report: [UInt8] = [
            0x04, 0x3E, 0x0F, 0x02, 0x01, 0x00, 0x01, 1, 2, 3, 4, 5, 0xC6, 0x03, 0x02, 0x01, 0x06, 0xC8,
        ]
        static let notification: [UInt8] = [
            0x02, 0x40, 0x20, 0x0D, 0x00, 0x09, 0x00, 0x04, 0x00, 0x1B, 0x03, 0x00, 1, 2, 3, 4, 5, 6,
        ]
        let recorder = Recorder()

        init() { for name in ["phone", "thermo"] { _ = self.recorder.add(name) } }

        func receive(_ octets: [UInt8], device: Int = 0) {
            self.recorder.record(HCIPacket(h4: ByteBuffer(bytes: octets)), .received, device: device, at: .now())
        }
    }

    @Test("An advertisement stands in it once for each device that hears it, and again when it changes; all else stays")
    func repetitions() throws {
        let recording = Recording()
        let recorder = recording.recorder
        for octets in [Recording.report, Recording.notification] { for _ in 1...3 { recording.receive(octets) } }
        #expect(recorder.trace(of: "phone").count == 1 + 3)
        var changed = Recording.report
        changed[16] = 0x04
        recording.receive(changed)
        #expect(recorder.trace(of: "phone").count == 5)
        recording.receive(Recording.report, device: 1)
        #expect(recorder.trace(of: "phone").count == 5 && recorder.trace(of: "thermo").count == 1)
        #expect(recorder.trace(of: nil).count == 6)
        // A capture has what its device has heard, too.
        for (name, count) in [("phone", 5), ("thermo", 1), ("nobody", 0)] {
            var reader = try BTSnoopReader(recorder.capture(of: name))
            var records = 0
            while try reader.next() != nil { records += 1 }
            #expect(records == count, "\(name)")
        }
    }

    @Test("The digest of a run depends on every octet, on the device and on the time", arguments: 0...9)
    func digest(length: Int) {
        func digest(_ octets: [UInt8], device: Int = 0, time: UInt64 = 1) -> UInt64 {
            let recorder = Recording().recorder
            let packet = HCIPacket(h4: ByteBuffer(bytes: octets))
            recorder.record(packet, .sent, device: device, at: .uptimeNanoseconds(time))
            return recorder.digest
        }
        let octets = [0x01] + (0..<length).map(UInt8.init)
        var digests = [digest(octets), digest(octets, device: 1), digest(octets, time: 2), digest(octets + [0])]
        for index in octets.indices {
            var changed = octets
            changed[index] ^= 0x80
            digests.append(digest(changed))
        }
        #expect(Set(digests).count == digests.count)
        #expect(digest(octets) == digests[0])
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
        let folders = failure.captures.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        #expect(Set(folders) == [folder("captures")])
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

    @Test("A duration is in milliseconds up to a second, and in seconds from there on")
    func durations() {
        for (duration, expected) in [
            (.milliseconds(5), "5 ms"), (.microseconds(999_500), "999.5 ms"), (.seconds(1), "1 s"),
            (.milliseconds(1_250), "1.25 s"),
        ] as [(Duration, String)] { #expect(text(of: duration) == expected) }
    }

    @Test("A scripted peripheral advertises as one that is generally discoverable and knows no BR/EDR")
    func flags() throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer(), as: "thermo")
        world.advance(by: .seconds(1))
        var reader = try BTSnoopReader(world.recorder.capture(of: "thermo"))
        var advertised: [[UInt8]] = []
        while let record = try reader.next() {
            let octets = Array(record.packet.bytes.readableBytesView)
            // LE Set Advertising Data (Vol 4, Part E, 7.8.7), or its extended form (7.8.54).
            if octets.starts(with: [0x01, 0x08, 0x20]) { advertised.append(Array(octets.dropFirst(5))) }
            if octets.starts(with: [0x01, 0x37, 0x20]) { advertised.append(Array(octets.dropFirst(8))) }
        }
        // Flags (Core Specification Supplement, Part A, 1.3).
        #expect(advertised.last?.starts(with: [0x02, 0x01, 0x06]) == true)
        #expect(thermo.name == "thermo")
    }
}
