// The numbers of events and of LE subevents, and the masks by which a host chooses the events it wants
// (Vol 4, Part E, 7.7, 7.3.1, 7.3.69 and 7.8.1).

/// The number of an event.
public struct HCIEventCode: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Disconnection Complete.
    public static let disconnectionComplete = HCIEventCode(rawValue: 0x05)
    /// Encryption Change [v1].
    public static let encryptionChange = HCIEventCode(rawValue: 0x08)
    /// Read Remote Version Information Complete.
    public static let readRemoteVersionInformationComplete = HCIEventCode(rawValue: 0x0C)
    /// Command Complete.
    public static let commandComplete = HCIEventCode(rawValue: 0x0E)
    /// Command Status.
    public static let commandStatus = HCIEventCode(rawValue: 0x0F)
    /// Hardware Error.
    public static let hardwareError = HCIEventCode(rawValue: 0x10)
    /// Number Of Completed Packets.
    public static let numberOfCompletedPackets = HCIEventCode(rawValue: 0x13)
    /// Data Buffer Overflow.
    public static let dataBufferOverflow = HCIEventCode(rawValue: 0x1A)
    /// Encryption Key Refresh Complete.
    public static let encryptionKeyRefreshComplete = HCIEventCode(rawValue: 0x30)
    /// LE Meta event: a subevent code follows.
    public static let leMeta = HCIEventCode(rawValue: 0x3E)
    /// Authenticated Payload Timeout Expired.
    public static let authenticatedPayloadTimeoutExpired = HCIEventCode(rawValue: 0x57)
    /// Encryption Change [v2].
    public static let encryptionChangeV2 = HCIEventCode(rawValue: 0x59)
    /// An event that a maker added.
    public static let vendorSpecific = HCIEventCode(rawValue: 0xFF)
}

/// The number of an event inside the LE Meta event.
public struct LESubeventCode: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// LE Connection Complete.
    public static let connectionComplete = LESubeventCode(rawValue: 0x01)
    /// LE Advertising Report.
    public static let advertisingReport = LESubeventCode(rawValue: 0x02)
    /// LE Connection Update Complete.
    public static let connectionUpdateComplete = LESubeventCode(rawValue: 0x03)
    /// LE Read Remote Features Page 0 Complete.
    public static let readRemoteFeaturesComplete = LESubeventCode(rawValue: 0x04)
    /// LE Long Term Key Request.
    public static let longTermKeyRequest = LESubeventCode(rawValue: 0x05)
    /// LE Remote Connection Parameter Request.
    public static let remoteConnectionParameterRequest = LESubeventCode(rawValue: 0x06)
    /// LE Data Length Change.
    public static let dataLengthChange = LESubeventCode(rawValue: 0x07)
    /// LE Read Local P-256 Public Key Complete.
    public static let readLocalP256PublicKeyComplete = LESubeventCode(rawValue: 0x08)
    /// LE Generate DHKey Complete.
    public static let generateDHKeyComplete = LESubeventCode(rawValue: 0x09)
    /// LE Enhanced Connection Complete [v1].
    public static let enhancedConnectionComplete = LESubeventCode(rawValue: 0x0A)
    /// LE Directed Advertising Report.
    public static let directedAdvertisingReport = LESubeventCode(rawValue: 0x0B)
    /// LE PHY Update Complete.
    public static let phyUpdateComplete = LESubeventCode(rawValue: 0x0C)
    /// LE Extended Advertising Report.
    public static let extendedAdvertisingReport = LESubeventCode(rawValue: 0x0D)
    /// LE Scan Timeout.
    public static let scanTimeout = LESubeventCode(rawValue: 0x11)
    /// LE Advertising Set Terminated.
    public static let advertisingSetTerminated = LESubeventCode(rawValue: 0x12)
    /// LE Scan Request Received.
    public static let scanRequestReceived = LESubeventCode(rawValue: 0x13)
    /// LE Channel Selection Algorithm.
    public static let channelSelectionAlgorithm = LESubeventCode(rawValue: 0x14)
    /// LE Enhanced Connection Complete [v2].
    public static let enhancedConnectionCompleteV2 = LESubeventCode(rawValue: 0x29)
}

/// Which events a host wants: a bit for each code.
public protocol HCIEventMask: HCICode where RawValue == UInt64 {
    /// The codes of the events.
    associatedtype Code: HCICode where Code.RawValue == UInt8
    /// The code of bit 0.
    static var firstCode: UInt8 { get }
}

extension HCIEventMask {
    /// A mask of events; those without a bit are left out.
    public init(_ codes: [Code]) { self.init(rawValue: codes.reduce(0) { $0 | Self.bit($1) }) }

    /// Whether the host wants the event.
    public func contains(_ code: Code) -> Bool { self.rawValue & Self.bit(code) != 0 }

    private static func bit(_ code: Code) -> UInt64 {
        let number = Int(code.rawValue) - Int(Self.firstCode)
        return (0..<64).contains(number) ? 1 << UInt64(number) : 0
    }
}

/// Which of the events 0x01 to 0x40 a host wants (7.3.1).
public struct EventMask: HCIEventMask {
    /// The codes of the events.
    public typealias Code = HCIEventCode

    /// Bit 0 is the event 0x01.
    public static let firstCode: UInt8 = 0x01
    /// The mask after a reset.
    public static let initial = EventMask(rawValue: 0x0000_1FFF_FFFF_FFFF)

    /// The bits.
    public var rawValue: UInt64

    /// A mask from its bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Which of the events 0x40 to 0x7F a host wants (7.3.69).
public struct EventMaskPage2: HCIEventMask {
    /// The codes of the events.
    public typealias Code = HCIEventCode

    /// Bit 0 is the event 0x40.
    public static let firstCode: UInt8 = 0x40
    /// The mask after a reset: nothing.
    public static let initial = EventMaskPage2(rawValue: 0)

    /// The bits.
    public var rawValue: UInt64

    /// A mask from its bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Which LE subevents a host wants (7.8.1).
public struct LEEventMask: HCIEventMask {
    /// The codes of the subevents.
    public typealias Code = LESubeventCode

    /// Bit 0 is the subevent 0x01.
    public static let firstCode: UInt8 = 0x01
    /// The mask after a reset: the first five subevents.
    public static let initial = LEEventMask(rawValue: 0x1F)

    /// The bits.
    public var rawValue: UInt64

    /// A mask from its bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
