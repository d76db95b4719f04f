// Signal strength by distance, with the usual model for open space: the power falls with the square of the distance
// (log-distance path loss with exponent 2), from -45 dBm at one metre for a sender of 0 dBm. That is 40 dB of free
// space at 2.44 GHz (Recommendation ITU-R P.525) and 5 dB for the small antennas of such devices. So a signal has -65
// dBm at 10 m and about -75 dBm at 30 m, and from 335 m on, where the strength rounds to -96 dBm, nothing is heard.

import BluetoothTypes

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Received signal strength by distance.
package enum PathLoss {
    /// The strength at one metre from a sender of 0 dBm, in dBm.
    private static let strengthAtOneMetre = -45.0
    /// The weakest signal that a receiver hears.
    static let sensitivity = RSSI(dBm: -95)
    /// Shorter distances count as this one.
    private static let shortestDistance = Distance.metres(0.1)

    /// The range of a sender of `txPower` without obstacles.
    static func range(txPower: TransmitPower) -> Distance {
        // A strength is rounded to whole dBm; the factor allows for rounding errors elsewhere.
        let weakest = Double(Self.sensitivity.dBm) - 0.5
        return .metres(Self.distance(ofPower: weakest - Double(txPower.rawValue)).metres * 1.000_001)
    }

    /// The received strength at `distance` from a sender of `txPower`; `nil` if it is too weak.
    static func strength(distance: Distance, txPower: TransmitPower, attenuation: Attenuation = 0) -> RSSI? {
        let power = Self.power(at: distance, txPower: Double(txPower.rawValue)) - attenuation.decibels
        let strength = power.rounded()
        guard strength >= Double(Self.sensitivity.dBm) else { return nil }
        return RSSI(dBm: Int8(min(strength, 20)))
    }

    /// The power at `distance` from a sender of `txPower` dBm, in dBm, however weak.
    package static func power(at distance: Distance, txPower: Double = 0) -> Double {
        Self.strengthAtOneMetre + txPower - 20 * log10(max(distance, Self.shortestDistance).metres)
    }

    /// The distance at which the signal of a sender of 0 dBm has `power` dBm.
    package static func distance(ofPower power: Double) -> Distance {
        .metres(pow(10, (Self.strengthAtOneMetre - power) / 20))
    }
}
