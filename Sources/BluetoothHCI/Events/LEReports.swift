// Advertising reports (Vol 4, Part E, 7.7.65.2, 7.7.65.11 and 7.7.65.13). A busy place brings many thousands a second,
// and an event carries several, so an event keeps its octets and hands out report after report from them. The octets
// are checked once, when the event is read; walking over the reports cannot fail then.

public import BluetoothTypes
public import NIOCore

/// One report of an event that carries several.
public protocol LEReport: HCIParameters {
    /// The event that carries such reports.
    static var subevent: LESubeventCode { get }
    /// Moves over one report and throws where it is not well formed.
    static func skip(in bytes: inout ByteBuffer) throws(MalformedBytes)
}

/// An event with reports, read in place.
public struct LEReports<Report: LEReport>: LEEventPayload, Sequence {
    /// Reads report by report.
    public struct Iterator: IteratorProtocol {
        @usableFromInline var rest: ByteBuffer
        @usableFromInline var remaining: Int

        @inlinable
        init(rest: ByteBuffer, count: Int) {
            self.rest = rest
            self.remaining = count
        }

        /// The next report; its data shares the storage of the packet.
        @inlinable
        public mutating func next() -> Report? {
            guard self.remaining > 0 else { return nil }
            self.remaining -= 1
            return try? Report(parsing: &self.rest)
        }
    }

    /// The number of the subevent.
    public static var subevent: LESubeventCode { Report.subevent }

    /// How many reports there are.
    public let count: Int
    // The reports, well formed.
    @usableFromInline let bytes: ByteBuffer

    /// An event of reports that together fit into 253 octets.
    public init(_ reports: [Report]) {
        var bytes = ByteBuffer()
        for report in reports { report.encode(into: &bytes) }
        self.count = reports.count
        self.bytes = bytes
    }

    /// The packet of an event with one report, written at once.
    @inlinable
    public static func packet(
        _ report: Report,
        allocator: ByteBufferAllocator = ByteBufferAllocator()
    ) -> HCIPacket {
        HCIPacket.event(.leMeta, Report.subevent, allocator: allocator) {
            $0.writeInteger(UInt8(1))
            report.encode(into: &$0)
        }
    }

    /// Starts reading.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(rest: self.bytes, count: self.count) }

    /// How many reports there are.
    @inlinable
    public var underestimatedCount: Int { self.count }

    /// The reports as one parameter.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self = try coder.field(
            "Num_Reports",
            { $0 },
            read: { bytes throws(MalformedBytes) in try Self(parsing: &bytes) },
            write: { $0.encode(into: &$1) },
            text: { reports in (["\(reports.count)"] + reports.map { "{\(parameterText($0))}" }).joined(separator: " ")
            }
        )
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeInteger(UInt8(self.count))
        bytes.writeImmutableBuffer(self.bytes)
    }

    /// Reads the parameters and checks every report.
    @inlinable
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        let count: UInt8 = try bytes.readLittleEndian("Num_Reports")
        var end = bytes
        for _ in 0..<count { try Report.skip(in: &end) }
        self.count = Int(count)
        self.bytes = try bytes.readOctets(end.readerIndex - bytes.readerIndex, "Reports")
    }
}

/// Reports of legacy advertising.
public typealias LEAdvertisingReports = LEReports<LEAdvertisingReport>
/// Reports of extended scanning.
public typealias LEExtendedAdvertisingReports = LEReports<LEExtendedAdvertisingReport>
/// Reports of advertising that is directed to a private address.
public typealias LEDirectedAdvertisingReports = LEReports<LEDirectedAdvertisingReport>

// MARK: Legacy

/// One legacy advertising packet or scan response (Vol 4, Part E, 7.7.65.2).
public struct LEAdvertisingReport: LEReport {
    /// The kind of PDU.
    public struct EventType: HCICode {
        /// The number.
        public var rawValue: UInt8

        /// A code from its number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// ADV_IND.
        public static let connectableUndirected = EventType(rawValue: 0x00)
        /// ADV_DIRECT_IND.
        public static let connectableDirected = EventType(rawValue: 0x01)
        /// ADV_SCAN_IND.
        public static let scannableUndirected = EventType(rawValue: 0x02)
        /// ADV_NONCONN_IND.
        public static let nonConnectableUndirected = EventType(rawValue: 0x03)
        /// SCAN_RSP.
        public static let scanResponse = EventType(rawValue: 0x04)
    }

    /// The number of the subevent.
    public static let subevent = LESubeventCode.advertisingReport

    /// The kind of PDU.
    public var eventType: EventType
    /// The advertiser.
    public var address: DeviceAddress
    /// The advertising or scan response data.
    public var data: ByteBuffer
    /// The strength of the signal; `nil` where it is not available.
    public var rssi: RSSI?

    /// Creates a report with at most 31 octets of data.
    @inlinable
    public init(eventType: EventType, address: DeviceAddress, data: ByteBuffer, rssi: RSSI?) {
        self.eventType = eventType
        self.address = address
        self.data = data
        self.rssi = rssi
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.eventType = try coder.field("Event_Type", \.eventType)
        self.address = try coder.field("Address", \.address)
        self.data = try coder.octets("Data", \.data, limit: 31)
        self.rssi = try coder.field("RSSI", \.rssi, absent: .notAvailable)
    }

    // Reading and writing again, word by word, since a scanner may receive thousands a second. Event type, address type
    // and address are eight octets: one word, least significant octet first.
    @usableFromInline static let headOctetCount = 8

    /// Moves over one report and checks it.
    @inlinable
    public static func skip(in bytes: inout ByteBuffer) throws(MalformedBytes) {
        let start = bytes.readerIndex
        guard let length: UInt8 = bytes.getInteger(at: start + Self.headOctetCount),
            bytes.readableBytes >= Self.headOctetCount + 2 + Int(length),
            let kind: UInt8 = bytes.getInteger(at: start + 1)
        else { throw MalformedBytes(.truncated, "Advertising report") }
        guard DeviceAddress.Kind(rawValue: kind) != nil else { throw MalformedBytes(.invalid, "Address_Type") }
        guard length <= 31 else { throw MalformedBytes(.invalid, "Data_Length") }
        bytes.moveReaderIndex(forwardBy: Self.headOctetCount + 2 + Int(length))
    }

    /// Reads one report.
    @inlinable
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        guard let head: UInt64 = bytes.readInteger(endianness: .little), let length: UInt8 = bytes.readInteger(),
            let data = bytes.readSlice(length: Int(length)), let rssi: Int8 = bytes.readInteger()
        else { throw MalformedBytes(.truncated, "Advertising report") }
        guard let kind = DeviceAddress.Kind(rawValue: UInt8(truncatingIfNeeded: head >> 8)) else {
            throw MalformedBytes(.invalid, "Address_Type")
        }
        self.eventType = EventType(rawValue: UInt8(truncatingIfNeeded: head))
        self.address = DeviceAddress(head >> 16, kind: kind)
        self.data = data
        self.rssi = RSSI(octet: rssi)
    }

    /// Writes the report.
    @inlinable
    public func encode(into bytes: inout ByteBuffer) {
        let length = self.data.readableBytes
        precondition(length <= 31, "legacy advertising data has at most 31 octets")
        let head = UInt64(self.eventType.rawValue) | UInt64(self.address.kind.rawValue) << 8 | self.address.value << 16
        bytes.writeInteger(head, endianness: .little)
        bytes.writeInteger(UInt8(length))
        bytes.writeImmutableBuffer(self.data)
        bytes.writeInteger(RSSI.octet(self.rssi))
    }
}

// MARK: Directed

/// For whom directed advertising is meant (Vol 4, Part E, 7.7.65.11).
public enum AdvertisingTarget: HCIParameter {
    /// A device.
    case device(DeviceAddress)
    /// A private address that the controller could not resolve.
    case unresolved(DeviceAddress)

    /// Reads the type of the address and the address; type 0xFE was not resolved.
    public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
        guard bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) == 0xFE else {
            return .device(try DeviceAddress.read(from: &bytes, field))
        }
        bytes.moveReaderIndex(forwardBy: 1)
        return .unresolved(try DeviceAddress(parsing: &bytes, kind: .random, field))
    }

    /// Writes the type of the address and the address.
    public func write(into bytes: inout ByteBuffer) {
        switch self {
        case .device(let address):
            address.write(into: &bytes)
        case .unresolved(let address):
            bytes.writeInteger(UInt8(0xFE))
            address.encode(into: &bytes)
        }
    }

    /// The address, and whether it is unresolved.
    public var description: String {
        switch self {
        case .device(let address): address.description
        case .unresolved(let address): "unresolved \(address)"
        }
    }
}

/// One packet of advertising that is directed to a private address of this device (Vol 4, Part E, 7.7.65.11).
public struct LEDirectedAdvertisingReport: LEReport {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.directedAdvertisingReport

    /// The kind of PDU.
    public var eventType: LEAdvertisingReport.EventType
    /// The advertiser.
    public var address: DeviceAddress
    /// For whom it is meant.
    public var target: AdvertisingTarget
    /// The strength of the signal; `nil` where it is not available.
    public var rssi: RSSI?

    /// Creates a report.
    public init(
        eventType: LEAdvertisingReport.EventType = .connectableDirected,
        address: DeviceAddress,
        target: AdvertisingTarget,
        rssi: RSSI?
    ) {
        self.eventType = eventType
        self.address = address
        self.target = target
        self.rssi = rssi
    }

    /// Moves over one report and checks it.
    public static func skip(in bytes: inout ByteBuffer) throws(MalformedBytes) { _ = try Self(parsing: &bytes) }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.eventType = try coder.field("Event_Type", \.eventType)
        self.address = try coder.field("Address", \.address)
        self.target = try coder.field("Direct_Address", \.target)
        self.rssi = try coder.field("RSSI", \.rssi, absent: .notAvailable)
    }
}
