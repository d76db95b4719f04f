// Advertising reports (Vol 4, Part E, 7.7.65.2, 7.7.65.11 and 7.7.65.13). In a busy place there are many thousands a
// second, and an event carries several, so an event keeps its octets and parses one report after the other from them.
// The octets are validated once, when the event is read; iteration cannot fail afterwards.

public import BluetoothTypes
public import NIOCore

/// A report in an event that carries several.
public protocol LEReport: HCIParameters {
    /// The event that carries these reports.
    static var subevent: LESubeventCode { get }
    /// Skips one report; throws if it is malformed.
    static func skip(in bytes: inout ByteBuffer) throws(MalformedBytes)
}

/// An event with reports, which are read in place.
public struct LEReports<Report: LEReport>: LEEventPayload, Sequence {
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

    package static var subevent: LESubeventCode { Report.subevent }

    /// The number of reports.
    public let count: Int
    // The reports, validated.
    @usableFromInline let bytes: ByteBuffer

    /// The encoded reports have at most 253 octets.
    public init(_ reports: [Report]) {
        var bytes = ByteBuffer()
        for report in reports { report.encode(into: &bytes) }
        self.count = reports.count
        self.bytes = bytes
    }

    /// The packet of one report, encoded without an intermediate event.
    @inlinable
    package static func packet(
        _ report: Report,
        allocator: ByteBufferAllocator = ByteBufferAllocator()
    ) -> HCIPacket {
        HCIPacket.event(.leMeta, Report.subevent, allocator: allocator) {
            $0.writeInteger(UInt8(1))
            report.encode(into: &$0)
        }
    }

    @inlinable
    public func makeIterator() -> Iterator { Iterator(rest: self.bytes, count: self.count) }

    /// The number of reports.
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

    /// Validates every report.
    @inlinable
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        let count: UInt8 = try bytes.readLittleEndian("Num_Reports")
        var end = bytes
        for _ in 0..<count { try Report.skip(in: &end) }
        self.count = Int(count)
        self.bytes = try bytes.readOctets(end.readerIndex - bytes.readerIndex, "Reports")
    }
}

/// Legacy advertising (Vol 4, Part E, 7.7.65.2).
public typealias LEAdvertisingReports = LEReports<LEAdvertisingReport>
/// Extended scanning (Vol 4, Part E, 7.7.65.13).
public typealias LEExtendedAdvertisingReports = LEReports<LEExtendedAdvertisingReport>
/// Advertising directed at a private address (Vol 4, Part E, 7.7.65.11).
public typealias LEDirectedAdvertisingReports = LEReports<LEDirectedAdvertisingReport>

// MARK: Legacy

/// A legacy advertising packet or scan response (Vol 4, Part E, 7.7.65.2).
public struct LEAdvertisingReport: LEReport {
    public struct EventType: HCICode {
        public var rawValue: UInt8
        @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// ADV_IND.
        public static let connectableUndirected = EventType(rawValue: 0x00)
        /// ADV_DIRECT_IND.
        package static let connectableDirected = EventType(rawValue: 0x01)
        /// ADV_SCAN_IND.
        package static let scannableUndirected = EventType(rawValue: 0x02)
        /// ADV_NONCONN_IND.
        package static let nonConnectableUndirected = EventType(rawValue: 0x03)
        /// SCAN_RSP.
        package static let scanResponse = EventType(rawValue: 0x04)
    }

    public static let subevent = LESubeventCode.advertisingReport
    public var eventType: EventType
    public var address: DeviceAddress
    public var data: ByteBuffer
    /// `nil` if not available.
    public var rssi: RSSI?

    /// `data` has at most 31 octets.
    @inlinable
    public init(eventType: EventType, address: DeviceAddress, data: ByteBuffer, rssi: RSSI?) {
        (self.eventType, self.address, self.data, self.rssi) = (eventType, address, data, rssi)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.eventType = try coder.field("Event_Type", \.eventType)
        self.address = try coder.field("Address", \.address)
        self.data = try coder.octets("Data", \.data, limit: 31)
        self.rssi = try coder.field("RSSI", \.rssi, absent: .notAvailable)
    }

    // The same again, word by word, since a scanner may receive thousands a second. Event type, address type and
    // address are eight octets: one little-endian word.
    @usableFromInline static let headOctetCount = 8

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

/// The target of directed advertising (Vol 4, Part E, 7.7.65.11).
package enum AdvertisingTarget: HCIParameter {
    case device(DeviceAddress)
    /// A private address that the controller could not resolve.
    case unresolved(DeviceAddress)

    /// Address type 0xFE is an address that was not resolved.
    package static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
        guard bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) == 0xFE else {
            return .device(try DeviceAddress.read(from: &bytes, field))
        }
        bytes.moveReaderIndex(forwardBy: 1)
        return .unresolved(try DeviceAddress(parsing: &bytes, kind: .random, field))
    }

    package func write(into bytes: inout ByteBuffer) {
        switch self {
        case .device(let address):
            address.write(into: &bytes)
        case .unresolved(let address):
            bytes.writeInteger(UInt8(0xFE))
            address.encode(into: &bytes)
        }
    }

    package var description: String {
        switch self {
        case .device(let address): address.description
        case .unresolved(let address): "unresolved \(address)"
        }
    }
}

/// An advertising packet directed at a private address of this device (Vol 4, Part E, 7.7.65.11).
public struct LEDirectedAdvertisingReport: LEReport {
    public static let subevent = LESubeventCode.directedAdvertisingReport
    package var eventType: LEAdvertisingReport.EventType
    public var address: DeviceAddress
    /// For whom it is meant.
    package var target: AdvertisingTarget
    /// `nil` if not available.
    public var rssi: RSSI?

    package init(
        eventType: LEAdvertisingReport.EventType = .connectableDirected,
        address: DeviceAddress,
        target: AdvertisingTarget,
        rssi: RSSI?
    ) {
        (self.eventType, self.address, self.target, self.rssi) = (eventType, address, target, rssi)
    }

    public static func skip(in bytes: inout ByteBuffer) throws(MalformedBytes) { _ = try Self(parsing: &bytes) }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.eventType = try coder.field("Event_Type", \.eventType)
        self.address = try coder.field("Address", \.address)
        self.target = try coder.field("Direct_Address", \.target)
        self.rssi = try coder.field("RSSI", \.rssi, absent: .notAvailable)
    }
}
