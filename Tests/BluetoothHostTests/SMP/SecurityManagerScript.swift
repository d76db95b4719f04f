// Runs scripts against one Security Manager. `>` and `<` lines are SMP PDUs. The host's steps in a script:
//
//     pair authenticated            pairs; the level is the least that is wanted
//     secure authenticated          wants the link to have a level
//     ? consent justWorks           the user is asked, also `replaces` where keys would be replaced
//     yes · no                      the user answers
//     ? show 123456 · ? enter · ? compare 123456
//     passkey 123456 · passkey none · same · different
//     rounds 123456 20              the tester makes so many rounds of Passkey Entry with this passkey
//     keypress 1 · ? keypress 1     keys are pressed here and there
//     ? encrypt KEY EDIV RAND       the controller is to encrypt with a key, most significant octet first
//     key EDIV RAND · ? key KEY     the controller asks for a key; it gets this one, or `none`
//     encrypted · refused 06        what the controller reports then
//     ? security authenticated 16 bonded
//     ? paired authenticated sc 16 bonded
//     ? failed 04 · ? peer 04       this side, the peer has ended the pairing; `? timedOut`, `? cancelled` …
//     cancel · wait 30 · end        seconds go by; the link ends
//     oob · ? oob C R               out-of-band data is made here
//     oob C R · tk KEY              such data came from the peer
//     keys · ? keys bonded          the keys are those of a bond, of this `link` alone, or `none`
//     waits · ? waits true          whether a pairing with the peer has to wait
//     securing · ? securing true    whether the link is on its way to more security
//
// The settings of a script (`@`) are the role, and then what differs from a `PairingConfiguration` without arguments:
// an IO capability and the words of `SecurityManagerScript.init(settings:)`. `keys=70` are the keys of the initiator
// and of the responder, as digits of a Pairing Request.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

struct SecurityManagerScript: HexScriptRunner {
    /// Of the seed 1; the first key pair is this one.
    static let ownKey = """
        2A 92 5E AA D6 A4 57 64 BA 77 E0 C3 66 AF C3 D6 BB 24 EC F7 4C C5 56 4E E5 DC EB 47 44 4E 09 CE
        43 D5 CC 45 AB 7D E4 5E 87 F7 59 C4 40 48 D2 85 08 65 66 10 31 D0 EC AC 95 F8 41 91 64 EC 0D 0F
        """.split(separator: "\n").joined(separator: " ")
    /// The second key pair of the sample data.
    static let testerKey = """
        90 A1 AA 2F B2 77 90 55 9F A6 15 86 FD 8A B5 47 00 4C 9E F1 84 22 59 09 96 1D AF 1F F0 F0 A1 1E
        4A 21 B1 15 F9 AF 89 5F 76 36 8E E2 30 11 2D 47 60 51 B8 9A 3A 70 56 73 37 AD 9D 42 3E F3 55 4C
        """.split(separator: "\n").joined(separator: " ")

    var manager: SecurityManager
    var context = SecurityManager.Context(now: .uptimeNanoseconds(0), generator: SeededGenerator(seed: 1))
    private var reports: [String] = []
    /// The confirm value that this side has sent last as a central.
    var lastConfirm: String?

    init(isCentral: Bool, _ configuration: PairingConfiguration, bond: Bond? = nil) {
        self.manager = SecurityManager(
            isCentral: isCentral,
            localAddress: isCentral ? SecurityManagerPair.centralAddress : SecurityManagerPair.peripheralAddress,
            peerAddress: isCentral ? SecurityManagerPair.peripheralAddress : SecurityManagerPair.centralAddress,
            configuration: configuration,
            bond: bond
        )
    }

    /// The Security Manager of a script's settings.
    init(settings: [String]) {
        var (configuration, bond): (PairingConfiguration, Bond?) = (PairingConfiguration(), nil)
        let isCentral = settings.first == "central"
        for setting in settings.dropFirst() {
            let words = setting.split(separator: "=").map(String.init)
            let number = words.last.flatMap { Int($0, radix: 16) } ?? 0
            switch words[0] {
            case "legacy": configuration.supportsSecureConnections = false
            case "protected": configuration.prefersMITMProtection = true
            case "keypresses": configuration.usesKeypressNotifications = true
            case "fleeting": configuration.isBondable = false
            case "strict": configuration.isSecureConnectionsOnly = true
            case "refusing": configuration.isPairingAllowed = false
            case "asking": configuration.consent = .always
            case "silent": configuration.consent = .never
            case "identity":
                configuration.identity = isCentral ? PairingCase.centralIdentity : PairingCase.peripheralIdentity
            case "keys":
                configuration.initiatorKeys = KeyDistribution(rawValue: UInt8(number >> 4))
                configuration.responderKeys = KeyDistribution(rawValue: UInt8(number & 0xF))
            case "size": configuration.minimumKeySize = number
            case "level": configuration.minimumLevel = Self.level(words[1])
            case "bond":
                bond = SecurityManagerTests.bond(Self.level(words[1]), keySize: words.count > 2 ? number : 16)
            default:
                guard let ioCapability = IOCapability.allCases.first(where: { "\($0)" == setting }) else {
                    preconditionFailure("\(setting) is no setting")
                }
                configuration.ioCapability = ioCapability
            }
        }
        self.init(isCentral: isCentral, configuration, bond: bond)
    }

    mutating func receive(_ bytes: ByteBuffer) { self.manager.receive(bytes, &self.context) }

    mutating func takeOutput() -> [String] {
        self.agreeToSecurityRequest()
        let output = self.reports + self.context.actions.map { self.text($0) }
        (self.context.actions, self.reports) = ([], [])
        if let confirm = output.last(where: { $0.hasPrefix("< 03") }) { self.lastConfirm = confirm }
        return output
    }

    /// The user of a central agrees to the pairing that a peripheral asks for, unless a script is about being asked
    /// always.
    private mutating func agreeToSecurityRequest() {
        guard self.manager.configuration.consent == .whenReplacingBond else { return }
        let index = self.context.actions.firstIndex { action in
            guard case .ask(.consent(let consent)) = action else { return false }
            return consent.model == nil && !consent.replacesBond
        }
        guard let index else { return }
        self.context.actions.remove(at: index)
        self.manager.answer(.consent(true), &self.context)
    }

    private func text(_ action: SecurityManager.Action) -> String {
        switch action {
        case .send(let pdu):
            #expect(pdu.readerIndex == PDUBuffer.headroom)
            return "< " + hex(pdu)
        case .enableEncryption(let key):
            return "? encrypt \(key.value) \(key.encryptedDiversifier.hexDigits) \(key.random.hexDigits)"
        case .replyToLongTermKeyRequest(let key):
            return "? key " + (key.map(\.description) ?? "none")
        case .ask(.consent(let consent)):
            var words = ["? consent"]
            if let model = consent.model { words.append("\(model)") }
            if consent.replacesBond { words.append("replaces") }
            return words.joined(separator: " ")
        case .ask(.displayPasskey(let passkey)):
            return "? show \(passkey)"
        case .ask(.enterPasskey):
            return "? enter"
        case .ask(.compareNumbers(let passkey)):
            return "? compare \(passkey)"
        case .keypress(let notification):
            return "? keypress \(notification.rawValue)"
        case .securityChanged(let security):
            let size = security.key?.size ?? 0
            return "? security \(security.level) \(size) \(security.isBonded ? "bonded" : "unbonded")"
        case .paired(let bond, let isBonded):
            return "? paired \(bond.level) \(bond.isSecureConnections ? "sc" : "legacy") \(bond.keySize) "
                + (isBonded ? "bonded" : "unbonded")
        case .failed(.failed(let reason)):
            return "? failed \(reason.rawValue.hexDigits)"
        case .failed(.failedByPeer(let reason)):
            return "? peer \(reason.rawValue.hexDigits)"
        case .failed(.encryptionFailed(let error)):
            return "? encryptionFailed \(error.rawValue.hexDigits)"
        case .failed(.cancelled): return "? cancelled"
        case .failed(.timedOut): return "? timedOut"
        case .failed(.userTimedOut): return "? userTimedOut"
        case .failed(.notKept): return "? notKept"
        case .failed(.linkEnded): return "? linkEnded"
        case .failed(.repeatedAttempts): return "? repeatedAttempts"
        case .failed(.inProgress): return "? inProgress"
        case .encryptionFailed(let error):
            return "? notEncrypted \(error.rawValue.hexDigits)"
        }
    }

    mutating func perform(_ word: String, _ arguments: [String]) -> Bool {
        switch (word, arguments.count) {
        case ("pair", 1): self.manager.pair(Self.level(arguments[0]), &self.context)
        case ("secure", 1): self.manager.requestSecurity(Self.level(arguments[0]), &self.context)
        case ("yes", 0), ("no", 0): self.manager.answer(.consent(word == "yes"), &self.context)
        case ("same", 0), ("different", 0): self.manager.answer(.numbersMatch(word == "same"), &self.context)
        case ("passkey", 1):
            self.manager.answer(.passkey(UInt32(arguments[0]).flatMap { Passkey($0) }), &self.context)
        case ("rounds", 2):
            do {
                try self.makeRounds(UInt32(arguments[0]) ?? 0, count: Int(arguments[1]) ?? 0)
            } catch {
                Issue.record(error)
            }
        case ("keypress", 1):
            guard let type = UInt8(arguments[0]).flatMap(KeypressNotification.init) else { return false }
            self.manager.send(type, &self.context)
        case ("key", 2):
            guard let diversifier = UInt16(arguments[0], radix: 16), let random = UInt64(arguments[1], radix: 16)
            else { return false }
            self.manager.requestLongTermKey(encryptedDiversifier: diversifier, random: random, &self.context)
        case ("encrypted", 0): self.manager.encryptionChanged(.success, isEnabled: true, &self.context)
        case ("unencrypted", 0): self.manager.encryptionChanged(.success, isEnabled: false, &self.context)
        case ("refused", 1):
            let status = HCIErrorCode(rawValue: UInt8(arguments[0], radix: 16) ?? 0)
            self.manager.encryptionChanged(status, isEnabled: false, &self.context)
        case ("cancel", 0): self.manager.cancelPairing(&self.context)
        case ("end", 0): self.manager.linkEnded(&self.context)
        case ("wait", 1):
            self.context.now = self.context.now + .seconds(Int64(arguments[0]) ?? 0)
            self.manager.advance(&self.context)
        case ("oob", 0):
            let local = LocalOutOfBandData(using: &self.context.generator)
            self.manager.outOfBand.local = local
            self.reports.append("? oob \(local.shared.confirm) \(local.shared.random)")
        case ("oob", 2):
            self.manager.outOfBand.peer = SecureConnectionsOutOfBandData(
                confirm: octets16(arguments[0]),
                random: octets16(arguments[1])
            )
        case ("tk", 1): self.manager.outOfBand.temporaryKey = octets16(arguments[0])
        case ("keys", 0):
            let (keys, bond) = (self.manager.keys, self.manager.bond)
            self.reports.append("? keys \(keys == nil ? "none" : keys == bond ? "bonded" : "link")")
        case ("waits", 0):
            let isWaiting = self.context.attempts.isWaiting(self.manager.identity, now: self.context.now)
            self.reports.append("? waits \(isWaiting)")
        case ("securing", 0): self.reports.append("? securing \(self.manager.isSecuring)")
        default: return false
        }
        return true
    }

    private static func level(_ text: String) -> SecurityLevel {
        SecurityLevel.allCases.first { "\($0)" == text } ?? .none
    }
}

/// Runs steps against a Security Manager with these settings.
func runSecurityManager(_ settings: String, _ steps: String, sourceLocation: SourceLocation = #_sourceLocation) {
    var script = SecurityManagerScript(settings: settings.split(separator: " ").map(String.init))
    script.run(steps, sourceLocation: sourceLocation)
}

extension ScriptCase {
    /// Runs the script against a Security Manager with its settings.
    func runPairing() { runSecurityManager(self.settings.joined(separator: " "), self.steps) }
}

/// A suite of scripts by the identities of the qualification suite.
protocol PairingScripts {
    /// The link is encrypted with the key of the pairing.
    static func encrypt(_ key: String, _ security: String) -> String
}

extension PairingScripts {
    /// Out-of-band data that this side makes, and such data of the tester.
    static var ownData: String { "oob \n ? oob C249820B4A3EFE698663A87762D69FA0 71BB54D8D101B5B9C34D0BFF90150280" }
    static var testersData: String { "oob 2CBC9EFDB71D980A759A40DD74D39866 376CFCD7AA12B82DE15EEC1F2301088E" }

    /// The link is encrypted with the key of the pairing, which has nothing more to distribute.
    static func complete(_ key: String, _ outcome: String) -> String {
        let words = outcome.split(separator: " ")
        let bonded = words[3] == "bonded" ? "? security \(words[0]) \(words[2]) bonded" : ""
        return "\(self.encrypt(key, "\(words[0]) \(words[2])")) \n ? paired \(outcome) \n \(bonded)"
    }

    /// The tester ends pairings for these reasons.
    static func refusals(_ reasons: [String], _ start: String) -> String {
        reasons.map { "\(start) \n > 05 \($0) \n ? peer \($0) \n wait 64" }.joined(separator: "\n")
    }
}
