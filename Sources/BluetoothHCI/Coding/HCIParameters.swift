// The parameters of a command, of its answer, of an event, or of one entry of an array in them (Vol 4, Part E, 5.2).
// Each declaration lists its parameters once, in wire order and by the specification's names. A coder visits the list:
// one reads octets, one writes them, one writes a line of text. The list is generic over the coder, so that reading and
// writing are specialized for each declaration and as fast as code written by hand.

public import BluetoothTypes
public import NIOCore

/// Parameters in wire order.
public protocol HCIParameters: Hashable, Sendable, CustomStringConvertible {
    /// The list of parameters: creates a value from what `coder` returns for each of them.
    init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure)

    /// Writes the parameters.
    func encode(into bytes: inout ByteBuffer)

    /// Reads the parameters; trailing octets are ignored, since a later version may add parameters.
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

/// Visits a list of parameters: to read, to write or to format them.
///
/// A declaration passes each parameter's name in the specification and its property, and gets the value back: a reader
/// parses it, the others return the property's value.
///
/// ```swift
/// init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
///     self.handle = try coder.field("Connection_Handle", \.handle)
///     self.reason = try coder.field("Reason", \.reason)
/// }
/// ```
public protocol HCIParameterCoder<Source> {
    /// The type that has the parameters.
    associatedtype Source
    /// Why the visit may end early: `MalformedBytes` or `Never`.
    associatedtype Failure: Error

    /// A parameter with its own coding.
    mutating func field<Value>(
        _ name: StaticString,
        _ value: (Source) -> Value,
        read: (inout ByteBuffer) throws(MalformedBytes) -> Value,
        write: (Value, inout ByteBuffer) -> Void,
        text: (Value) -> String
    ) throws(Failure) -> Value

    /// Nested parameters.
    mutating func group<Value: HCIParameters>(_ value: (Source) -> Value) throws(Failure) -> Value

    /// Nested parameters that are absent if `isPresent` is false.
    mutating func group<Value: HCIParameters>(
        _ value: (Source) -> Value?,
        isPresent: Bool
    ) throws(Failure) -> Value?

    /// An octet with the number of elements, then the elements.
    mutating func array<Element: HCIParameters>(
        _ count: StaticString,
        _ elements: (Source) -> [Element],
        limit: Int
    ) throws(Failure) -> [Element]

    /// Throws when reading if `isValid` is false: parameter `name` makes the rest unreadable.
    mutating func require(_ isValid: Bool, _ name: StaticString) throws(Failure)
}

extension HCIParameterCoder {
    /// A parameter.
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

    /// A parameter; `absent` is the encoding of `nil`.
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

    /// A little-endian number.
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

    /// A little-endian number; `absent` is the encoding of `nil`.
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

    /// An octet that is 0 or 1; other values are malformed.
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

    /// The six octets of an address whose type is not encoded.
    package mutating func address(
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

    /// The six octets of a resolvable private address; zero is the encoding of `nil`.
    package mutating func resolvableAddress(
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

    /// A length octet, at most `limit`, then that many octets, padded with zeros to `width` when written.
    package mutating func octets(
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

    /// All remaining octets.
    package mutating func remainder(
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
