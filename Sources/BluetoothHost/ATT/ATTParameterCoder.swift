// The parameters of an ATT PDU (Vol 3, Part F, 3.3.1): each PDU lists them once, in wire order and by the
// specification's names. A coder goes through the list: one reads octets, one writes them, one counts them. The list is
// generic over the coder, so that reading, writing and counting are compiled for each PDU.

import BluetoothTypes
import NIOCore

/// What goes through the list of a PDU's parameters: a reader, a writer, a counter.
///
/// A PDU gives each parameter's name in the specification and its property, and gets the parameter's value back: a
/// reader reads it, the others return what the property has.
///
/// ```swift
/// init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
///     self.handle = try coder.field("Attribute Handle", \.handle)
///     self.value = try coder.remainder(\.value)
/// }
/// ```
protocol ATTParameterCoder<PDU> {
    /// What has the parameters.
    associatedtype PDU
    /// Why going through the list may end early: octets that are malformed, or never.
    associatedtype Failure: Error

    /// One parameter.
    mutating func field<Value>(
        _ value: (PDU) -> Value,
        read: (inout ByteBuffer) throws(MalformedBytes) -> Value,
        write: (Value, inout ByteBuffer) -> Void,
        length: (Value) -> Int
    ) throws(Failure) -> Value

    /// Refuses octets whose parameter `name` has a value that is not allowed there; only a reader looks at it.
    func require(_ isValid: @autoclosure () -> Bool, _ name: StaticString) throws(Failure)
}

extension ATTParameterCoder {
    /// A number, least significant octet first.
    @inline(__always)
    mutating func field<Value: FixedWidthInteger>(
        _ name: StaticString,
        _ value: (PDU) -> Value
    ) throws(Failure) -> Value {
        try self.field(
            value,
            read: { bytes throws(MalformedBytes) in try bytes.readLittleEndian(name) },
            write: { $1.writeLittleEndian($0) },
            length: { _ in MemoryLayout<Value>.size }
        )
    }

    /// A number with a type of its own.
    @inline(__always)
    mutating func field<Value: RawRepresentable>(
        _ name: StaticString,
        _ value: (PDU) -> Value
    ) throws(Failure) -> Value where Value.RawValue: FixedWidthInteger {
        try self.field(
            value,
            read: { bytes throws(MalformedBytes) in
                guard let value = Value(rawValue: try bytes.readLittleEndian(name)) else {
                    throw MalformedBytes(.invalid, name)
                }
                return value
            },
            write: { $1.writeLittleEndian($0.rawValue) },
            length: { _ in MemoryLayout<Value.RawValue>.size }
        )
    }

    /// A UUID that makes up the rest of the PDU: 2 or 16 octets.
    @inline(__always)
    mutating func field(_ name: StaticString, _ value: (PDU) -> BluetoothUUID) throws(Failure) -> BluetoothUUID {
        try self.field(
            value,
            read: { bytes throws(MalformedBytes) in try BluetoothUUID(attribute: &bytes, name) },
            write: { $0.encode(into: &$1) },
            length: \.octetCount
        )
    }

    /// All octets that are left, as a slice of the packet that they came in.
    @inline(__always)
    mutating func remainder(_ value: (PDU) -> ByteBuffer) throws(Failure) -> ByteBuffer {
        try self.field(
            value,
            read: { bytes throws(MalformedBytes) in bytes.readRemainder() },
            write: { $1.writeImmutableBuffer($0) },
            length: \.readableBytes
        )
    }

    /// All octets that are left: entries of one length, one at least.
    @inline(__always)
    mutating func entries(
        _ name: StaticString,
        ofLength length: Int,
        _ value: (PDU) -> ByteBuffer
    ) throws(Failure) -> ByteBuffer {
        let entries = try self.remainder(value)
        try self.require(entries.readableBytes > 0 && entries.readableBytes % length == 0, name)
        return entries
    }
}

/// Reads parameters; the properties of a PDU are never asked for.
struct ATTParameterReader<PDU>: ATTParameterCoder {
    var bytes: ByteBuffer

    @inline(__always)
    mutating func field<Value>(
        _ value: (PDU) -> Value,
        read: (inout ByteBuffer) throws(MalformedBytes) -> Value,
        write: (Value, inout ByteBuffer) -> Void,
        length: (Value) -> Int
    ) throws(MalformedBytes) -> Value { try read(&self.bytes) }

    @inline(__always)
    func require(_ isValid: @autoclosure () -> Bool, _ name: StaticString) throws(MalformedBytes) {
        guard isValid() else { throw MalformedBytes(.invalid, name) }
    }
}

/// Writes the parameters of a PDU.
struct ATTParameterWriter<PDU>: ATTParameterCoder {
    let pdu: PDU
    var bytes: ByteBuffer

    @inline(__always)
    mutating func field<Value>(
        _ value: (PDU) -> Value,
        read: (inout ByteBuffer) throws(MalformedBytes) -> Value,
        write: (Value, inout ByteBuffer) -> Void,
        length: (Value) -> Int
    ) -> Value {
        let value = value(self.pdu)
        write(value, &self.bytes)
        return value
    }

    @inline(__always)
    func require(_ isValid: @autoclosure () -> Bool, _ name: StaticString) {}
}

/// Counts the octets of a PDU's parameters.
struct ATTParameterCounter<PDU>: ATTParameterCoder {
    let pdu: PDU
    private(set) var count = 0

    @inline(__always)
    init(_ pdu: PDU) { self.pdu = pdu }

    @inline(__always)
    mutating func field<Value>(
        _ value: (PDU) -> Value,
        read: (inout ByteBuffer) throws(MalformedBytes) -> Value,
        write: (Value, inout ByteBuffer) -> Void,
        length: (Value) -> Int
    ) -> Value {
        let value = value(self.pdu)
        self.count += length(value)
        return value
    }

    @inline(__always)
    func require(_ isValid: @autoclosure () -> Bool, _ name: StaticString) {}
}
