// Codes of advertising, scanning and initiating (Vol 4, Part E, 7.8.5, 7.8.10, 7.8.12 and 7.8.53).

package import BluetoothTypes
package import NIOCore

/// The kind of legacy advertising (7.8.5).
public struct AdvertisingType: HCICode {
    public var rawValue: UInt8
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// ADV_IND: every device may connect or send scan requests.
    public static let connectableUndirected = AdvertisingType(rawValue: 0x00)
    /// ADV_DIRECT_IND, high duty cycle: one device may connect, for 1.28 s.
    package static let connectableDirectedHighDutyCycle = AdvertisingType(rawValue: 0x01)
    /// ADV_SCAN_IND: every device may send scan requests.
    package static let scannableUndirected = AdvertisingType(rawValue: 0x02)
    /// ADV_NONCONN_IND: no device may connect or send scan requests.
    package static let nonConnectableUndirected = AdvertisingType(rawValue: 0x03)
    /// ADV_DIRECT_IND, low duty cycle: one device may connect.
    package static let connectableDirectedLowDutyCycle = AdvertisingType(rawValue: 0x04)
}

/// The kind of own address that a device uses (7.8.5).
public struct OwnAddressType: HCICode {
    public var rawValue: UInt8
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let `public` = OwnAddressType(rawValue: 0x00)
    /// The random address that the host set.
    package static let random = OwnAddressType(rawValue: 0x01)
    /// A resolvable private address if the resolving list has a key, else the public address.
    package static let resolvableOrPublic = OwnAddressType(rawValue: 0x02)
    /// A resolvable private address if the resolving list has a key, else the random address.
    package static let resolvableOrRandom = OwnAddressType(rawValue: 0x03)
}

/// The primary advertising channels (7.8.5).
public struct AdvertisingChannels: HCIBits {
    public var rawValue: UInt8
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Channel 37, 2402 MHz.
    package static let channel37 = AdvertisingChannels(rawValue: 1 << 0)
    /// Channel 38, 2426 MHz.
    package static let channel38 = AdvertisingChannels(rawValue: 1 << 1)
    /// Channel 39, 2480 MHz.
    package static let channel39 = AdvertisingChannels(rawValue: 1 << 2)
    /// All three.
    public static let all: AdvertisingChannels = [.channel37, .channel38, .channel39]
}

/// The devices whose requests an advertiser accepts (7.8.5).
public struct AdvertisingFilterPolicy: HCICode {
    public var rawValue: UInt8
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Scan and connection requests of all devices.
    public static let all = AdvertisingFilterPolicy(rawValue: 0x00)
    /// Scan requests of the filter accept list, connection requests of all devices.
    package static let scanFromAcceptList = AdvertisingFilterPolicy(rawValue: 0x01)
    /// Scan requests of all devices, connection requests of the filter accept list.
    package static let connectFromAcceptList = AdvertisingFilterPolicy(rawValue: 0x02)
    /// Scan and connection requests of the filter accept list.
    package static let acceptList = AdvertisingFilterPolicy(rawValue: 0x03)
}

/// Whether a scanner sends scan requests (7.8.10).
package struct ScanType: HCICode {
    package var rawValue: UInt8
    @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Only listens.
    package static let passive = ScanType(rawValue: 0x00)
    /// Sends scan requests.
    package static let active = ScanType(rawValue: 0x01)
}

/// The packets that a scanner accepts (7.8.10).
package struct ScanFilterPolicy: HCICode {
    package var rawValue: UInt8
    @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// All except those directed at another device.
    package static let all = ScanFilterPolicy(rawValue: 0x00)
    /// Those of the filter accept list.
    package static let acceptList = ScanFilterPolicy(rawValue: 0x01)
    /// Also those directed at an unresolvable private address.
    package static let allAndUnresolvedDirected = ScanFilterPolicy(rawValue: 0x02)
    /// Those of the filter accept list, also if directed at an unresolvable private address.
    package static let acceptListAndUnresolvedDirected = ScanFilterPolicy(rawValue: 0x03)
}

/// Whether a scanner filters duplicate reports (7.8.11 and 7.8.65).
public struct DuplicateFilter: HCICode {
    public var rawValue: UInt8
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Every packet is reported.
    public static let off = DuplicateFilter(rawValue: 0x00)
    /// A device is reported once.
    package static let on = DuplicateFilter(rawValue: 0x01)
    /// A device is reported once in each scan period.
    package static let resetEachPeriod = DuplicateFilter(rawValue: 0x02)
}

/// The devices that an initiator connects to (7.8.12).
package struct InitiatorFilterPolicy: HCICode {
    package var rawValue: UInt8
    @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The peer in the command.
    package static let peer = InitiatorFilterPolicy(rawValue: 0x00)
    /// The first device of the filter accept list that is heard.
    package static let acceptList = InitiatorFilterPolicy(rawValue: 0x01)
}

/// The properties of an extended advertising set (7.8.53).
package struct AdvertisingEventProperties: HCIBits {
    package var rawValue: UInt16
    @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Others may connect.
    package static let connectable = AdvertisingEventProperties(rawValue: 1 << 0)
    /// Others may send scan requests.
    package static let scannable = AdvertisingEventProperties(rawValue: 1 << 1)
    /// Directed at one device.
    package static let directed = AdvertisingEventProperties(rawValue: 1 << 2)
    /// Directed at one device, with a high duty cycle.
    package static let highDutyCycleDirected = AdvertisingEventProperties(rawValue: 1 << 3)
    /// Legacy PDUs are used.
    package static let legacy = AdvertisingEventProperties(rawValue: 1 << 4)
    /// The address is omitted.
    package static let anonymous = AdvertisingEventProperties(rawValue: 1 << 5)
    /// The PDU contains the transmit power.
    package static let includeTxPower = AdvertisingEventProperties(rawValue: 1 << 6)
    /// Decision PDUs are used.
    package static let decisionPDUs = AdvertisingEventProperties(rawValue: 1 << 7)
    /// Decision PDUs contain the address.
    package static let includesAdvertisingAddressInDecision = AdvertisingEventProperties(rawValue: 1 << 8)
    /// Decision PDUs contain the data information.
    package static let includesDataInfoInDecision = AdvertisingEventProperties(rawValue: 1 << 9)
}

/// The fragment of an advertising set's data that a command carries (7.8.54).
package struct AdvertisingDataOperation: HCICode {
    package var rawValue: UInt8
    @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let intermediateFragment = AdvertisingDataOperation(rawValue: 0x00)
    package static let firstFragment = AdvertisingDataOperation(rawValue: 0x01)
    package static let lastFragment = AdvertisingDataOperation(rawValue: 0x02)
    /// All data.
    package static let complete = AdvertisingDataOperation(rawValue: 0x03)
    /// None: the data stays the same and gets a new identifier.
    package static let unchanged = AdvertisingDataOperation(rawValue: 0x04)
}

/// The preferred coding of LE Coded (7.8.53).
package struct AdvertisingPHYOptions: HCICode {
    package var rawValue: UInt8
    @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let noPreference = AdvertisingPHYOptions(rawValue: 0x00)
    /// S=2, 500 kb/s.
    package static let prefersS2 = AdvertisingPHYOptions(rawValue: 0x01)
    /// S=8, 125 kb/s.
    package static let prefersS8 = AdvertisingPHYOptions(rawValue: 0x02)
    /// Only S=2.
    package static let requiresS2 = AdvertisingPHYOptions(rawValue: 0x03)
    /// Only S=8.
    package static let requiresS8 = AdvertisingPHYOptions(rawValue: 0x04)
}

/// Identifies an advertising set: a number that the host picks, 0x00 to 0xEF (7.8.53).
package struct AdvertisingHandle: HCICode {
    package var rawValue: UInt8
    @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let none = AdvertisingHandle(rawValue: 0xFF)
}

/// An entry of the filter accept list (7.8.16).
package enum FilterAcceptListEntry: HCIParameter {
    case device(DeviceAddress)
    /// All anonymous advertisers.
    case anonymous

    init(_ address: DeviceAddress?) { self = address.map { .device($0) } ?? .anonymous }

    var address: DeviceAddress? {
        switch self {
        case .device(let address): address
        case .anonymous: nil
        }
    }

    /// Address type 0xFF is for anonymous advertisers.
    package static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
        guard bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) == 0xFF else {
            return .device(try DeviceAddress.read(from: &bytes, field))
        }
        _ = try bytes.readOctets(7, field)
        return .anonymous
    }

    package func write(into bytes: inout ByteBuffer) {
        switch self {
        case .device(let address): address.write(into: &bytes)
        case .anonymous:
            bytes.writeInteger(UInt8(0xFF))
            bytes.writeRepeatingByte(0, count: 6)
        }
    }

    package var description: String {
        switch self {
        case .device(let address): address.description
        case .anonymous: "anonymous"
        }
    }
}
