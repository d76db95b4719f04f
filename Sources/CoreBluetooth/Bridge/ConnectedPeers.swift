// The connected devices with their known services: written on the event loop, read on the managers' queues.

import BluetoothTypes
import NIOConcurrencyHelpers

/// The connected devices of one adapter.
final class ConnectedPeers: Sendable {
    private struct Entry {
        var address: DeviceAddress
        var services: [BluetoothUUID]
    }

    private let entries = NIOLockedValueBox<[Entry]>([])
    /// The devices that are connected to this system by other programs, if a system shares them.
    private let others = NIOLockedValueBox<[Entry]>([])

    /// The services that each device has: Generic Access and Generic Attribute (Vol 3, Part C, 12 and Part G, 7).
    private static let commonServices: [BluetoothUUID] = [0x1800, 0x1801]

    /// The devices that have one of some services, longest connected first.
    func peers(withAnyOf services: [BluetoothUUID]) -> [DeviceAddress] {
        let isCommon = services.contains { Self.commonServices.contains($0) }
        let entries = self.entries.withLockedValue(\.self) + self.others.withLockedValue(\.self)
        var found: Set<DeviceAddress> = []
        return entries.filter { entry in isCommon || services.contains { entry.services.contains($0) } }.map(\.address)
            .filter { found.insert($0).inserted }
    }

    /// The devices that the system is connected to, with their services.
    func setOthers(_ devices: [(address: DeviceAddress, services: [BluetoothUUID])]) {
        self.others.withLockedValue { $0 = devices.map { Entry(address: $0.address, services: $0.services) } }
    }

    /// A device connected.
    func insert(_ address: DeviceAddress) {
        self.entries.withLockedValue { entries in
            guard !entries.contains(where: { $0.address == address }) else { return }
            entries.append(Entry(address: address, services: []))
        }
    }

    /// Services of a device were discovered.
    func setServices(_ services: [BluetoothUUID], of address: DeviceAddress) {
        self.entries.withLockedValue { entries in
            guard let index = entries.firstIndex(where: { $0.address == address }) else { return }
            entries[index].services = services
        }
    }

    /// A connected device is known by another address now.
    func move(_ address: DeviceAddress, to identity: DeviceAddress) {
        self.entries.withLockedValue { entries in
            guard let index = entries.firstIndex(where: { $0.address == address }) else { return }
            entries[index].address = identity
            // One device, one entry.
            var isFirst = true
            entries.removeAll { entry in
                guard entry.address == identity else { return false }
                defer { isFirst = false }
                return !isFirst
            }
        }
    }

    /// A device disconnected.
    func remove(_ address: DeviceAddress) {
        self.entries.withLockedValue { entries in entries.removeAll { $0.address == address } }
    }

    /// All devices disconnected.
    func removeAll() { self.entries.withLockedValue { $0 = [] } }
}
