// The numbers of events and of LE subevents, and the masks by which a host chooses the events it wants
// (Vol 4, Part E, 7.7, 7.3.1, 7.3.69 and 7.8.1).

/// The number of an event.
public struct HCIEventCode: HCICode {
    public var rawValue: UInt8
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let disconnectionComplete = HCIEventCode(rawValue: 0x05)
    /// Encryption Change [v1].
    package static let encryptionChange = HCIEventCode(rawValue: 0x08)
    package static let readRemoteVersionInformationComplete = HCIEventCode(rawValue: 0x0C)
    package static let commandComplete = HCIEventCode(rawValue: 0x0E)
    package static let commandStatus = HCIEventCode(rawValue: 0x0F)
    package static let hardwareError = HCIEventCode(rawValue: 0x10)
    public static let numberOfCompletedPackets = HCIEventCode(rawValue: 0x13)
    package static let dataBufferOverflow = HCIEventCode(rawValue: 0x1A)
    package static let encryptionKeyRefreshComplete = HCIEventCode(rawValue: 0x30)
    /// LE Meta event: a subevent code follows.
    public static let leMeta = HCIEventCode(rawValue: 0x3E)
    package static let authenticatedPayloadTimeoutExpired = HCIEventCode(rawValue: 0x57)
    package static let encryptionChangeV2 = HCIEventCode(rawValue: 0x59)
    /// An event defined by the manufacturer.
    package static let vendorSpecific = HCIEventCode(rawValue: 0xFF)
}

/// The number of an event inside the LE Meta event.
public struct LESubeventCode: HCICode {
    public var rawValue: UInt8
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let connectionComplete = LESubeventCode(rawValue: 0x01)
    package static let advertisingReport = LESubeventCode(rawValue: 0x02)
    package static let connectionUpdateComplete = LESubeventCode(rawValue: 0x03)
    /// LE Read Remote Features Page 0 Complete.
    package static let readRemoteFeaturesComplete = LESubeventCode(rawValue: 0x04)
    package static let longTermKeyRequest = LESubeventCode(rawValue: 0x05)
    package static let remoteConnectionParameterRequest = LESubeventCode(rawValue: 0x06)
    package static let dataLengthChange = LESubeventCode(rawValue: 0x07)
    package static let readLocalP256PublicKeyComplete = LESubeventCode(rawValue: 0x08)
    package static let generateDHKeyComplete = LESubeventCode(rawValue: 0x09)
    /// LE Enhanced Connection Complete [v1].
    package static let enhancedConnectionComplete = LESubeventCode(rawValue: 0x0A)
    package static let directedAdvertisingReport = LESubeventCode(rawValue: 0x0B)
    package static let phyUpdateComplete = LESubeventCode(rawValue: 0x0C)
    package static let extendedAdvertisingReport = LESubeventCode(rawValue: 0x0D)
    package static let scanTimeout = LESubeventCode(rawValue: 0x11)
    package static let advertisingSetTerminated = LESubeventCode(rawValue: 0x12)
    package static let scanRequestReceived = LESubeventCode(rawValue: 0x13)
    package static let channelSelectionAlgorithm = LESubeventCode(rawValue: 0x14)
    package static let enhancedConnectionCompleteV2 = LESubeventCode(rawValue: 0x29)
}

/// The events that a host wants: a bit for each code.
package protocol HCIEventMask: HCICode where RawValue == UInt64 {
    /// The codes of the events.
    associatedtype Code: HCICode where Code.RawValue == UInt8
    /// The code of bit 0.
    static var firstCode: UInt8 { get }
}

extension HCIEventMask {
    /// A mask of events; those without a bit are ignored.
    package init(_ codes: [Code]) { self.init(rawValue: codes.reduce(0) { $0 | Self.bit($1) }) }

    /// Whether the host wants the event.
    package func contains(_ code: Code) -> Bool { self.rawValue & Self.bit(code) != 0 }

    private static func bit(_ code: Code) -> UInt64 {
        let number = Int(code.rawValue) - Int(Self.firstCode)
        return (0..<64).contains(number) ? 1 << UInt64(number) : 0
    }
}

/// The events that a host wants, of 0x01 to 0x40 (7.3.1).
public struct EventMask: HCIEventMask {
    package typealias Code = HCIEventCode

    /// Bit 0 is event 0x01.
    package static let firstCode: UInt8 = 0x01
    /// The mask after a reset.
    package static let initial = EventMask(rawValue: 0x0000_1FFF_FFFF_FFFF)

    public var rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The events that a host wants, of 0x40 to 0x7F (7.3.69).
package struct EventMaskPage2: HCIEventMask {
    package typealias Code = HCIEventCode

    /// Bit 0 is event 0x40.
    package static let firstCode: UInt8 = 0x40
    /// The mask after a reset: nothing.
    package static let initial = EventMaskPage2(rawValue: 0)

    public var rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The LE subevents that a host wants (7.8.1).
package struct LEEventMask: HCIEventMask {
    package typealias Code = LESubeventCode

    /// Bit 0 is subevent 0x01.
    package static let firstCode: UInt8 = 0x01
    /// The mask after a reset: the first five subevents.
    package static let initial = LEEventMask(rawValue: 0x1F)

    public var rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
