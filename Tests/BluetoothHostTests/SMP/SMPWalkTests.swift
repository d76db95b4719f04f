// Walks through the parts of the Security Manager with everything on record: commands from random octets, what follows
// from the features of two devices, the waiting interval after failures, keypress notifications and encryption.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("SMP: walks")
struct SMPWalkTests {
    @Test("commands from random octets: what is read is written again")
    func commands() {
        var choice = WalkChoice(0)
        let lengths = [1, 2, 7, 11, 17, 65]
        for round in 0..<3_000 {
            var pdu = ByteBuffer(bytes: [UInt8(choice.number(0...0x10))])
            let length = choice.one(lengths) + choice.one([0, 0, 0, 0, -1, 1])
            while pdu.readableBytes < length {
                pdu.writeInteger(UInt8(choice.oneIn(4) ? choice.below(256) : choice.below(18)))
            }
            if round % 4 == 0, length > 6 { pdu.setInteger(UInt8(0xC0 | choice.below(64)), at: length - 1) }
            do throws(MalformedBytes) {
                let command = try SMPCommand(parsing: pdu)
                RunRecord.note("\(command) \(command.encoded().hex)")
                if case .unknown = command { continue }
                #expect(command.encoded() == pdu)
            } catch {
                RunRecord.note("\(pdu.hex) \(error)")
            }
        }
        for number in 0...255 as ClosedRange<UInt8> {
            RunRecord.note("\(PairingFailedReason(rawValue: number)) \(PairingError.failed(.init(rawValue: number)))")
        }
        for error in [.cancelled, .timedOut, .linkEnded, .repeatedAttempts, .inProgress] as [PairingError] {
            RunRecord.note("\(error)")
        }
    }

    private static func parameters(_ choice: inout WalkChoice) -> PairingParameters {
        let key = LongTermKey(value: Octets16(high: 1, low: 2))
        let minimum = choice.one([7, 8, 15, 16])
        var outOfBand = OutOfBandData()
        if choice.oneIn(3) { outOfBand.temporaryKey = Octets16(high: 3, low: 4) }
        if choice.oneIn(3) { outOfBand.peer = SecureConnectionsOutOfBandData(confirm: .zero, random: .zero) }
        let bond = Bond(
            peerAddress: SecurityManagerPair.peripheralAddress,
            keySize: choice.one([7, 8, 15, 16]),
            isAuthenticated: choice.oneIn(2),
            isSecureConnections: choice.oneIn(2),
            local: PairingKeys(longTermKey: key),
            peer: PairingKeys()
        )
        return PairingParameters(
            isCentral: choice.oneIn(2),
            localAddress: SecurityManagerPair.centralAddress,
            peerAddress: SecurityManagerPair.peripheralAddress,
            configuration: PairingConfiguration(
                ioCapability: choice.one(IOCapability.allCases),
                isBondable: !choice.oneIn(4),
                prefersMITMProtection: choice.oneIn(2),
                minimumLevel: choice.one(SecurityLevel.allCases),
                supportsSecureConnections: !choice.oneIn(3),
                isSecureConnectionsOnly: choice.oneIn(8),
                minimumKeySize: minimum,
                maximumKeySize: choice.number(minimum...16),
                usesKeypressNotifications: choice.oneIn(2),
                initiatorKeys: KeyDistribution(rawValue: UInt8(choice.below(16))),
                responderKeys: KeyDistribution(rawValue: UInt8(choice.below(16))),
                identity: choice.oneIn(2) ? nil : PairingCase.centralIdentity
            ),
            requiredLevel: choice.one([.none, .encrypted, .encrypted, .authenticated, .secureConnections]),
            existing: choice.oneIn(3) ? bond : nil,
            outOfBand: outOfBand
        )
    }

    @Test("the features of two devices: what they offer, agree on and refuse", arguments: 0..<8 as Range<UInt64>)
    func features(seed: UInt64) {
        var choice = WalkChoice(seed)
        for _ in 0..<500 {
            let (first, second) = (Self.parameters(&choice), Self.parameters(&choice))
            let request = first.request
            var response = second.response(to: request)
            if choice.oneIn(8) { response.initiatorKeys = KeyDistribution(rawValue: UInt8(choice.below(16))) }
            if choice.oneIn(8) { response.responderKeys = KeyDistribution(rawValue: UInt8(choice.below(16))) }
            RunRecord.note(
                "\(request) \(response) \(first.leastLevel) \(first.preferring(.authenticated).authentication)"
            )
            for parameters in [first, second] {
                do throws(PairingFailedReason) {
                    let agreement = try PairingAgreement(request: request, response: response, parameters)
                    #expect(agreement.keySize >= parameters.configuration.minimumKeySize)
                    #expect(agreement.key.level >= parameters.leastLevel)
                    RunRecord.note(
                        "\(agreement.model) \(agreement.key) \(agreement.isBonding) \(agreement.usesKeypressNotifications) "
                            + "\(agreement.initiatorKeys) \(agreement.responderKeys) \(agreement.isSecureConnections)"
                    )
                } catch {
                    RunRecord.note("\(error)")
                }
            }
        }
    }

    @Test("failures of many peers, and the intervals that follow", arguments: 0..<8 as Range<UInt64>)
    func attempts(seed: UInt64) {
        var choice = WalkChoice(seed)
        var attempts = RepeatedAttempts()
        let count = seed % 2 == 0 ? 3 : 70
        var now = 0
        for _ in 0..<500 {
            now += choice.one([
                0, 1, 500, 999, 1_000, 2_000, choice.oneIn(8) ? 64_000 : 1, choice.oneIn(8) ? 200_000 : 1,
            ])
            let time = NIODeadline.uptimeNanoseconds(0) + .milliseconds(Int64(now))
            let peer = DeviceAddress(UInt64(choice.below(count)), kind: .public)
            if choice.oneIn(10) { attempts.succeeded(peer) } else { attempts.failed(peer, now: time) }
            // When the interval of each peer ends, to a second.
            let ends = (0..<min(count, 8)).map { number -> Int in
                let peer = DeviceAddress(UInt64(number), kind: .public)
                return (0...65).first { !attempts.isWaiting(peer, now: time + .seconds(Int64($0))) } ?? -1
            }
            RunRecord.note("\(ends)")
            #expect(ends.allSatisfy { 0...64 ~= $0 })
        }
    }

    @Test("keypress notifications in any order, up to the limit", arguments: 0..<6 as Range<UInt64>)
    func keypresses(seed: UInt64) {
        var choice = WalkChoice(seed)
        var keypresses = KeypressNotifications()
        var accepted = 0
        for _ in 0..<200 {
            let notification: KeypressNotification =
                choice.oneIn(8)
                ? choice.one([.entryStarted, choice.oneIn(20) ? .entryCompleted : .cleared])
                : choice.one([.digitEntered, .digitErased, .cleared])
            let isAccepted = keypresses.accept(notification)
            accepted += isAccepted ? 1 : 0
            RunRecord.note("\(notification) \(isAccepted)")
        }
        #expect(accepted <= KeypressNotifications.limit + 1)
    }

    @Test("encryption that begins, fails and ends in any order", arguments: 0..<6 as Range<UInt64>)
    func encryption(seed: UInt64) {
        var choice = WalkChoice(seed)
        var encryption = LinkEncryption()
        for _ in 0..<300 {
            if choice.oneIn(3) {
                encryption.start(
                    LinkSecurity.Key(
                        isAuthenticated: choice.oneIn(2),
                        isSecureConnections: choice.oneIn(2),
                        size: choice.number(7...16)
                    )
                )
            } else {
                let status: HCIErrorCode = choice.oneIn(4) ? .pinOrKeyMissing : .success
                RunRecord.note("\(encryption.changed(status, isEnabled: choice.oneIn(2)))")
            }
            RunRecord.note("\(String(describing: encryption.inUse)) \(String(describing: encryption.starting))")
        }
    }

    @Test("passkeys have six digits, and identities are claimed as the bonds allow")
    func passkeysAndIdentities() {
        for number in [0, 1, 99_999, 100_000, 999_999, 1_000_000, 1_000_001, 1_999_999, .max] as [UInt32] {
            RunRecord.note("\(String(describing: Passkey(number))) \(Passkey(comparing: number))")
            #expect((Passkey(number) != nil) == (number <= 999_999))
        }
        var choice = WalkChoice(0)
        let addresses = (1...3).map { DeviceAddress(UInt64($0), kind: .public) }
        let keys = [Octets16.zero, Octets16(high: 0, low: 1), Octets16(high: 0, low: 2)]
        for _ in 0..<500 {
            let known = KnownIdentities(
                address: choice.oneIn(4) ? nil : addresses[0],
                key: choice.oneIn(4) ? nil : keys[choice.number(1...2)],
                peers: (0..<choice.below(3)).map { _ in
                    IdentityInformation(identityResolvingKey: choice.one(keys), address: choice.one(addresses))
                }
            )
            let claimed = IdentityInformation(identityResolvingKey: choice.one(keys), address: choice.one(addresses))
            let existing = Bond(
                peerAddress: choice.one(addresses),
                keySize: 16,
                isAuthenticated: true,
                isSecureConnections: true,
                local: PairingKeys(),
                peer: PairingKeys()
            )
            RunRecord.note("\(known.claim(of: claimed, existing: choice.oneIn(2) ? nil : existing))")
        }
    }
}
