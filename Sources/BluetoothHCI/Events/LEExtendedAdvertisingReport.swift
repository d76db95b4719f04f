// The report of extended scanning, for legacy and extended advertising alike (Vol 4, Part E, 7.7.65.13).

public import BluetoothTypes
public import NIOCore

/// One advertising packet or scan response, or a part of its data (Vol 4, Part E, 7.7.65.13).
public struct LEExtendedAdvertisingReport: LEReport {
    /// The kind of PDU, as bits.
    public struct EventType: HCIBits {
        /// The bits; 5 and 6 are the ``dataStatus``.
        public var rawValue: UInt16

        /// A set from its bits.
        @inlinable
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The advertiser can be connected to.
        public static let connectable = EventType(rawValue: 1 << 0)
        /// The advertiser can be asked for more.
        public static let scannable = EventType(rawValue: 1 << 1)
        /// One device is meant.
        public static let directed = EventType(rawValue: 1 << 2)
        /// It is a scan response.
        public static let scanResponse = EventType(rawValue: 1 << 3)
        /// It was a legacy PDU.
        public static let legacy = EventType(rawValue: 1 << 4)

        /// Whether the data is whole.
        public var dataStatus: DataStatus {
            get { DataStatus(rawValue: UInt8(truncatingIfNeeded: self.rawValue >> 5 & 0b11)) }
            set { self.rawValue = self.rawValue & ~0x60 | UInt16(newValue.rawValue & 0b11) << 5 }
        }
    }

    /// Whether the data of a report is whole.
    public struct DataStatus: HCICode {
        /// The number.
        public var rawValue: UInt8

        /// A code from its number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// It is whole, or its last part.
        public static let complete = DataStatus(rawValue: 0)
        /// More comes in another report.
        public static let incomplete = DataStatus(rawValue: 1)
        /// The rest was lost.
        public static let truncated = DataStatus(rawValue: 2)
    }

    /// The number of the subevent.
    public static let subevent = LESubeventCode.extendedAdvertisingReport

    /// The kind of PDU.
    public var eventType: EventType
    /// The advertiser; `nil` where it advertises without an address.
    public var address: DeviceAddress?
    /// The PHY of the primary channel.
    public var primaryPHY: PHY
    /// The PHY of the secondary channel; `nil` where there was no packet on it.
    public var secondaryPHY: PHY?
    /// The number of the advertising set, 0 to 15; `nil` where there is none.
    public var setIdentifier: UInt8?
    /// The power at which it was sent; `nil` where that is not available.
    public var txPower: TransmitPower?
    /// The strength of the signal; `nil` where it is not available.
    public var rssi: RSSI?
    /// The interval of periodic advertising; `nil` where there is none.
    public var periodicInterval: PeriodicAdvertisingInterval?
    /// For whom directed advertising is meant; `nil` where ``EventType/directed`` is not set.
    public var target: AdvertisingTarget?
    /// The advertising or scan response data, or a part of it.
    public var data: ByteBuffer

    /// Creates a report with at most 229 octets of data.
    public init(
        eventType: EventType,
        address: DeviceAddress?,
        primaryPHY: PHY = .le1M,
        secondaryPHY: PHY? = nil,
        setIdentifier: UInt8? = nil,
        txPower: TransmitPower? = nil,
        rssi: RSSI?,
        periodicInterval: PeriodicAdvertisingInterval? = nil,
        target: AdvertisingTarget? = nil,
        data: ByteBuffer
    ) {
        self.eventType = eventType
        self.address = address
        self.primaryPHY = primaryPHY
        self.secondaryPHY = secondaryPHY
        self.setIdentifier = setIdentifier
        self.txPower = txPower
        self.rssi = rssi
        self.periodicInterval = periodicInterval
        self.target = target
        self.data = data
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.eventType = try coder.field("Event_Type", \.eventType)
        self.address = try coder.field(
            "Address",
            \.address,
            read: { bytes throws(MalformedBytes) in try FilterAcceptListEntry.read(from: &bytes, "Address").address },
            write: { FilterAcceptListEntry($0).write(into: &$1) },
            text: { FilterAcceptListEntry($0).description }
        )
        self.primaryPHY = try coder.field("Primary_PHY", \.primaryPHY)
        self.secondaryPHY = try coder.field("Secondary_PHY", \.secondaryPHY, absent: PHY(rawValue: 0))
        self.setIdentifier = try coder.field("Advertising_SID", \.setIdentifier, absent: 0xFF)
        self.txPower = try coder.field("TX_Power", \.txPower, absent: .notAvailable)
        self.rssi = try coder.field("RSSI", \.rssi, absent: .notAvailable)
        self.periodicInterval = try coder.field(
            "Periodic_Advertising_Interval",
            \.periodicInterval,
            absent: PeriodicAdvertisingInterval(rawValue: 0)
        )
        let isDirected = self.eventType.contains(.directed)
        self.target = try coder.field(
            "Direct_Address",
            { $0.eventType.contains(.directed) ? $0.target : nil },
            read: { bytes throws(MalformedBytes) in
                if isDirected { return try AdvertisingTarget.read(from: &bytes, "Direct_Address") }
                _ = try bytes.readOctets(7, "Direct_Address")
                return nil
            },
            write: { target, bytes in
                if let target { target.write(into: &bytes) } else { bytes.writeRepeatingByte(0, count: 7) }
            },
            text: { $0?.description ?? "-" }
        )
        self.data = try coder.octets("Data", \.data, limit: 229)
    }

    // Reading again, word by word, since a scanner may receive thousands a second.

    // Where the data length stands: the octets in front of it.
    @usableFromInline static let lengthOffset = 23

    /// Moves over one report and checks it.
    public static func skip(in bytes: inout ByteBuffer) throws(MalformedBytes) {
        let start = bytes.readerIndex
        guard let length: UInt8 = bytes.getInteger(at: start + Self.lengthOffset),
            bytes.readableBytes > Self.lengthOffset + Int(length),
            let eventType: UInt16 = bytes.getInteger(at: start, endianness: .little),
            let kind: UInt8 = bytes.getInteger(at: start + 2),
            let targetKind: UInt8 = bytes.getInteger(at: start + 16)
        else { throw MalformedBytes(.truncated, "Extended advertising report") }
        guard kind <= 3 || kind == 0xFF else { throw MalformedBytes(.invalid, "Address_Type") }
        guard !EventType(rawValue: eventType).contains(.directed) || targetKind <= 3 || targetKind == 0xFE else {
            throw MalformedBytes(.invalid, "Direct_Address_Type")
        }
        bytes.moveReaderIndex(forwardBy: Self.lengthOffset + 1 + Int(length))
    }

    /// Reads one report.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        // Two words: event type, address type and five octets of the address; its sixth octet, the PHYs, the set, the
        // two powers and the periodic interval.
        guard let first: UInt64 = bytes.readInteger(endianness: .little),
            let second: UInt64 = bytes.readInteger(endianness: .little)
        else { throw MalformedBytes(.truncated, "Extended advertising report") }
        func octet(_ word: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (index * 8)) }
        self.eventType = EventType(rawValue: UInt16(truncatingIfNeeded: first))
        let kind = octet(first, 2)
        if kind == 0xFF {
            self.address = nil
        } else if let kind = DeviceAddress.Kind(rawValue: kind) {
            self.address = DeviceAddress(first >> 24 | second << 40, kind: kind)
        } else {
            throw MalformedBytes(.invalid, "Address_Type")
        }
        self.primaryPHY = PHY(rawValue: octet(second, 1))
        self.secondaryPHY = octet(second, 2) == 0 ? nil : PHY(rawValue: octet(second, 2))
        self.setIdentifier = octet(second, 3) == 0xFF ? nil : octet(second, 3)
        self.txPower = TransmitPower(octet: Int8(bitPattern: octet(second, 4)))
        self.rssi = RSSI(octet: Int8(bitPattern: octet(second, 5)))
        let interval = UInt16(truncatingIfNeeded: second >> 48)
        self.periodicInterval = interval == 0 ? nil : PeriodicAdvertisingInterval(rawValue: interval)
        if self.eventType.contains(.directed) {
            self.target = try AdvertisingTarget.read(from: &bytes, "Direct_Address")
        } else {
            self.target = nil
            guard bytes.readableBytes >= 7 else { throw MalformedBytes(.truncated, "Direct_Address") }
            bytes.moveReaderIndex(forwardBy: 7)
        }
        let length: UInt8 = try bytes.readLittleEndian("Data_Length")
        self.data = try bytes.readOctets(Int(length), "Data")
    }
}
