// Walks through pairings with everything on record: two devices of any configuration whose users answer anything, with
// a link that loses, changes and adds PDUs and breaks, and with time that goes by.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Pairing: walks")
struct PairingWalkTests {
    private typealias Side = SecurityManagerPair.Side

    private static let sides: [Side] = [.central, .peripheral]

    /// Any configuration; `isKind` is one with which most pairings succeed.
    private static func configuration(
        _ choice: inout WalkChoice,
        _ identity: IdentityInformation,
        isKind: Bool
    ) -> PairingConfiguration {
        let minimum = choice.one([7, 7, 8, 16])
        let hasAllKeys = choice.oneIn(2)
        return PairingConfiguration(
            isPairingAllowed: isKind || !choice.oneIn(12),
            ioCapability: choice.one(IOCapability.allCases),
            isBondable: !choice.oneIn(5),
            prefersMITMProtection: choice.oneIn(2),
            minimumLevel: isKind
                ? .encrypted : choice.one([.none, .encrypted, .encrypted, .authenticated, .secureConnections]),
            supportsSecureConnections: !choice.oneIn(3),
            isSecureConnectionsOnly: !isKind && choice.oneIn(10),
            minimumKeySize: isKind ? 7 : minimum,
            maximumKeySize: choice.number(minimum...16),
            usesKeypressNotifications: choice.oneIn(2),
            initiatorKeys: KeyDistribution(rawValue: hasAllKeys ? 7 : UInt8(choice.below(16))),
            responderKeys: KeyDistribution(rawValue: hasAllKeys ? 7 : UInt8(choice.below(16))),
            identity: choice.oneIn(4) ? nil : identity,
            consent: choice.one([.always, .whenReplacingBond, .never]),
            acceptsDebugKey: choice.oneIn(2)
        )
    }

    private static func pair(_ choice: inout WalkChoice, seed: UInt64, isKind: Bool) -> SecurityManagerPair {
        var pair = SecurityManagerPair(
            central: self.configuration(&choice, PairingCase.centralIdentity, isKind: isKind),
            peripheral: self.configuration(&choice, PairingCase.peripheralIdentity, isKind: isKind),
            seed: seed
        )
        pair.differentKeysStatus = .connectionTerminatedMICFailure
        if choice.oneIn(3) {
            let (first, second) = (
                LocalOutOfBandData(using: &choice.generator), LocalOutOfBandData(using: &choice.generator)
            )
            let temporaryKey = Octets16.random(using: &choice.generator)
            if !choice.oneIn(4) { pair.central.outOfBand.local = first }
            if !choice.oneIn(4) { pair.peripheral.outOfBand.local = second }
            if choice.oneIn(2) { pair.central.outOfBand.peer = choice.oneIn(5) ? first.shared : second.shared }
            if choice.oneIn(2) { pair.peripheral.outOfBand.peer = choice.oneIn(5) ? second.shared : first.shared }
            if choice.oneIn(2) { pair.central.outOfBand.temporaryKey = temporaryKey }
            if choice.oneIn(2) { pair.peripheral.outOfBand.temporaryKey = choice.oneIn(6) ? .zero : temporaryKey }
        }
        for side in self.sides {
            let peer = side == .central ? PairingCase.peripheralIdentity : PairingCase.centralIdentity
            let own = side == .central ? PairingCase.centralIdentity : PairingCase.peripheralIdentity
            let other = DeviceAddress(0xC0FF_0000_0001, kind: .random)
            let peers: [IdentityInformation] =
                switch choice.below(6) {
                case 0: [peer]
                case 1: [IdentityInformation(identityResolvingKey: peer.identityResolvingKey, address: other)]
                case 2: [IdentityInformation(identityResolvingKey: .zero, address: peer.address)]
                default: []
                }
            pair.with(side) {
                $1.identities = KnownIdentities(address: own.address, key: own.identityResolvingKey, peers: peers)
            }
        }
        return pair
    }

    /// Any command, or octets that are none.
    private static func pdu(_ choice: inout WalkChoice) -> ByteBuffer {
        if choice.oneIn(4) { return choice.bytes(choice.below(20)) }
        let value = Octets16.random(using: &choice.generator)
        let features = PairingFeatures(
            ioCapability: choice.one(IOCapability.allCases),
            hasOutOfBandData: choice.oneIn(3),
            authentication: AuthenticationRequirements(rawValue: UInt8(choice.below(64))),
            maximumKeySize: choice.number(7...16),
            initiatorKeys: KeyDistribution(rawValue: UInt8(choice.below(16))),
            responderKeys: KeyDistribution(rawValue: UInt8(choice.below(16)))
        )
        let commands: [SMPCommand] = [
            .pairingRequest(features), .pairingResponse(features), .pairingConfirm(value), .pairingRandom(value),
            .pairingRandom(.zero), .pairingFailed(PairingFailedReason(rawValue: UInt8(choice.below(16)))),
            .pairingFailed(.keyRejected), .encryptionInformation(value), .encryptionInformation(.zero),
            .centralIdentification(encryptedDiversifier: 1, random: 2), .identityInformation(value),
            .identityAddressInformation(DeviceAddress(choice.oneIn(2) ? 0 : 5, kind: .public)),
            .signingInformation(choice.oneIn(2) ? .zero : value),
            .securityRequest(AuthenticationRequirements(rawValue: UInt8(choice.below(32)))),
            .pairingPublicKey(PublicKey(x: Octets32(high: value, low: value), y: .zero)), .pairingDHKeyCheck(value),
            .pairingKeypressNotification(choice.one(KeypressNotification.allCases)),
        ]
        return choice.one(commands).encoded()
    }

    private static func note(_ pair: SecurityManagerPair) {
        for side in self.sides {
            let manager = pair.manager(side)
            RunRecord.note(
                "\(side) \(manager.security) \(manager.isSecuring) \(manager.isPairing) \(manager.isTimedOut) "
                    + "\(String(describing: manager.deadline)) \(String(describing: manager.requestedLevel)) "
                    + "\(manager.bond == nil) \(manager.keys?.keySize ?? 0) \(manager.identity)"
            )
            #expect(manager.deadline == nil || manager.isPairing || manager.requestedLevel != nil)
        }
    }

    @Test("two devices of any configuration, whose users do as they are asked", arguments: 0..<24 as Range<UInt64>)
    func configurations(seed: UInt64) {
        var choice = WalkChoice(seed)
        for round in 0..<8 {
            var pair = Self.pair(&choice, seed: seed * 100 + UInt64(round), isKind: round % 2 == 0)
            if choice.oneIn(3) {
                pair.with(.peripheral) { $0.requestSecurity(choice.one(SecurityLevel.allCases), &$1) }
            } else {
                pair.with(.central) { $0.pair(choice.one(SecurityLevel.allCases), &$1) }
            }
            pair.run()
            Self.note(pair)
            let reports = Self.sides.map(pair.report)
            if let central = reports[0].paired, let peripheral = reports[1].paired {
                #expect(central.local == peripheral.peer && central.peer == peripheral.local)
                #expect(central.key == peripheral.key && reports[0].isBonded == reports[1].isBonded)
            }
            // The keys on a link of their own, and once more where they are to be better.
            var next = pair.linkedAnew(seed: seed)
            next.differentKeysStatus = .connectionTerminatedMICFailure
            next.wait(Int64(choice.below(4)))
            next.with(choice.one(Self.sides)) { $0.requestSecurity(choice.one(SecurityLevel.allCases), &$1) }
            next.run()
            next.with(choice.one(Self.sides)) { $0.pair(choice.one(SecurityLevel.allCases), &$1) }
            next.run()
            Self.note(next)
        }
    }

    @Test("anything may happen on the link, and any answer come", arguments: 0..<60 as Range<UInt64>)
    func everything(seed: UInt64) {
        var choice = WalkChoice(seed)
        var pair = Self.pair(&choice, seed: seed, isKind: seed % 3 != 0)
        for round in 0..<60 {
            let side = choice.one(Self.sides)
            pair.answers = seed % 2 == 0
            switch choice.below(20) {
            case 0, 1, 2: pair.with(side) { $0.pair(choice.one(SecurityLevel.allCases), &$1) }
            case 3: pair.with(side) { $0.requestSecurity(choice.one(SecurityLevel.allCases), &$1) }
            case 4...9: pair.run(limit: choice.one([1, 1, 2, 3, 5, 80]))
            case 10, 11:
                guard let question = pair.report(side).questions.last, !pair.answers else { continue }
                let shown = pair.report(side.other).questions.last
                pair.with(side) { $0.answer(Self.answer(to: question, shown, &choice), &$1) }
            case 12: pair.with(side) { $0.send(choice.one(KeypressNotification.allCases), &$1) }
            case 13: pair.wire.insert((side, Self.pdu(&choice)), at: choice.below(pair.wire.count + 1))
            case 14 where choice.oneIn(2): Self.tamper(&pair, &choice)
            case 15: pair.wait(choice.one([0, 1, 1, 2, 29, 30]))
            case 16 where choice.oneIn(3):
                pair.breakLink()
                Self.note(pair)
                let configurations = (pair.central.outOfBand, pair.peripheral.outOfBand)
                pair = pair.linkedAnew(seed: seed * 1_000 + UInt64(round))
                pair.differentKeysStatus = .connectionTerminatedMICFailure
                (pair.central.outOfBand, pair.peripheral.outOfBand) = configurations
            case 17 where choice.oneIn(3): pair.with(side) { $0.cancelPairing(&$1) }
            case 17 where choice.oneIn(3): pair.with(side) { manager, _ in manager.removeBond() }
            case 18:
                pair.encryptionStatus = choice.one([.success, .success, .success, .pinOrKeyMissing])
                let status = choice.one([.success, .success, .connectionTimeout] as [HCIErrorCode])
                let isEnabled = choice.oneIn(2)
                if choice.oneIn(3) { pair.with(side) { $0.encryptionChanged(status, isEnabled: isEnabled, &$1) } }
            default: Self.requestKey(pair, side, &choice)
            }
            Self.note(pair)
        }
    }

    private static func answer(
        to question: PairingQuestion,
        _ shown: PairingQuestion?,
        _ choice: inout WalkChoice
    ) -> PairingAnswer {
        if choice.oneIn(12) { return choice.one([.passkey(nil), .consent(false), .numbersMatch(false)]) }
        switch question {
        case .consent: return .consent(true)
        case .compareNumbers: return .numbersMatch(true)
        case .displayPasskey: return .passkey(Passkey(1))
        case .enterPasskey:
            guard case .displayPasskey(let passkey)? = shown else { return .passkey(Passkey(190_571)) }
            return .passkey(choice.oneIn(8) ? Passkey(passkey.value ^ 1) : passkey)
        }
    }

    /// Changes, loses or repeats what is next on the air.
    private static func tamper(_ pair: inout SecurityManagerPair, _ choice: inout WalkChoice) {
        guard var (side, pdu) = pair.wire.first else { return }
        let index = pdu.readerIndex + choice.below(pdu.readableBytes)
        switch choice.below(5) {
        case 0:
            pdu.setInteger((pdu.getInteger(at: index, as: UInt8.self) ?? 0) ^ 1 << UInt8(choice.below(8)), at: index)
        case 1: pdu.moveWriterIndex(to: index)
        case 2: pdu.writeInteger(UInt8(0))
        case 3: side = side.other
        default: pair.wire.insert((side, pdu), at: 0)
        }
        pair.wire[0] = (side, pdu)
    }

    /// A controller asks for a key that was not agreed on just now.
    private static func requestKey(_ pair: SecurityManagerPair, _ side: Side, _ choice: inout WalkChoice) {
        var manager = pair.manager(side)
        var context = SecurityManager.Context(now: .uptimeNanoseconds(0), generator: choice.generator)
        let key = manager.keys?.longTermKey(asCentral: false)
        manager.requestLongTermKey(
            encryptedDiversifier: choice.oneIn(2) ? 0 : key?.encryptedDiversifier ?? 1,
            random: choice.oneIn(2) ? 0 : key?.random ?? 1,
            &context
        )
        RunRecord.note("\(context.actions)")
        #expect(context.actions.count == 1)
    }
}
