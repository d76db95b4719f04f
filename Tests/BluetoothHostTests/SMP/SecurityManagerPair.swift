// Two Security Managers connected by a link that can be broken at each step, controllers that compare keys, and users
// who cooperate.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

struct SecurityManagerPair {
    enum Side {
        case central
        case peripheral

        var other: Side { self == .central ? .peripheral : .central }
    }

    /// What a side has reported.
    struct Report {
        var paired: Bond?
        var isBonded: Bool?
        var errors: [PairingError] = []
        var encryptionErrors: [HCIErrorCode] = []
        var questions: [PairingQuestion] = []
        var keypresses: [KeypressNotification] = []
        var securities: [LinkSecurity] = []
    }

    static let centralAddress = DeviceAddress(0xC0AA_0000_0001, kind: .random)
    static let peripheralAddress = DeviceAddress(0x00BB_0000_0002, kind: .public)
    /// Private addresses of the two, which are no identity addresses.
    static let hiddenCentralAddress = DeviceAddress(0x40AA_0000_0001, kind: .random)
    static let hiddenPeripheralAddress = DeviceAddress(0x40BB_0000_0002, kind: .random)

    var central: SecurityManager
    var peripheral: SecurityManager
    private var contexts: [Side: SecurityManager.Context] = [:]
    private(set) var reports: [Side: Report] = [.central: Report(), .peripheral: Report()]
    /// PDUs in transit, the oldest first.
    var wire: [(to: Side, ByteBuffer)] = []
    /// PDUs that were delivered.
    private(set) var log: [(to: Side, ByteBuffer)] = []
    private var shown: Passkey?
    private var waitsForShown: Side?
    /// Whether the users answer by themselves.
    var answers = true
    /// Changes a PDU in transit; `nil` loses it.
    var tamper: (Side, ByteBuffer) -> ByteBuffer? = { _, pdu in pdu }
    /// The status of an encryption with equal keys.
    var encryptionStatus = HCIErrorCode.success
    /// The status of an encryption with different keys; `nil` if that fails the test.
    var differentKeysStatus: HCIErrorCode?

    init(
        central: PairingConfiguration = PairingConfiguration(),
        peripheral: PairingConfiguration = PairingConfiguration(),
        centralBond: Bond? = nil,
        peripheralBond: Bond? = nil,
        areHidden: Bool = false,
        seed: UInt64 = 1
    ) {
        let centralAddress = areHidden ? Self.hiddenCentralAddress : Self.centralAddress
        let peripheralAddress = areHidden ? Self.hiddenPeripheralAddress : Self.peripheralAddress
        self.central = SecurityManager(
            isCentral: true,
            localAddress: centralAddress,
            peerAddress: peripheralAddress,
            configuration: central,
            bond: centralBond
        )
        self.peripheral = SecurityManager(
            isCentral: false,
            localAddress: peripheralAddress,
            peerAddress: centralAddress,
            configuration: peripheral,
            bond: peripheralBond
        )
        for (side, offset) in [(Side.central, UInt64(0)), (.peripheral, 1)] {
            self.contexts[side] = SecurityManager.Context(
                now: .uptimeNanoseconds(0),
                generator: SeededGenerator(seed: seed &* 2 &+ offset)
            )
        }
    }

    /// A new link between the same devices.
    func linkedAnew(seed: UInt64 = 77) -> SecurityManagerPair {
        var result = SecurityManagerPair(
            central: self.central.configuration,
            peripheral: self.peripheral.configuration,
            centralBond: self.central.bond,
            peripheralBond: self.peripheral.bond,
            seed: seed
        )
        for side in [Side.central, .peripheral] {
            result.contexts[side]?.attempts = self.contexts[side]?.attempts ?? RepeatedAttempts()
            result.contexts[side]?.now = self.contexts[side]?.now ?? .uptimeNanoseconds(0)
        }
        return result
    }

    func manager(_ side: Side) -> SecurityManager { side == .central ? self.central : self.peripheral }
    func report(_ side: Side) -> Report { self.reports[side] ?? Report() }

    /// Whether this side makes the other one wait before it may pair again.
    func isWaiting(_ side: Side) -> Bool {
        guard let context = self.contexts[side] else { return false }
        let peer = self.manager(side).peerAddress
        return context.attempts.isWaiting(peer, now: context.now)
    }

    /// Loses the last check, so that the central waits for it, and the link is not encrypted.
    mutating func loseLastCheck() {
        self.tamper = { to, pdu in
            to == .central && pdu.getInteger(at: pdu.readerIndex) == UInt8(0x0D) ? nil : pdu
        }
    }

    /// A step of one side.
    mutating func with(_ side: Side, _ body: (inout SecurityManager, inout SecurityManager.Context) -> Void) {
        guard var context = self.contexts[side] else { return }
        switch side {
        case .central: body(&self.central, &context)
        case .peripheral: body(&self.peripheral, &context)
        }
        let actions = context.actions
        context.actions = []
        self.contexts[side] = context
        for action in actions { self.perform(action, of: side) }
    }

    private mutating func perform(_ action: SecurityManager.Action, of side: Side) {
        switch action {
        case .send(let pdu):
            #expect(pdu.readableBytes <= 65)
            self.wire.append((side.other, pdu))
        case .enableEncryption(let key):
            #expect(side == .central)
            self.encrypt(with: key)
        case .replyToLongTermKeyRequest:
            Issue.record("a controller that has not asked is answered")
        case .ask(let question):
            self.reports[side]?.questions.append(question)
            if self.answers { self.answer(question, side) }
        case .keypress(let notification):
            self.reports[side]?.keypresses.append(notification)
        case .securityChanged(let security):
            self.reports[side]?.securities.append(security)
        case .paired(let bond, let isBonded):
            self.reports[side]?.paired = bond
            self.reports[side]?.isBonded = isBonded
        case .failed(let error):
            self.reports[side]?.errors.append(error)
        case .encryptionFailed(let error):
            self.reports[side]?.encryptionErrors.append(error)
        }
    }

    /// Lets both controllers encrypt, if the sides give them the same key.
    private mutating func encrypt(with key: LongTermKey) {
        guard var context = self.contexts[.peripheral] else { return }
        self.peripheral.requestLongTermKey(
            encryptedDiversifier: key.encryptedDiversifier,
            random: key.random,
            &context
        )
        var reply: Octets16?
        for action in context.actions {
            guard case .replyToLongTermKeyRequest(let key) = action else {
                Issue.record("\(action) comes of a request for a key")
                continue
            }
            reply = key
        }
        context.actions = []
        self.contexts[.peripheral] = context
        var status: HCIErrorCode = reply == nil ? .pinOrKeyMissing : self.encryptionStatus
        if let reply, reply != key.value {
            guard let differentKeysStatus else {
                Issue.record("the devices encrypt with different keys")
                return
            }
            status = differentKeysStatus
        }
        let isEnabled = status == .success
        if reply != nil { self.with(.peripheral) { $0.encryptionChanged(status, isEnabled: isEnabled, &$1) } }
        self.with(.central) { $0.encryptionChanged(status, isEnabled: isEnabled, &$1) }
    }

    private mutating func answer(_ question: PairingQuestion, _ side: Side) {
        switch question {
        case .consent:
            self.with(side) { $0.answer(.consent(true), &$1) }
        case .displayPasskey(let passkey):
            self.shown = passkey
            guard let waiting = self.waitsForShown else { return }
            self.waitsForShown = nil
            self.with(waiting) { $0.answer(.passkey(passkey), &$1) }
        case .enterPasskey:
            if let shown = self.shown {
                self.with(side) { $0.answer(.passkey(shown), &$1) }
            } else if self.waitsForShown == side.other {
                // Both enter.
                self.waitsForShown = nil
                for side in [side, side.other] {
                    self.with(side) { $0.answer(.passkey(Passkey(190_571)), &$1) }
                }
            } else {
                self.waitsForShown = side
            }
        case .compareNumbers:
            self.with(side) { $0.answer(.numbersMatch(true), &$1) }
        }
    }

    /// Delivers at most `limit` PDUs.
    /// - Returns: How many were delivered.
    @discardableResult
    mutating func run(limit: Int = 500) -> Int {
        var count = 0
        while count < limit, !self.wire.isEmpty {
            let (side, pdu) = self.wire.removeFirst()
            count += 1
            guard let pdu = self.tamper(side, pdu) else { continue }
            self.log.append((side, pdu))
            self.with(side) { $0.receive(pdu, &$1) }
        }
        return count
    }

    /// Seconds go by, at both sides.
    mutating func wait(_ seconds: Int64) {
        for side in [Side.central, .peripheral] {
            let now = self.contexts[side]?.now ?? .uptimeNanoseconds(0)
            self.contexts[side]?.now = now + .seconds(seconds)
            self.with(side) { $0.advance(&$1) }
        }
    }

    /// The link breaks.
    mutating func breakLink() {
        self.wire = []
        for side in [Side.central, .peripheral] { self.with(side) { $0.linkEnded(&$1) } }
    }

    /// The central pairs, and everything is delivered.
    mutating func pair(_ level: SecurityLevel = .encrypted) {
        self.with(.central) { $0.pair(level, &$1) }
        self.run()
    }
}
