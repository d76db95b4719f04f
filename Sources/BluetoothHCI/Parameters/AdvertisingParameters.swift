// The choices of advertising, scanning and initiating (Vol 4, Part E, 7.8.5, 7.8.10, 7.8.12 and 7.8.53).

public import BluetoothTypes
public import NIOCore

/// How a legacy advertiser may be used (7.8.5).
public struct AdvertisingType: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// ADV_IND: every device may connect or send scan requests.
    public static let connectableUndirected = AdvertisingType(rawValue: 0x00)
    /// ADV_DIRECT_IND, high duty cycle: one device may connect, for 1.28 s.
    public static let connectableDirectedHighDutyCycle = AdvertisingType(rawValue: 0x01)
    /// ADV_SCAN_IND: every device may send scan requests.
    public static let scannableUndirected = AdvertisingType(rawValue: 0x02)
    /// ADV_NONCONN_IND: nothing but to listen.
    public static let nonConnectableUndirected = AdvertisingType(rawValue: 0x03)
    /// ADV_DIRECT_IND, low duty cycle: one device may connect.
    public static let connectableDirectedLowDutyCycle = AdvertisingType(rawValue: 0x04)
}

/// Which of its own addresses a device uses (7.8.5).
public struct OwnAddressType: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The public address.
    public static let `public` = OwnAddressType(rawValue: 0x00)
    /// The random address that the host set.
    public static let random = OwnAddressType(rawValue: 0x01)
    /// A resolvable private address where the resolving list has a key, else the public address.
    public static let resolvableOrPublic = OwnAddressType(rawValue: 0x02)
    /// A resolvable private address where the resolving list has a key, else the random address.
    public static let resolvableOrRandom = OwnAddressType(rawValue: 0x03)
}

/// The primary advertising channels (7.8.5).
public struct AdvertisingChannels: HCIBits {
    /// The bits.
    public var rawValue: UInt8

    /// A set from its bits.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Channel 37, 2402 MHz.
    public static let channel37 = AdvertisingChannels(rawValue: 1 << 0)
    /// Channel 38, 2426 MHz.
    public static let channel38 = AdvertisingChannels(rawValue: 1 << 1)
    /// Channel 39, 2480 MHz.
    public static let channel39 = AdvertisingChannels(rawValue: 1 << 2)
    /// All three.
    public static let all: AdvertisingChannels = [.channel37, .channel38, .channel39]
}

/// From whom an advertiser takes requests (7.8.5).
public struct AdvertisingFilterPolicy: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Scan and connection requests of all devices.
    public static let all = AdvertisingFilterPolicy(rawValue: 0x00)
    /// Scan requests of the filter accept list, connection requests of all.
    public static let scanFromAcceptList = AdvertisingFilterPolicy(rawValue: 0x01)
    /// Scan requests of all, connection requests of the filter accept list.
    public static let connectFromAcceptList = AdvertisingFilterPolicy(rawValue: 0x02)
    /// Scan and connection requests of the filter accept list.
    public static let acceptList = AdvertisingFilterPolicy(rawValue: 0x03)
}

/// Whether a scanner asks for scan responses (7.8.10).
public struct ScanType: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Listens.
    public static let passive = ScanType(rawValue: 0x00)
    /// Asks scannable advertisers for more.
    public static let active = ScanType(rawValue: 0x01)
}

/// Whose packets a scanner takes (7.8.10).
public struct ScanFilterPolicy: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// All but those directed to another device.
    public static let all = ScanFilterPolicy(rawValue: 0x00)
    /// Those of the filter accept list.
    public static let acceptList = ScanFilterPolicy(rawValue: 0x01)
    /// All, and those directed to a private address that cannot be resolved.
    public static let allAndUnresolvedDirected = ScanFilterPolicy(rawValue: 0x02)
    /// Those of the filter accept list, and those directed to a private address that cannot be resolved.
    public static let acceptListAndUnresolvedDirected = ScanFilterPolicy(rawValue: 0x03)
}

/// Whether a scanner leaves out repeated reports (7.8.11 and 7.8.65).
public struct DuplicateFilter: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Every packet is reported.
    public static let off = DuplicateFilter(rawValue: 0x00)
    /// A device is reported once.
    public static let on = DuplicateFilter(rawValue: 0x01)
    /// A device is reported once in each scan period.
    public static let resetEachPeriod = DuplicateFilter(rawValue: 0x02)
}

/// With whom a connection is made (7.8.12).
public struct InitiatorFilterPolicy: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The peer that the command names.
    public static let peer = InitiatorFilterPolicy(rawValue: 0x00)
    /// The first device of the filter accept list that is received.
    public static let acceptList = InitiatorFilterPolicy(rawValue: 0x01)
}

/// How an extended advertising set may be used (7.8.53).
public struct AdvertisingEventProperties: HCIBits {
    /// The bits.
    public var rawValue: UInt16

    /// A set from its bits.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Others may connect.
    public static let connectable = AdvertisingEventProperties(rawValue: 1 << 0)
    /// Others may ask for more.
    public static let scannable = AdvertisingEventProperties(rawValue: 1 << 1)
    /// One device is meant.
    public static let directed = AdvertisingEventProperties(rawValue: 1 << 2)
    /// One device is meant, and quickly.
    public static let highDutyCycleDirected = AdvertisingEventProperties(rawValue: 1 << 3)
    /// Legacy PDUs are used.
    public static let legacy = AdvertisingEventProperties(rawValue: 1 << 4)
    /// The address is left out.
    public static let anonymous = AdvertisingEventProperties(rawValue: 1 << 5)
    /// The PDU contains the transmit power.
    public static let includeTxPower = AdvertisingEventProperties(rawValue: 1 << 6)
    /// Decision PDUs are used.
    public static let decisionPDUs = AdvertisingEventProperties(rawValue: 1 << 7)
    /// Decision PDUs contain the address.
    public static let includesAdvertisingAddressInDecision = AdvertisingEventProperties(rawValue: 1 << 8)
    /// Decision PDUs contain the data information.
    public static let includesDataInfoInDecision = AdvertisingEventProperties(rawValue: 1 << 9)
}

/// Which part of the data of an advertising set a command carries (7.8.54).
public struct AdvertisingDataOperation: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A middle part.
    public static let intermediateFragment = AdvertisingDataOperation(rawValue: 0x00)
    /// The first part.
    public static let firstFragment = AdvertisingDataOperation(rawValue: 0x01)
    /// The last part.
    public static let lastFragment = AdvertisingDataOperation(rawValue: 0x02)
    /// All of it.
    public static let complete = AdvertisingDataOperation(rawValue: 0x03)
    /// None: the data stays and gets a new identifier.
    public static let unchanged = AdvertisingDataOperation(rawValue: 0x04)
}

/// The preferred coding of LE Coded (7.8.53).
public struct AdvertisingPHYOptions: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No preference.
    public static let noPreference = AdvertisingPHYOptions(rawValue: 0x00)
    /// S=2, 500 kb/s.
    public static let prefersS2 = AdvertisingPHYOptions(rawValue: 0x01)
    /// S=8, 125 kb/s.
    public static let prefersS8 = AdvertisingPHYOptions(rawValue: 0x02)
    /// S=2 and nothing else.
    public static let requiresS2 = AdvertisingPHYOptions(rawValue: 0x03)
    /// S=8 and nothing else.
    public static let requiresS8 = AdvertisingPHYOptions(rawValue: 0x04)
}

/// The name of an advertising set: a number that the host picks, 0x00 to 0xEF (7.8.53).
public struct AdvertisingHandle: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A handle from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No advertising set.
    public static let none = AdvertisingHandle(rawValue: 0xFF)
}

/// A place in the filter accept list (7.8.16).
public enum FilterAcceptListEntry: HCIParameter {
    /// A device.
    case device(DeviceAddress)
    /// All devices that advertise without an address.
    case anonymous

    init(_ address: DeviceAddress?) { self = address.map { .device($0) } ?? .anonymous }

    var address: DeviceAddress? {
        switch self {
        case .device(let address): address
        case .anonymous: nil
        }
    }

    /// Reads the type of an address and the address; type 0xFF is for anonymous advertisers.
    public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
        guard bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) == 0xFF else {
            return .device(try DeviceAddress.read(from: &bytes, field))
        }
        _ = try bytes.readOctets(7, field)
        return .anonymous
    }

    /// Writes the type of the address and the address.
    public func write(into bytes: inout ByteBuffer) {
        switch self {
        case .device(let address): address.write(into: &bytes)
        case .anonymous:
            bytes.writeInteger(UInt8(0xFF))
            bytes.writeRepeatingByte(0, count: 6)
        }
    }

    /// The address, or that it stands for all without one.
    public var description: String {
        switch self {
        case .device(let address): address.description
        case .anonymous: "anonymous"
        }
    }
}
