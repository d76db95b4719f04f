// Two Security Managers that pair, with faults at one of them: commands are lost, duplicated, changed, truncated and
// replaced, users err, time passes, links break. The empty input is a whole pairing. Besides traps, findings are a
// pairing that completes although data that it depends on was changed, a key that counts as authenticated
// although no user was asked, and a device that can no longer pair.

import BluetoothHCI
import BluetoothTypes
import NIOCore

@testable import BluetoothHost

/// One side of the link.
enum PairingSide: Int {
    case central = 0
    case peripheral = 1

    var other: PairingSide { self == .central ? .peripheral : .central }
}

/// One run, from the first pairing until a last one without faults.
final class PairingScenario {
    /// A command in transit.
    private struct Flying {
        let to: PairingSide
        let pdu: ByteBuffer
        /// The pairing that it belongs to.
        let pairing: Int
    }

    /// The commands that the authentication depends on: the features and phase 2.
    private static let authenticated: Set<UInt8> = [0x01, 0x02, 0x03, 0x04, 0x0C, 0x0D]
    /// More commands than a pairing has.
    private static let limit = 400

    private let input: Input
    /// The side that receives faults.
    private let target: PairingSide
    private var managers: [SecurityManager]
    private var contexts: [SecurityManager.Context]
    private var wire: [Flying] = []
    private var questions: [(PairingSide, PairingQuestion)] = []
    private var shown: Passkey?
    private var hasAsked = [false, false]
    private let hasOutOfBandData: Bool
    /// The number of the pairing in progress, or the last one.
    private var pairing = 0
    /// The pairing whose data was changed although its authentication depends on it.
    private var changed = -1
    /// The number of commands that pass before the input decides again.
    private var passing = 0
    private var isWithoutFaults = false
    private var paired: [Bond?] = [nil, nil]

    private static let addresses = [
        DeviceAddress(0xC0AA_0000_0001, kind: .random), DeviceAddress(0xC0BB_0000_0002, kind: .random),
    ]

    init(_ input: Input) {
        self.input = input
        self.target = (input.next() ?? 0) & 1 == 0 ? .peripheral : .central
        let capabilities = Int(input.next() ?? 24)
        let flags = input.next() ?? 0
        let sizes = input.next() ?? 0
        var configurations: [PairingConfiguration] = []
        for side in 0...1 {
            configurations.append(
                PairingConfiguration(
                    ioCapability: IOCapability.allCases[(side == 0 ? capabilities : capabilities / 5) % 5],
                    isBondable: flags & (side == 0 ? 0x04 : 0x08) == 0,
                    prefersMITMProtection: flags & 0x10 == 0,
                    supportsSecureConnections: flags & (side == 0 ? 0x01 : 0x02) == 0,
                    minimumKeySize: sizes & 0x10 == 0 ? 16 : 7,
                    maximumKeySize: sizes & 0x10 == 0 ? 16 : 7 + Int(side == 0 ? sizes & 0x07 : sizes >> 5),
                    usesKeypressNotifications: flags & 0x20 == 0,
                    initiatorKeys: KeyDistribution(rawValue: 0x07),
                    responderKeys: KeyDistribution(rawValue: 0x07),
                    identity: IdentityInformation(
                        identityResolvingKey: Octets16(high: 7, low: UInt64(side)),
                        address: Self.addresses[side]
                    ),
                    consent: flags & 0x40 == 0 ? .whenReplacingBond : .always
                )
            )
        }
        self.hasOutOfBandData = flags & 0x80 != 0
        self.managers = Self.managers(configurations, [nil, nil])
        self.contexts = (0...1).map { side in
            SecurityManager.Context(now: .uptimeNanoseconds(0), generator: SeededGenerator(seed: UInt64(side) + 1))
        }
        if self.hasOutOfBandData { self.exchangeOutOfBandData() }
    }

    private static func managers(_ configurations: [PairingConfiguration], _ bonds: [Bond?]) -> [SecurityManager] {
        (0...1).map { side in
            SecurityManager(
                isCentral: side == 0,
                localAddress: Self.addresses[side],
                peerAddress: Self.addresses[1 - side],
                configuration: configurations[side],
                bond: bonds[side]
            )
        }
    }

    private func exchangeOutOfBandData() {
        var generator = SeededGenerator(seed: 99)
        let local = [LocalOutOfBandData(using: &generator), LocalOutOfBandData(using: &generator)]
        for side in 0...1 {
            self.managers[side].outOfBand = OutOfBandData(
                temporaryKey: Octets16(high: 1, low: 2),
                peer: local[1 - side].shared,
                local: local[side]
            )
        }
    }

    func run() {
        self.step(.central) { $0.pair(.encrypted, &$1) }
        self.deliver()
        // The time limits of both sides.
        for _ in 0..<3 { self.pass(31) }
        for side in 0...1 { precondition(!self.managers[side].isPairing, "a pairing has no end") }
        self.pairWithoutFaults()
    }

    /// After any faults, the devices pair on the next link, once the waiting intervals are over.
    private func pairWithoutFaults() {
        self.isWithoutFaults = true
        self.linkAnew(keepingBonds: false)
        for side in 0...1 { self.managers[side].configuration = PairingConfiguration() }
        self.pass(300)
        self.paired = [nil, nil]
        self.step(.central) { $0.pair(.encrypted, &$1) }
        self.deliver()
        guard let central = self.paired[0], let peripheral = self.paired[1] else {
            preconditionFailure("the devices cannot pair any more")
        }
        precondition(central.local == peripheral.peer && central.peer == peripheral.local, "they keep different keys")
    }

    private func linkAnew(keepingBonds: Bool) {
        self.wire = []
        self.questions = []
        for side in 0...1 { self.step(PairingSide(rawValue: side) ?? .central) { $0.linkEnded(&$1) } }
        self.questions = []
        let bonds = self.managers.map { keepingBonds ? $0.bond : nil }
        self.managers = Self.managers(self.managers.map(\.configuration), bonds)
        if keepingBonds, self.hasOutOfBandData { self.exchangeOutOfBandData() }
    }

    private func pass(_ seconds: Int64) {
        for side in [PairingSide.central, .peripheral] {
            self.contexts[side.rawValue].now = self.contexts[side.rawValue].now + .seconds(seconds)
            self.step(side) { $0.advance(&$1) }
        }
    }

    // MARK: Steps

    private func step(_ side: PairingSide, _ body: (inout SecurityManager, inout SecurityManager.Context) -> Void) {
        body(&self.managers[side.rawValue], &self.contexts[side.rawValue])
        let actions = self.contexts[side.rawValue].actions
        self.contexts[side.rawValue].actions = []
        precondition(actions.count <= 16, "one step has \(actions.count) actions")
        for action in actions { self.perform(action, side) }
    }

    private func perform(_ action: SecurityManager.Action, _ side: PairingSide) {
        switch action {
        case .send(let pdu):
            precondition(pdu.readableBytes <= 65, "a command does not fit")
            if pdu.getInteger(at: pdu.readerIndex) == UInt8(0x01) {
                self.pairing += 1
                self.hasAsked = [false, false]
            }
            self.wire.append(Flying(to: side.other, pdu: pdu, pairing: self.pairing))
        case .enableEncryption(let key):
            self.encrypt(with: key)
        case .ask(let question):
            self.hasAsked[side.rawValue] = true
            if case .displayPasskey(let passkey) = question { self.shown = passkey }
            self.questions.append((side, question))
        case .paired(let bond, _):
            precondition(self.managers[side.rawValue].security.key != nil, "paired on a link that is not encrypted")
            precondition(self.changed != self.pairing, "what was changed on its way was taken for whole")
            precondition(
                !bond.isAuthenticated || self.hasOutOfBandData || self.hasAsked[side.rawValue],
                "an authenticated key, of which no user knows"
            )
            self.paired[side.rawValue] = bond
        case .replyToLongTermKeyRequest, .keypress, .securityChanged, .failed, .encryptionFailed:
            break
        }
    }

    /// The work of both controllers when the central encrypts: different keys end the link.
    private func encrypt(with key: LongTermKey) {
        self.managers[1].requestLongTermKey(
            encryptedDiversifier: key.encryptedDiversifier,
            random: key.random,
            &self.contexts[1]
        )
        var reply: Octets16?
        for case .replyToLongTermKeyRequest(let key) in self.contexts[1].actions { reply = key }
        self.contexts[1].actions = []
        guard let reply else {
            return self.step(.central) { $0.encryptionChanged(.pinOrKeyMissing, isEnabled: false, &$1) }
        }
        guard reply == key.value else { return self.linkAnew(keepingBonds: true) }
        self.step(.peripheral) { $0.encryptionChanged(.success, isEnabled: true, &$1) }
        self.step(.central) { $0.encryptionChanged(.success, isEnabled: true, &$1) }
    }

    /// Delivers commands and answers questions until none remain.
    private func deliver() {
        var count = 0
        while count < Self.limit, !self.wire.isEmpty || !self.questions.isEmpty {
            count += 1
            if !self.questions.isEmpty { self.answer(isRight: true) } else { self.deliverOne() }
        }
        self.wire = []
    }

    private func answer(isRight: Bool) {
        let (side, question) = self.questions.removeFirst()
        let answer: PairingAnswer
        switch question {
        case .displayPasskey: return
        case .consent: answer = .consent(isRight)
        case .compareNumbers: answer = .numbersMatch(isRight)
        case .enterPasskey:
            // The other side may not have shown the number yet that is entered here.
            let passkey = self.shown ?? Passkey(190_571)
            answer = .passkey(isRight ? passkey : passkey.flatMap { Passkey(($0.value + 1) % 1_000_000) })
        }
        self.step(side) { $0.answer(answer, &$1) }
    }

    // MARK: Faults

    private func deliverOne() {
        let flying = self.wire.removeFirst()
        for pdu in self.isWithoutFaults || flying.to != self.target ? [flying.pdu] : self.withFaults(flying) {
            self.step(flying.to) { $0.receive(pdu, &$1) }
        }
    }

    private func withFaults(_ flying: Flying) -> [ByteBuffer] {
        guard self.passing == 0 else {
            self.passing -= 1
            return [flying.pdu]
        }
        guard let decision = self.input.next() else { return [flying.pdu] }
        let number = Int(decision >> 3)
        var octets = Array(flying.pdu.readableBytesView)
        switch decision & 0x07 {
        case 0:
            self.passing = number
            return [flying.pdu]
        case 1:
            return number == 0 ? [] : [flying.pdu, flying.pdu]
        case 2:
            let place = Int(self.input.next() ?? 0) % max(1, octets.count)
            let mask = self.input.next() ?? 0xFF
            if !octets.isEmpty { octets[place] ^= mask }
            if self.rests(on: place, of: flying), mask != 0 { self.changed = flying.pairing }
        case 3:
            octets = Array(octets.dropLast(number))
        case 4:
            octets.append(contentsOf: self.input.takeCounted())
        case 5:
            // A command of its own first.
            return [ByteBuffer(bytes: [UInt8(number % 16)] + self.input.takeCounted()), flying.pdu]
        case 6:
            let command = [UInt8(number % 16)] + self.input.takeCounted()
            if command != octets, command.first == octets.first, self.rests(on: 1, of: flying) {
                let isOfFeatures = command.count == 7 && Array(command.prefix(4)) == Array(octets.prefix(4))
                if !isOfFeatures { self.changed = flying.pairing }
            }
            octets = command
        default:
            self.happen(number)
            // The link may have broken meanwhile.
            return self.pairing == flying.pairing ? [flying.pdu] : []
        }
        return [ByteBuffer(bytes: octets)]
    }

    /// Whether the authentication depends on an octet: not on key sizes and distribution with LE Secure Connections.
    private func rests(on place: Int, of flying: Flying) -> Bool {
        guard let code: UInt8 = flying.pdu.getInteger(at: flying.pdu.readerIndex), flying.pairing == self.pairing,
            place > 0
        else { return false }
        return Self.authenticated.contains(code) && (code > 0x02 || place < 4)
    }

    /// A fault other than in a command.
    private func happen(_ number: Int) {
        switch number {
        case 0...7: self.pass(Int64(1) << Int64(number))
        case 8: self.linkAnew(keepingBonds: true)
        case 9: self.step(.central) { $0.pair(.authenticated, &$1) }
        case 10: self.step(.peripheral) { $0.pair(.authenticated, &$1) }
        case 11: self.step(.central) { $0.requestSecurity(.encrypted, &$1) }
        case 12: self.step(self.target) { $0.cancelPairing(&$1) }
        case 13: self.step(self.target) { $0.encryptionChanged(.connectionTimeout, isEnabled: false, &$1) }
        case 14: self.step(self.target) { $0.encryptionChanged(.success, isEnabled: false, &$1) }
        case 15: self.step(self.target) { $0.encryptionChanged(.success, isEnabled: true, &$1) }
        case 16: self.step(self.target) { $0.send(.digitEntered, &$1) }
        case 17: self.managers[self.target.rawValue].removeBond()
        case 18: self.step(.peripheral) { $0.requestSecurity(.authenticated, &$1) }
        case 19: self.step(self.target) { $0.answer(.numbersMatch(true), &$1) }
        case 20: self.step(self.target) { $0.answer(.passkey(Passkey(0)), &$1) }
        case 21: self.step(self.target) { $0.answer(.passkey(nil), &$1) }
        case 22: self.step(self.target) { $0.answer(.consent(true), &$1) }
        default: if !self.questions.isEmpty { self.answer(isRight: false) }
        }
    }
}
