// The checksum of Ethernet, gzip and PNG (polynomial 0xEDB88320, reflected).

import Foundation

/// CRC-32.
internal enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    /// The checksum of octets.
    static func checksum(of data: Data) -> UInt32 {
        ~data.reduce(~0 as UInt32) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ ($0 >> 8) }
    }
}
