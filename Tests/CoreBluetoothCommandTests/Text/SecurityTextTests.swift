import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Testing

@testable import CoreBluetoothCommand

@Suite("The security of a connection in words")
struct SecurityTextTests {
    private static func link(_ isAuthenticated: Bool, _ isSecureConnections: Bool, size: Int = 16) -> LinkSecurity {
        LinkSecurity(key: .init(isAuthenticated: isAuthenticated, isSecureConnections: isSecureConnections, size: size))
    }

    @Test(
        "says how the devices have paired, and the size of a key that is shorter than sixteen octets",
        arguments: [
            (nil, "not encrypted", "none"), (LinkSecurity.none, "not encrypted", "none"),
            (link(false, false), "encrypted, paired without a code (legacy pairing)", "encrypted"),
            (link(false, true), "encrypted, paired without a code", "encrypted"),
            (link(true, false), "encrypted, paired by a code (legacy pairing)", "authenticated"),
            (link(true, true), "encrypted, paired by a code", "secureConnections"),
            (link(true, true, size: 15), "encrypted, paired by a code, key of 15 octets", "secureConnections"),
            (link(false, true, size: 7), "encrypted, paired without a code, key of 7 octets", "encrypted"),
        ] as [(LinkSecurity?, String, String)]
    )
    func texts(security: LinkSecurity?, text: String, name: String) {
        #expect(SecurityText.text(security) == text)
        #expect(SecurityText.json(security).text == "\"\(name)\"")
    }

    @Test(
        "says what a refused attribute needs beyond what the connection has",
        arguments: [
            (.insufficientAuthentication, nil, "needs pairing"),
            (.insufficientAuthentication, link(false, true), "needs pairing by a code"),
            (.insufficientAuthentication, link(true, false), "needs LE Secure Connections"),
            (.insufficientEncryption, nil, "needs an encrypted connection"),
            (.insufficientEncryptionKeySize, link(true, true, size: 7), "needs a longer key"),
            (.insufficientAuthorization, nil, "needs the permission of the device's user"),
            (.readNotPermitted, nil, nil),
        ] as [(CBATTError.Code, LinkSecurity?, String?)]
    )
    func demands(code: CBATTError.Code, security: LinkSecurity?, words: String?) {
        #expect(SecurityText.demand(CBATTError(code), on: security) == words)
        #expect(SecurityText.demand(CBError(.connectionTimeout), on: security) == nil)
    }
}
