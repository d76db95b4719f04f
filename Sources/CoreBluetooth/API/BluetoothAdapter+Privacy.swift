// An adapter's use of private addresses.

import BluetoothHost
import BluetoothTypes
import NIOCore

extension BluetoothAdapter.Configuration {
    /// How a device changes its private address (Vol 3, Part C, 10.7).
    public struct Privacy: Hashable, Sendable {
        /// The time for which an address is used: the specification recommends 15 minutes, and allows 1 s to 1 h.
        public var rotationInterval: Duration
        /// The number of connections after which the address changes before its time is over; `nil` for no limit.
        public var connectionsPerAddress: Int?

        @usableFromInline static let recommendedInterval = Duration.nanoseconds(
            ResolvablePrivateAddressTimeout.recommended.timeAmount.nanoseconds
        )

        /// Creates the settings.
        ///
        /// - Parameters:
        ///   - rotationInterval: How long an address is used, clamped to 1 s to 1 h.
        ///   - connectionsPerAddress: The number of connections after which the address changes; `nil` for no limit.
        public init(rotationInterval: Duration = Self.recommendedInterval, connectionsPerAddress: Int? = nil) {
            self.rotationInterval = rotationInterval
            self.connectionsPerAddress = connectionsPerAddress
        }

        /// The times that the specification allows (Vol 4, Part E, 7.8.45).
        static let intervals: ClosedRange<Duration> = {
            let range = ResolvablePrivateAddressTimeout.range
            return .seconds(range.lowerBound) ... .seconds(range.upperBound)
        }()

        /// The host's configuration.
        var hostConfiguration: PrivacyConfiguration {
            let interval = min(max(self.rotationInterval, Self.intervals.lowerBound), Self.intervals.upperBound)
            return PrivacyConfiguration(
                rotationInterval: TimeAmount(interval),
                connectionsPerAddress: self.connectionsPerAddress
            )
        }
    }
}
