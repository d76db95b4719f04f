// The coding of single parameters of commands and events (Vol 4, Part E, 5.2).

public import BluetoothTypes
public import NIOCore

/// A parameter of a command or an event.
public protocol HCIParameter: Hashable, Sendable, CustomStringConvertible {
    /// Reads the value; `name` is the parameter's name for errors.
    static func read(from bytes: inout ByteBuffer, _ name: StaticString) throws(MalformedBytes) -> Self
    /// Writes the value.
    func write(into bytes: inout ByteBuffer)
}

extension HCIParameter where Self: RawRepresentable, RawValue: FixedWidthInteger {
    @inlinable
    public static func read(from bytes: inout ByteBuffer, _ name: StaticString) throws(MalformedBytes) -> Self {
        guard let value = Self(rawValue: try bytes.readLittleEndian(name)) else {
            throw MalformedBytes(.invalid, name)
        }
        return value
    }

    @inlinable
    public func write(into bytes: inout ByteBuffer) { bytes.writeLittleEndian(self.rawValue) }
}

/// A code of which some values have names; other values are kept.
package protocol HCICode: RawRepresentable, HCIParameter where RawValue: FixedWidthInteger {
    init(rawValue: RawValue)
}

extension HCICode {
    public var description: String { hexadecimal(self.rawValue) }
}

/// Bits of which some have names; other bits are kept.
package protocol HCIBits: OptionSet, HCIParameter where RawValue: FixedWidthInteger {}

extension HCIBits {
    public var description: String { hexadecimal(self.rawValue) }
}

/// `value` with a prefix and as many hexadecimal digits as its type has.
func hexadecimal(_ value: some FixedWidthInteger) -> String { "0x" + value.hexadecimalDigits }

/// `octets` as hexadecimal digits; `-` if there are none.
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
    package static func read(from bytes: inout ByteBuffer, _ name: StaticString) throws(MalformedBytes) -> Self {
        Self(rawValue: try bytes.readUInt24(name))
    }

    package func write(into bytes: inout ByteBuffer) { bytes.writeUInt24(self.rawValue) }
}

// MARK: Octets

extension DeviceAddress: HCIParameter {
    public static func read(from bytes: inout ByteBuffer, _ name: StaticString) throws(MalformedBytes) -> Self {
        guard let kind = Kind(rawValue: try bytes.readLittleEndian(name)) else { throw MalformedBytes(.invalid, name) }
        return try DeviceAddress(parsing: &bytes, kind: kind, name)
    }

    public func write(into bytes: inout ByteBuffer) {
        bytes.writeInteger(self.kind.rawValue)
        self.encode(into: &bytes)
    }
}

extension Octets16: HCIParameter {
    public static func read(from bytes: inout ByteBuffer, _ name: StaticString) throws(MalformedBytes) -> Self {
        try Octets16(parsing: &bytes, name)
    }

    public func write(into bytes: inout ByteBuffer) { self.encode(into: &bytes) }
}

extension Octets32: HCIParameter {
    package static func read(from bytes: inout ByteBuffer, _ name: StaticString) throws(MalformedBytes) -> Self {
        try Octets32(parsing: &bytes, name)
    }

    package func write(into bytes: inout ByteBuffer) { self.encode(into: &bytes) }
}
