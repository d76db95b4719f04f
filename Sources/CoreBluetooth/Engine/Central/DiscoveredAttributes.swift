// The attributes that one app has discovered of one peripheral, as a value: the services that it was shown, their
// characteristics and descriptors, and what it subscribed to. Kept beside the objects that the app has, so that they
// can be made again.

import BluetoothHost
import BluetoothTypes
import Foundation

/// The part of a peripheral's attributes that an app has discovered.
struct DiscoveredAttributes: Codable, Hashable, Sendable {
    /// A characteristic.
    struct Characteristic: Codable, Hashable, Sendable {
        var record: GATTRemoteCharacteristic
        /// `nil` until they were discovered.
        var descriptors: [GATTRemoteDescriptor]?
        /// Whether the app is subscribed.
        var isNotifying = false
    }

    /// A service.
    struct Service: Codable, Hashable, Sendable {
        var record: GATTRemoteService
        /// Whether it was found itself, rather than only as one that another service includes.
        var isListed: Bool
        /// The first handles of the services that it includes; `nil` until they were discovered.
        var included: [AttributeHandle]?
        /// Lowest handle first; `nil` until they were discovered.
        var characteristics: [Characteristic]?

        /// The handle of the declaration, by which the service is named.
        var handle: AttributeHandle { self.record.handles.lowerBound }
    }

    /// The services, lowest handle first.
    private(set) var services: [Service] = []
    /// The peripheral's Database Hash at that time; `nil` if it has none.
    var databaseHash: Data?
    /// How secure the link was then (`SecurityLevel`); missing for one that was not.
    var securityLevel: UInt8?

    /// The Database Hash, if it says anything on a link of a level: anybody can repeat the hash of another device.
    func databaseHash(at level: SecurityLevel) -> Data? {
        (self.securityLevel.flatMap(SecurityLevel.init) ?? .none) >= level ? self.databaseHash : nil
    }

    /// Whether nothing was discovered.
    var isEmpty: Bool { self.services.isEmpty }

    /// The characteristics that the app is subscribed to.
    var notifying: [GATTRemoteCharacteristic] {
        self.services.flatMap { $0.characteristics ?? [] }.filter(\.isNotifying).map(\.record)
    }

    // MARK: What was discovered

    /// Takes in services; the app is shown those that are `listed`.
    mutating func add(_ records: [GATTRemoteService], listed: Bool) {
        for record in records {
            let place = self.services.firstIndex { $0.handle >= record.handles.lowerBound } ?? self.services.endIndex
            let isThere = place < self.services.endIndex && self.services[place].handle == record.handles.lowerBound
            if isThere, self.services[place].record == record {
                if listed { self.services[place].isListed = true }
            } else {
                let service = Service(record: record, isListed: listed)
                self.services.replaceSubrange(place..<(isThere ? place + 1 : place), with: [service])
            }
        }
    }

    /// Takes in the services that another one includes.
    mutating func add(_ records: [GATTRemoteService], includedBy range: AttributeHandleRange) {
        self.add(records, listed: false)
        guard let index = self.index(of: range) else { return }
        var included = self.services[index].included ?? []
        for record in records where !included.contains(record.handles.lowerBound) {
            included.append(record.handles.lowerBound)
        }
        self.services[index].included = included
    }

    /// Takes in characteristics of a service.
    mutating func add(_ records: [GATTRemoteCharacteristic], of range: AttributeHandleRange) {
        guard let index = self.index(of: range) else { return }
        var characteristics = self.services[index].characteristics ?? []
        for record in records {
            let place =
                characteristics.firstIndex { $0.record.valueHandle >= record.valueHandle } ?? characteristics.endIndex
            let isThere =
                place < characteristics.endIndex && characteristics[place].record.valueHandle == record.valueHandle
            if isThere, characteristics[place].record == record { continue }
            characteristics.replaceSubrange(
                place..<(isThere ? place + 1 : place),
                with: [Characteristic(record: record)]
            )
        }
        self.services[index].characteristics = characteristics
    }

    /// Takes in the descriptors of a characteristic.
    mutating func add(_ records: [GATTRemoteDescriptor], of value: AttributeHandle) {
        self.change(value) { $0.descriptors = records }
    }

    /// Notes whether the app is subscribed to a characteristic; returns whether that is a change.
    @discardableResult
    mutating func setNotifying(_ isNotifying: Bool, _ value: AttributeHandle) -> Bool {
        var isNews = false
        self.change(value) { characteristic in
            isNews = characteristic.isNotifying != isNotifying
            characteristic.isNotifying = isNotifying
        }
        return isNews
    }

    /// Forgets the services in a range.
    mutating func invalidate(_ range: AttributeHandleRange) {
        self.services.removeAll { $0.record.handles.overlaps(range) }
    }

    private func index(of range: AttributeHandleRange) -> Int? {
        self.services.firstIndex { $0.handle == range.lowerBound }
    }

    private mutating func change(_ value: AttributeHandle, _ body: (inout Characteristic) -> Void) {
        for service in self.services.indices where self.services[service].record.handles.contains(value) {
            guard
                let place = self.services[service].characteristics?.firstIndex(where: { $0.record.valueHandle == value }
                )
            else {
                continue
            }
            if var characteristic = self.services[service].characteristics?[place] {
                body(&characteristic)
                self.services[service].characteristics?[place] = characteristic
            }
        }
    }
}
