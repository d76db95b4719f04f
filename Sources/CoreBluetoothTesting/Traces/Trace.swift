// The trace of a world: one line in words for each packet between hosts and controllers, for each call of Core
// Bluetooth by the devices' code, and for what the test does to the devices.

import BluetoothHost

/// One line of a trace.
public struct TraceEntry: Hashable, Sendable, CustomStringConvertible {
    /// The direction of a packet, as the device sees it.
    public enum Direction: Hashable, Sendable {
        /// From the device's host to its controller.
        case sent
        /// From the controller to the device's host.
        case received
    }

    /// The subject of a line.
    public enum Layer: String, Hashable, Sendable, CaseIterable {
        /// Commands and events that only concern host and controller.
        case hci = "HCI"
        /// Advertising, scanning, connecting and disconnecting.
        case gap = "GAP"
        /// L2CAP signalling, and data of L2CAP channels.
        case l2cap = "L2CAP"
        /// The Attribute Protocol: discovery, reads, writes, notifications.
        case att = "ATT"
        /// Pairing.
        case smp = "SMP"
        /// Calls of Core Bluetooth by the device's code: `scanForPeripherals(withServices: [180D])`.
        case app = "app"
        /// Changes of the device from outside: power, place, the life cycle of its apps.
        case world = "world"
    }

    /// The time since the world began.
    public var time: Duration
    /// The device's name.
    public var device: String
    /// The packet's direction; `nil` for a line that is not a packet.
    public var direction: Direction?
    /// The line's subject.
    public var layer: Layer
    /// The meaning: `Write Request 0x0012 (2A06) = 02`.
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

/// The lines of a world's trace, in order.
///
/// A collection of ``TraceEntry``; `description` is the readable text. An advertisement that a device hears repeatedly
/// without a change appears once. The layer ``TraceEntry/Layer/hci``, which only concerns a host and its controller, is
/// hidden by default: see ``includingHCI``.
///
/// ```swift
/// #expect(world.trace.of("phone", .att).contains("Write Request"))
/// print(world.trace.during(.seconds(5)...))
/// ```
public struct Trace: RandomAccessCollection, Sendable, CustomStringConvertible {
    /// All lines, including hidden ones.
    private let all: [TraceEntry]
    private let entries: [TraceEntry]
    /// The number of dropped lines before the first one: a world keeps `traceLimit` lines.
    public let forgottenCount: Int

    /// Creates a trace that hides the layer HCI.
    init(_ all: [TraceEntry], forgottenCount: Int) {
        self.init(all, all.filter { $0.layer != .hci }, forgottenCount)
    }

    private init(_ all: [TraceEntry], _ entries: [TraceEntry], _ forgottenCount: Int) {
        self.all = all
        self.entries = entries
        self.forgottenCount = forgottenCount
    }

    /// The index of the first line.
    public var startIndex: Int { self.entries.startIndex }
    /// The index after the last line.
    public var endIndex: Int { self.entries.endIndex }
    /// A line.
    public subscript(position: Int) -> TraceEntry { self.entries[position] }

    /// Whether the text of a line contains `text`.
    public func contains(_ text: String) -> Bool { self.entries.contains { $0.text.contains(text) } }

    /// The number of lines whose text contains `text`.
    public func count(of text: String) -> Int { self.entries.count { $0.text.contains(text) } }

    /// The first line whose text contains `text`.
    public func first(with text: String) -> TraceEntry? { self.entries.first { $0.text.contains(text) } }

    /// The last line whose text contains `text`.
    public func last(with text: String) -> TraceEntry? { self.entries.last { $0.text.contains(text) } }

    /// All lines as text.
    public var description: String { self.entries.map(\.description).joined(separator: "\n") }
}

// MARK: - Filtering

extension Trace {
    /// The same trace with the lines of the layer ``TraceEntry/Layer/hci``, such as the setup of controllers and flow
    /// control.
    public var includingHCI: Trace { Trace(self.all, self.all, self.forgottenCount) }

    /// The lines of one device, of one layer, or both.
    public func of(_ device: String? = nil, _ layer: TraceEntry.Layer? = nil) -> Trace {
        let ofDevice = device.map { device in self.narrowed { $0.device == device } } ?? self
        return layer.map { ofDevice.layers($0) } ?? ofDevice
    }

    /// The lines of the devices with these names, in the order in which they happened.
    public func of(_ devices: [String]) -> Trace { self.narrowed { devices.contains($0.device) } }

    /// The lines of these layers, including ``TraceEntry/Layer/hci`` if it is one of them.
    public func layers(_ layers: TraceEntry.Layer...) -> Trace {
        let shown = layers.contains(.hci) ? self.includingHCI : self
        return shown.narrowed { layers.contains($0.layer) }
    }

    /// The lines of a range of time: `trace.during(.seconds(5)...)`, `trace.during(.zero..<.seconds(1))`.
    public func during(_ times: some RangeExpression<Duration>) -> Trace { self.narrowed { times.contains($0.time) } }

    /// The lines whose text contains `text`.
    public func containing(_ text: String) -> Trace { self.narrowed { $0.text.contains(text) } }

    /// The lines that meet a condition.
    private func narrowed(_ isIncluded: (TraceEntry) -> Bool) -> Trace {
        Trace(self.all.filter(isIncluded), self.entries.filter(isIncluded), self.forgottenCount)
    }
}

extension World {
    /// A hash of all packets and times so far: equal runs have equal digests.
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
