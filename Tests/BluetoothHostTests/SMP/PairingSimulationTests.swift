// Two devices of any configuration that pair, on links that lose, change, repeat and add PDUs and break, with users who
// answer anything and time that goes by.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Pairing: simulation")
struct PairingSimulationTests {
    private typealias Side = SecurityManagerPair.Side

    private static let sides: [Side] = [.central, .peripheral]

    /// Any configuration; with a kind one most pairings succeed.
    private static func configuration(
        _ choices: inout SeededChoices,
        _ identity: IdentityInformation,
        isKind: Bool
    ) -> PairingConfiguration {
        let minimum = choices.pick([7, 7, 8, 16])
        let hasAllKeys = choices.once(in: 2)
        return PairingConfiguration(
            isPairingAllowed: isKind || !choices.once(in: 12),
            ioCapability: choices.pick(IOCapability.allCases),
            isBondable: !choices.once(in: 5),
            prefersMITMProtection: choices.once(in: 2),
            minimumLevel: isKind ? .encrypted : choices.pick(SecurityLevel.allCases),
            supportsSecureConnections: !choices.once(in: 3),
            isSecureConnectionsOnly: !isKind && choices.once(in: 10),
            minimumKeySize: isKind ? 7 : minimum,
            maximumKeySize: Int.random(in: minimum...16, using: &choices),
            usesKeypressNotifications: choices.once(in: 2),
            initiatorKeys: KeyDistribution(rawValue: hasAllKeys ? 7 : UInt8(choices.below(16))),
            responderKeys: KeyDistribution(rawValue: hasAllKeys ? 7 : UInt8(choices.below(16))),
            identity: choices.once(in: 4) ? nil : identity,
            consent: choices.pick([.always, .whenReplacingBond, .never]),
            acceptsDebugKey: choices.once(in: 2)
        )
    }

    private static func pair(_ choices: inout SeededChoices, isKind: Bool) -> SecurityManagerPair {
        var pair = SecurityManagerPair(
            central: self.configuration(&choices, PairingCase.centralIdentity, isKind: isKind),
            peripheral: self.configuration(&choices, PairingCase.peripheralIdentity, isKind: isKind),
            seed: choices.next()
        )
        pair.differentKeysStatus = .connectionTerminatedMICFailure
        guard choices.once(in: 3) else { return pair }
        let (first, second) = (LocalOutOfBandData(using: &choices), LocalOutOfBandData(using: &choices))
        let temporaryKey = Octets16.random(using: &choices)
        if !choices.once(in: 4) { pair.central.outOfBand.local = first }
        if !choices.once(in: 4) { pair.peripheral.outOfBand.local = second }
        if choices.once(in: 2) { pair.central.outOfBand.peer = choices.once(in: 5) ? first.shared : second.shared }
        if choices.once(in: 2) { pair.peripheral.outOfBand.peer = choices.once(in: 5) ? second.shared : first.shared }
        if choices.once(in: 2) { pair.central.outOfBand.temporaryKey = temporaryKey }
        if choices.once(in: 2) { pair.peripheral.outOfBand.temporaryKey = temporaryKey }
        return pair
    }

    /// The invariants: only a waiting side has a deadline, and both sides use the same key.
    private static func check(_ pair: SecurityManagerPair, _ bonds: [Side: Set<Bond>] = [:]) {
        for side in self.sides {
            let manager = pair.manager(side)
            #expect((manager.deadline != nil) == (manager.isPairing || manager.requestedLevel != nil))
            if let bond = manager.bond, let made = bonds[side] { #expect(made.contains(bond), "bond of no pairing") }
        }
        #expect(pair.central.security.key == pair.peripheral.security.key)
    }

    @Test("gives two devices whose users cooperate the same keys or none", arguments: simulationSeeds(4))
    func configurations(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        for round in 0..<8 {
            var pair = Self.pair(&choices, isKind: round % 2 == 0)
            let level = choices.pick(SecurityLevel.allCases)
            pair.pair(level)
            Self.check(pair)
            let (central, peripheral) = (pair.report(.central), pair.report(.peripheral))
            #expect((central.paired != nil ? 1 : 0) + central.errors.count == 1, "a pairing ends once")
            #expect((central.paired == nil) == (peripheral.paired == nil))
            guard let first = central.paired, let second = peripheral.paired else { continue }
            #expect(first.local == second.peer && first.peer == second.local)
            #expect(first.key == second.key && central.isBonded == peripheral.isBonded)
            #expect(first.level >= level)
            for side in Self.sides {
                let configuration = pair.manager(side).configuration
                #expect(first.keySize >= configuration.minimumKeySize && first.level >= configuration.minimumLevel)
            }
            // The next link is encrypted with these keys, without a command.
            guard central.isBonded == true, first.longTermKey(asCentral: true) != nil else { continue }
            var next = pair.linkedAnew(seed: seed)
            next.with(.central) { $0.requestSecurity(.encrypted, &$1) }
            #expect(next.run() == 0 && next.central.security.key == first.key)
            Self.check(next)
        }
    }

    @Test("keeps the invariants whatever happens, and leaves nothing behind", arguments: simulationSeeds(8))
    func everything(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        var pair = Self.pair(&choices, isKind: seed % 3 != 0)
        var bonds: [Side: Set<Bond>] = [.central: [], .peripheral: []]
        for _ in 0..<60 {
            let side = choices.pick(Self.sides)
            pair.answers = seed % 2 == 0
            switch choices.below(18) {
            case 0, 1, 2: pair.with(side) { $0.pair(choices.pick(SecurityLevel.allCases), &$1) }
            case 3: pair.with(side) { $0.requestSecurity(choices.pick(SecurityLevel.allCases), &$1) }
            case 4...9: pair.run(limit: choices.pick([1, 1, 2, 3, 5, 80]))
            case 10, 11:
                guard let question = pair.report(side).questions.last else { continue }
                let shown = pair.report(side.other).questions.last
                pair.with(side) { $0.answer(Self.answer(to: question, shown, &choices), &$1) }
            case 12: pair.with(side) { $0.send(choices.pick(KeypressNotification.allCases), &$1) }
            case 13: pair.wire.insert((side, Self.pdu(&choices)), at: choices.below(pair.wire.count + 1))
            case 14: if choices.once(in: 2) { Self.tamper(&pair, &choices) }
            case 15: pair.wait(choices.pick([0, 1, 1, 2, 29, 30]))
            case 16: if choices.once(in: 3) { pair.with(side) { $0.cancelPairing(&$1) } }
            default:
                pair.encryptionStatus = choices.pick([.success, .success, .success, .pinOrKeyMissing])
                guard choices.once(in: 3) else { continue }
                pair.breakLink()
                for side in Self.sides { bonds[side]?.formUnion([pair.report(side).paired].compactMap { $0 }) }
                Self.checkEnd(pair)
                let outOfBand = (pair.central.outOfBand, pair.peripheral.outOfBand)
                pair = pair.linkedAnew(seed: choices.next())
                pair.differentKeysStatus = .connectionTerminatedMICFailure
                (pair.central.outOfBand, pair.peripheral.outOfBand) = outOfBand
            }
            for side in Self.sides { bonds[side]?.formUnion([pair.report(side).paired].compactMap { $0 }) }
            Self.check(pair, bonds)
        }
        pair.breakLink()
        Self.checkEnd(pair)
    }

    private static func checkEnd(_ pair: SecurityManagerPair) {
        for side in self.sides {
            let manager = pair.manager(side)
            #expect(!manager.isPairing && !manager.isSecuring && manager.deadline == nil)
            #expect(manager.security.level == .none && manager.keys == manager.bond)
        }
    }

    private static func answer(
        to question: PairingQuestion,
        _ shown: PairingQuestion?,
        _ choices: inout SeededChoices
    ) -> PairingAnswer {
        if choices.once(in: 12) { return choices.pick([.passkey(nil), .consent(false), .numbersMatch(false)]) }
        switch question {
        case .consent: return .consent(true)
        case .compareNumbers: return .numbersMatch(true)
        case .displayPasskey: return .passkey(Passkey(1))
        case .enterPasskey:
            guard case .displayPasskey(let passkey)? = shown else { return .passkey(Passkey(190_571)) }
            return .passkey(choices.once(in: 8) ? Passkey(passkey.value ^ 1) : passkey)
        }
    }

    /// A command, mostly with wrong parameters, or octets that are not a command.
    private static func pdu(_ choices: inout SeededChoices) -> ByteBuffer {
        if choices.once(in: 4) { return ByteBuffer(bytes: choices.octets(choices.below(20))) }
        var octets = Array(choices.pick(SMPCommandTests.commands).0.encoded().readableBytesView)
        for _ in 0..<choices.below(3) { octets[choices.below(octets.count - 1) + 1] = UInt8(choices.below(256)) }
        return ByteBuffer(bytes: octets)
    }

    /// Changes, redirects or repeats the next PDU on the air.
    private static func tamper(_ pair: inout SecurityManagerPair, _ choices: inout SeededChoices) {
        guard var (side, pdu) = pair.wire.first, pdu.readableBytes > 0 else { return }
        let index = pdu.readerIndex + choices.below(pdu.readableBytes)
        switch choices.below(5) {
        case 0:
            pdu.setInteger((pdu.getInteger(at: index, as: UInt8.self) ?? 0) ^ 1 << UInt8(choices.below(8)), at: index)
        case 1: pdu.moveWriterIndex(to: index)
        case 2: pdu.writeInteger(UInt8(0))
        case 3: side = side.other
        default: pair.wire.insert((side, pdu), at: 0)
        }
        pair.wire[0] = (side, pdu)
    }
}
