import BluetoothHost
import BluetoothTypes
import Testing

@testable import CoreBluetooth

@Suite("Bonds and keys as they are stored")
struct BondCodableTests {
    private func decode<Value: Decodable>(_ type: Value.Type = Value.self, _ text: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }

    @Test("writes a key as 32 hexadecimal digits, the most significant octet first")
    func key() throws {
        let rest = [UInt8](repeating: 0xFF, count: 12)
        let octets = try #require(Octets16(mostSignificantFirst: [0, 1, 0x0F, 0x10] + rest))
        let text = "\"00010f10ffffffffffffffffffffffff\""
        #expect(String(decoding: try JSONEncoder().encode(StoredKey(octets)), as: UTF8.self) == text)
        #expect(try self.decode(StoredKey.self, text).octets == octets)
    }

    @Test(
        "rejects a key of another length, or with other characters",
        arguments: [
            "", "00", "00010f10fffffffffffffffffffffff", "00010f10fffffffffffffffffffffffff",
            "00010f10ffffffffffffffffffffffffff", "00010f10ffffffffffffffffffffffxf",
        ]
    )
    func noKey(digits: String) {
        #expect(throws: DecodingError.self) { try self.decode(StoredKey.self, "\"\(digits)\"") }
    }

    @Test("rejects a key size below 7 or above 16 octets", arguments: [(6, false), (7, true), (16, true), (17, false)])
    func keySize(size: Int, isValid: Bool) throws {
        var bond = Bond.symmetric(with: DeviceAddress(0x0011_2233_4455, kind: .public))
        bond.keySize = size
        let octets = try JSONEncoder().encode(bond)
        if isValid {
            #expect(try JSONDecoder().decode(Bond.self, from: octets) == bond)
        } else {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(Bond.self, from: octets) }
        }
    }

    @Test("rejects a bond without an address, and takes missing parts of its keys as zero or as no key")
    func partialKeys() throws {
        func text(address: String = "00:11:22:33:44:55", peer: String) -> String {
            """
            {"peerAddress":{"address":"\(address)","kind":"public"},"keySize":16,"isAuthenticated":false,\
            "isSecureConnections":false,"local":{},"peer":\(peer)}
            """
        }
        #expect(throws: DecodingError.self) { try self.decode(Bond.self, text(address: "00:11", peer: "{}")) }
        #expect(try self.decode(Bond.self, text(peer: "{}")).peer == PairingKeys())
        let digits = "\"\(String(repeating: "00", count: 16))\""
        let key = try self.decode(Bond.self, text(peer: "{\"longTermKey\":\(digits)}")).peer.longTermKey
        #expect(key?.encryptedDiversifier == 0 && key?.random == 0)
        let signing = try self.decode(Bond.self, text(peer: "{\"signatureResolvingKey\":\(digits)}")).peer.signing
        #expect(signing?.signCounter == 0)
        let identity = "{\"identityResolvingKey\":\(digits)}"
        #expect(try self.decode(Bond.self, text(peer: identity)).peer.identity == nil)
    }
}
