// What one app has discovered of one peripheral, as a value: the services that it was shown, their characteristics and
// descriptors, and what it subscribed to. Kept beside the objects that the app has, so that they can be made again.

import BluetoothHost
import BluetoothTypes
import Foundation

/// The part of a peripheral's attributes that an app knows.
struct AttributeTree: Codable, Hashable, Sendable {
    /// A descriptor.
    struct Descriptor: Codable, Hashable, Sendable {
        var uuid: BluetoothUUID
        var handle: AttributeHandle
    }

    /// A characteristic.
    struct Characteristic: Codable, Hashable, Sendable {
        var uuid: BluetoothUUID
        /// The properties octet.
        var properties: UInt8
        var declaration: AttributeHandle
        var value: AttributeHandle
        /// The last handle that belongs to it.
        var end: AttributeHandle
        /// `nil` until they were discovered.
        var descriptors: [Descriptor]?
        /// Whether the app is subscribed.
        var isNotifying: Bool
    }

    /// A service.
    struct Service: Codable, Hashable, Sendable {
        var uuid: BluetoothUUID
        var first: AttributeHandle
        var last: AttributeHandle
        var isPrimary: Bool
        /// Whether it was found itself, rather than only as one that another service includes.
        var isListed: Bool
        /// The first handles of the services that it includes; `nil` until they were discovered.
        var included: [AttributeHandle]?
        /// `nil` until they were discovered.
        var characteristics: [Characteristic]?
    }

    /// The services, lowest handle first.
    private(set) var services: [Service] = []
    /// The peripheral's Database Hash at that time; `nil` where it has none.
    var databaseHash: Data?

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
            let place = self.services.firstIndex { $0.first >= record.handles.lowerBound } ?? self.services.endIndex
            if place < self.services.endIndex, self.services[place].record == record {
                if listed { self.services[place].isListed = true }
                continue
            }
            let service = Service(
                uuid: record.uuid,
                first: record.handles.lowerBound,
                last: record.handles.upperBound,
                isPrimary: record.isPrimary,
                isListed: listed,
                included: nil,
                characteristics: nil
            )
            if place < self.services.endIndex, self.services[place].first == service.first {
                self.services[place] = service
            } else {
                self.services.insert(service, at: place)
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
            let place = characteristics.firstIndex { $0.value >= record.valueHandle } ?? characteristics.endIndex
            if place < characteristics.endIndex, characteristics[place].record == record { continue }
            let characteristic = Characteristic(
                uuid: record.uuid,
                properties: record.properties.rawValue,
                declaration: record.declarationHandle,
                value: record.valueHandle,
                end: record.endHandle,
                descriptors: nil,
                isNotifying: false
            )
            if place < characteristics.endIndex, characteristics[place].value == characteristic.value {
                characteristics[place] = characteristic
            } else {
                characteristics.insert(characteristic, at: place)
            }
        }
        self.services[index].characteristics = characteristics
    }

    /// Takes in the descriptors of a characteristic.
    mutating func add(_ records: [GATTRemoteDescriptor], of value: AttributeHandle) {
        self.change(value) { characteristic in
            characteristic.descriptors = records.map { Descriptor(uuid: $0.uuid, handle: $0.handle) }
        }
    }

    /// Notes whether the app is subscribed to a characteristic; says whether that is news.
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

    /// The first link is gone, and with it all subscriptions.
    mutating func stopNotifying() {
        for characteristic in self.notifying { self.setNotifying(false, characteristic.valueHandle) }
    }

    private func index(of range: AttributeHandleRange) -> Int? {
        self.services.firstIndex { $0.first == range.lowerBound }
    }

    private mutating func change(_ value: AttributeHandle, _ body: (inout Characteristic) -> Void) {
        for service in self.services.indices where self.services[service].record.handles.contains(value) {
            guard let place = self.services[service].characteristics?.firstIndex(where: { $0.value == value }) else {
                continue
            }
            if var characteristic = self.services[service].characteristics?[place] {
                body(&characteristic)
                self.services[service].characteristics?[place] = characteristic
            }
        }
    }
}

extension AttributeTree.Service {
    /// As it was discovered.
    var record: GATTRemoteService {
        GATTRemoteService(uuid: self.uuid, handles: self.first...max(self.first, self.last), isPrimary: self.isPrimary)
    }
}

extension AttributeTree.Characteristic {
    /// As it was discovered.
    var record: GATTRemoteCharacteristic {
        GATTRemoteCharacteristic(
            uuid: self.uuid,
            properties: CharacteristicProperties(rawValue: self.properties),
            declarationHandle: self.declaration,
            valueHandle: self.value,
            endHandle: self.end
        )
    }
}

extension BluetoothUUID: Codable {
    /// Reads the text of a UUID.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let uuid = BluetoothUUID(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is not a UUID")
        }
        self = uuid
    }

    /// Writes the UUID as text.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.description)
    }
}
