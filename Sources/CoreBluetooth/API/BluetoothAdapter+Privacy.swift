// How an adapter hides itself behind private addresses.

import BluetoothHost
import BluetoothTypes
import NIOCore

extension BluetoothAdapter.Configuration {
    /// How a device that hides itself changes its address (Vol 3, Part C, 10.7).
    public struct Privacy: Hashable, Sendable {
        /// How long an address is used: the specification recommends 15 minutes, and allows 1 s to 1 h.
        public var rotationInterval: Duration
        /// After how many connections under one address another is used, before its time is over; `nil` for time alone.
        public var connectionsPerAddress: Int?

        @usableFromInline static let recommendedInterval = Duration.nanoseconds(
            ResolvablePrivateAddressTimeout.recommended.timeAmount.nanoseconds
        )

        /// A device that hides itself.
        ///
        /// - Parameters:
        ///   - rotationInterval: How long an address is used; what is not between 1 s and 1 h becomes the nearest of both.
        ///   - connectionsPerAddress: After how many connections another address is used; `nil` for time alone.
        public init(rotationInterval: Duration = Self.recommendedInterval, connectionsPerAddress: Int? = nil) {
            self.rotationInterval = rotationInterval
            self.connectionsPerAddress = connectionsPerAddress
        }

        /// The times that the specification allows (Vol 4, Part E, 7.8.45).
        static let intervals: ClosedRange<Duration> = {
            let range = ResolvablePrivateAddressTimeout.range
            return .seconds(range.lowerBound) ... .seconds(range.upperBound)
        }()

        /// What the host is given.
        var hostConfiguration: PrivacyConfiguration {
            let interval = min(max(self.rotationInterval, Self.intervals.lowerBound), Self.intervals.upperBound)
            return PrivacyConfiguration(
                rotationInterval: TimeAmount(interval),
                connectionsPerAddress: self.connectionsPerAddress
            )
        }
    }
}
