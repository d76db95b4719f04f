// A request that was sent with the most secure key and is refused when the link has another one: there is no more
// secure link that it could be repeated on (Vol 3, Part C, 10.3.2).

import Fixtures
import Testing

@testable import BluetoothHost

@Suite("GATT client: a key that becomes a weaker one")
struct GATTWeakerKeyTests {
    @Test(
        "A refusal of a request that was sent at level 4 is reported, whatever level the link has by then",
        arguments: [SecurityLevel.none, .encrypted, .authenticated, .secureConnections]
    )
    func refused(level: SecurityLevel) {
        let cases: [(String, ATTErrorCode)] = [("05", .insufficientAuthentication), ("0F", .insufficientEncryption)]
        for (code, error) in cases {
            var script = ClientScript()
            script.awaitsSecurity = true
            script.client.security = LinkSecurity(level: .secureConnections)
            let id = script.start(.read(0x0003))
            script.play("> 0A 03 00")
            script.client.security = LinkSecurity(level: level)
            script.play("< 01 0A 03 00 \(code)")
            #expect(script.takeReported() == [.complete(id, .failure(.att(error, handle: 0x0003)))])
        }
    }
}
