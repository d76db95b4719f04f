// Typed reading and writing of the elements of advertising data that a host and its user need (Core Specification
// Supplement, Part A). An element whose value has the wrong size reads as absent.

package import NIOCore

/// The bits of the Flags element (CSS, Part A, 1.3).
public struct AdvertisingFlags: OptionSet, Hashable, Sendable {
    public var rawValue: UInt8

    /// Flags from their bits.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Discoverable for a limited time.
    package static let limitedDiscoverable = AdvertisingFlags(rawValue: 1 << 0)
    /// Discoverable at any time.
    public static let generalDiscoverable = AdvertisingFlags(rawValue: 1 << 1)
    /// LE only.
    public static let bredrNotSupported = AdvertisingFlags(rawValue: 1 << 2)
    /// The controller supports LE and BR/EDR with the same device at the same time.
    package static let simultaneousLEAndBREDR = AdvertisingFlags(rawValue: 1 << 3)
}

/// Service Data (CSS, Part A, 1.11).
package struct AdvertisedServiceData: Hashable, Sendable {
    package var uuid: BluetoothUUID
    package var data: ByteBuffer
    package init(uuid: BluetoothUUID, data: ByteBuffer) { (self.uuid, self.data) = (uuid, data) }
}

extension AdvertisingData {
    // MARK: Reading

    package var flags: AdvertisingFlags? { self.integer(.flags, UInt8.self, prefix: true).map(AdvertisingFlags.init) }

    /// The complete local name, else the shortened one. Octets that are not UTF-8 are replaced.
    package var localName: String? {
        (self[.completeLocalName] ?? self[.shortenedLocalName]).map { String(buffer: $0) }
    }

    /// The UUIDs of services, from complete and incomplete lists, in order.
    public var serviceUUIDs: [BluetoothUUID] {
        self.uuids { type in
            switch type {
            case .incomplete16BitServiceUUIDs, .complete16BitServiceUUIDs: 2
            case .incomplete32BitServiceUUIDs, .complete32BitServiceUUIDs: 4
            case .incomplete128BitServiceUUIDs, .complete128BitServiceUUIDs: 16
            default: nil
            }
        }
    }

    /// The UUIDs of services that the advertiser looks for, in order.
    package var solicitedServiceUUIDs: [BluetoothUUID] {
        self.uuids { type in
            switch type {
            case .solicited16BitServiceUUIDs: 2
            case .solicited32BitServiceUUIDs: 4
            case .solicited128BitServiceUUIDs: 16
            default: nil
            }
        }
    }

    /// The data of services, in order.
    package var serviceData: [AdvertisedServiceData] {
        self.elements.compactMap { element in
            let length: Int
            switch element.type {
            case .serviceData16Bit: length = 2
            case .serviceData32Bit: length = 4
            case .serviceData128Bit: length = 16
            default: return nil
            }
            var value = element.value
            guard let uuid = try? BluetoothUUID(parsing: &value, length: length) else { return nil }
            return AdvertisedServiceData(uuid: uuid, data: value.slice())
        }
    }

    /// The transmit power of the packet.
    package var txPowerLevel: TransmitPower? {
        self.integer(.txPowerLevel, Int8.self).map(TransmitPower.init(rawValue:))
    }

    /// The first manufacturer specific data: the company identifier, two octets, then company-defined data.
    package var manufacturerSpecificData: ByteBuffer? {
        self.elements.first { $0.type == .manufacturerSpecificData && $0.value.readableBytes >= 2 }?.value
    }

    private func integer<Value: FixedWidthInteger>(
        _ type: AdvertisingDataType,
        _: Value.Type,
        prefix: Bool = false
    ) -> Value? {
        guard let value = self[type], prefix || value.readableBytes == MemoryLayout<Value>.size else { return nil }
        return value.getInteger(at: value.readerIndex, endianness: .little)
    }

    private func uuids(_ length: (AdvertisingDataType) -> Int?) -> [BluetoothUUID] {
        var uuids: [BluetoothUUID] = []
        for element in self.elements {
            guard let length = length(element.type) else { continue }
            var value = element.value
            while let uuid = try? BluetoothUUID(parsing: &value, length: length) { uuids.append(uuid) }
        }
        return uuids
    }

    // MARK: Writing

    public mutating func appendFlags(_ flags: AdvertisingFlags) { self.append(.flags, integer: flags.rawValue) }

    /// Adds a list for each size of UUID, shorter sizes first.
    package mutating func appendServiceUUIDs(_ uuids: [BluetoothUUID], isComplete: Bool = true) {
        self.append(
            uuids,
            isComplete
                ? (.complete16BitServiceUUIDs, .complete32BitServiceUUIDs, .complete128BitServiceUUIDs)
                : (.incomplete16BitServiceUUIDs, .incomplete32BitServiceUUIDs, .incomplete128BitServiceUUIDs)
        )
    }

    /// Adds a list of services that the advertiser looks for, for each size of UUID, shorter sizes first.
    package mutating func appendSolicitedServiceUUIDs(_ uuids: [BluetoothUUID]) {
        self.append(uuids, (.solicited16BitServiceUUIDs, .solicited32BitServiceUUIDs, .solicited128BitServiceUUIDs))
    }

    /// Adds the transmit power of the packet.
    package mutating func appendTxPowerLevel(_ power: TransmitPower) {
        self.append(.txPowerLevel, integer: power.rawValue)
    }

    /// The maximum length of a device name, in octets (Vol 3, Part C, 12.1).
    package static let longestName = 248

    /// Adds the complete name or, if it has more octets than `limit`, as many whole characters as fit, without trailing
    /// spaces.
    ///
    /// Adds nothing if not even one character fits.
    package mutating func appendLocalName(_ name: String, limit: Int = AdvertisingData.longestName) {
        guard name.utf8.count > limit else {
            self.append(.completeLocalName, ByteBuffer(string: name))
            return
        }
        var shortened = ""
        for character in name {
            guard shortened.utf8.count + character.utf8.count <= limit else { break }
            shortened.append(character)
        }
        while shortened.last == " " { shortened.removeLast() }
        if !shortened.isEmpty { self.append(.shortenedLocalName, ByteBuffer(string: shortened)) }
    }

    /// Adds the data of a service, by the size of its UUID.
    package mutating func appendServiceData(_ data: AdvertisedServiceData) {
        var value = ByteBufferAllocator().buffer(capacity: data.uuid.octetCount + data.data.readableBytes)
        data.uuid.encode(into: &value)
        value.writeImmutableBuffer(data.data)
        let type: AdvertisingDataType =
            switch data.uuid.form {
            case .short: .serviceData16Bit
            case .medium: .serviceData32Bit
            case .full: .serviceData128Bit
            }
        self.append(type, value)
    }

    private mutating func append<Value: FixedWidthInteger>(_ type: AdvertisingDataType, integer: Value) {
        var value = ByteBufferAllocator().buffer(capacity: MemoryLayout<Value>.size)
        value.writeLittleEndian(integer)
        self.append(type, value)
    }

    private mutating func append(
        _ uuids: [BluetoothUUID],
        _ types: (short: AdvertisingDataType, medium: AdvertisingDataType, full: AdvertisingDataType)
    ) {
        for (type, length) in [(types.short, 2), (types.medium, 4), (types.full, 16)] {
            var value = ByteBuffer()
            for uuid in uuids where uuid.octetCount == length { uuid.encode(into: &value) }
            if value.readableBytes > 0 { self.append(type, value) }
        }
    }
}
