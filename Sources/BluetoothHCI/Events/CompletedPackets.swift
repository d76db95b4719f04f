// Flow control: the number of data packets of each link that have left a buffer (Vol 4, Part E, 4.1, 7.3.40 and
// 7.7.19). Both directions are on the path of every packet, so the list is read in place and encoded once.

public import BluetoothTypes
public import NIOCore

/// The number of completed packets of each link: a list that is read in place.
public struct CompletedPackets: HCIParameter, Sequence {
    /// The number of completed packets of one link.
    public struct Element: Hashable, Sendable {
        public var handle: ConnectionHandle
        /// The number of packets.
        public var count: UInt16

        @inlinable
        package init(handle: ConnectionHandle, count: UInt16) { (self.handle, self.count) = (handle, count) }

        @inlinable
        func write(into bytes: inout ByteBuffer) {
            bytes.writeInteger(UInt32(self.count) << 16 | UInt32(self.handle.rawValue), endianness: .little)
        }
    }

    public struct Iterator: IteratorProtocol {
        @usableFromInline var rest: ByteBuffer

        @usableFromInline
        init(rest: ByteBuffer) { self.rest = rest }

        /// The next element.
        @inlinable
        public mutating func next() -> Element? {
            guard let word: UInt32 = self.rest.readInteger(endianness: .little) else { return nil }
            return Element(
                handle: ConnectionHandle(rawValue: UInt16(truncatingIfNeeded: word)),
                count: UInt16(truncatingIfNeeded: word >> 16)
            )
        }
    }

    /// The maximum number of elements in one event or command.
    public static let maximumCount = 63

    // Four octets for each element.
    @usableFromInline let bytes: ByteBuffer

    /// A list of at most ``maximumCount`` elements.
    package init(_ elements: some Collection<Element>) {
        var bytes = ByteBufferAllocator().buffer(capacity: elements.count * 4)
        for element in elements { element.write(into: &bytes) }
        self.bytes = bytes
    }

    @inlinable
    public func makeIterator() -> Iterator { Iterator(rest: self.bytes) }

    /// The number of elements.
    @inlinable
    public var underestimatedCount: Int { self.bytes.readableBytes / 4 }

    public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
        let count: UInt8 = try bytes.readLittleEndian("Num_Handles")
        guard count <= Self.maximumCount else { throw MalformedBytes(.invalid, "Num_Handles") }
        return Self(bytes: try bytes.readOctets(Int(count) * 4, field))
    }

    private init(bytes: ByteBuffer) { self.bytes = bytes }

    /// Each link with its number: `0x40:2,0x41:1`.
    public var description: String { self.map { "\($0.handle):\($0.count)" }.joined(separator: ",") }

    public func write(into bytes: inout ByteBuffer) {
        precondition(self.underestimatedCount <= Self.maximumCount, "one packet has at most 63 links")
        bytes.writeInteger(UInt8(self.underestimatedCount))
        bytes.writeImmutableBuffer(self.bytes)
    }
}

/// The controller has sent data packets, or discarded them with their link (Vol 4, Part E, 7.7.19).
public struct NumberOfCompletedPackets: HCIEventPayload {
    package static let code = HCIEventCode.numberOfCompletedPackets
    package var completed: CompletedPackets
    package init(completed: CompletedPackets) { self.completed = completed }

    /// The packet, encoded without an intermediate event; at most ``CompletedPackets/maximumCount`` elements.
    @inlinable
    public static func packet(
        _ elements: some Collection<CompletedPackets.Element>,
        allocator: ByteBufferAllocator = ByteBufferAllocator()
    ) -> HCIPacket {
        precondition(elements.count <= CompletedPackets.maximumCount, "one packet has at most 63 links")
        return HCIPacket.event(.numberOfCompletedPackets, nil, capacity: 4 + elements.count * 4, allocator: allocator) {
            $0.writeInteger(UInt8(elements.count))
            for element in elements { element.write(into: &$0) }
        }
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.completed = try coder.field("Num_Completed_Packets", \.completed)
    }
}

/// The host has taken data packets out of its buffers (Vol 4, Part E, 7.3.40).
///
/// It is not answered unless it is wrong, and needs no command credit.
package struct HostNumberOfCompletedPackets: HCICommand {
    package static let opcode = HCIOpcode(.controllerAndBaseband, 0x0035)
    package var completed: CompletedPackets
    package init(completed: CompletedPackets) { self.completed = completed }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.completed = try coder.field("Host_Num_Completed_Packets", \.completed)
    }
}
