// How a device hides itself: the privacy feature of Generic Access (Vol 3, Part C, 10.7).

public import BluetoothTypes
public import NIOCore

/// How a device that hides itself changes its address (Vol 3, Part C, 10.7).
///
/// Such a device is on the air under resolvable private addresses alone. A peer that has paired with it has its identity
/// resolving key and knows it again; to all others each address is another device.
public struct PrivacyConfiguration: Hashable, Sendable {
    /// How long an address is used, 1 s to 1 h: TGAP(private_addr_int), whose recommended value is 900 s (Vol 3, Part C,
    /// appendix A).
    public var rotationInterval: TimeAmount
    /// After how many links that were established under an address another one is used, before its time is over; `nil`
    /// for time alone.
    public var connectionsPerAddress: Int?

    /// Creates a configuration.
    public init(
        rotationInterval: TimeAmount = ResolvablePrivateAddressTimeout.recommended.timeAmount,
        connectionsPerAddress: Int? = nil
    ) {
        self.rotationInterval = rotationInterval
        self.connectionsPerAddress = connectionsPerAddress
    }
}
