// A capture of each format that is read: the HCI command Reset, and its answer.

import Testing

/// A format, and a file of it.
struct CaptureOfEachFormat: Sendable, CustomTestStringConvertible {
    let format: String
    let octets: [UInt8]

    var testDescription: String { format }

    static let all = [
        Self(format: "btsnoop", octets: captureOctets([(resetPacket, .toController), (resetAnswer, .toHost)])),
        Self(
            format: "btmon",
            octets: Array("btsnoop\0".utf8) + words(1, 2001)
                + words(3, 3, 2, 0) + time + resetPacket.dropFirst()
                + words(6, 6, 3, 0) + time + resetAnswer.dropFirst()
        ),
        Self(
            format: "PacketLogger",
            octets: words(12, 1_700_000_000, 1) + [0] + resetPacket.dropFirst()
                + words(15, 1_700_000_000, 2) + [1] + resetAnswer.dropFirst()
        ),
        Self(
            format: "pcap",
            octets: words(0xA1B2_C3D4, 0x0002_0004, 0, 0, 65_535, 201)
                + words(1_700_000_000, 1, 8, 8, 0) + resetPacket + words(1_700_000_000, 2, 11, 11, 1) + resetAnswer
        ),
        Self(
            format: "pcapng",
            octets: words(0x0A0D_0D0A, 28, 0x1A2B_3C4D, 0x0001_0000, .max, .max, 28)
                + words(1, 20, 201 << 16, 0, 20)
                + words(6, 40, 0, 0, 1, 8, 8, 0) + resetPacket + words(40)
                + words(6, 44, 0, 0, 2, 11, 11, 1) + resetAnswer + [0] + words(44)
        ),
    ]

    private static let time: [UInt8] = [0x00, 0xE0, 0x3A, 0xB4, 0x4A, 0x67, 0x60, 0x01]

    /// Numbers of 32 bits, the most significant octet first.
    private static func words(_ values: UInt32...) -> [UInt8] {
        values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    }
}
