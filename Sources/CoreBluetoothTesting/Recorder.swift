// Keeps what passes: packets as octets, which become words only when somebody looks. What a device hears again and again
// without a change is kept once; of all the rest the last part, so that a world may run as long as it likes.

import BluetoothHCI
import BluetoothHost
import BluetoothTransport
import BluetoothTypes
import DequeModule
import NIOCore
import Synchronization

/// What passed in a world.
final class Recorder {
    private enum Content {
        case packet(HCIPacket, TraceEntry.Direction)
        case note(String)
    }

    private struct Item {
        var time: NIODeadline
        var device: String
        var content: Content
    }

    /// How many items are kept; a fifth more may be there for a while.
    private static let capacity = 50_000
    /// How many advertisements are known to have been heard before.
    private static let advertisementCapacity = 20_000

    let names = DeviceNames()
    private var items: Deque<Item> = []
    /// The words of the first items.
    private var entries: Deque<TraceEntry> = []
    private var forgottenCount = 0
    private var describers: [String: PacketDescriber] = [:]
    private var advertisements: Set<Advertisement> = []
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325

    private struct Advertisement: Hashable {
        var device: String
        var packet: HCIPacket
    }

    // MARK: Recording

    func record(_ packet: HCIPacket, _ direction: TraceEntry.Direction, device: String, at time: NIODeadline) {
        self.mix(packet, direction, at: time)
        if direction == .received, packet.isAdvertisingReport {
            if self.advertisements.count >= Self.advertisementCapacity { self.advertisements = [] }
            guard self.advertisements.insert(Advertisement(device: device, packet: packet)).inserted else { return }
        }
        self.append(Item(time: time, device: device, content: .packet(packet, direction)))
    }

    func note(_ text: String, device: String, at time: NIODeadline) {
        self.append(Item(time: time, device: device, content: .note(text)))
    }

    private func append(_ item: Item) {
        self.items.append(item)
        guard self.items.count >= Self.capacity * 6 / 5 else { return }
        let count = self.items.count - Self.capacity
        // The describers have to see everything, or they would not know the links of later packets.
        self.describe(upTo: count)
        self.items.removeFirst(count)
        self.entries.removeFirst(count)
        self.forgottenCount += count
    }

    /// Mixes a packet into the digest.
    private func mix(_ packet: HCIPacket, _ direction: TraceEntry.Direction, at time: NIODeadline) {
        var digest = self.digest
        func add(_ word: UInt64) {
            digest = (digest ^ word) &* 0x0000_0100_0000_01B3
            digest ^= digest >> 29
        }
        add(time.uptimeNanoseconds << 1 | (direction == .sent ? 1 : 0))
        packet.bytes.withUnsafeReadableBytes { octets in
            add(UInt64(octets.count))
            var index = 0
            while index + 8 <= octets.count {
                add(octets.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian)
                index += 8
            }
            var rest: UInt64 = 0
            while index < octets.count {
                rest = rest << 8 | UInt64(octets[index])
                index += 1
            }
            add(rest)
        }
        self.digest = digest
    }

    // MARK: Looking

    /// The lines of one device, or of all.
    func trace(of device: String?) -> Trace {
        self.describe(upTo: self.items.count)
        guard let device else { return Trace(self.entries, forgottenCount: self.forgottenCount) }
        return Trace(self.entries.filter { $0.device == device }, forgottenCount: self.forgottenCount)
    }

    /// The last line.
    var lastEntry: TraceEntry? {
        self.describe(upTo: self.items.count)
        return self.entries.last
    }

    private func describe(upTo end: Int) {
        while self.entries.count < end {
            let item = self.items[self.entries.count]
            var entry = TraceEntry(
                time: .nanoseconds(Int64(item.time.uptimeNanoseconds)),
                device: item.device,
                direction: nil,
                layer: .world,
                text: ""
            )
            switch item.content {
            case .note(let text): entry.text = text
            case .packet(let packet, let direction):
                let names = self.names
                let description = self.describers[item.device, default: PacketDescriber { names[$0] }].describe(
                    packet,
                    direction == .sent ? .toController : .toHost
                )
                entry.direction = direction
                entry.layer = TraceEntry.Layer(description.layer)
                entry.text = description.text
            }
            self.entries.append(entry)
        }
    }

    /// The packets of one device as a file of btsnoop's format.
    func capture(of device: String) -> ByteBuffer {
        var bytes = ByteBuffer()
        BTSnoopWriter.writeFileHeader(into: &bytes)
        for item in self.items where item.device == device {
            guard case .packet(let packet, let direction) = item.content else { continue }
            BTSnoopWriter.write(
                packet,
                direction == .sent ? .toController : .toHost,
                // From the beginning of the year 2000.
                microseconds: 946_684_800_000_000 + Int64(item.time.uptimeNanoseconds / 1000),
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

extension HCIPacket {
    /// Whether the packet is an advertising report, legacy or extended.
    fileprivate var isAdvertisingReport: Bool {
        let start = self.bytes.readerIndex
        guard self.bytes.getInteger(at: start, as: UInt16.self) == 0x043E,
            let subevent: UInt8 = self.bytes.getInteger(at: start + 3)
        else { return false }
        return subevent == 0x02 || subevent == 0x0D
    }
}
