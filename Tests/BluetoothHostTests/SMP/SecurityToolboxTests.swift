// The cryptographic toolbox against the sample data of the specification (Vol 3, Part H, 2.2.3, 2.2.4, Appendix D).

import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothHost

/// 128 bits as the specification prints them.
func octets16(_ text: String) -> Octets16 {
    guard let value = Octets16(mostSignificantFirst: hex(text).readableBytesView) else {
        preconditionFailure("\(text) is not 16 octets")
    }
    return value
}

/// 256 bits as the specification prints them.
func octets32(_ text: String) -> Octets32 {
    guard let value = Octets32(mostSignificantFirst: hex(text).readableBytesView) else {
        preconditionFailure("\(text) is not 32 octets")
    }
    return value
}

/// The sample data that several functions share.
enum SampleData {
    static let privateA = octets32("3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd")
    static let privateB = octets32("55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd")
    static let publicA = PublicKey(
        x: octets32("20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6"),
        y: octets32("dc809c49652aeb6d63329abf5a52155c766345c28fed3024741c8ed01589d28b")
    )
    static let publicB = PublicKey(
        x: octets32("1ea1f0f01faf1d9609592284f19e4c0047b58afd8615a69f559077b22faaa190"),
        y: octets32("4c55f33e429dad377356703a9ab85160472d1130e28e36765f89aff915b1214a")
    )
    static let dhKey = octets32("ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698")
    static let n1 = octets16("d5cb8454d177733effffb2ec712baeab")
    static let n2 = octets16("a6e8e7cc25a75f6e216583f7ff3dc4cf")
    static let a1 = DeviceAddress(0x5612_3737_BFCE, kind: .public)
    static let a2 = DeviceAddress(0xA713_702D_CFC1, kind: .public)
    static let macKey = octets16("2965f176a1084a02fd3f6a20ce636e20")
    static let key = octets16("ec0234a357c8ad05341010a60a397d9b")
}

@Suite("Security toolbox: sample data")
struct SecurityToolboxTests {
    @Test("e: AES-128 (FIPS 197, C.1)")
    func e() {
        let block = SecurityToolbox.e(
            octets16("000102030405060708090a0b0c0d0e0f"),
            octets16("00112233445566778899aabbccddeeff")
        )
        #expect(block == octets16("69c4e0d86a7b0430d8cdb78070b4c55a"))
    }

    @Test(
        "AES-CMAC (RFC 4493, 4)",
        arguments: [
            ("", "bb1d6929e95937287fa37d129b756746"),
            ("6bc1bee22e409f96e93d7e117393172a", "070a16b46b4d4144f79bdd9dd04a287c"),
            (
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411",
                "dfa66747de9ae63030ca32611497c827"
            ),
        ]
    )
    func cmac(_ message: String, _ code: String) {
        let key = octets16("2b7e151628aed2a6abf7158809cf4f3c")
        #expect(SecurityToolbox.cmac(key, Array(hex(message).readableBytesView)) == octets16(code))
    }

    @Test("c1 and s1, the functions of legacy pairing (2.2.3, 2.2.4)")
    func legacyFunctions() {
        let confirm = SecurityToolbox.c1(
            .zero,
            octets16("5783D52156AD6F0E6388274EC6702EE0"),
            request: Array(hex("01 01 00 00 10 07 07").readableBytesView),
            response: Array(hex("02 03 00 00 08 00 05").readableBytesView),
            initiator: DeviceAddress(0xA1A2_A3A4_A5A6, kind: .random),
            responder: DeviceAddress(0xB1B2_B3B4_B5B6, kind: .public)
        )
        #expect(confirm == octets16("1e1e3fef878988ead2a74dc5bef13b86"))
        let key = SecurityToolbox.s1(
            .zero,
            octets16("000F0E0D0C0B0A091122334455667788"),
            octets16("010203040506070899AABBCCDDEEFF00")
        )
        #expect(key == octets16("9a1fe1f0e8b0f49b5b4216ae796da062"))
    }

    @Test("ah, f4, f5, f6, g2, h6 and h7 (Appendix D)")
    func appendixD() {
        typealias Toolbox = SecurityToolbox
        let (n1, n2, a1, a2) = (SampleData.n1, SampleData.n2, SampleData.a1, SampleData.a2)
        for r in [0x70_8194, 0xFF70_8194] as [UInt32] { #expect(Toolbox.ah(SampleData.key, r) == 0x0DFBAA) }
        // The samples use the private key of B for V.
        let (u, v) = (SampleData.publicA.x, SampleData.privateB)
        #expect(Toolbox.f4(u, v, n1, 0) == octets16("f2c916f107a9bd1cf1eda1bea974872d"))
        let keys = Toolbox.f5(SampleData.dhKey, n1, n2, a1, a2)
        #expect(keys.macKey == SampleData.macKey && keys.longTermKey == octets16("6986791169d7cd23980522b594750a38"))
        let r = octets16("12a3343bb453bb5408da42d20c2d0fc8")
        let check = Toolbox.f6(SampleData.macKey, n1, n2, r, [0x01, 0x01, 0x02], a1, a2)
        #expect(check == octets16("e3c473989cd0e8c5d26c0b09da958f61"))
        let number = Toolbox.g2(u, v, n1, n2)
        #expect(number == 0x2F9E_D5BA && Passkey(comparing: number).description == "938554")
    }

    @Test("shortens a key from its most significant end (2.3.4)")
    func masking() {
        let key = octets16("123456789ABCDEF0123456789ABCDEF0")
        #expect(key.masked(toOctets: 7) == octets16("0000000000000000003456789ABCDEF0"))
        #expect(key.masked(toOctets: 8) == octets16("0000000000000000123456789ABCDEF0"))
        #expect(key.masked(toOctets: 9) == octets16("00000000000000F0123456789ABCDEF0"))
        #expect(key.masked(toOctets: 15) == octets16("003456789ABCDEF0123456789ABCDEF0"))
        #expect(key.masked(toOctets: 16) == key && key.masked(toOctets: 17) == key)
        #expect(key.masked(toOctets: 1) == octets16("000000000000000000000000000000F0"))
        #expect(key.masked(toOctets: 0) == .zero)
    }
}
