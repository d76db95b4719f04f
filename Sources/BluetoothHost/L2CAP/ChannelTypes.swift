// What the host's user sees of LE credit-based channels: names, sizes, and why one was refused or ended (Vol 3, Part A,
// 3.4, 4.22 to 4.24 and 10.1).

/// A credit-based channel of a host.
public struct ChannelID: Hashable, Sendable, CustomStringConvertible {
    /// A number that one host never gives twice.
    public var rawValue: UInt64

    /// An identifier from its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// `channel 7`.
    public var description: String { "channel \(self.rawValue)" }
}

/// What this side offers on a channel, and how much it keeps for it.
///
/// The memory that one channel takes is at most `window` frames of `mps` octets and two SDUs of `mtu` octets for what
/// comes, and `sendLimit` octets for what goes.
public struct ChannelConfiguration: Hashable, Sendable {
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
        self.mtu = max(23, min(mtu, 0xFFFF))
        self.mps = max(23, min(mps, L2CAPReassembler.defaultMaximumPayloadLength))
        self.window = max(1, min(window, 0xFFFF))
        self.sendLimit = max(1, sendLimit)
    }
}

/// What a link must offer before a peer may open a channel on it.
public struct ChannelSecurity: Hashable, Sendable {
    /// Whether the link must be encrypted.
    public var needsEncryption: Bool
    /// Whether the key must have been made with protection against a man in the middle.
    public var needsAuthentication: Bool
    /// The shortest key in octets, 7 to 16.
    public var minimumKeySize: Int

    /// Creates a requirement.
    public init(needsEncryption: Bool, needsAuthentication: Bool = false, minimumKeySize: Int = 7) {
        self.needsEncryption = needsEncryption
        self.needsAuthentication = needsAuthentication
        self.minimumKeySize = minimumKeySize
    }

    /// Any link will do.
    public static let none = ChannelSecurity(needsEncryption: false)
    /// The link must be encrypted.
    public static let encrypted = ChannelSecurity(needsEncryption: true)
    /// The link must be encrypted with an authenticated key.
    public static let authenticated = ChannelSecurity(needsEncryption: true, needsAuthentication: true)
}

/// What is known of an open channel.
public struct ChannelInformation: Hashable, Sendable {
    /// The channel's name.
    public let id: ChannelID
    /// The link that it is on.
    public let link: LinkID
    /// What it is for.
    public let spsm: UInt16
    /// Whether the peer asked for it.
    public let isIncoming: Bool
    /// The longest SDU that the peer takes, in octets.
    public let peerMTU: Int
}

/// A peer's request for a channel that nothing stands against but the user's word.
public struct ChannelRequest: Hashable, Sendable {
    /// The link that the request came on.
    public let link: LinkID
    /// What the channel is for.
    public let spsm: UInt16
}

/// Why a channel was not opened.
public enum ChannelOpenError: Error, Hashable, Sendable {
    /// The peer refused, with a result other than success.
    case refused(CreditBasedConnectionResult)
    /// The peer does not know credit-based channels.
    case notSupported
    /// The peer's answer is not allowed; the channel was given up.
    case invalidAnswer
    /// The peer did not answer within 30 s.
    case timedOut
    /// This side has as many channels on the link as it takes.
    case noResources
    /// The link is not there, or ended first.
    case notConnected
}

/// Why a channel ended.
public enum ChannelCloseReason: Hashable, Sendable {
    /// The user closed it and the peer confirmed.
    case closedHere
    /// The user closed it and the peer did not confirm within 30 s.
    case unconfirmed
    /// The peer closed it.
    case closedByPeer
    /// The peer broke a rule.
    case violation(ChannelViolation)
    /// The link ended.
    case linkEnded
}

/// What a peer can do wrong on a channel; each ends it (Vol 3, Part A, 3.4.3 and 10.1).
public enum ChannelViolation: Hashable, Sendable {
    /// A frame without a credit.
    case noCredit
    /// More than 65,535 credits.
    case creditOverflow
    /// A frame longer than the MPS.
    case frameTooLong
    /// A first frame without the length of its SDU.
    case noSDULength
    /// An SDU longer than the MTU.
    case sduTooLong
    /// More octets than the SDU's length announced.
    case moreOctetsThanAnnounced
    /// One name for two channels.
    case nameGivenTwice
}

/// Why an SPSM cannot be listened on.
public enum ChannelListenError: Error, Hashable, Sendable {
    /// The number is not in 0x0001 to 0x00FF.
    case invalidSPSM
    /// Somebody listens on it already, or on all of the dynamic range.
    case inUse
}
