// Records packets as octets, which are described only when the trace is read. A repeated advertisement is recorded
// once, and only the last items are kept, so that a world may run for any time.

import BluetoothHCI
import BluetoothHost
import BluetoothTransport
import BluetoothTypes
import CoreBluetooth
import DequeModule
import NIOConcurrencyHelpers
import NIOCore
import Synchronization

/// Records packets and notes of a world.
final class Recorder {
    private enum Content {
        case packet(HCIPacket, TraceEntry.Direction)
        case note(String, TraceEntry.Layer)
    }

    /// A device's index in the order of creation.
    typealias DeviceIndex = Int

    private struct Item {
        var time: NIODeadline
        var device: DeviceIndex
        var content: Content
    }

    /// The number of items to keep; up to a fifth more are kept temporarily.
    private let capacity: Int
    /// The number of advertisements remembered as heard.
    private static let advertisementCapacity = 20_000

    let names = DeviceNames()
    private var items: Deque<Item> = []
    /// Notes from any thread that are not yet items.
    private let notes = NIOLockedValueBox<[(order: WorkOrder, item: Item)]>([])
    /// The descriptions of the first items.
    private var entries: Deque<TraceEntry> = []
    private var forgottenCount = 0
    private var devices: [String] = []
    private var describers: [PacketFormatter] = []
    /// The digests of advertisements with the devices that heard them.
    private var advertisements: Set<UInt64> = []
    private(set) var digest = fnv1aBasis
    /// Is notified of each added line.
    var observer: (any WorldObserver)?

    /// Creates a recorder that keeps at least one line.
    init(capacity: Int = 50_000) { self.capacity = max(capacity, 1) }

    /// Adds a device.
    func add(_ device: String) -> DeviceIndex {
        let names = self.names
        self.devices.append(device)
        self.describers.append(PacketFormatter { names[$0] })
        return self.devices.count - 1
    }

    func name(of device: DeviceIndex) -> String { self.devices[device] }

    // MARK: Recording

    /// Records a packet.
    ///
    /// - Returns: Whether it becomes a line of the trace: a repeated advertisement does not.
    @discardableResult
    func record(
        _ packet: HCIPacket,
        _ direction: TraceEntry.Direction,
        device: DeviceIndex,
        at time: NIODeadline
    ) -> Bool {
        var content = fnv1aBasis
        Self.mix(UInt64(truncatingIfNeeded: device) << 1 | (direction == .sent ? 1 : 0), into: &content)
        Self.mix(packet, into: &content)
        Self.mix(time.uptimeNanoseconds, into: &self.digest)
        Self.mix(content, into: &self.digest)
        if direction == .received, packet.isAdvertisingReport {
            if self.advertisements.count >= Self.advertisementCapacity { self.advertisements = [] }
            guard self.advertisements.insert(content).inserted else { return false }
        }
        self.takeNotes()
        self.append(Item(time: time, device: device, content: .packet(packet, direction)))
        return true
    }

    /// Adds a line that is not a packet, on any thread.
    func note(_ text: String, _ layer: TraceEntry.Layer = .world, device: DeviceIndex, at time: NIODeadline) {
        let order = WorkOwner.ofThread?.order ?? WorkOrder(device: nil, start: 0)
        let item = Item(time: time, device: device, content: .note(text, layer))
        self.notes.withLockedValue { $0.append((order, item)) }
        if self.observer != nil { self.takeNotes() }
    }

    /// Appends the notes when all work is at rest: in the order of the work, not of its threads.
    func takeNotes() {
        let notes = self.notes.withLockedValue { notes in
            defer { if !notes.isEmpty { notes = [] } }
            return notes
        }
        for note in notes.sorted(by: \.order) { self.append(note.item) }
    }

    private func append(_ item: Item) {
        self.items.append(item)
        if let observer = self.observer, let entry = self.lastEntry { observer.traced(entry) }
        guard self.items.count > self.capacity + self.capacity / 5 else { return }
        self.forget(self.items.count - self.capacity)
    }

    /// Drops the first items.
    private func forget(_ count: Int) {
        // The describers learn links and attributes from earlier packets, so they must see every packet; except
        // advertisements, which are the most frequent and contain neither.
        for item in self.items[min(self.entries.count, count)..<count] {
            guard case .packet(let packet, let direction) = item.content, !packet.isAdvertisingReport else { continue }
            _ = self.description(of: packet, direction, at: item.device)
        }
        self.items.removeFirst(count)
        self.entries.removeFirst(min(self.entries.count, count))
        self.forgottenCount += count
    }

    /// Mixes a number into a digest.
    private static func mix(_ word: UInt64, into digest: inout UInt64) {
        digest = (digest ^ word) &* 0x0000_0100_0000_01B3
        digest ^= digest >> 29
    }

    /// Mixes the octets of a packet into a digest, eight at a time.
    private static func mix(_ packet: HCIPacket, into digest: inout UInt64) {
        packet.bytes.withUnsafeReadableBytes { octets in
            self.mix(UInt64(octets.count), into: &digest)
            var index = 0
            while index + 8 <= octets.count {
                self.mix(octets.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian, into: &digest)
                index += 8
            }
            var rest: UInt64 = 0
            while index < octets.count {
                rest = rest << 8 | UInt64(octets[index])
                index += 1
            }
            self.mix(rest, into: &digest)
        }
    }

    // MARK: Reading

    /// The lines of one device, or of all.
    func trace(of device: String?) -> Trace {
        self.takeNotes()
        if self.items.count > self.capacity { self.forget(self.items.count - self.capacity) }
        self.describe(upTo: self.items.count)
        let entries = device.map { device in self.entries.filter { $0.device == device } } ?? Array(self.entries)
        return Trace(entries, forgottenCount: self.forgottenCount)
    }

    /// The last line.
    var lastEntry: TraceEntry? {
        self.describe(upTo: self.items.count)
        return self.entries.last
    }

    private func description(
        of packet: HCIPacket,
        _ direction: TraceEntry.Direction,
        at device: DeviceIndex
    ) -> PacketDescription {
        self.describers[device].describe(packet, direction == .sent ? .toController : .toHost)
    }

    private func describe(upTo end: Int) {
        while self.entries.count < end {
            let item = self.items[self.entries.count]
            var entry = TraceEntry(
                time: Duration(item.time),
                device: self.devices[item.device],
                direction: nil,
                layer: .world,
                text: ""
            )
            switch item.content {
            case .note(let text, let layer):
                entry.layer = layer
                entry.text = text
            case .packet(let packet, let direction):
                let description = self.description(of: packet, direction, at: item.device)
                entry.direction = direction
                entry.layer = TraceEntry.Layer(description.layer)
                entry.text = description.text
            }
            self.entries.append(entry)
        }
    }

    /// The packets of one device as a btsnoop file.
    func capture(of device: String) -> ByteBuffer {
        var bytes = ByteBuffer()
        BTSnoopWriter.writeFileHeader(into: &bytes)
        for item in self.items where self.devices[item.device] == device {
            guard case .packet(let packet, let direction) = item.content else { continue }
            BTSnoopWriter.write(
                packet,
                direction == .sent ? .toController : .toHost,
                // The world starts at the year 2000.
                at: BTSnoop.Timestamp(
                    microsecondsSince1970: 946_684_800_000_000 + Int64(item.time.uptimeNanoseconds / 1000)
                ),
                into: &bytes
            )
        }
        return bytes
    }
}

/// The names of the devices by their addresses.
final class DeviceNames: Sendable {
    private let names = Mutex<[DeviceAddress: String]>([:])

    func set(_ name: String, for address: DeviceAddress) {
        self.names.withLock { $0[address.withoutIdentity] = name }
    }

    subscript(address: DeviceAddress) -> String? { self.names.withLock { $0[address.withoutIdentity] } }
}

extension Duration {
    /// The time since a world began.
    init(_ time: NIODeadline) { self = .nanoseconds(Int64(time.uptimeNanoseconds)) }
}
