// The status octet of HCI, which is also the reason of a disconnection (Vol 1, Part F, 1.3). Unknown codes are kept.

/// An HCI error code.
public struct HCIErrorCode: RawRepresentable, Hashable, Sendable, Error {
    /// The octet.
    public var rawValue: UInt8

    /// A code from its octet.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 0x00.
    public static let success = HCIErrorCode(rawValue: 0x00)
}
