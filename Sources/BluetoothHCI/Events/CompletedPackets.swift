// Flow control: how many data packets of which links have left a buffer (Vol 4, Part E, 4.1, 7.3.40 and 7.7.19). Both
// directions are on the path of every packet, so the list is read in place and written once.

public import BluetoothTypes
public import NIOCore

/// How many packets of which links have been completed: a row that is read in place.
public struct CompletedPackets: HCIParameter, Sequence {
    /// One link's number.
    public struct Element: Hashable, Sendable {
        /// The link.
        public var handle: ConnectionHandle
        /// How many packets.
        public var count: UInt16

        /// Creates an element.
        @inlinable
        public init(handle: ConnectionHandle, count: UInt16) {
            self.handle = handle
            self.count = count
        }

        @inlinable
        func write(into bytes: inout ByteBuffer) {
            bytes.writeInteger(UInt32(self.count) << 16 | UInt32(self.handle.rawValue), endianness: .little)
        }
    }

    /// Reads element by element.
    public struct Iterator: IteratorProtocol {
        @usableFromInline var rest: ByteBuffer

        @usableFromInline
        init(rest: ByteBuffer) { self.rest = rest }

        /// The next link's number.
        @inlinable
        public mutating func next() -> Element? {
            guard let word: UInt32 = self.rest.readInteger(endianness: .little) else { return nil }
            return Element(
                handle: ConnectionHandle(rawValue: UInt16(truncatingIfNeeded: word)),
                count: UInt16(truncatingIfNeeded: word >> 16)
            )
        }
    }

    /// The greatest number of elements in one event or command.
    public static let maximumCount = 63

    // Four octets for each element.
    @usableFromInline let bytes: ByteBuffer

    /// A row of at most ``maximumCount`` elements.
    public init(_ elements: some Collection<Element>) {
        var bytes = ByteBufferAllocator().buffer(capacity: elements.count * 4)
        for element in elements { element.write(into: &bytes) }
        self.bytes = bytes
    }

    /// Starts reading.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(rest: self.bytes) }

    /// The number of elements.
    @inlinable
    public var underestimatedCount: Int { self.bytes.readableBytes / 4 }

    /// Reads the number of elements and the elements.
    public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
        let count: UInt8 = try bytes.readLittleEndian("Num_Handles")
        guard count <= Self.maximumCount else { throw MalformedBytes(.invalid, "Num_Handles") }
        return Self(bytes: try bytes.readOctets(Int(count) * 4, field))
    }

    private init(bytes: ByteBuffer) { self.bytes = bytes }

    /// Each link with its number: `0x40:2,0x41:1`.
    public var description: String { self.map { "\($0.handle):\($0.count)" }.joined(separator: ",") }

    /// Writes the number of elements and the elements.
    public func write(into bytes: inout ByteBuffer) {
        precondition(self.underestimatedCount <= Self.maximumCount, "one packet has at most 63 links")
        bytes.writeInteger(UInt8(self.underestimatedCount))
        bytes.writeImmutableBuffer(self.bytes)
    }
}

/// The controller has sent data packets, or thrown them away with their link (Vol 4, Part E, 7.7.19).
public struct NumberOfCompletedPackets: HCIEventPayload {
    /// The number of the event.
    public static let code = HCIEventCode.numberOfCompletedPackets

    /// The links and how many packets of each.
    public var completed: CompletedPackets

    /// Creates the event.
    public init(completed: CompletedPackets) { self.completed = completed }

    /// The packet of an event, written at once; at most ``CompletedPackets/maximumCount`` elements.
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

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.completed = try coder.field("Num_Completed_Packets", \.completed)
    }
}

/// The host has taken data packets out of its buffers (Vol 4, Part E, 7.3.40).
///
/// No event answers it unless it is wrong, and it needs no command credit.
public struct HostNumberOfCompletedPackets: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x0035)

    /// The links and how many packets of each.
    public var completed: CompletedPackets

    /// Creates the command.
    public init(completed: CompletedPackets) { self.completed = completed }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.completed = try coder.field("Host_Num_Completed_Packets", \.completed)
    }
}
