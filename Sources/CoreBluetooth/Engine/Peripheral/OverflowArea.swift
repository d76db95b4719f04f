// The overflow area: services that do not fit into an advertising packet are sent as one bit each in a field of 128
// bits, in manufacturer data. A scanner that looks for a service sees whether its bit is set; several services share a
// bit, so it is only a hint.
//
// Apple's devices have such a field, too: `4C 00 01` and 16 octets. Apple has not said which bit a service has, so that
// field is neither read nor sent here: it would match by chance, and no phone could read ours. The area here is for
// devices of this package only: the company identifier 0xFFFF, which no company has (Assigned Numbers, 7), an octet 01,
// and 16 octets. The bit of a service is the FNV-1a hash (64 bits) of its UUID's 16 octets, most significant first,
// folded to 7 bits: `h ^= h >> 32; h ^= h >> 16; h ^= h >> 7; h & 0x7F`. Bit n is bit `n % 8` of octet `n / 8`.

import BluetoothTypes
import NIOCore

/// The 128 bits of an overflow area.
struct OverflowArea: Hashable, Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// The beginning of the manufacturer data: the company identifier, least significant octet first, and 01.
    private static let marker: [UInt8] = [0xFF, 0xFF, 0x01]

    /// An empty area.
    init() {}

    /// Reads manufacturer data; `nil` if it is something else.
    init?(manufacturerData: ByteBuffer) {
        var reader = manufacturerData
        guard reader.readableBytes == 19, reader.readBytes(length: 3) == Self.marker,
            let low = reader.readInteger(endianness: .little, as: UInt64.self),
            let high = reader.readInteger(endianness: .little, as: UInt64.self)
        else { return nil }
        self.low = low
        self.high = high
    }

    /// The area as manufacturer data, company included.
    var manufacturerData: ByteBuffer {
        var bytes = ByteBuffer(bytes: Self.marker)
        bytes.writeInteger(self.low, endianness: .little)
        bytes.writeInteger(self.high, endianness: .little)
        return bytes
    }

    /// Sets the bit of a service.
    mutating func insert(_ service: BluetoothUUID) {
        let bit = Self.bit(of: service)
        if bit < 64 { self.low |= 1 << bit } else { self.high |= 1 << (bit - 64) }
    }

    /// Whether the bit of a service is set.
    func mayContain(_ service: BluetoothUUID) -> Bool {
        let bit = Self.bit(of: service)
        return bit < 64 ? self.low >> bit & 1 == 1 : self.high >> (bit - 64) & 1 == 1
    }

    /// The bit of a service, 0 to 127.
    static func bit(of service: BluetoothUUID) -> Int {
        let (high, low) = service.words
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for word in [high, low] {
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                hash = (hash ^ word >> shift & 0xFF) &* 0x0000_0100_0000_01B3
            }
        }
        hash ^= hash >> 32
        hash ^= hash >> 16
        hash ^= hash >> 7
        return Int(hash & 0x7F)
    }
}
