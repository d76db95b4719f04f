// Known attacks on pairing, by name, as far as a Security Manager can stop them.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Pairing: attacks")
struct PairingAttackTests {
    typealias Side = SecurityManagerPair.Side

    static let just = PairingConfiguration()
    static let display = PairingConfiguration(ioCapability: .displayYesNo, prefersMITMProtection: true)

    /// Runs a pairing in which every PDU with a code is changed in transit to a side.
    static func pair(
        _ configuration: PairingConfiguration = just,
        to side: Side,
        code: UInt8,
        _ change: @escaping (ByteBuffer) -> ByteBuffer?
    ) -> SecurityManagerPair {
        var pair = SecurityManagerPair(central: configuration, peripheral: configuration)
        pair.tamper = { to, pdu in
            to == side && pdu.getInteger(at: pdu.readerIndex) == code ? change(pdu) : pdu
        }
        pair.pair()
        return pair
    }

    /// The PDU with an octet set.
    static func setting(_ octet: UInt8, at index: Int, of pdu: ByteBuffer) -> ByteBuffer {
        var pdu = pdu
        pdu.setInteger(octet, at: pdu.readerIndex + index)
        return pdu
    }

    /// Neither side has keys, and one of them has ended the pairing for this reason.
    static func expectFailure(
        _ reason: PairingFailedReason,
        at side: Side,
        _ pair: SecurityManagerPair,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(pair.report(side).errors == [.failed(reason)], sourceLocation: sourceLocation)
        #expect(pair.report(side.other).errors == [.failedByPeer(reason)], sourceLocation: sourceLocation)
        for side in [Side.central, .peripheral] {
            #expect(pair.report(side).paired == nil, sourceLocation: sourceLocation)
            #expect(pair.manager(side).bond == nil, sourceLocation: sourceLocation)
            #expect(pair.manager(side).security.level == .none, sourceLocation: sourceLocation)
        }
    }

    // MARK: Public keys

    @Test(
        "SM/CEN/KDU/BI-01-C, SM/PER/KDU/BI-01-C: invalid curve: rejects a point that is not on P-256 (CVE-2018-5383)",
        arguments: [Side.central, .peripheral]
    )
    func invalidCurve(_ side: Side) {
        // The fixed-coordinate attack sets Y to zero; the point at infinity, and coordinates beyond the field.
        for (octet, start) in [(0x00, 33), (0x00, 1), (0xFF, 1)] as [(UInt8, Int)] {
            let pair = Self.pair(to: side, code: 0x0C) { pdu in
                var pdu = pdu
                pdu.setRepeatingByte(octet, count: 65 - start, at: pdu.readerIndex + start)
                return pdu
            }
            Self.expectFailure(.dhKeyCheckFailed, at: side, pair)
        }
        let flipped = Self.pair(to: side, code: 0x0C) {
            Self.setting(($0.getInteger(at: $0.readerIndex + 64) ?? 0) ^ 1, at: 64, of: $0)
        }
        Self.expectFailure(.dhKeyCheckFailed, at: side, flipped)
    }

    @Test("reflected key: rejects this side's own key and the point opposite to it (CVE-2020-26558, CVE-2021-0129)")
    func reflectedKey() throws {
        for isOpposite in [false, true] {
            var script = SecurityManagerScript(isCentral: true, Self.passkey(.displayOnly))
            script.manager.pair(.authenticated, &script.context)
            script.receive(hex("02 02 00 0D 10 00 00"))
            let sent = script.takeOutput().last { $0.hasPrefix("< 0C") }
            var key = hex(String(try #require(sent).dropFirst(2)))
            if isOpposite {
                // -Y = p - Y: another point with the same X.
                let y = Array(try #require(key.getBytes(at: 33, length: 32)))
                key.setBytes(Self.negated(y), at: 33)
            }
            script.receive(key)
            #expect(script.takeOutput() == ["< 05 0B", "? failed 0B"])
        }
    }

    /// p - Y, least significant octet first.
    private static func negated(_ y: [UInt8]) -> [UInt8] {
        let p = hex("FFFFFFFFFFFFFFFFFFFFFFFF 000000000000000000000000 01000000FFFFFFFF").readableBytesView
        var borrow = 0
        return zip(p, y).map { left, right in
            var digit = Int(left) - Int(right) - borrow
            borrow = digit < 0 ? 1 : 0
            if digit < 0 { digit += 256 }
            return UInt8(digit)
        }
    }

    static func passkey(_ capability: IOCapability) -> PairingConfiguration {
        PairingConfiguration(ioCapability: capability, prefersMITMProtection: true)
    }

    @Test("debug key: rejects the key whose private half is public unless it is allowed", arguments: [false, true])
    func debugKey(isAllowed: Bool) {
        let configuration = PairingConfiguration(acceptsDebugKey: isAllowed)
        let debugKey = SMPCommand.pairingPublicKey(SampleData.publicA).encoded()
        var responder = SecurityManagerScript(isCentral: false, configuration)
        responder.run("> 01 03 00 09 10 00 00 \n < 02 03 00 09 10 00 00")
        responder.receive(debugKey)
        let answer = responder.takeOutput()
        var initiator = SecurityManagerScript(isCentral: true, configuration)
        initiator.run(
            """
            pair encrypted
            < 01 03 00 09 10 01 03
            > 02 03 00 09 10 00 00
            < 0C \(SecurityManagerScript.ownKey)
            """
        )
        initiator.receive(debugKey)
        guard isAllowed else {
            #expect(answer == ["< 05 03", "? failed 03"])
            return #expect(initiator.takeOutput() == ["< 05 03", "? failed 03"])
        }
        #expect(answer.map { $0.prefix(4) } == ["< 0C", "< 03"])
        #expect(initiator.takeOutput() == [])
        initiator.receive(octets(["03", "00..0F"]))
        #expect(initiator.takeOutput().map { $0.prefix(4) } == ["< 04"])
    }

    @Test("fresh keys: uses each key pair and nonce for one pairing only")
    func freshKeys() {
        var octets: [String] = []
        for seed in 0..<4 as Range<UInt64> {
            var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just, seed: seed)
            for _ in 0..<3 {
                pair.pair()
                pair.central.removeBond()
                pair.peripheral.removeBond()
            }
            octets += pair.log.map { hex($0.1) }.filter { $0.hasPrefix("0C") || $0.hasPrefix("04") }
        }
        #expect(octets.count == 4 * 3 * 4)
        #expect(Set(octets).count == octets.count)
    }

    // MARK: Weaker keys

    @Test("short key: rejects features whose key size was changed in transit (KNOB)", arguments: 7..<16)
    func shortKey(_ size: Int) {
        var pair = Self.pair(to: .peripheral, code: 0x01) { Self.setting(UInt8(size), at: 4, of: $0) }
        Self.expectFailure(.encryptionKeySize, at: .peripheral, pair)
        pair = Self.pair(to: .central, code: 0x02) { Self.setting(UInt8(size), at: 4, of: $0) }
        Self.expectFailure(.encryptionKeySize, at: .central, pair)
        // If short keys are allowed, legacy pairing detects that the two sides have not seen the same features. The
        // checks of LE Secure Connections do not include the size: only a minimum helps.
        let lenient = PairingConfiguration(supportsSecureConnections: false, minimumKeySize: 7)
        pair = Self.pair(lenient, to: .peripheral, code: 0x01) { Self.setting(UInt8(size), at: 4, of: $0) }
        Self.expectFailure(.confirmValueFailed, at: .peripheral, pair)
    }

    @Test("downgrade: fails if the Secure Connections flag was removed in transit")
    func downgrade() {
        let remove: (ByteBuffer) -> ByteBuffer? = { Self.setting(0x01, at: 3, of: $0) }
        // From one command: the sides do not agree on the kind of pairing. From both: legacy pairing detects that they
        // have not seen the same features.
        var pair = Self.pair(to: .peripheral, code: 0x01, remove)
        Self.expectFailure(.unspecifiedReason, at: .peripheral, pair)
        pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
        pair.tamper = { _, pdu in
            let code: UInt8? = pdu.getInteger(at: pdu.readerIndex)
            return code == 0x01 || code == 0x02 ? remove(pdu) : pdu
        }
        pair.pair()
        Self.expectFailure(.confirmValueFailed, at: .peripheral, pair)
        // In Secure Connections Only mode they do not try.
        let strict = PairingConfiguration(ioCapability: .displayYesNo, isSecureConnectionsOnly: true)
        for (side, code) in [(Side.peripheral, 0x01), (.central, 0x02)] as [(Side, UInt8)] {
            Self.expectFailure(.authenticationRequirements, at: side, Self.pair(strict, to: side, code: code, remove))
        }
    }

    @Test("weaker bond: keeps the key of a bonded peer that pairs again for a weaker one")
    func weakerBond() {
        var strong = Self.display
        strong.consent = .never
        strong.minimumKeySize = 7
        var whole = SecurityManagerPair(central: strong, peripheral: strong)
        whole.pair()
        #expect(whole.central.security.level == .secureConnections)
        let weaker: [(PairingFailedReason, (inout PairingConfiguration) -> Void)] = [
            (.authenticationRequirements, { $0.ioCapability = .noInputNoOutput }),
            (
                .authenticationRequirements,
                {
                    $0.supportsSecureConnections = false
                    $0.ioCapability = .keyboardOnly
                }
            ),
            (.encryptionKeySize, { $0.maximumKeySize = 15 }),
        ]
        for side in [Side.central, .peripheral] {
            for (reason, change) in weaker {
                var pair = whole.linkedAnew()
                // One side has lost its keys, or is another device.
                pair.with(side) { manager, _ in
                    manager.removeBond()
                    change(&manager.configuration)
                }
                pair.pair()
                #expect(pair.report(side.other).errors == [.failed(reason)])
                #expect(pair.report(side).errors == [.failedByPeer(reason)])
                #expect(pair.manager(side.other).bond == whole.manager(side.other).bond)
            }
        }
    }

    @Test("bond without consent: asks the user before a bonded peer replaces its keys")
    func consent() {
        var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
        pair.pair()
        let bond = pair.peripheral.bond
        for agrees in [false, true] {
            var next = pair.linkedAnew()
            next.central.removeBond()
            next.answers = false
            next.pair()
            let question = PairingConsent(
                model: .justWorks,
                replacesBond: true,
                replaced: bond?.identityAddress
            )
            #expect(next.report(.peripheral).questions == [.consent(question)])
            #expect(next.log.count == 1)
            #expect(next.peripheral.bond == bond)
            next.with(.peripheral) { $0.answer(.consent(agrees), &$1) }
            next.run()
            if agrees {
                #expect(next.report(.peripheral).isBonded == true)
                #expect(next.peripheral.bond != bond && next.peripheral.bond?.local == next.central.bond?.peer)
            } else {
                #expect(next.report(.peripheral).errors == [.failed(.pairingNotSupported)])
                #expect(next.peripheral.bond == bond)
            }
        }
    }

    // MARK: Order

    @Test("out of order: ends the pairing for each command that does not belong there, in every state")
    func outOfOrder() throws {
        for pairing in PairingCase.models {
            var running = pairing.pair()
            running.with(.central) { $0.pair(.encrypted, &$1) }
            running.run(limit: 1)
            var count = 0
            while let (side, expected) = running.wire.first {
                let expectedCode: UInt8? = expected.getInteger(at: expected.readerIndex)
                for (command, _) in SMPCommandTests.commands where running.manager(side).isPairing {
                    let code = command.code.rawValue
                    // Pairing Failed ends it otherwise; Security Requests and keypresses are ignored. The responder's
                    // user may be slower than its peer, so a confirm value and a check may wait for it.
                    let isHarmless =
                        code == 0x05 || code == 0x0E || (code == 0x0B && side == .central)
                        || ([0x03, 0x0D].contains(code) && side == .peripheral)
                    guard code != expectedCode, !isHarmless else { continue }
                    var pair = running
                    pair.with(side) { $0.receive(command.encoded(), &$1) }
                    #expect(pair.report(side).errors.count == 1, "\(pairing), code \(code)")
                    #expect(!pair.manager(side).isPairing)
                    #expect(pair.manager(side).bond == nil)
                    count += 1
                }
                running.run(limit: 1)
            }
            #expect(count > 100)
            #expect(running.report(.central).isBonded == true)
        }
    }

    @Test("early DHKey Check: rejects it before the nonces, and keeps one while the user compares the numbers")
    func earlyCheck() {
        let check = hex("0D 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F")
        for (code, commands) in [(0x0C, 2), (0x04, 5)] as [(UInt8, Int)] {
            var pair = SecurityManagerPair(central: Self.display, peripheral: Self.display)
            pair.with(.central) { $0.pair(.encrypted, &$1) }
            pair.run(limit: commands)
            #expect(pair.wire.first?.1.getInteger(at: pair.wire[0].1.readerIndex) == code)
            pair.with(.peripheral) { $0.receive(check, &$1) }
            #expect(pair.report(.peripheral).errors == [.failed(.unspecifiedReason)])
        }
        // An initiator has to send its own check first.
        var initiator = SecurityManagerPair(central: Self.display, peripheral: Self.display)
        initiator.answers = false
        initiator.pair()
        initiator.with(.central) { $0.receive(check, &$1) }
        #expect(initiator.report(.central).errors == [.failed(.unspecifiedReason)])
        // A wrong check ends the pairing when the user has said yes, a second one at once.
        for isSecond in [false, true] {
            for isSame in [false, true] {
                var pair = SecurityManagerPair(central: Self.display, peripheral: Self.display)
                pair.answers = false
                pair.pair()
                #expect(pair.report(.peripheral).questions.count == 1)
                pair.with(.peripheral) { $0.receive(check, &$1) }
                #expect(pair.report(.peripheral).errors.isEmpty)
                if isSecond { pair.with(.peripheral) { $0.receive(check, &$1) } }
                pair.with(.peripheral) { $0.answer(.numbersMatch(isSame), &$1) }
                let reason: PairingFailedReason =
                    isSecond ? .unspecifiedReason : isSame ? .dhKeyCheckFailed : .numericComparisonFailed
                #expect(pair.report(.peripheral).errors == [.failed(reason)])
            }
        }
    }

    @Test("keys before encryption: ends the pairing for a key that arrives on the unencrypted link")
    func keysBeforeEncryption() {
        for (command, _) in SMPCommandTests.commands where (0x06...0x0A).contains(command.code.rawValue) {
            for side in [Side.central, .peripheral] {
                var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
                pair.loseLastCheck()
                pair.pair()
                #expect(pair.manager(side).isPairing)
                pair.with(side) { $0.receive(command.encoded(), &$1) }
                #expect(pair.report(side).errors == [.failed(.unspecifiedReason)])
            }
        }
    }
}
