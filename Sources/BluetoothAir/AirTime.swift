// The time for which packets are on the air (Vol 6, Part B, 2.1 and 2.2). A packet on LE 1M or LE 2M has a preamble of
// one octet (two on 2M), an access address of four, a header of two, the payload, and a CRC of three. LE Coded has a
// preamble of 80 us and an access address of 256 us; this air always uses eight symbols per bit.

import BluetoothTypes
import NIOCore

/// Durations of packets, in microseconds.
enum AirTime {
    /// The pause between two packets of an event (T_IFS).
    static let interFrameSpace: Int64 = 150
    /// The octets of the message integrity code of an encrypted packet that is not empty.
    static let integrityCode = 4
    /// The octets around the payload, with the integrity code, on LE 1M.
    private static let overhead1M = 14

    /// The duration of a packet with `payload` octets behind its header, integrity code included.
    static func microseconds(_ phy: PHY, payload: Int) -> Int64 {
        switch phy {
        case .le2M: Int64(2 + 4 + 2 + payload + 3) * 4
        case .leCoded: 80 + 256 + 16 + 24 + Int64(2 + payload + 3) * 64 + 24
        default: Int64(1 + 4 + 2 + payload + 3) * 8
        }
    }

    /// The most data octets that a packet of `microseconds` can carry, encrypted or not (Vol 6, Part B, 4.5.10).
    static func octets(_ phy: PHY, within microseconds: Int) -> Int {
        switch phy {
        case .le2M: microseconds / 4 - Self.overhead1M - 1
        case .leCoded: (microseconds - 400) / 64 - 9
        default: microseconds / 8 - Self.overhead1M
        }
    }
}
