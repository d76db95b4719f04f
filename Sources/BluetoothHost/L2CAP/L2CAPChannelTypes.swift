// The public types of LE credit-based channels: identifiers and configurations (Vol 3, Part A, 3.4, 4.22 and 10.1).
// Their errors are in L2CAPChannelErrors.swift.

/// A credit-based channel of a host.
///
/// The host's own number, not the CID, which a link reuses.
public struct L2CAPChannelID: Hashable, Sendable, CustomStringConvertible {
    /// A number that a host never reuses.
    package var rawValue: UInt64

    /// Creates an identifier.
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// `channel 7`.
    public var description: String { "channel \(self.rawValue)" }
}

/// A simplified protocol/service multiplexer: the service of a channel (Vol 3, Part A, 4.22).
public struct SPSM: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral,
    CustomStringConvertible
{
    /// The valid values.
    package static let validRange: ClosedRange<SPSM> = 0x0001...0x00FF
    /// The values that a device assigns itself. The Bluetooth SIG assigns those below.
    public static let dynamicRange: ClosedRange<SPSM> = 0x0080...0x00FF

    /// The two octets.
    public var rawValue: UInt16

    /// An SPSM from its two octets.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// An SPSM as a literal, such as `0x0080`.
    public init(integerLiteral value: UInt16) { self.rawValue = value }

    /// Orders by the number.
    public static func < (lhs: SPSM, rhs: SPSM) -> Bool { lhs.rawValue < rhs.rawValue }

    /// `0x80`.
    public var description: String { self.rawValue.hexadecimalNumber }
}

/// The limits of this side of a channel, which also bound its memory.
///
/// A channel needs at most `window` frames of `mps` octets and two SDUs of `mtu` octets for receiving, and `sendLimit`
/// octets for sending.
public struct L2CAPChannelConfiguration: Hashable, Sendable {
    /// The longest SDU that this side accepts, 23 to 65,535 octets.
    package let mtu: Int
    /// The longest frame payload that this side accepts, 23 to 2,048 octets. With 247, a frame fits one LE data packet.
    package let mps: Int
    /// The largest number of frames that the user has not consumed, 1 to 65,535.
    package let window: Int
    /// The largest number of octets that wait to be sent, at least 1.
    package let sendLimit: Int

    /// Creates a configuration; values out of range are clamped.
    public init(mtu: Int = 2_048, mps: Int = 247, window: Int = 256, sendLimit: Int = 65_536) {
        self.mtu = max(CreditBasedParameters.minimumSize, min(mtu, 0xFFFF))
        self.mps = max(CreditBasedParameters.minimumSize, min(mps, L2CAPReassembler.defaultMaximumPayloadLength))
        self.window = max(1, min(window, CreditBasedParameters.maximumCredits))
        self.sendLimit = max(1, sendLimit)
    }
}

/// An open channel as the user knows it.
public struct L2CAPChannelInformation: Hashable, Sendable {
    /// The channel.
    public let id: L2CAPChannelID
    /// Its link.
    package let link: LinkID
    /// Its service.
    package let spsm: SPSM
    /// Whether the peer requested it.
    package let isIncoming: Bool
    /// The longest SDU that the peer accepts, in octets.
    package let peerMTU: Int
}

/// A valid request of a peer for a channel, on which the user decides.
public struct L2CAPChannelRequest: Hashable, Sendable {
    /// The link of the request.
    package let link: LinkID
    /// The requested service.
    package let spsm: SPSM
}
