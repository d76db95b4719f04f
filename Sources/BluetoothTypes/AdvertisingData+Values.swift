// What advertising data means: typed reading and writing of the elements that a host and its user look at (Core
// Specification Supplement, Part A). An element whose value has the wrong size reads as absent.

public import NIOCore

/// The bits of the Flags element (CSS, Part A, 1.3).
public struct AdvertisingFlags: OptionSet, Hashable, Sendable {
    /// The bits.
    public var rawValue: UInt8

    /// Flags from their bits.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The advertiser can be discovered for a short time.
    public static let limitedDiscoverable = AdvertisingFlags(rawValue: 1 << 0)
    /// The advertiser can be discovered at any time.
    public static let generalDiscoverable = AdvertisingFlags(rawValue: 1 << 1)
    /// The advertiser speaks Bluetooth LE alone.
    public static let bredrNotSupported = AdvertisingFlags(rawValue: 1 << 2)
    /// The controller can do LE and BR/EDR with one device at the same time.
    public static let simultaneousLEAndBREDR = AdvertisingFlags(rawValue: 1 << 3)
}

/// The LE Role element (CSS, Part A, 1.17).
public struct AdvertisedRole: RawRepresentable, Hashable, Sendable {
    /// The octet.
    public var rawValue: UInt8

    /// A role from its octet.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Peripheral alone.
    public static let peripheralOnly = AdvertisedRole(rawValue: 0x00)
    /// Central alone.
    public static let centralOnly = AdvertisedRole(rawValue: 0x01)
    /// Both, would rather be the peripheral.
    public static let peripheralPreferred = AdvertisedRole(rawValue: 0x02)
    /// Both, would rather be the central.
    public static let centralPreferred = AdvertisedRole(rawValue: 0x03)
}

/// The connection intervals that a peripheral prefers (CSS, Part A, 1.9); `nil` is no preference.
public struct PeripheralConnectionIntervalRange: Hashable, Sendable {
    /// The shortest interval.
    public var minimum: ConnectionInterval?
    /// The longest interval.
    public var maximum: ConnectionInterval?

    /// Creates a range.
    public init(minimum: ConnectionInterval?, maximum: ConnectionInterval?) {
        self.minimum = minimum
        self.maximum = maximum
    }
}

/// Data of a service in advertising data (CSS, Part A, 1.11).
public struct AdvertisedServiceData: Hashable, Sendable {
    /// The service.
    public var uuid: BluetoothUUID
    /// Its data.
    public var data: ByteBuffer

    /// Creates service data.
    public init(uuid: BluetoothUUID, data: ByteBuffer) {
        self.uuid = uuid
        self.data = data
    }
}

extension AdvertisingData {
    // MARK: Reading

    /// The flags.
    public var flags: AdvertisingFlags? { self.integer(.flags, UInt8.self, prefix: true).map(AdvertisingFlags.init) }

    /// The complete local name, else the shortened one, with octets that are not UTF-8 replaced.
    public var localName: String? {
        (self[.completeLocalName] ?? self[.shortenedLocalName]).map { String(buffer: $0) }
    }

    /// The UUIDs of services, complete lists and incomplete ones, in their order.
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

    /// The UUIDs of services that the advertiser looks for, in their order.
    public var solicitedServiceUUIDs: [BluetoothUUID] {
        self.uuids { type in
            switch type {
            case .solicited16BitServiceUUIDs: 2
            case .solicited32BitServiceUUIDs: 4
            case .solicited128BitServiceUUIDs: 16
            default: nil
            }
        }
    }

    /// The data of services, in their order.
    public var serviceData: [AdvertisedServiceData] {
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

    /// The power at which the packet was sent, in dBm.
    public var txPowerLevel: TransmitPower? {
        self.integer(.txPowerLevel, Int8.self).map(TransmitPower.init(rawValue:))
    }

    /// The first manufacturer specific data: the company identifier, two octets, and what the company likes.
    public var manufacturerSpecificData: ByteBuffer? {
        self.elements.first { $0.type == .manufacturerSpecificData && $0.value.readableBytes >= 2 }?.value
    }

    /// The appearance (CSS, Part A, 1.12).
    public var appearance: UInt16? { self.integer(.appearance, UInt16.self) }

    /// The connection intervals that the advertiser would like.
    public var peripheralConnectionIntervalRange: PeripheralConnectionIntervalRange? {
        guard let bits = self.integer(.peripheralConnectionIntervalRange, UInt32.self) else { return nil }
        func interval(_ bits: UInt16) -> ConnectionInterval? {
            bits == 0xFFFF ? nil : ConnectionInterval(rawValue: bits)
        }
        return PeripheralConnectionIntervalRange(
            minimum: interval(UInt16(truncatingIfNeeded: bits)),
            maximum: interval(UInt16(truncatingIfNeeded: bits >> 16))
        )
    }

    /// The interval at which the advertiser advertises (CSS, Part A, 1.15).
    public var advertisingInterval: ExtendedAdvertisingInterval? {
        if let units = self.integer(.advertisingInterval, UInt16.self) {
            return ExtendedAdvertisingInterval(rawValue: UInt32(units))
        }
        guard var value = self[.advertisingIntervalLong] else { return nil }
        switch value.readableBytes {
        case 3: return (try? value.readUInt24("Advertising Interval")).map(ExtendedAdvertisingInterval.init(rawValue:))
        case 4: return value.readInteger(endianness: .little).map(ExtendedAdvertisingInterval.init(rawValue:))
        default: return nil
        }
    }

    /// The advertiser's address, for out of band use (CSS, Part A, 1.16).
    public var deviceAddress: DeviceAddress? {
        guard var value = self[.deviceAddress], value.readableBytes == 7,
            let kind = value.getInteger(at: value.readerIndex + 6, as: UInt8.self)
        else { return nil }
        return try? DeviceAddress(parsing: &value, kind: kind & 1 == 1 ? .random : .public)
    }

    /// The devices for which the data is meant (CSS, Part A, 1.13 and 1.14).
    public var targetAddresses: [DeviceAddress] {
        self.elements.flatMap { element -> [DeviceAddress] in
            guard element.type == .publicTargetAddress || element.type == .randomTargetAddress else { return [] }
            let kind: DeviceAddress.Kind = element.type == .publicTargetAddress ? .public : .random
            var value = element.value
            var addresses: [DeviceAddress] = []
            while let address = try? DeviceAddress(parsing: &value, kind: kind) { addresses.append(address) }
            return addresses
        }
    }

    /// The advertiser's roles.
    public var role: AdvertisedRole? { self.integer(.role, UInt8.self).map(AdvertisedRole.init(rawValue:)) }

    /// The URI as sent: the first character stands for a scheme of the Assigned Numbers, 2.7.
    public var uri: String? { self[.uri].map { String(buffer: $0) } }

    /// The link layer features, the low 64 bits (CSS, Part A, 1.19).
    public var supportedFeatures: UInt64? {
        guard let value = self[.supportedFeatures] else { return nil }
        return value.readableBytesView.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
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

    /// Adds the flags.
    public mutating func appendFlags(_ flags: AdvertisingFlags) { self.append(.flags, integer: flags.rawValue) }

    /// Adds services: one list for each size of UUID, shorter sizes first.
    public mutating func appendServiceUUIDs(_ uuids: [BluetoothUUID], isComplete: Bool = true) {
        self.append(
            uuids,
            isComplete
                ? (.complete16BitServiceUUIDs, .complete32BitServiceUUIDs, .complete128BitServiceUUIDs)
                : (.incomplete16BitServiceUUIDs, .incomplete32BitServiceUUIDs, .incomplete128BitServiceUUIDs)
        )
    }

    /// Adds services that are looked for.
    public mutating func appendSolicitedServiceUUIDs(_ uuids: [BluetoothUUID]) {
        self.append(uuids, (.solicited16BitServiceUUIDs, .solicited32BitServiceUUIDs, .solicited128BitServiceUUIDs))
    }

    /// Adds the complete name, or, where it has more octets than `limit`, as many whole characters of it as fit,
    /// without spaces at the end.
    ///
    /// Nothing is added where not even one character fits.
    public mutating func appendLocalName(_ name: String, limit: Int = 248) {
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

    /// Adds the power of sending, in dBm.
    public mutating func appendTxPowerLevel(_ level: TransmitPower) {
        self.append(.txPowerLevel, integer: level.rawValue)
    }

    /// Adds data of a service, in the form of its UUID.
    public mutating func appendServiceData(_ data: AdvertisedServiceData) {
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

    /// Adds data of a company.
    public mutating func appendManufacturerSpecificData(company: UInt16, _ data: ByteBuffer) {
        var value = ByteBufferAllocator().buffer(capacity: 2 + data.readableBytes)
        value.writeLittleEndian(company)
        value.writeImmutableBuffer(data)
        self.append(.manufacturerSpecificData, value)
    }

    /// Adds the appearance.
    public mutating func appendAppearance(_ appearance: UInt16) { self.append(.appearance, integer: appearance) }

    /// Adds the connection intervals that the advertiser would like.
    public mutating func appendPeripheralConnectionIntervalRange(_ range: PeripheralConnectionIntervalRange) {
        let minimum = UInt32(range.minimum?.rawValue ?? 0xFFFF)
        let maximum = UInt32(range.maximum?.rawValue ?? 0xFFFF)
        self.append(.peripheralConnectionIntervalRange, integer: maximum << 16 | minimum)
    }

    /// Adds the roles.
    public mutating func appendRole(_ role: AdvertisedRole) { self.append(.role, integer: role.rawValue) }

    /// Adds a URI whose first character stands for the scheme.
    public mutating func appendURI(_ uri: String) { self.append(.uri, ByteBuffer(string: uri)) }

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
