// Attacks on pairing with too many PDUs, and PDUs that are too long, at the wrong time, or have forbidden values.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Pairing: floods and values")
struct PairingFloodTests {
    static let just = PairingConfiguration()
    static let nonce = hex("03 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F")

    /// Begins a pairing with the second key pair of the sample data; returns the machine's public key and what it sent
    /// last.
    static func exchangeKeys(
        _ script: inout SecurityManagerScript,
        _ features: String
    ) throws -> (key: PublicKey, last: ByteBuffer) {
        if script.manager.isCentral { script.manager.pair(.encrypted, &script.context) }
        script.receive(hex(features))
        script.receive(SMPCommand.pairingPublicKey(SampleData.publicB).encoded())
        let sent = script.takeOutput().filter { $0.hasPrefix("<") }.map { hex(String($0.dropFirst(2))) }
        let keys = sent.compactMap { pdu -> PublicKey? in
            guard case .pairingPublicKey(let key) = try? SMPCommand(parsing: pdu) else { return nil }
            return key
        }
        return (try #require(keys.first), try #require(sent.last))
    }

    @Test("zero and repeated values: rejects a nonce of zero that matches the confirm value", arguments: [false, true])
    func zeroNonce(_ isCentral: Bool) throws {
        var script = SecurityManagerScript(isCentral: isCentral, Self.just)
        let features = isCentral ? "02 03 00 09 10 00 00" : "01 03 00 09 10 00 00"
        let own = try Self.exchangeKeys(&script, features).key
        if isCentral {
            let confirm = SecurityToolbox.f4(SampleData.publicB.x, own.x, .zero, 0)
            script.receive(SMPCommand.pairingConfirm(confirm).encoded())
            _ = script.takeOutput()
        }
        script.receive(SMPCommand.pairingRandom(.zero).encoded())
        #expect(script.takeOutput() == ["< 05 04", "? failed 04"])
    }

    @Test("zero and repeated values: rejects this side's own confirm value and nonce", arguments: [0x03, 0x04])
    func ownValue(_ code: Int) throws {
        let configuration = PairingAttackTests.passkey(.displayOnly)
        var script = SecurityManagerScript(isCentral: true, configuration)
        let confirm = try Self.exchangeKeys(&script, "02 02 00 0D 10 00 00").last
        #expect(hex(confirm).hasPrefix("03"))
        if code == 0x03 {
            script.receive(confirm)
        } else {
            script.receive(Self.nonce)
            let random = try #require(script.takeOutput().first { $0.hasPrefix("< 04") })
            script.receive(hex(String(random.dropFirst(2))))
        }
        #expect(script.takeOutput() == ["< 05 04", "? failed 04"])
    }

    @Test("zero and repeated values: rejects the nonce of the previous round that matches the confirm value")
    func nonceOfTheRoundBefore() throws {
        let configuration = PairingAttackTests.passkey(.keyboardOnly)
        var script = SecurityManagerScript(isCentral: false, configuration)
        let own = try Self.exchangeKeys(&script, "01 00 00 0D 10 00 00").key
        script.manager.answer(.passkey(Passkey(0)), &script.context)
        let nonce = octets16("00112233445566778899AABBCCDDEEFF")
        let confirm = SecurityToolbox.f4(SampleData.publicB.x, own.x, nonce, 0x80)
        for isRepeated in [false, true] {
            script.receive(SMPCommand.pairingConfirm(confirm).encoded())
            #expect(script.takeOutput().count == 1)
            script.receive(SMPCommand.pairingRandom(nonce).encoded())
            let output = script.takeOutput()
            if isRepeated {
                #expect(output == ["< 05 04", "? failed 04"])
            } else {
                #expect(output.count == 1 && output[0].hasPrefix("< 04"))
            }
        }
    }

    @Test(
        "zero and repeated values: rejects this side's own nonce and zero with out-of-band data",
        arguments: ["80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71", "00*16"]
    )
    func nonceWithOutOfBandData(nonce: String) {
        runSecurityManager(
            "central keys=00",
            """
            \(SecurityManagerCentralTests.testersData)
            pair encrypted
            < 01 03 01 09 10 00 00
            > 02 03 00 09 10 00 00
            \(SecurityManagerCentralTests.keys)
            < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
            > 04 \(nonce)
            < 05 04
            ? failed 04
            """
        )
    }

    @Test("zero and repeated values: rejects a long term key and a signing key of zero, and accepts an IRK of zero")
    func zeroKeys() {
        let keys: KeyDistribution = [.encryptionKey, .identityKey, .signingKey]
        let configuration = PairingConfiguration(
            supportsSecureConnections: false,
            initiatorKeys: keys,
            responderKeys: keys,
            identity: PairingCase.peripheralIdentity
        )
        for code in [0x06, 0x08, 0x0A] as [UInt8] {
            var pair = SecurityManagerPair(central: configuration, peripheral: configuration)
            pair.tamper = { to, pdu in
                guard to == .central, pdu.getInteger(at: pdu.readerIndex) == code else { return pdu }
                var pdu = pdu
                pdu.setRepeatingByte(0, count: 16, at: pdu.readerIndex + 1)
                return pdu
            }
            pair.pair()
            if code == 0x08 {
                #expect(pair.central.bond?.peer.identity?.identityResolvingKey == .zero)
                #expect(pair.central.bond?.identityAddress == PairingCase.peripheralIdentity.address)
            } else {
                #expect(pair.report(.central).errors == [.failed(.keyRejected)])
                #expect(pair.central.bond == nil && pair.peripheral.bond == nil)
            }
        }
    }

    @Test("oversized and truncated PDUs: end a pairing, and are ignored outside of one")
    func malformed() {
        for (command, _) in SMPCommandTests.commands {
            let pdu = command.encoded()
            var changed: [ByteBuffer] = (1..<pdu.readableBytes).compactMap {
                pdu.getSlice(at: pdu.readerIndex, length: $0)
            }
            for excess in [1, 60, 500] {
                var long = pdu
                long.writeRepeatingByte(0x55, count: excess)
                changed.append(long)
            }
            for pdu in changed {
                var script = SecurityManagerScript(isCentral: true, Self.just)
                script.receive(pdu)
                let isRequest = [0x01, 0x0B].contains(command.code.rawValue)
                #expect(script.takeOutput() == (isRequest ? ["< 05 0A"] : []))
                script.manager.pair(.encrypted, &script.context)
                _ = script.takeOutput()
                script.receive(pdu)
                let isFailure = command.code == .pairingFailed
                #expect(script.takeOutput() == (isFailure ? ["? peer 08"] : ["< 05 0A", "? failed 0A"]))
            }
        }
        var script = SecurityManagerScript(isCentral: true, Self.just)
        script.manager.pair(.encrypted, &script.context)
        _ = script.takeOutput()
        for text in ["", "00", "0F 01 02", "FF"] { script.receive(hex(text)) }
        #expect(script.takeOutput().isEmpty)
        #expect(script.manager.isPairing)
    }

    @Test("requests during a pairing: a second one and one in the wrong role end it, a Security Request does not")
    func whilePairing() {
        runSecurityManager(
            "peripheral",
            """
            > 01 03 00 09 10 00 00
            < 02 03 00 09 10 00 00
            > 01 03 00 09 10 00 00
            < 05 08
            ? failed 08
            > 0B 01                     # a central does not ask
            < 05 07
            wait 2
            > 01 03 00 09 10 00 00
            < 02 03 00 09 10 00 00
            > 0B 01
            < 05 07
            ? failed 07
            """
        )
        runSecurityManager(
            "central",
            """
            > 01 03 00 09 10 00 00      # a peripheral does not request
            < 05 07
            pair encrypted
            < 01 03 00 09 10 01 03
            pair encrypted
            ? inProgress
            > 0B 0D
            > 01 03 00 09 10 00 00
            < 05 07
            ? failed 07
            > 02 03 00 09 10 00 00      # late
            > 05 08
            """
        )
    }

    @Test("both sides start at once: pairs once if a Security Request and a Pairing Request cross")
    func bothStart() {
        var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
        pair.with(.peripheral) { $0.requestSecurity(.encrypted, &$1) }
        pair.with(.central) { $0.requestSecurity(.encrypted, &$1) }
        pair.run()
        #expect(pair.report(.central).isBonded == true && pair.report(.peripheral).isBonded == true)
        #expect(pair.log.filter { $0.1.getInteger(at: $0.1.readerIndex) == UInt8(0x01) }.count == 1)
        #expect(pair.report(.central).errors.isEmpty && pair.report(.peripheral).errors.isEmpty)
    }
}
