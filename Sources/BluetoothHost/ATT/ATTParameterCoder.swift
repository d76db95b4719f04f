// The parameters of an ATT PDU (Vol 3, Part F, 3.3.1): each PDU lists them once, in wire order and with the
// specification's names. A coder processes the list: one reads octets, one writes them, one counts them. The list is
// generic over the coder, so that reading, writing and counting are specialized for each PDU.

import BluetoothTypes
import NIOCore

/// A coder of a PDU's parameters: a reader, a writer, or a counter.
///
/// A PDU passes each parameter's name in the specification and its property, and gets the value back: a reader reads
/// it, the others return the value of the property.
///
/// ```swift
/// init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
///     self.handle = try coder.field("Attribute Handle", \.handle)
///     self.value = try coder.remainder(\.value)
/// }
/// ```
protocol ATTParameterCoder<PDU> {
    /// The PDU with the parameters.
    associatedtype PDU
    /// The error for malformed octets; `Never` except for a reader.
    associatedtype Failure: Error

    /// One parameter.
    mutating func field<Value>(
        _ value: (PDU) -> Value,
        read: (inout ByteBuffer) throws(MalformedBytes) -> Value,
        write: (Value, inout ByteBuffer) -> Void,
        length: (Value) -> Int
    ) throws(Failure) -> Value

    /// Rejects octets if a condition on the parameter `name` is false; only a reader checks it.
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

    /// A number with its own type.
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

    /// A UUID at the end of the PDU: 2 or 16 octets.
    @inline(__always)
    mutating func field(_ name: StaticString, _ value: (PDU) -> BluetoothUUID) throws(Failure) -> BluetoothUUID {
        try self.field(
            value,
            read: { bytes throws(MalformedBytes) in try BluetoothUUID(attribute: &bytes, name) },
            write: { $0.encode(into: &$1) },
            length: \.octetCount
        )
    }

    /// All remaining octets, as a slice of the received packet.
    @inline(__always)
    mutating func remainder(_ value: (PDU) -> ByteBuffer) throws(Failure) -> ByteBuffer {
        try self.field(
            value,
            read: { bytes throws(MalformedBytes) in bytes.readRemainder() },
            write: { $1.writeImmutableBuffer($0) },
            length: \.readableBytes
        )
    }

    /// All remaining octets: entries of one length, at least one.
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

/// Reads parameters, without reading the properties of the PDU.
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
