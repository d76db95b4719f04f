// The data of an advertising packet, of a scan response, or out of band: a sequence of elements, each a length, a
// type and a value (Vol 3, Part C, 11). Reading never fails: what is well formed is kept in its order, whatever its
// type, and the rest is noted.

public import NIOCore

/// Advertising data: elements in the order in which they are sent.
public struct AdvertisingData: Hashable, Sendable {
    /// One element: a type and its value.
    public struct Element: Hashable, Sendable {
        /// What the value is.
        public var type: AdvertisingDataType
        /// The value, at most 254 octets.
        public var value: ByteBuffer

        /// Creates an element.
        @inlinable
        public init(type: AdvertisingDataType, value: ByteBuffer) {
            self.type = type
            self.value = value
        }
    }

    /// The elements.
    public var elements: [Element]
    /// Whether octets were left over that do not make an element.
    public var isTruncated: Bool

    /// Creates advertising data of given elements.
    public init(elements: [Element] = []) {
        self.elements = elements
        self.isTruncated = false
    }

    /// Reads advertising data; the values share the storage of `bytes`.
    public init(parsing bytes: ByteBuffer) {
        var reader = AdvertisingDataReader(bytes)
        self.elements = []
        while let element = reader.next() { self.elements.append(element) }
        self.isTruncated = reader.isTruncated
    }

    /// The number of octets that ``encode(into:)`` writes.
    public var octetCount: Int { self.elements.reduce(0) { $0 + 2 + $1.value.readableBytes } }

    /// Writes the elements in their order.
    public func encode(into bytes: inout ByteBuffer) {
        for element in self.elements {
            let count = element.value.readableBytes
            precondition(count <= 254, "the value of an advertising data element has at most 254 octets")
            bytes.writeInteger(UInt8(count + 1))
            bytes.writeInteger(element.type.rawValue)
            bytes.writeImmutableBuffer(element.value)
        }
    }

    /// The elements as octets.
    public var bytes: ByteBuffer {
        var bytes = ByteBufferAllocator().buffer(capacity: self.octetCount)
        self.encode(into: &bytes)
        return bytes
    }

    /// The value of the first element of a type.
    public subscript(type: AdvertisingDataType) -> ByteBuffer? {
        self.elements.first { $0.type == type }?.value
    }

    /// Adds an element at the end.
    public mutating func append(_ type: AdvertisingDataType, _ value: ByteBuffer) {
        self.elements.append(Element(type: type, value: value))
    }
}

/// Reads advertising data element by element, without memory of its own.
public struct AdvertisingDataReader: IteratorProtocol, Sequence, Sendable {
    @usableFromInline var rest: ByteBuffer
    /// Whether the octets ended inside an element.
    public private(set) var isTruncated = false

    /// Starts at the first readable octet of `bytes`.
    @inlinable
    public init(_ bytes: ByteBuffer) { self.rest = bytes }

    /// The next element; its value shares the storage of the whole.
    public mutating func next() -> AdvertisingData.Element? {
        // A length of zero ends the data early: what follows is padding (Vol 3, Part C, 11).
        guard let length = self.rest.readInteger(as: UInt8.self), length > 0 else {
            self.rest.moveReaderIndex(to: self.rest.writerIndex)
            return nil
        }
        guard let type = self.rest.readInteger(as: UInt8.self), let value = self.rest.readSlice(length: Int(length) - 1)
        else {
            self.isTruncated = true
            self.rest.moveReaderIndex(to: self.rest.writerIndex)
            return nil
        }
        return AdvertisingData.Element(type: AdvertisingDataType(rawValue: type), value: value)
    }
}
