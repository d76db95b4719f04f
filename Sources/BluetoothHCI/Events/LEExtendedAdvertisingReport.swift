// The report of extended scanning, for legacy and extended advertising alike (Vol 4, Part E, 7.7.65.13).

public import BluetoothTypes
public import NIOCore

/// An advertising packet or scan response, or a fragment of its data (Vol 4, Part E, 7.7.65.13).
public struct LEExtendedAdvertisingReport: LEReport {
    /// The kind of PDU, as bits.
    package struct EventType: HCIBits {
        /// Bits 5 and 6 are the ``dataStatus``.
        package var rawValue: UInt16
        @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// Accepts connections.
        package static let connectable = EventType(rawValue: 1 << 0)
        /// Accepts scan requests.
        package static let scannable = EventType(rawValue: 1 << 1)
        /// Directed at one device.
        package static let directed = EventType(rawValue: 1 << 2)
        package static let scanResponse = EventType(rawValue: 1 << 3)
        /// A legacy PDU.
        package static let legacy = EventType(rawValue: 1 << 4)

        package var dataStatus: DataStatus {
            get { DataStatus(rawValue: UInt8(truncatingIfNeeded: self.rawValue >> 5 & 0b11)) }
            set { self.rawValue = self.rawValue & ~0x60 | UInt16(newValue.rawValue & 0b11) << 5 }
        }
    }

    /// Whether the data of a report is complete.
    package struct DataStatus: HCICode {
        package var rawValue: UInt8
        @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// All data, or the last fragment.
        package static let complete = DataStatus(rawValue: 0)
        /// Another report has more.
        package static let incomplete = DataStatus(rawValue: 1)
        /// The controller lost the rest.
        package static let truncated = DataStatus(rawValue: 2)
    }

    public static let subevent = LESubeventCode.extendedAdvertisingReport
    package var eventType: EventType
    /// `nil` if the advertiser is anonymous.
    package var address: DeviceAddress?
    package var primaryPHY: PHY
    /// `nil` if there was no packet on the secondary channels.
    package var secondaryPHY: PHY?
    /// The Advertising SID, 0 to 15; `nil` for none.
    package var setIdentifier: UInt8?
    /// `nil` if not available.
    package var txPower: TransmitPower?
    /// `nil` if not available.
    package var rssi: RSSI?
    /// `nil` if there is no periodic advertising.
    package var periodicInterval: PeriodicAdvertisingInterval?
    /// The target of directed advertising; `nil` if ``EventType/directed`` is not set.
    package var target: AdvertisingTarget?
    /// The advertising or scan response data, or a fragment of it.
    package var data: ByteBuffer

    /// `data` has at most 229 octets.
    package init(
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

    // The same again, word by word, since a scanner may receive thousands a second.

    // The offset of the data length.
    @usableFromInline static let lengthOffset = 23

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
