// The configuration of the privacy feature of Generic Access (Vol 3, Part C, 10.7).

import BluetoothTypes
package import NIOCore

/// How a device with privacy changes its address (Vol 3, Part C, 10.7).
///
/// Such a device uses only resolvable private addresses on the air. A peer that has paired with it has its identity
/// resolving key and recognizes it; to all others, each address is a different device.
public struct PrivacyConfiguration: Hashable, Sendable {
    /// The time for which an address is used, 1 s to 1 h: TGAP(private_addr_int), whose recommended value is 900 s (Vol
    /// 3, Part C, appendix A).
    package var rotationInterval: TimeAmount
    /// The number of links after which an address is replaced before its time is over; `nil` for time only.
    package var connectionsPerAddress: Int?

    /// Creates a configuration.
    package init(
        rotationInterval: TimeAmount = ResolvablePrivateAddressTimeout.recommended.timeAmount,
        connectionsPerAddress: Int? = nil
    ) {
        self.rotationInterval = rotationInterval
        self.connectionsPerAddress = connectionsPerAddress
    }
}
