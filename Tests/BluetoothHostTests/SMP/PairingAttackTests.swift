// Attacks on pairing, each by the name under which it is known, as far as a Security Manager can stop them.

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

    /// Runs a pairing in which every PDU with a code is changed on its way to a side.
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
        "SM/CEN/KDU/BI-01-C, SM/PER/KDU/BI-01-C: invalid curve, a point that is not on P-256 (CVE-2018-5383)",
        arguments: [Side.central, .peripheral]
    )
    func invalidCurve(_ side: Side) {
        // The fixed-coordinate attack sets Y to zero; a bit of Y or X that is changed, no point at all.
        let changes: [(ByteBuffer) -> ByteBuffer] = [
            { pdu in
                var pdu = pdu
                pdu.setRepeatingByte(0, count: 32, at: pdu.readerIndex + 33)
                return pdu
            },
            { Self.setting(($0.getInteger(at: $0.readerIndex + 64) ?? 0) ^ 1, at: 64, of: $0) },
            { pdu in
                var pdu = pdu
                pdu.setRepeatingByte(0, count: 64, at: pdu.readerIndex + 1)
                return pdu
            },
            { pdu in
                var pdu = pdu
                pdu.setRepeatingByte(0xFF, count: 64, at: pdu.readerIndex + 1)
                return pdu
            },
        ]
        for change in changes {
            Self.expectFailure(.dhKeyCheckFailed, at: side, Self.pair(to: side, code: 0x0C, change))
        }
    }

    @Test("reflected key: this side's own key comes back, or the point opposite to it (CVE-2020-26558, CVE-2021-0129)")
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

    @Test("debug key: a peer that uses the key whose private half everybody knows", arguments: [false, true])
    func debugKey(_ isAccepted: Bool) {
        let configuration = PairingConfiguration(acceptsDebugKey: isAccepted)
        var script = SecurityManagerScript(isCentral: false, configuration)
        script.receive(hex("01 03 00 09 10 00 00"))
        _ = script.takeOutput()
        script.receive(SMPCommand.pairingPublicKey(SampleData.publicA).encoded())
        if isAccepted {
            #expect(script.takeOutput().count == 2)
        } else {
            #expect(script.takeOutput() == ["< 05 03", "? failed 03"])
        }
    }

    @Test("fresh keys: no two pairings use one key pair or one nonce")
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

    @Test("short key: the sizes of the features are changed on their way (KNOB)", arguments: 7..<16)
    func shortKey(_ size: Int) {
        var pair = Self.pair(to: .peripheral, code: 0x01) { Self.setting(UInt8(size), at: 4, of: $0) }
        Self.expectFailure(.encryptionKeySize, at: .peripheral, pair)
        pair = Self.pair(to: .central, code: 0x02) { Self.setting(UInt8(size), at: 4, of: $0) }
        Self.expectFailure(.encryptionKeySize, at: .central, pair)
        // Where short keys are allowed, legacy pairing finds that the two sides have not seen the same features. The
        // checks of LE Secure Connections do not hold the size: nothing but a minimum helps.
        let lenient = PairingConfiguration(supportsSecureConnections: false, minimumKeySize: 7)
        pair = Self.pair(lenient, to: .peripheral, code: 0x01) { Self.setting(UInt8(size), at: 4, of: $0) }
        Self.expectFailure(.confirmValueFailed, at: .peripheral, pair)
    }

    @Test("downgrade: the Secure Connections flag is removed on its way")
    func downgrade() {
        let remove: (ByteBuffer) -> ByteBuffer? = { Self.setting(0x01, at: 3, of: $0) }
        // From one command: the sides do not agree on the kind of pairing. From both: they could pair by the old way,
        // and find that they have not seen the same features.
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
        Self.expectFailure(
            .authenticationRequirements,
            at: .peripheral,
            Self.pair(strict, to: .peripheral, code: 0x01, remove)
        )
        Self.expectFailure(
            .authenticationRequirements,
            at: .central,
            Self.pair(strict, to: .central, code: 0x02, remove)
        )
    }

    @Test("Secure Connections Only mode: neither Just Works nor a short key will do, a whole key does")
    func secureConnectionsOnly() {
        let display = PairingConfiguration(ioCapability: .displayYesNo, isSecureConnectionsOnly: true)
        var pair = SecurityManagerPair(central: display, peripheral: display)
        pair.pair()
        #expect(pair.central.security.level == .secureConnections)
        pair = SecurityManagerPair(central: Self.just, peripheral: display)
        pair.pair()
        Self.expectFailure(.authenticationRequirements, at: .peripheral, pair)
        var short = display
        short.minimumKeySize = 7
        var legacy = short
        legacy.maximumKeySize = 15
        legacy.isSecureConnectionsOnly = false
        pair = SecurityManagerPair(central: short, peripheral: legacy)
        pair.pair()
        Self.expectFailure(.encryptionKeySize, at: .central, pair)
    }

    @Test("weaker bond: a bonded peer pairs anew for a weaker key, and keeps the one that it has")
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
                if side == .central { pair.central.removeBond() } else { pair.peripheral.removeBond() }
                if side == .central {
                    change(&pair.central.configuration)
                } else {
                    change(&pair.peripheral.configuration)
                }
                pair.pair()
                #expect(pair.report(side.other).errors == [.failed(reason)])
                #expect(pair.report(side).errors == [.failedByPeer(reason)])
                #expect(pair.manager(side.other).bond == whole.manager(side.other).bond)
            }
        }
    }

    @Test("bond without consent: a bonded peer that pairs anew is not trusted before the user says so")
    func consent() {
        var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
        pair.pair()
        let bond = pair.peripheral.bond
        for agrees in [false, true] {
            var next = pair.linkedAnew()
            next.central.removeBond()
            next.answers = false
            next.pair()
            let question = PairingConsent(model: .justWorks, isBonding: true, replacesBond: true)
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

    @Test("bond without consent: a peripheral's Security Request does not make a central replace its keys")
    func consentOfCentral() {
        var script = SecurityManagerScript(isCentral: true, PairingConfiguration(consent: .always))
        script.run(
            """
            > 0B 09
            ? consent
            > 0B 09                     # ignored
            no
            < 05 05
            ? failed 05
            wait 5
            > 0B 09
            ? consent
            yes
            < 01 03 00 09 10 01 03
            """
        )
    }

    // MARK: Order

    @Test("out of order: every command that does not belong there ends the pairing, in every state")
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
                    // Pairing Failed ends it in other words; Security Requests and keypresses mean nothing here. The
                    // responder's user may be slower than its peer, so that a promise and a check may wait for it.
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

    @Test("early DHKey Check: before the nonces, and before the user has compared the numbers")
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
        // While the user compares, a check waits: a wrong one ends the pairing when the user has said yes, a second one
        // at once, and the user's no goes before both.
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

    @Test("keys before encryption: a key that comes over the open link ends the pairing")
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
