// The server's attributes, sorted by handle. Lookup is one comparison if no service was ever removed, and a binary
// search otherwise. A handle is not reused before all 65,535 have been used, so that a late request of a client with an
// outdated cache finds no attribute instead of a wrong one.

import BluetoothTypes
import NIOCore

/// An attribute database.
struct GATTDatabase: Sendable {
    /// All attributes in ascending order of their handles.
    private(set) var attributes: [GATTAttribute] = []
    /// The handles of each service, in ascending order.
    private(set) var services: [AttributeHandleRange] = []
    /// The first handle of the next service; 0x10000 after the last handle.
    private var nextHandle = 1
    private var knownHash: Hash?

    /// The index of the attribute with a handle.
    func index(of handle: AttributeHandle) -> Int? {
        let guess = Int(handle) - 1
        if guess >= 0, guess < self.attributes.count, self.attributes[guess].handle == handle { return guess }
        let index = self.firstIndex(from: handle)
        guard index < self.attributes.count, self.attributes[index].handle == handle else { return nil }
        return index
    }

    /// The index of the first attribute at or after `handle`; the number of attributes if there is none.
    func firstIndex(from handle: AttributeHandle) -> Int {
        var low = 0
        var high = self.attributes.count
        while low < high {
            let middle = (low + high) / 2
            if self.attributes[middle].handle < handle { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Adds a service.
    mutating func add(_ definition: GATTServiceDefinition) throws(GATTDatabaseError) -> GATTServiceHandles {
        for characteristic in definition.characteristics {
            guard (characteristic.value?.readableBytes ?? 0) <= ATT.maximumValueLength else { throw .valueTooLong }
            for descriptor in characteristic.descriptors {
                guard descriptor.value.readableBytes <= ATT.maximumValueLength else { throw .valueTooLong }
                switch descriptor.uuid.shortValue {
                case GATTAttributeType.clientConfiguration where !characteristic.hasClientConfiguration: break
                case GATTAttributeType.extendedProperties, GATTAttributeType.clientConfiguration:
                    throw .reservedDescriptor
                default: break
                }
            }
        }
        var included: [(range: AttributeHandleRange, uuid: BluetoothUUID)] = []
        for handle in definition.includedServices {
            guard let service = self.service(at: handle) else { throw .unknownIncludedService }
            included.append(service)
        }
        let count = GATTServiceBuilder.handleCount(of: definition)
        let free = definition.handle.map { self.isFree($0, count) ? $0 : nil } ?? self.firstHandle(for: count)
        guard let first = free else { throw definition.handle == nil ? .outOfHandles : .handlesInUse }
        var builder = GATTServiceBuilder(uuid: definition.uuid, isPrimary: definition.isPrimary, first: first)
        for service in included { builder.include(service.range, uuid: service.uuid) }
        for characteristic in definition.characteristics { builder.characteristic(characteristic) }
        return self.insert(builder)
    }

    /// Adds a built-in service, for which there are always handles.
    mutating func addBuiltIn(
        _ uuid: BluetoothUUID,
        handleCount: Int,
        build: (inout GATTServiceBuilder) -> Void
    ) -> GATTServiceHandles {
        guard let first = self.firstHandle(for: handleCount) else {
            preconditionFailure("built-in services are added to an empty database")
        }
        var builder = GATTServiceBuilder(uuid: uuid, isPrimary: true, first: first)
        build(&builder)
        return self.insert(builder)
    }

    private mutating func insert(_ builder: GATTServiceBuilder) -> GATTServiceHandles {
        let (attributes, handles) = builder.build()
        self.attributes.insert(
            contentsOf: attributes,
            at: self.firstIndex(from: handles.range.lowerBound)
        )
        let place = self.services.firstIndex { $0.lowerBound > handles.range.lowerBound } ?? self.services.count
        self.services.insert(handles.range, at: place)
        self.nextHandle = Int(handles.range.upperBound) + 1
        self.knownHash = nil
        return handles
    }

    /// Removes the service whose declaration has `handle`; returns `nil` if there is none.
    mutating func remove(_ handle: AttributeHandle) -> AttributeHandleRange? {
        guard let place = self.services.firstIndex(where: { $0.lowerBound == handle }) else { return nil }
        let range = self.services.remove(at: place)
        let start = self.firstIndex(from: range.lowerBound)
        self.attributes.removeSubrange(start..<start + range.count)
        self.knownHash = nil
        return range
    }

    /// Replaces a fixed value, which does not change the database's structure.
    mutating func setFixedValue(_ value: ByteBuffer, of handle: AttributeHandle) {
        guard let index = self.index(of: handle) else { return }
        self.attributes[index].content = .fixed(value)
    }

    /// The handles and the UUID of the service whose declaration has `handle`.
    private func service(at handle: AttributeHandle) -> (range: AttributeHandleRange, uuid: BluetoothUUID)? {
        guard let index = self.index(of: handle), self.attributes[index].isService,
            case .fixed(var value) = self.attributes[index].content,
            let uuid = try? BluetoothUUID(attribute: &value, "Service UUID")
        else { return nil }
        return (handle...self.attributes[index].groupEnd, uuid)
    }

    /// The first of `count` free handles: after the last service that was added, or else in the lowest gap.
    private func firstHandle(for count: Int) -> AttributeHandle? {
        self.gap(of: count, from: self.nextHandle) ?? self.gap(of: count, from: 1)
    }

    /// Whether `count` handles from `first` on belong to no service.
    private func isFree(_ first: AttributeHandle, _ count: Int) -> Bool {
        let end = Int(first) + count - 1
        guard first > 0, end <= 0xFFFF else { return false }
        return !self.services.contains { Int($0.lowerBound) <= end && $0.upperBound >= first }
    }

    private func gap(of count: Int, from start: Int) -> AttributeHandle? {
        var candidate = start
        for service in self.services where Int(service.upperBound) >= candidate {
            if Int(service.lowerBound) - candidate >= count { break }
            candidate = Int(service.upperBound) + 1
        }
        return candidate + count - 1 <= 0xFFFF ? AttributeHandle(candidate) : nil
    }

    /// The hash of the structure, recomputed after a change.
    mutating func hash() -> Hash {
        if let known = self.knownHash { return known }
        let hash = Hash(of: self.attributes)
        self.knownHash = hash
        return hash
    }
}
