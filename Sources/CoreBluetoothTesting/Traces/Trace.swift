// The trace of a world: what passed between hosts and controllers, in words, one line for each packet, and in between
// what the devices' code asked of Core Bluetooth, and what the test did to the devices.

import BluetoothHost

/// One line of a trace.
public struct TraceEntry: Hashable, Sendable, CustomStringConvertible {
    /// Which way a packet went, as the device sees it.
    public enum Direction: Hashable, Sendable {
        /// From the device's host to its controller: what it sends.
        case sent
        /// From the controller to the host: what it receives.
        case received
    }

    /// What a line is about.
    public enum Layer: String, Hashable, Sendable, CaseIterable {
        /// Commands and events that concern host and controller alone.
        case hci = "HCI"
        /// Advertising, scanning, the beginning and the end of links.
        case gap = "GAP"
        /// L2CAP signalling, and data of L2CAP channels.
        case l2cap = "L2CAP"
        /// The Attribute Protocol: discovery, reads, writes, notifications.
        case att = "ATT"
        /// Pairing.
        case smp = "SMP"
        /// What the device's code asks of Core Bluetooth: `scanForPeripherals(withServices: [180D])`.
        case app = "app"
        /// What happens to the device from outside: power, place, the life of its apps.
        case world = "world"
    }

    /// When, since the world began.
    public var time: Duration
    /// Whose line it is.
    public var device: String
    /// Which way the packet went; `nil` for a line that is no packet.
    public var direction: Direction?
    /// What it is about.
    public var layer: Layer
    /// Its meaning: `Write Request 0x0012 (2A06) = 02`.
    public var text: String

    /// The whole line: time in milliseconds, device, direction, layer, meaning.
    public var description: String {
        var time = milliseconds(self.time, places: 2)
        while time.count < 10 { time = " " + time }
        let arrow =
            switch self.direction {
            case .sent: "→"
            case .received: "←"
            case nil: "·"
            }
        return "\(time) ms  \(padded(self.device, 10)) \(arrow) \(padded(self.layer.rawValue, 5)) \(self.text)"
    }
}

/// What passed in a world, in order.
///
/// A collection of ``TraceEntry``; `description` is the readable text. An advertisement that a device hears again and
/// again without a change is in it once. What concerns a host and its controller alone, the layer
/// ``TraceEntry/Layer/hci``, is left out until it is asked for: see ``includingHCI``.
///
/// ```swift
/// #expect(world.trace.of("phone", .att).contains("Write Request"))
/// print(world.trace.during(.seconds(5)...))
/// ```
public struct Trace: RandomAccessCollection, Sendable, CustomStringConvertible {
    /// The lines with those that are left out.
    private let all: [TraceEntry]
    private let entries: [TraceEntry]
    /// How many lines were forgotten before the first one: a world keeps as many as its `traceLimit` says.
    public let forgottenCount: Int

    /// A trace that leaves the layer HCI out.
    init(_ all: [TraceEntry], forgottenCount: Int) {
        self.init(all, all.filter { $0.layer != .hci }, forgottenCount)
    }

    private init(_ all: [TraceEntry], _ entries: [TraceEntry], _ forgottenCount: Int) {
        self.all = all
        self.entries = entries
        self.forgottenCount = forgottenCount
    }

    /// The place of the first line.
    public var startIndex: Int { self.entries.startIndex }
    /// The place behind the last line.
    public var endIndex: Int { self.entries.endIndex }
    /// A line.
    public subscript(position: Int) -> TraceEntry { self.entries[position] }

    /// Whether a line's meaning has `text` in it.
    public func contains(_ text: String) -> Bool { self.entries.contains { $0.text.contains(text) } }

    /// How many lines' meanings have `text` in them.
    public func count(of text: String) -> Int { self.entries.count { $0.text.contains(text) } }

    /// The first line whose meaning has `text` in it.
    public func first(with text: String) -> TraceEntry? { self.entries.first { $0.text.contains(text) } }

    /// The last line whose meaning has `text` in it.
    public func last(with text: String) -> TraceEntry? { self.entries.last { $0.text.contains(text) } }

    /// All lines as text.
    public var description: String { self.entries.map(\.description).joined(separator: "\n") }
}

// MARK: - Narrowing

extension Trace {
    /// The same trace with the lines of the layer ``TraceEntry/Layer/hci``: how a host sets its controller up, and how many
    /// packets it may send.
    public var includingHCI: Trace { Trace(self.all, self.all, self.forgottenCount) }

    /// The lines of one device, of one layer, or both.
    public func of(_ device: String? = nil, _ layer: TraceEntry.Layer? = nil) -> Trace {
        let ofDevice = device.map { device in self.narrowed { $0.device == device } } ?? self
        return layer.map { ofDevice.layers($0) } ?? ofDevice
    }

    /// The lines of the devices with these names, in the order in which they happened.
    public func of(_ devices: [String]) -> Trace { self.narrowed { devices.contains($0.device) } }

    /// The lines of these layers; those of ``TraceEntry/Layer/hci`` are there where they are asked for.
    public func layers(_ layers: TraceEntry.Layer...) -> Trace {
        let shown = layers.contains(.hci) ? self.includingHCI : self
        return shown.narrowed { layers.contains($0.layer) }
    }

    /// The lines of a time: `trace.during(.seconds(5)...)`, `trace.during(.zero..<.seconds(1))`.
    public func during(_ times: some RangeExpression<Duration>) -> Trace { self.narrowed { times.contains($0.time) } }

    /// The lines whose meaning has `text` in it.
    public func containing(_ text: String) -> Trace { self.narrowed { $0.text.contains(text) } }

    /// The lines that make a condition true.
    private func narrowed(_ isIncluded: (TraceEntry) -> Bool) -> Trace {
        Trace(self.all.filter(isIncluded), self.entries.filter(isIncluded), self.forgottenCount)
    }
}

extension World {
    /// A number for all that has passed so far, octets and times: equal runs have equal ones.
    public var digest: UInt64 { self.recorder.digest }
}

extension TraceEntry.Layer {
    init(_ layer: PacketDescription.Layer) {
        self =
            switch layer {
            case .hci: .hci
            case .gap: .gap
            case .l2cap: .l2cap
            case .att: .att
            case .smp: .smp
            }
    }
}

/// A duration in milliseconds, without the unit.
func milliseconds(_ duration: Duration, places: Int) -> String {
    let (seconds, attoseconds) = duration.components
    return decimal(Double(seconds) * 1000 + Double(attoseconds) / 1e15, places: places)
}

private func padded(_ text: String, _ width: Int) -> String {
    text.count >= width ? text : text + String(repeating: " ", count: width - text.count)
}
