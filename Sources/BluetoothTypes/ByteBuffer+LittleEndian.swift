// Bluetooth sends multi-octet fields with the least significant octet first (Vol 3, Part A, 1.4; Vol 4, Part E, 5.2).
// All codecs use these checked reads and writes: a read throws instead of running past the end. They are internal to
// the package, so that a user's `ByteBuffer` gets no new members.

public import NIOCore

extension ByteBuffer {
    /// Reads a little-endian integer.
    @inlinable
    package mutating func readLittleEndian<Value: FixedWidthInteger>(
        _ field: StaticString,
        as: Value.Type = Value.self
    ) throws(MalformedBytes) -> Value {
        guard let value = self.readInteger(endianness: .little, as: Value.self) else {
            throw MalformedBytes(.truncated, field)
        }
        return value
    }

    /// Reads `count` octets as a slice that shares the buffer's storage.
    @inlinable
    package mutating func readOctets(_ count: Int, _ field: StaticString) throws(MalformedBytes) -> ByteBuffer {
        guard count >= 0, let slice = self.readSlice(length: count) else {
            throw MalformedBytes(.truncated, field)
        }
        return slice
    }

    /// Reads the 24-bit integer that HCI uses for advertising intervals and classes of device.
    @inlinable
    package mutating func readUInt24(_ field: StaticString) throws(MalformedBytes) -> UInt32 {
        guard self.readableBytes >= 3 else { throw MalformedBytes(.truncated, field) }
        let low: UInt16 = try self.readLittleEndian(field)
        let high: UInt8 = try self.readLittleEndian(field)
        return UInt32(high) << 16 | UInt32(low)
    }

    /// Throws unless every octet was read.
    @inlinable
    package func requireEnd(_ field: StaticString) throws(MalformedBytes) {
        guard self.readableBytes == 0 else { throw MalformedBytes(.trailingBytes, field) }
    }

    /// Writes a little-endian integer.
    @inlinable
    package mutating func writeLittleEndian<Value: FixedWidthInteger>(_ value: Value) {
        self.writeInteger(value, endianness: .little)
    }

    /// Writes the low 24 bits of `value`.
    @inlinable
    package mutating func writeUInt24(_ value: UInt32) {
        self.writeInteger(UInt16(truncatingIfNeeded: value), endianness: .little)
        self.writeInteger(UInt8(truncatingIfNeeded: value >> 16))
    }

    /// Sets the `count` least significant octets of `octets`, little-endian; those after the eighth are of `upper`.
    @inlinable
    @inline(__always)
    @discardableResult
    package mutating func setOctets(_ octets: UInt64, _ upper: UInt64 = 0, count: Int, at index: Int) -> Int {
        withUnsafeBytes(of: (octets.littleEndian, upper.littleEndian)) {
            self.setBytes(UnsafeRawBufferPointer(rebasing: $0.prefix(count)), at: index)
        }
    }
}
