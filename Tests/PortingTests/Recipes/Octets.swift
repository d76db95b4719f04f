// The recipe "NSData.bytes" of the page "Porting an app".

import Foundation

func heartRate(in value: Data) -> Int? {
    value.withUnsafeBytes { octets in
        guard let flags = octets.first else { return nil }
        let isLong = flags & 0x01 != 0
        guard octets.count >= (isLong ? 3 : 2) else { return nil }
        return isLong
            ? Int(UInt16(littleEndian: octets.loadUnaligned(fromByteOffset: 1, as: UInt16.self)))
            : Int(octets[1])
    }
}
