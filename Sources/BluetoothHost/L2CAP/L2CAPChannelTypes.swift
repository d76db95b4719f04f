// What the host's user sees of LE credit-based channels: identifiers, and what this side offers (Vol 3, Part A, 3.4,
// 4.22 and 10.1). Why a channel was refused or has ended is in L2CAPChannelErrors.swift.

/// A credit-based channel of a host.
///
/// It is the host's own number, not the CID: a link gives the same CID to one channel after the other.
public struct L2CAPChannelID: Hashable, Sendable, CustomStringConvertible {
    /// A number that one host never gives twice.
    public var rawValue: UInt64

    /// An identifier from its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// `channel 7`.
    public var description: String { "channel \(self.rawValue)" }
}

/// A simplified protocol/service multiplexer: which service a channel leads to (Vol 3, Part A, 4.22).
public struct SPSM: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral,
    CustomStringConvertible
{
    /// Every value that a channel can be asked for.
    public static let validRange: ClosedRange<SPSM> = 0x0001...0x00FF
    /// The values that a device gives out itself. Those below are assigned by the Bluetooth SIG.
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

/// What this side offers on a channel, and how much memory it sets aside for it.
///
/// One channel takes at most `window` frames of `mps` octets and two SDUs of `mtu` octets for what is received, and
/// `sendLimit` octets for what is sent.
public struct L2CAPChannelConfiguration: Hashable, Sendable {
    /// The longest SDU that this side takes, 23 to 65,535 octets.
    public let mtu: Int
    /// The longest frame payload that this side takes, 23 to 2,048 octets. With 247, a frame fits one LE data packet.
    public let mps: Int
    /// How many frames the peer may have sent that the user has not consumed, 1 to 65,535.
    public let window: Int
    /// How many octets wait at most on this side until the peer takes them, at least 1.
    public let sendLimit: Int

    /// Creates a configuration; what is out of range takes the nearest value in it.
    public init(mtu: Int = 2_048, mps: Int = 247, window: Int = 256, sendLimit: Int = 65_536) {
        self.mtu = max(CreditBasedParameters.minimumSize, min(mtu, 0xFFFF))
        self.mps = max(CreditBasedParameters.minimumSize, min(mps, L2CAPReassembler.defaultMaximumPayloadLength))
        self.window = max(1, min(window, CreditBasedParameters.maximumCredits))
        self.sendLimit = max(1, sendLimit)
    }
}

/// What is known of an open channel.
public struct L2CAPChannelInformation: Hashable, Sendable {
    /// The channel.
    public let id: L2CAPChannelID
    /// The link that it is on.
    public let link: LinkID
    /// The service that it leads to.
    public let spsm: SPSM
    /// Whether the peer asked for it.
    public let isIncoming: Bool
    /// The longest SDU that the peer takes, in octets.
    public let peerMTU: Int
}

/// A peer's request for a channel that the specification allows, so that the user decides.
public struct L2CAPChannelRequest: Hashable, Sendable {
    /// The link that the request came on.
    public let link: LinkID
    /// The service that the channel is to lead to.
    public let spsm: SPSM
}
