// Requests that the server refuses because the link is not secure enough (Vol 3, Part C, 10.3.2), and links to bonded
// peers that are not encrypted yet.

import NIOCore
import Testing

@testable import BluetoothHost

extension GATTClientTests {
    private static let unauthenticated = LinkSecurity.Key(isAuthenticated: false, isSecureConnections: true)
    private static let authenticated = LinkSecurity.Key(isAuthenticated: true, isSecureConnections: true)

    /// A client whose request was refused with an error, and that waits for a more secure link.
    private static func refused(
        _ error: String,
        on level: SecurityLevel = .none
    ) -> (script: ClientScript, id: ClientScript.ID) {
        var script = ClientScript()
        script.awaitsSecurity = true
        script.bearer.security = LinkSecurity(level: level)
        let id = script.start(.read(3))
        script.play("> 0A 03 00 \n < 01 0A 03 00 \(error)")
        return (script, id)
    }

    @Test("repeats a refused request on an encrypted link", arguments: ["05", "0F"])
    func repeated(error: String) {
        var (script, id) = Self.refused(error)
        #expect(script.takeReported() == [.needsSecurity(.encrypted)])
        script.secured(Self.unauthenticated)
        script.play("> 0A 03 00 \n < 0B 07")
        #expect(script.takeReported() == [.complete(id, .success(.value(hex("07"))))])
    }

    @Test("does not report what is given up, whether it waits for security or not", arguments: [false, true])
    func cancelledForSecurity(isItself: Bool) {
        var (script, id) = Self.refused("05")
        let other = script.start(.read(9))
        script.cancel(isItself ? id : other)
        script.secured(Self.unauthenticated)
        script.play("> 0A 03 00\n< 0B 07" + (isItself ? "\n> 0A 09 00\n< 0B 08" : ""))
        let left: ClientScript.Action =
            isItself ? .complete(other, .success(.value(hex("08")))) : .complete(id, .success(.value(hex("07"))))
        #expect(script.takeReported() == [.needsSecurity(.encrypted), left])
    }

    @Test("does not repeat a request on a link that has not become more secure")
    func notMoreSecure() {
        var (script, _) = Self.refused("05")
        script.secured(nil)
        script.play("")
        script.secured(Self.unauthenticated)
        script.play("> 0A 03 00")
    }

    @Test("repeats a refused request once more with an authenticated key, and then gives up")
    func escalation() {
        var (script, id) = Self.refused("05")
        script.secured(Self.unauthenticated)
        script.play("> 0A 03 00\n< 01 0A 03 00 05")
        #expect(script.takeReported() == [.needsSecurity(.encrypted), .needsSecurity(.authenticated)])
        script.secured(Self.authenticated)
        script.play("> 0A 03 00\n< 01 0A 03 00 05")
        #expect(script.takeReported() == [.complete(id, .failure(.att(.insufficientAuthentication, handle: 3)))])
    }

    @Test("demands LE Secure Connections if an authenticated key is not enough, and nothing beyond")
    func lastLevel() {
        var (script, _) = Self.refused("05", on: .authenticated)
        #expect(script.takeReported() == [.needsSecurity(.secureConnections)])
        let id: ClientScript.ID
        (script, id) = Self.refused("05", on: .secureConnections)
        #expect(script.takeReported() == [.complete(id, .failure(.att(.insufficientAuthentication, handle: 3)))])
    }

    @Test("reports a refusal at once if no key of another kind helps", arguments: ["08", "0C", "02"])
    func final(error: String) throws {
        var (script, id) = Self.refused(error)
        let code = ATTErrorCode(rawValue: try #require(UInt8(error, radix: 16)))
        #expect(script.takeReported() == [.complete(id, .failure(.att(code, handle: 3)))])
    }

    @Test("reports the refusal, or why the link is not more secure, and begins the next procedure")
    func accepted() {
        for error: GATTError? in [nil, .pairingTimedOut] {
            var (script, id) = Self.refused("0F")
            let next = script.start(.read(4))
            _ = script.takeReported()
            script.acceptRefusal(error)
            let reported = error ?? .att(.insufficientEncryption, handle: 3)
            #expect(script.takeReported() == [.complete(id, .failure(reported))])
            script.play("> 0A 04 00\n< 0B 01")
            #expect(script.takeReported() == [.complete(next, .success(.value(hex("01"))))])
        }
    }

    @Test("accepts a refusal only if one waits")
    func nothingRefused() {
        var script = ClientScript()
        script.acceptRefusal(.pairingTimedOut)
        let id = script.start(.read(0x0003))
        script.acceptRefusal(.pairingTimedOut)
        script.play("> 0A 03 00 \n < 0B 07")
        #expect(script.takeReported() == [.complete(id, .success(.value(hex("07"))))])
    }

    @Test("ends an exchange of the MTU that was refused when the refusal is accepted")
    func refusedExchange() {
        var script = ClientScript()
        script.awaitsSecurity = true
        let id = script.start(.exchangeMTU(preferred: 517))
        script.play("> 02 05 02 \n < 01 02 00 00 0F")
        #expect(script.bearer.isExchangingMTU)
        script.acceptRefusal(.pairingTimedOut)
        #expect(script.takeReported() == [.needsSecurity(.encrypted), .complete(id, .failure(.pairingTimedOut))])
        #expect(!script.bearer.isExchangingMTU && script.bearer.mtu == 23)
    }

    @Test("repeats a request at once if the link was encrypted while it was on its way")
    func securedMeanwhile() {
        var script = ClientScript()
        script.awaitsSecurity = true
        script.start(.read(3))
        script.play("> 0A 03 00")
        script.secured(Self.unauthenticated)
        script.play("< 01 0A 03 00 05\n> 0A 03 00\n< 0B 07")
        #expect(script.takeReported().count == 1)
    }

    @Test("reports the refusal of a request of level 4, whatever level the link has by then")
    func weakerKey() {
        for level in SecurityLevel.allCases {
            for (code, error) in [("05", ATTErrorCode.insufficientAuthentication), ("0F", .insufficientEncryption)] {
                var script = ClientScript()
                script.awaitsSecurity = true
                script.bearer.security = LinkSecurity(level: .secureConnections)
                let id = script.start(.read(0x0003))
                script.play("> 0A 03 00")
                script.bearer.security = LinkSecurity(level: level)
                script.play("< 01 0A 03 00 \(code)")
                #expect(script.takeReported() == [.complete(id, .failure(.att(error, handle: 0x0003)))])
            }
        }
    }

    @Test("stops the clock while a request waits for security, and gives its repetition 30 s")
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

    @Test("sends a command while a request waits for security, unless its procedure is exclusive")
    func commandWhileSecuring() {
        var (script, _) = Self.refused("05")
        script.writeCommand(0x0007, hex("01"))
        script.play("> 52 07 00 01")
        script.acceptRefusal()
        script.start(.configure(.notifications, of: Self.characteristic, at: 0x0004))
        script.play("> 12 04 00 01 00 \n < 01 12 04 00 05")
        script.writeCommand(0x0007, hex("02"))
        script.play("")
        script.acceptRefusal()
        script.play("> 52 07 00 02")
    }

    @Test("BLESA, CVE-2020-9770: sends nothing and trusts nothing while a bond's key is not in use")
    func held() {
        var script = ClientScript()
        let id = script.start(.read(0x0003))
        script.play("> 0A 03 00")
        script.client.isHeld = true
        script.start(.read(0x0004))
        script.writeCommand(0x0007, hex("01"))
        for pdu in ["1D 08 00 01", "1B 08 00 01", "23 08 00 01 00 01 09 00 01 00 02", "0B AA"] {
            script.receive(hex(pdu))
        }
        script.play("")
        #expect(script.takeReported().isEmpty && script.takeTransmitted().isEmpty)
        script.client.isHeld = false
        script.secured(Self.authenticated)
        script.play("< 0B BB \n > 0A 04 00 \n > 52 07 00 01")
        #expect(script.takeReported() == [.complete(id, .success(.value(hex("BB"))))])
    }
}
