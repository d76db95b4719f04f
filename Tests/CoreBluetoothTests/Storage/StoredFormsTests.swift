// Keys, bonds and attributes in the form that is stored: what is read, and what is refused, at the exact limits.

import BluetoothHost
import BluetoothTypes
import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Stored forms")
struct StoredFormsTests {
    private func decode<Value: Decodable>(_ type: Value.Type = Value.self, _ text: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }

    private func bond(keySize: Int) -> Bond {
        Bond(
            peerAddress: DeviceAddress(0x0011_2233_4455, kind: .public),
            keySize: keySize,
            isAuthenticated: true,
            isSecureConnections: true,
            local: PairingKeys(),
            peer: PairingKeys()
        )
    }

    @Test("a key is 32 hexadecimal digits, the most significant octet first, each octet with two")
    func key() throws {
        let rest = [UInt8](repeating: 0xFF, count: 12)
        let octets = try #require(Octets16(mostSignificantFirst: [0, 1, 0x0F, 0x10] + rest))
        let text = "\"00010f10ffffffffffffffffffffffff\""
        #expect(String(decoding: try JSONEncoder().encode(StoredKey(octets)), as: UTF8.self) == text)
        #expect(try self.decode(StoredKey.self, text).octets == octets)
    }

    @Test(
        "a key of another length, or with other characters, is refused",
        arguments: [
            "", "00", "00010f10fffffffffffffffffffffff", "00010f10fffffffffffffffffffffffff",
            "00010f10ffffffffffffffffffffffffff", "00010f10ffffffffffffffffffffffxf",
        ]
    )
    func noKey(digits: String) {
        #expect(throws: DecodingError.self) { try self.decode(StoredKey.self, "\"\(digits)\"") }
    }

    @Test("a bond has a key of 7 to 16 octets", arguments: [(6, false), (7, true), (16, true), (17, false)])
    func keySize(size: Int, isValid: Bool) throws {
        let octets = try JSONEncoder().encode(self.bond(keySize: size))
        if isValid {
            #expect(try JSONDecoder().decode(Bond.self, from: octets) == self.bond(keySize: size))
        } else {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(Bond.self, from: octets) }
        }
    }

    @Test("a bond without an address is refused, and what is missing of its keys is zero or not there")
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

    @Test("the smallest service and the smallest characteristic are read")
    func smallestAttributes() throws {
        let service = try self.decode(
            GATTRemoteService.self,
            #"{"uuid":"180D","first":1,"last":1,"isPrimary":true}"#
        )
        #expect(service.handles == 1...1 && service.isPrimary)
        let characteristic = try self.decode(
            GATTRemoteCharacteristic.self,
            #"{"uuid":"2A37","properties":2,"declaration":1,"value":2,"end":2}"#
        )
        #expect(characteristic.declarationHandle == 1 && characteristic.endHandle == 2)
        #expect(throws: DecodingError.self) {
            try self.decode(GATTRemoteService.self, #"{"uuid":"18","first":1,"last":1,"isPrimary":true}"#)
        }
    }

    @Test("a file name of 64 octets is as it is; a longer one is cut to 47 and has a hash")
    func names() {
        let text = String(repeating: "x", count: 64)
        #expect(stateFileName(text) == text)
        let longer = stateFileName(text + "y")
        #expect(longer.hasPrefix(String(repeating: "x", count: 47) + "~") && longer.utf8.count <= 64)
        #expect(longer != stateFileName(text + "z"))
        #expect(stateFileName("abcdefghijklmnopqrstuvwxyz", limit: 20).hasPrefix("abc~"))
    }

    @Test("a public and a static address are worth keeping, those that change are not")
    func worth() {
        let top = [0xC000_0000_0001, 0x4000_0000_0001, 0x0000_0000_0001, 0x8000_0000_0001] as [UInt64]
        #expect(top.map { DeviceAddress($0, kind: .random).isWorthKeeping } == [true, false, false, false])
        #expect(top.allSatisfy { DeviceAddress($0, kind: .public).isWorthKeeping })
    }

    @Test("a random UUID has its version and its variant, whatever the random bits are")
    func randomUUID() {
        #expect(UUID(random: 0, 0).uuidString == "00000000-0000-4000-8000-000000000000")
        #expect(UUID(random: .max, .max).uuidString == "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF")
    }
}
