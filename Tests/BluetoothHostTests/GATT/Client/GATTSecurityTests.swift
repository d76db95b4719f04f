// What the client does with a request that the server refuses because the link is not secure enough
// (Vol 3, Part C, 10.3.2).

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: refusals for want of security")
struct GATTSecurityTests {
    private static let unauthenticated = LinkSecurity.Key(isAuthenticated: false, isSecureConnections: true)
    private static let authenticated = LinkSecurity.Key(isAuthenticated: true, isSecureConnections: true)

    private static func refused(_ error: String) -> (ClientScript, GATTProcedureID) {
        var script = ClientScript()
        script.awaitsSecurity = true
        let id = script.start(.read(3))
        script.play(
            """
            > 0A 03 00      // Read Request
            < 01 0A 03 00 \(error)
            """
        )
        return (script, id)
    }

    @Test("A request that was refused is sent once more on an encrypted link", arguments: ["05", "0F"])
    func repeated(error: String) {
        var (script, id) = Self.refused(error)
        #expect(script.takeReported() == [.needsSecurity(.encrypted)])
        script.secured(Self.unauthenticated)
        script.play(
            """
            > 0A 03 00
            < 0B 07
            """
        )
        #expect(script.takeReported() == [.complete(id, .success(.value(ByteBuffer(bytes: [7]))))])
    }

    @Test("What is given up is not reported, whether it waits for security or not", arguments: [false, true])
    func cancelled(isItself: Bool) {
        var (script, id) = Self.refused("05")
        let other = script.start(.read(9))
        script.cancel(isItself ? id : other)
        script.secured(Self.unauthenticated)
        script.play("> 0A 03 00\n< 0B 07" + (isItself ? "\n> 0A 09 00\n< 0B 08" : ""))
        let left: ClientScript.Action =
            isItself
            ? .complete(other, .success(.value(ByteBuffer(bytes: [8]))))
            : .complete(id, .success(.value(ByteBuffer(bytes: [7]))))
        #expect(script.takeReported() == [.needsSecurity(.encrypted), left])
    }

    @Test("A link that has not become more secure is no reason to ask again")
    func notMoreSecure() {
        var (script, _) = Self.refused("05")
        var actions: [ATTBearer.Action] = []
        script.client.repeatRefusedRequest(now: script.now, into: &actions)
        #expect(actions.isEmpty)
        script.client.security.key = Self.unauthenticated
        script.client.repeatRefusedRequest(now: script.now, into: &actions)
        #expect(actions.count == 1)
    }

    @Test("A server that still refuses is asked with an authenticated key, and then no more")
    func escalation() {
        var (script, id) = Self.refused("05")
        script.secured(Self.unauthenticated)
        script.play("> 0A 03 00\n< 01 0A 03 00 05")
        #expect(script.takeReported() == [.needsSecurity(.encrypted), .needsSecurity(.authenticated)])
        script.secured(Self.authenticated)
        script.play("> 0A 03 00\n< 01 0A 03 00 05")
        #expect(script.takeReported() == [.complete(id, .failure(.att(.insufficientAuthentication, handle: 3)))])
    }

    @Test("Refusals that no key of another kind helps against are reported at once", arguments: ["08", "0C", "02"])
    func final(error: String) throws {
        var (script, id) = Self.refused(error)
        let code = ATTErrorCode(rawValue: try #require(UInt8(error, radix: 16)))
        #expect(script.takeReported() == [.complete(id, .failure(.att(code, handle: 3)))])
    }

    @Test("Without a more secure link the refusal is reported, or why there is none; the next request follows")
    func accepted() {
        for error: GATTError? in [nil, .pairingTimedOut] {
            var (script, id) = Self.refused("0F")
            let next = script.start(.read(4))
            _ = script.takeReported()
            script.acceptRefusal(error)
            let reported = error ?? .att(.insufficientEncryption, handle: 3)
            #expect(script.takeReported() == [.complete(id, .failure(reported))])
            script.play("> 0A 04 00\n< 0B 01")
            #expect(script.takeReported() == [.complete(next, .success(.value(ByteBuffer(bytes: [1]))))])
        }
    }

    @Test("A link that was encrypted while the request was on its way is enough for a repetition")
    func meanwhile() {
        var script = ClientScript()
        script.awaitsSecurity = true
        script.start(.read(3))
        script.play("> 0A 03 00")
        script.secured(Self.unauthenticated)
        script.play("< 01 0A 03 00 05\n> 0A 03 00\n< 0B 07")
        #expect(script.takeReported().count == 1)
    }

    @Test("No time runs for a request that waits for security; the repetition has 30 s of its own")
    func time() {
        var (script, _) = Self.refused("05")
        _ = script.takeReported()
        script.advance(.seconds(100))
        #expect(script.takeReported().isEmpty)
        script.secured(Self.unauthenticated)
        script.play("> 0A 03 00")
        script.advance(.seconds(30))
        #expect(script.takeReported().contains(.bearerFailed))
    }

    @Test("BLESA, CVE-2020-9770: while a bond's key is not in use nothing is sent, and nothing is believed")
    func held() {
        var script = ClientScript()
        script.client.client.isHeld = true
        script.start(.read(3))
        script.play("< 1B 03 00 07      // a notification")
        #expect(script.takeReported().isEmpty)
        script.client.client.isHeld = false
        script.secured(Self.authenticated)
        script.play("> 0A 03 00\n< 0B 07")
        #expect(script.takeReported().count == 1)
    }
}
