// Values at their edges: a reader behind octets that it could not read, addresses with empty parts, and hashes.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothTypes

@Suite("Edges of values")
struct TypesEdgesTests {
    @Test("Behind an element that runs past the end nothing more is read, also where its octets look like elements")
    func readerBehindTornElement() {
        var reader = AdvertisingDataReader(ByteBuffer(hex: "02 0A 04 05 09 02 01 06"))
        #expect(reader.next()?.type == .txPowerLevel)
        #expect(!reader.isTruncated)
        for _ in 0..<3 { #expect(reader.next() == nil && reader.isTruncated) }
    }

    @Test(
        "An address has six parts, none of which is empty",
        arguments: [
            "C0:11:22:33:44:55:", ":C0:11:22:33:44:55", "C0::11:22:33:44:55", "C0:11:22:33:44::55", "::::::",
            "C0:11:22:33:44:55:66",
        ]
    )
    func addressParts(text: String) {
        #expect(DeviceAddress(text, kind: .public) == nil)
    }

    @Test("UUIDs that differ in one bit, whichever, have different hashes")
    func uuidHashes() {
        let (high, low): (UInt64, UInt64) = (0x5B3C_1F0E_6E0B_4C61, 0x9B7D_2F0C_8B1E_7A10)
        var hashes: Set<Int> = [BluetoothUUID(form: .full(high, low)).hashValue]
        for bit in 0..<64 {
            hashes.insert(BluetoothUUID(form: .full(high ^ 1 << bit, low)).hashValue)
            hashes.insert(BluetoothUUID(form: .full(high, low ^ 1 << bit)).hashValue)
        }
        #expect(hashes.count == 129)
    }
}
