// The report of extended scanning, for legacy and extended advertising alike (Vol 4, Part E, 7.7.65.13).

public import BluetoothTypes
public import NIOCore

/// One advertising packet or scan response, or a part of its data (Vol 4, Part E, 7.7.65.13).
public struct LEExtendedAdvertisingReport: LEReport {
    /// What was heard, as bits.
    public struct EventType: OptionSet, HCIParameter {
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

    /// What was heard.
    public var eventType: EventType
    /// The advertiser; `nil` where it advertises without an address.
    public var address: DeviceAddress?
    /// The PHY of the primary channel.
    public var primaryPHY: PHY
    /// The PHY of the secondary channel; ``PHY/none`` where there was no packet on it.
    public var secondaryPHY: PHY
    /// The number of the advertising set, 0 to 15; 0xFF where there is none.
    public var setIdentifier: UInt8
    /// The power of sending in dBm; 127 where it is not known.
    public var txPower: Int8
    /// The strength of the signal in dBm; 127 where it is not known.
    public var rssi: Int8
    /// The interval of periodic advertising in 1.25 ms; 0 where there is none.
    public var periodicInterval: UInt16
    /// For whom directed advertising is meant; `nil` where ``EventType/directed`` is not set.
    public var target: AdvertisingTarget?
    /// The advertising or scan response data, or a part of it.
    public var data: ByteBuffer

    /// Creates a report with at most 229 octets of data.
    public init(
        eventType: EventType,
        address: DeviceAddress?,
        primaryPHY: PHY = .le1M,
        secondaryPHY: PHY = .none,
        setIdentifier: UInt8 = 0xFF,
        txPower: Int8 = 127,
        rssi: Int8,
        periodicInterval: UInt16 = 0,
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
        self.secondaryPHY = PHY(rawValue: octet(second, 2))
        self.setIdentifier = octet(second, 3)
        self.txPower = Int8(bitPattern: octet(second, 4))
        self.rssi = Int8(bitPattern: octet(second, 5))
        self.periodicInterval = UInt16(truncatingIfNeeded: second >> 48)
        if self.eventType.contains(.directed) {
            self.target = try bytes.readParameter("Direct_Address")
        } else {
            self.target = nil
            guard bytes.readableBytes >= 7 else { throw MalformedBytes(.truncated, "Direct_Address") }
            bytes.moveReaderIndex(forwardBy: 7)
        }
        let length: UInt8 = try bytes.readLittleEndian("Data_Length")
        self.data = try bytes.readOctets(Int(length), "Data")
    }

    /// Writes the report.
    public func encode(into bytes: inout ByteBuffer) {
        self.eventType.write(into: &bytes)
        if let address {
            address.write(into: &bytes)
        } else {
            bytes.writeInteger(UInt8(0xFF))
            bytes.writeRepeatingByte(0, count: 6)
        }
        bytes.writeParameters(
            self.primaryPHY,
            self.secondaryPHY,
            self.setIdentifier,
            self.txPower,
            self.rssi,
            self.periodicInterval
        )
        if let target, self.eventType.contains(.directed) {
            target.write(into: &bytes)
        } else {
            bytes.writeRepeatingByte(0, count: 7)
        }
        bytes.writeCounted(self.data, limit: 229)
    }
}
