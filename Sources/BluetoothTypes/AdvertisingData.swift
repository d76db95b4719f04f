// The data of an advertising packet, of a scan response, or out of band: a sequence of elements, each a length, a
// type and a value (Vol 3, Part C, 11). Parsing never fails: well-formed elements are kept in order, whatever their
// type, and a truncated rest is noted.

public import NIOCore

/// Advertising data: elements in the order of transmission.
public struct AdvertisingData: Hashable, Sendable {
    /// A type and its value.
    public struct Element: Hashable, Sendable {
        public var type: AdvertisingDataType
        /// At most 254 octets.
        public var value: ByteBuffer

        package init(type: AdvertisingDataType, value: ByteBuffer) { (self.type, self.value) = (type, value) }
    }

    public var elements: [Element] = []
    /// Whether the data ended inside an element.
    package var isTruncated = false

    public init() {}

    package init(elements: [Element]) { self.elements = elements }

    /// Parses advertising data; the values share the storage of `bytes`.
    public init(parsing bytes: ByteBuffer) {
        var reader = AdvertisingDataReader(bytes)
        while let element = reader.next() { self.elements.append(element) }
        self.isTruncated = reader.isTruncated
    }

    /// The number of octets that ``encode(into:)`` writes.
    package var octetCount: Int { self.elements.reduce(0) { $0 + 2 + $1.value.readableBytes } }

    package func encode(into bytes: inout ByteBuffer) {
        for element in self.elements {
            let count = element.value.readableBytes
            precondition(count <= 254, "the value of an advertising data element has at most 254 octets")
            bytes.writeInteger(UInt8(count + 1))
            bytes.writeInteger(element.type.rawValue)
            bytes.writeImmutableBuffer(element.value)
        }
    }

    /// The encoded elements.
    public var bytes: ByteBuffer {
        var bytes = ByteBufferAllocator().buffer(capacity: self.octetCount)
        self.encode(into: &bytes)
        return bytes
    }

    package subscript(type: AdvertisingDataType) -> ByteBuffer? {
        self.elements.first { $0.type == type }?.value
    }

    package mutating func append(_ type: AdvertisingDataType, _ value: ByteBuffer) {
        self.elements.append(Element(type: type, value: value))
    }
}

/// Parses advertising data element by element, without allocations.
public struct AdvertisingDataReader: IteratorProtocol, Sequence, Sendable {
    @usableFromInline var rest: ByteBuffer
    /// Whether the data ended inside an element.
    package private(set) var isTruncated = false

    @inlinable
    public init(_ bytes: ByteBuffer) { self.rest = bytes }

    /// The next element; its value shares the storage of the whole.
    public mutating func next() -> AdvertisingData.Element? {
        // A length of zero ends the data early: the rest is padding (Vol 3, Part C, 11).
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
