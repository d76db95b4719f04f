// The parameters of a command, of its answer, of an event, or of one entry of an array in them (Vol 4, Part E, 5.2).
// Each declaration lists its parameters once, in wire order and by the specification's names. A coder goes through the
// list: one reads octets, one writes them, one writes a line of text. The list is generic over the coder, so that
// reading and writing are compiled for each declaration and cost no more than code written by hand.

public import BluetoothTypes
public import NIOCore

/// Parameters in wire order.
public protocol HCIParameters: Hashable, Sendable, CustomStringConvertible {
    /// The list of parameters: creates a value from what `coder` gives for each of them.
    init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure)

    /// Writes the parameters.
    func encode(into bytes: inout ByteBuffer)

    /// Reads the parameters; octets behind the last one are ignored, as a later version may add some.
    init(parsing bytes: inout ByteBuffer) throws(MalformedBytes)
}

extension HCIParameters {
    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        var writer = HCIParameterWriter(self)
        swap(&writer.bytes, &bytes)
        _ = Self(&writer)
        swap(&writer.bytes, &bytes)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        var reader = HCIParameterReader<Self>(bytes)
        defer { bytes = reader.bytes }
        try self.init(&reader)
    }

    /// The parameters on one line: `Connection_Handle=0x40 Reason=…`.
    public var description: String { parameterText(self) }
}

/// What goes through a list of parameters: a reader, a writer, a formatter.
///
/// A declaration gives each parameter's name in the specification and its property, and gets the parameter's value
/// back: a reader reads it, the others return what the property has.
///
/// ```swift
/// init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
///     self.handle = try coder.field("Connection_Handle", \.handle)
///     self.reason = try coder.field("Reason", \.reason)
/// }
/// ```
public protocol HCIParameterCoder<Source> {
    /// What has the parameters.
    associatedtype Source
    /// Why going through the list may end early: octets that are malformed, or never.
    associatedtype Failure: Error

    /// One parameter in a form of its own.
    mutating func field<Value>(
        _ name: StaticString,
        _ value: (Source) -> Value,
        read: (inout ByteBuffer) throws(MalformedBytes) -> Value,
        write: (Value, inout ByteBuffer) -> Void,
        text: (Value) -> String
    ) throws(Failure) -> Value

    /// Parameters that are declared together.
    mutating func group<Value: HCIParameters>(_ value: (Source) -> Value) throws(Failure) -> Value

    /// Parameters that are left out where `isPresent` is false.
    mutating func group<Value: HCIParameters>(
        _ value: (Source) -> Value?,
        isPresent: Bool
    ) throws(Failure) -> Value?

    /// The number of entries, one octet, and the entries.
    mutating func array<Element: HCIParameters>(
        _ count: StaticString,
        _ elements: (Source) -> [Element],
        limit: Int
    ) throws(Failure) -> [Element]

    /// Refuses octets whose parameter `name` has a value that makes the rest unreadable.
    mutating func require(_ isValid: Bool, _ name: StaticString) throws(Failure)
}

extension HCIParameterCoder {
    /// A parameter with a type of its own.
    public mutating func field<Value: HCIParameter>(
        _ name: StaticString,
        _ value: (Source) -> Value
    ) throws(Failure) -> Value {
        try self.field(
            name,
            value,
            read: { bytes throws(MalformedBytes) in try Value.read(from: &bytes, name) },
            write: { $0.write(into: &$1) },
            text: \.description
        )
    }

    /// A parameter with a type of its own; the value `absent` stands for `nil`.
    public mutating func field<Value: HCIParameter>(
        _ name: StaticString,
        _ value: (Source) -> Value?,
        absent: Value
    ) throws(Failure) -> Value? {
        try self.field(
            name,
            value,
            read: { bytes throws(MalformedBytes) in
                let value = try Value.read(from: &bytes, name)
                return value == absent ? nil : value
            },
            write: { ($0 ?? absent).write(into: &$1) },
            text: { $0?.description ?? "-" }
        )
    }

    /// A number, least significant octet first.
    public mutating func field<Value: FixedWidthInteger>(
        _ name: StaticString,
        _ value: (Source) -> Value
    ) throws(Failure) -> Value {
        try self.field(
            name,
            value,
            read: { bytes throws(MalformedBytes) in try bytes.readLittleEndian(name) },
            write: { $1.writeLittleEndian($0) },
            text: \.description
        )
    }

    /// A number, least significant octet first; the number `absent` stands for `nil`.
    public mutating func field<Value: FixedWidthInteger>(
        _ name: StaticString,
        _ value: (Source) -> Value?,
        absent: Value
    ) throws(Failure) -> Value? {
        try self.field(
            name,
            value,
            read: { bytes throws(MalformedBytes) in
                let value: Value = try bytes.readLittleEndian(name)
                return value == absent ? nil : value
            },
            write: { $1.writeLittleEndian($0 ?? absent) },
            text: { $0?.description ?? "-" }
        )
    }

    /// An octet that is 0 or 1; others are malformed.
    public mutating func field(_ name: StaticString, _ value: (Source) -> Bool) throws(Failure) -> Bool {
        try self.field(
            name,
            value,
            read: { bytes throws(MalformedBytes) in
                switch try bytes.readLittleEndian(name, as: UInt8.self) {
                case 0: return false
                case 1: return true
                default: throw MalformedBytes(.invalid, name)
                }
            },
            write: { $1.writeInteger($0 ? 1 : 0, as: UInt8.self) },
            text: \.description
        )
    }

    /// The six octets of an address whose type is known without an octet that says so.
    public mutating func address(
        _ name: StaticString,
        _ value: (Source) -> DeviceAddress,
        kind: DeviceAddress.Kind
    ) throws(Failure) -> DeviceAddress {
        try self.field(
            name,
            value,
            read: { bytes throws(MalformedBytes) in try DeviceAddress(parsing: &bytes, kind: kind, name) },
            write: { $0.encode(into: &$1) },
            text: \.description
        )
    }

    /// The six octets of a resolvable private address; zeros stand for `nil`.
    public mutating func resolvableAddress(
        _ name: StaticString,
        _ value: (Source) -> DeviceAddress?
    ) throws(Failure) -> DeviceAddress? {
        try self.field(
            name,
            value,
            read: { bytes throws(MalformedBytes) in
                let address = try DeviceAddress(parsing: &bytes, kind: .random, name)
                return address.value == 0 ? nil : address
            },
            write: { ($0 ?? .none).encode(into: &$1) },
            text: { $0?.description ?? "-" }
        )
    }

    /// An octet that counts the octets behind it, at most `limit`, then those; zeros are written up to `width`.
    public mutating func octets(
        _ name: StaticString,
        _ value: (Source) -> ByteBuffer,
        limit: Int,
        paddedTo width: Int = 0
    ) throws(Failure) -> ByteBuffer {
        try self.field(
            name,
            value,
            read: { bytes throws(MalformedBytes) in
                let count: UInt8 = try bytes.readLittleEndian(name)
                guard Int(count) <= limit else { throw MalformedBytes(.invalid, name) }
                return try bytes.readOctets(Int(count), name)
            },
            write: { octets, bytes in
                precondition(octets.readableBytes <= limit, "too many octets for the parameter")
                bytes.writeInteger(UInt8(octets.readableBytes))
                bytes.writeImmutableBuffer(octets)
                bytes.writeRepeatingByte(0, count: max(0, width - octets.readableBytes))
            },
            text: octetText
        )
    }

    /// All octets that are left.
    public mutating func remainder(
        _ name: StaticString,
        _ value: (Source) -> ByteBuffer
    ) throws(Failure) -> ByteBuffer {
        try self.field(
            name,
            value,
            read: { bytes throws(MalformedBytes) in try bytes.readOctets(bytes.readableBytes, name) },
            write: { $1.writeImmutableBuffer($0) },
            text: octetText
        )
    }
}
