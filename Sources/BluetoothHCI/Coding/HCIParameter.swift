// How one parameter of a command or an event is read and written where it has a type of its own (Vol 4, Part E, 5.2).

public import BluetoothTypes
public import NIOCore

/// A value that has one place among the parameters of a command or an event.
public protocol HCIParameter: Hashable, Sendable, CustomStringConvertible {
    /// Reads the value; `name` is the parameter's name in the specification.
    static func read(from bytes: inout ByteBuffer, _ name: StaticString) throws(MalformedBytes) -> Self
    /// Writes the value.
    func write(into bytes: inout ByteBuffer)
}

extension HCIParameter where Self: RawRepresentable, RawValue: FixedWidthInteger {
    /// Reads the raw value, least significant octet first.
    @inlinable
    public static func read(from bytes: inout ByteBuffer, _ name: StaticString) throws(MalformedBytes) -> Self {
        guard let value = Self(rawValue: try bytes.readLittleEndian(name)) else {
            throw MalformedBytes(.invalid, name)
        }
        return value
    }

    /// Writes the raw value, least significant octet first.
    @inlinable
    public func write(into bytes: inout ByteBuffer) { bytes.writeLittleEndian(self.rawValue) }
}

/// An octet or word whose values have names; values without a name are kept.
public protocol HCICode: RawRepresentable, HCIParameter where RawValue: FixedWidthInteger {
    /// A code from its number.
    init(rawValue: RawValue)
}

extension HCICode {
    /// The number as hexadecimal digits.
    public var description: String { hexadecimal(self.rawValue) }
}

/// Bits that have names; bits without a name are kept.
public protocol HCIBits: OptionSet, HCIParameter where RawValue: FixedWidthInteger {}

extension HCIBits {
    /// The bits as hexadecimal digits.
    public var description: String { hexadecimal(self.rawValue) }
}

/// `value` as hexadecimal digits of its full width.
func hexadecimal(_ value: some FixedWidthInteger) -> String { "0x" + value.hexadecimalDigits }

/// Octets as hexadecimal digits; `-` for none.
func octetText(_ octets: ByteBuffer) -> String {
    octets.readableBytes > 0 ? octets.readableBytesView.hexadecimalDigits() : "-"
}

// MARK: Numbers with a meaning

extension ConnectionHandle: HCIParameter {}
extension HCIErrorCode: HCIParameter {}
extension HCIOpcode: HCIParameter {}
extension PHY: HCIParameter {}
extension PHYSet: HCIParameter {}
extension RSSI: HCIParameter {}
extension TransmitPower: HCIParameter {}
extension ConnectionInterval: HCIParameter {}
extension SupervisionTimeout: HCIParameter {}
extension ConnectionEventLength: HCIParameter {}
extension AdvertisingInterval: HCIParameter {}
extension AdvertisingDuration: HCIParameter {}
extension PeriodicAdvertisingInterval: HCIParameter {}
extension ScanInterval: HCIParameter {}
extension ExtendedScanInterval: HCIParameter {}
extension ScanPeriod: HCIParameter {}
extension AuthenticatedPayloadTimeout: HCIParameter {}
extension ResolvablePrivateAddressTimeout: HCIParameter {}

extension ExtendedAdvertisingInterval: HCIParameter {
    /// Reads 24 bits.
    public static func read(from bytes: inout ByteBuffer, _ name: StaticString) throws(MalformedBytes) -> Self {
        Self(rawValue: try bytes.readUInt24(name))
    }

    /// Writes 24 bits.
    public func write(into bytes: inout ByteBuffer) { bytes.writeUInt24(self.rawValue) }
}

// MARK: Octets

extension DeviceAddress: HCIParameter {
    /// Reads the type of an address and the address.
    public static func read(from bytes: inout ByteBuffer, _ name: StaticString) throws(MalformedBytes) -> Self {
        guard let kind = Kind(rawValue: try bytes.readLittleEndian(name)) else { throw MalformedBytes(.invalid, name) }
        return try DeviceAddress(parsing: &bytes, kind: kind, name)
    }

    /// Writes the type of the address and the address.
    public func write(into bytes: inout ByteBuffer) {
        bytes.writeInteger(self.kind.rawValue)
        self.encode(into: &bytes)
    }
}

extension Octets16: HCIParameter {
    /// Reads 16 octets, least significant first.
    public static func read(from bytes: inout ByteBuffer, _ name: StaticString) throws(MalformedBytes) -> Self {
        try Octets16(parsing: &bytes, name)
    }

    /// Writes 16 octets, least significant first.
    public func write(into bytes: inout ByteBuffer) { self.encode(into: &bytes) }
}

extension Octets32: HCIParameter {
    /// Reads 32 octets, least significant first.
    public static func read(from bytes: inout ByteBuffer, _ name: StaticString) throws(MalformedBytes) -> Self {
        try Octets32(parsing: &bytes, name)
    }

    /// Writes 32 octets, least significant first.
    public func write(into bytes: inout ByteBuffer) { self.encode(into: &bytes) }
}
