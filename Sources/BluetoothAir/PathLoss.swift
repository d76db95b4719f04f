// What distance does to a signal. The model is the usual one for the open: the signal falls with the square of the
// distance (log-distance path loss with exponent 2), from -45 dBm at one metre for a sender of 0 dBm. So 10 m are -65
// dBm, 30 m about -75 dBm, and beyond some 300 m nothing is heard.

import BluetoothTypes

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Received signal strength by distance.
enum PathLoss {
    /// The strength at one metre from a sender of 0 dBm, in dBm.
    static let strengthAtOneMetre = -45.0
    /// The weakest signal that a receiver understands.
    static let sensitivity = RSSI(dBm: -95)
    /// A shorter distance counts as this one.
    static let shortestDistance = Distance.metres(0.1)

    /// The received strength at `distance` from a sender of `txPower`; `nil` where it is too weak.
    static func strength(distance: Distance, txPower: TransmitPower) -> RSSI? {
        let metres = max(distance, Self.shortestDistance).metres
        let strength = (Self.strengthAtOneMetre + Double(txPower.rawValue) - 20 * log10(metres)).rounded()
        guard strength >= Double(Self.sensitivity.dBm) else { return nil }
        return RSSI(dBm: Int8(min(strength, 20)))
    }
}
