// Traces at random: lines of all layers narrowed in all ways, their pictures, what a recorder keeps of packets, and how
// numbers and durations are said.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Traces at random")
struct TraceWalkTests {
    private struct Source {
        var generator: SeededGenerator

        init(_ seed: UInt64) { self.generator = SeededGenerator(seed: seed) }

        mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self.generator) }

        mutating func element<Element>(_ elements: [Element]) -> Element {
            elements[self.number(0...elements.count - 1)]
        }

        static let devices = ["phone", "Thermo", "a device with a long name", "world", "日本"]
        static let texts = [
            "Read Request 0x0012 (2A06)", "Read Response 15", "Connected to thermo", "Reset",
            "Write Request 0x0012 = 0123456789ABCDEF0123456789", "is switched off", "",
        ]

        mutating func entries(_ count: Int) -> [TraceEntry] {
            var time = Duration.zero
            return (0..<count).map { _ in
                time += self.element([
                    .zero, .microseconds(1_250), .milliseconds(7), .seconds(1), .seconds(39), .seconds(40),
                ])
                return TraceEntry(
                    time: time,
                    device: self.element(Self.devices),
                    direction: self.element([.sent, .received, nil]),
                    layer: self.element(TraceEntry.Layer.allCases + [.att, .att]),
                    text: self.element(Self.texts)
                )
            }
        }

        mutating func narrowed(_ trace: Trace) -> (String, Trace) {
            let device = self.element(Self.devices)
            let layer = self.element(TraceEntry.Layer.allCases)
            let other = self.element(TraceEntry.Layer.allCases)
            let time = Duration.milliseconds(self.number(0...60_000))
            return switch self.number(0...8) {
            case 0: ("of \(device)", trace.of(device))
            case 1: ("of \(device) \(layer)", trace.of(device, layer))
            case 2: ("of \(layer)", trace.of(nil, layer))
            case 3: ("of several", trace.of([device, "phone"]))
            case 4: ("layers \(layer) \(other)", trace.layers(layer, other))
            case 5: ("from \(time)", trace.during(time...))
            case 6: ("before \(time)", trace.during(..<time))
            case 7: ("containing", trace.containing(self.element(["Re", "0x0012", "x", ""])))
            default: ("with HCI", trace.includingHCI)
            }
        }
    }

    private static func note(_ name: String, _ trace: Trace) {
        RunRecord.note("\(name) \(trace.forgottenCount)\n\(trace)")
        RunRecord.note("\(trace.first(with: "Re")?.description ?? "-") \(trace.last(with: "Re")?.description ?? "-")")
        RunRecord.note("\(trace.contains("0x0012")) \(trace.count(of: "Re")) \(trace.startIndex) \(trace.endIndex)")
    }

    @Test("Lines that are left out stay so until they are asked for, however a trace is narrowed")
    func narrowing() {
        var source = Source(1)
        for _ in 0..<120 {
            let trace = Trace(source.entries(source.number(0...40)), forgottenCount: source.number(0...3))
            Self.note("all", trace)
            #expect(!trace.contains { $0.layer == .hci })
            var (name, part) = source.narrowed(trace)
            for _ in 0..<source.number(0...2) {
                let next = source.narrowed(part)
                (name, part) = ("\(name), \(next.0)", next.1)
            }
            Self.note(name, part)
            #expect(Set(part).isSubset(of: trace.includingHCI))
            let diagram = source.number(0...1) == 0 ? part.diagram : part.diagram(title: name)
            RunRecord.note(diagram.svg)
            RunRecord.note(diagram.mermaid)
            let error = WorldError("It fails", trace: part)
            RunRecord.note(error.description)
            #expect(error.errorDescription == error.description && error.lastLines.count == min(part.count, 20))
        }
    }

    @Test(
        "A picture has as many lines as its limit, and one more says how many follow",
        arguments: [1_999, 2_000, 2_001]
    )
    func limit(count: Int) {
        var source = Source(UInt64(count))
        let entries = source.entries(count).map { entry in
            var entry = entry
            if entry.layer == .hci { entry.layer = .gap }
            return entry
        }
        let mermaid = Trace(entries, forgottenCount: 0).diagram(title: "many").mermaid
        #expect(mermaid.contains("1 more lines of the trace") == (count == 2_001))
        RunRecord.note(mermaid)
    }

    /// Packets as they come from hosts and controllers, with random ends.
    private static let packets: [[UInt8]] = [
        [0x04, 0x3E, 0x0F, 0x02, 0x01, 0x00, 0x01, 1, 2, 3, 4, 5, 0xC6, 0x03, 0x02, 0x01, 0x06, 0xC8],
        [0x02, 0x40, 0x20, 0x0D, 0x00, 0x09, 0x00, 0x04, 0x00, 0x1B, 0x03, 0x00, 1, 2, 3, 4, 5, 6],
        [0x02, 0x40, 0x20, 0x07, 0x00, 0x03, 0x00, 0x04, 0x00, 0x0A, 0x03, 0x00],
        [0x04, 0x3E, 0x13, 0x01, 0x00, 0x40, 0x00, 0x00, 0x01, 1, 2, 3, 4, 5, 0xC6, 0x18, 0, 0, 0, 0x48, 0, 0],
        [0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x13], [0x01, 0x03, 0x0C, 0x00],
        [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00], [0x04, 0x13, 0x05, 0x01, 0x40, 0x00, 0x02, 0x00],
        [0x02, 0x40, 0x20, 0x0B, 0x00, 0x07, 0x00, 0x06, 0x00, 0x01, 0x03, 0x00, 0x01, 0x10, 0x07, 0x07],
    ]

    @Test("A recorder keeps the last lines, as many as it may, and names links and attributes as one that keeps all")
    func recorders() {
        var source = Source(2)
        for _ in 0..<60 {
            let capacity = source.number(0...24)
            let recorder = Recorder(capacity: capacity)
            let whole = Recorder(capacity: 10_000)
            var lines: [String] = []
            if source.number(0...2) == 0 { recorder.observe = { lines.append("sees \($0)") } }
            for each in [recorder, whole] {
                for name in ["phone", "thermo"] { _ = each.add(name) }
                each.names.set("thermo", for: DeviceAddress(0xC605_0403_0201, kind: .random))
            }
            for number in 0..<80 {
                let (device, time) = (source.number(0...1), NIODeadline.uptimeNanoseconds(UInt64(number) * 1_250_999))
                var octets = source.element(Self.packets)
                if source.number(0...3) == 0 { octets[octets.count - 1] = UInt8(source.number(0...2)) }
                let direction: TraceEntry.Direction = source.number(0...4) == 0 ? .sent : .received
                let packet = HCIPacket(h4: ByteBuffer(bytes: octets))
                for each in [recorder, whole] {
                    if number % 7 == 0 {
                        each.note("note \(number)", device: device, at: time)
                    } else {
                        let isLine = each.record(packet, direction, device: device, at: time)
                        lines.append("\(isLine)")
                    }
                }
                if source.number(0...19) == 0 { lines.append(recorder.lastEntry?.description ?? "none") }
                if source.number(0...19) == 0 { lines.append(recorder.trace(of: "phone").includingHCI.description) }
            }
            let trace = recorder.trace(of: nil).includingHCI
            let all = whole.trace(of: nil).includingHCI
            #expect(trace.count == min(max(capacity, 1), all.count) && trace.forgottenCount + trace.count == all.count)
            #expect(trace.map(\.description) == all.suffix(trace.count).map(\.description))
            #expect(recorder.digest == whole.digest)
            RunRecord.note(lines.joined(separator: "\n"))
            RunRecord.note("\(trace.description) \(recorder.digest)")
            for name in ["phone", "thermo", "nobody"] { RunRecord.note(recorder.capture(of: name).hex) }
        }
    }

    @Test("How many advertisements are known, before the first is a line again")
    func manyAdvertisements() {
        let recorder = Recorder(capacity: 10)
        _ = recorder.add("phone")
        func hear(_ number: Int) -> Bool {
            var octets = Self.packets[0]
            octets[7] = UInt8(number & 0xFF)
            octets[8] = UInt8(number >> 8)
            return recorder.record(
                HCIPacket(h4: ByteBuffer(bytes: octets)),
                .received,
                device: 0,
                at: .uptimeNanoseconds(0)
            )
        }
        for number in 0..<19_999 where !hear(number) { Issue.record("\(number) was not heard before") }
        #expect(hear(0) == false && hear(19_998) == false && hear(19_999) == true)
        // 20,000 are known; the next one begins anew.
        #expect(hear(0) == true)
        #expect(hear(0) == false && hear(1) == true)
    }

    @Test("Numbers and durations are said with their places")
    func numbers() {
        var source = Source(3)
        for _ in 0..<500 {
            let value = Double(source.number(0...2_000_000)) / source.element([1, 3, 7, 1_000, 100_000])
            for places in 0...4 {
                RunRecord.note("\(decimal(value, places: places)) \(decimal(value, places: places, trims: true))")
            }
            let duration =
                Duration.nanoseconds(source.element([1, 999, 1_000_000, 999_999_999, 1_000_000_000]))
                * source.number(0...2_000)
            RunRecord.note("\(text(of: duration)) \(milliseconds(duration, places: source.number(0...3)))")
        }
    }
}
