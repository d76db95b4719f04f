// How one parameter of a command or an event is read and written (Vol 4, Part E, 5.2). A declaration of a command lists
// its parameters in wire order and leaves the octets to these conformances.

public import BluetoothTypes
public import NIOCore

/// A value that has one place among the parameters of a command or an event.
public protocol HCIParameter: Hashable, Sendable {
    /// Reads the value; `field` is its name in the specification.
    static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self
    /// Writes the value.
    func write(into bytes: inout ByteBuffer)
}

/// An octet or word whose values have names; values without a name are kept.
public protocol HCICode: RawRepresentable, HCIParameter, CustomStringConvertible
where RawValue: HCIParameter & FixedWidthInteger {
    /// A code from its number.
    init(rawValue: RawValue)
}

extension HCICode {
    /// The number as hexadecimal digits.
    public var description: String { hexadecimal(self.rawValue) }
}

extension ByteBuffer {
    /// Reads one parameter.
    @inlinable
    public mutating func readParameter<Value: HCIParameter>(_ field: StaticString) throws(MalformedBytes) -> Value {
        try Value.read(from: &self, field)
    }

    /// Writes parameters in their order.
    @inlinable
    public mutating func writeParameters<each Value: HCIParameter>(_ values: repeat each Value) {
        repeat (each values).write(into: &self)
    }

    /// Reads the status of return parameters; where the command failed and the rest was left out, `count` octets of
    /// zero take its place.
    mutating func readStatus(padding count: Int) throws(MalformedBytes) -> HCIErrorCode {
        let status: HCIErrorCode = try self.readParameter("Status")
        if status != .success, self.readableBytes < count {
            self = ByteBuffer(repeating: 0, count: count)
        }
        return status
    }

    /// Reads an octet that counts the octets behind it, and those; at most `limit`.
    mutating func readCounted(limit: Int, _ field: StaticString) throws(MalformedBytes) -> ByteBuffer {
        let count: UInt8 = try self.readLittleEndian(field)
        guard Int(count) <= limit else { throw MalformedBytes(.invalid, field) }
        return try self.readOctets(Int(count), field)
    }

    /// Writes the count of octets, the octets, and zeros up to `width`.
    mutating func writeCounted(_ octets: ByteBuffer, limit: Int, paddedTo width: Int = 0) {
        precondition(octets.readableBytes <= limit, "too many octets for the parameter")
        self.writeInteger(UInt8(octets.readableBytes))
        self.writeImmutableBuffer(octets)
        self.writeRepeatingByte(0, count: max(0, width - octets.readableBytes))
    }

    /// Reads a resolvable private address, six octets; zeros stand for none.
    mutating func readResolvableAddress(_ field: StaticString) throws(MalformedBytes) -> DeviceAddress? {
        let address = try DeviceAddress(parsing: &self, kind: .random, field)
        return address.value == 0 ? nil : address
    }

    /// Writes a resolvable private address, or zeros.
    mutating func writeResolvableAddress(_ address: DeviceAddress?) {
        (address ?? .none).encode(into: &self)
    }
}

/// `value` as hexadecimal digits of its full width.
func hexadecimal(_ value: some FixedWidthInteger) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: max(0, value.bitWidth / 4 - digits.utf8.count)) + digits
}

// MARK: Numbers

extension HCIParameter where Self: FixedWidthInteger {
    /// Reads an integer, least significant octet first.
    @inlinable
    public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
        try bytes.readLittleEndian(field)
    }

    /// Writes an integer, least significant octet first.
    @inlinable
    public func write(into bytes: inout ByteBuffer) { bytes.writeLittleEndian(self) }
}

extension UInt8: HCIParameter {}
extension Int8: HCIParameter {}
extension UInt16: HCIParameter {}
extension Int16: HCIParameter {}
extension UInt32: HCIParameter {}
extension UInt64: HCIParameter {}

extension Bool: HCIParameter {
    /// Reads 0 or 1; other octets are not allowed.
    public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Bool {
        switch try bytes.readLittleEndian(field, as: UInt8.self) {
        case 0: return false
        case 1: return true
        default: throw MalformedBytes(.invalid, field)
        }
    }

    /// Writes 0 or 1.
    public func write(into bytes: inout ByteBuffer) { bytes.writeInteger(self ? 1 : 0, as: UInt8.self) }
}

// MARK: Numbers with a meaning

extension HCIParameter where Self: RawRepresentable, RawValue: HCIParameter {
    /// Reads the raw value.
    @inlinable
    public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
        guard let value = Self(rawValue: try RawValue.read(from: &bytes, field)) else {
            throw MalformedBytes(.invalid, field)
        }
        return value
    }

    /// Writes the raw value.
    @inlinable
    public func write(into bytes: inout ByteBuffer) { self.rawValue.write(into: &bytes) }
}

extension ConnectionHandle: HCIParameter {}
extension HCIErrorCode: HCIParameter {}
extension HCIOpcode: HCIParameter {}
extension PHY: HCIParameter {}
extension PHYSet: HCIParameter {}
extension ConnectionInterval: HCIParameter {}
extension SupervisionTimeout: HCIParameter {}
extension ConnectionEventLength: HCIParameter {}
extension AdvertisingInterval: HCIParameter {}
extension AdvertisingDuration: HCIParameter {}
extension ScanInterval: HCIParameter {}
extension ExtendedScanInterval: HCIParameter {}
extension ScanPeriod: HCIParameter {}
extension AuthenticatedPayloadTimeout: HCIParameter {}
extension ResolvablePrivateAddressTimeout: HCIParameter {}

extension ExtendedAdvertisingInterval: HCIParameter {
    /// Reads 24 bits.
    public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
        Self(rawValue: try bytes.readUInt24(field))
    }

    /// Writes 24 bits.
    public func write(into bytes: inout ByteBuffer) { bytes.writeUInt24(self.rawValue) }
}

// MARK: Octets

extension DeviceAddress: HCIParameter {
    /// Reads the type of an address and the address.
    public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
        guard let kind = Kind(rawValue: try bytes.readLittleEndian(field)) else {
            throw MalformedBytes(.invalid, field)
        }
        return try DeviceAddress(parsing: &bytes, kind: kind, field)
    }

    /// Writes the type of the address and the address.
    public func write(into bytes: inout ByteBuffer) {
        bytes.writeInteger(self.kind.rawValue)
        self.encode(into: &bytes)
    }
}

extension Octets16: HCIParameter {
    /// Reads 16 octets, least significant first.
    public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
        try Octets16(parsing: &bytes, field)
    }

    /// Writes 16 octets, least significant first.
    public func write(into bytes: inout ByteBuffer) { self.encode(into: &bytes) }
}

extension Octets32: HCIParameter {
    /// Reads 32 octets, least significant first.
    public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
        try Octets32(parsing: &bytes, field)
    }

    /// Writes 32 octets, least significant first.
    public func write(into bytes: inout ByteBuffer) { self.encode(into: &bytes) }
}
