// What is left of a pairing that is over, by the values that the Security Manager has dropped by then: phase 2 hands
// out its key once (Vol 3, Part H, 2.3.5), and a pairing that has finished distributes no keys.

import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Pairing: what is over")
struct FinishedPairingTests {
    private static func context(_ seed: UInt64) -> SecurityManager.Context {
        SecurityManager.Context(now: .uptimeNanoseconds(0), generator: SeededGenerator(seed: seed))
    }

    /// The commands that were sent since the last call.
    private static func takeCommands(_ context: inout SecurityManager.Context) throws -> [SMPCommand] {
        let actions = context.actions
        context.actions = []
        var commands: [SMPCommand] = []
        for action in actions {
            if case .send(let pdu) = action { commands.append(try SMPCommand(parsing: pdu)) }
        }
        return commands
    }

    /// The only command that was sent since the last call.
    private static func takeCommand(_ context: inout SecurityManager.Context) throws -> SMPCommand {
        let commands = try Self.takeCommands(&context)
        #expect(commands.count == 1)
        return try #require(commands.first)
    }

    @Test("Legacy authentication hands out its short term key once, at both sides, and receives nothing behind it")
    func legacy() throws {
        let central = PairingParameters(.legacy(), isCentral: true)
        let peripheral = PairingParameters(.legacy())
        let request = central.request
        let response = peripheral.response(to: request)
        var (first, second) = (Self.context(1), Self.context(2))
        var initiator = try LegacyAuthentication(
            central,
            PairingAgreement(request: request, response: response, central),
            &first
        )
        var responder = try LegacyAuthentication(
            peripheral,
            PairingAgreement(request: request, response: response, peripheral),
            &second
        )
        let initiatorConfirm = try Self.takeCommand(&first)
        _ = try responder.receive(initiatorConfirm, &second)
        let responderConfirm = try Self.takeCommand(&second)
        _ = try initiator.receive(responderConfirm, &first)
        let initiatorRandom = try Self.takeCommand(&first)
        let responderKey = try responder.receive(initiatorRandom, &second)
        let responderRandom = try Self.takeCommand(&second)
        let initiatorKey = try initiator.receive(responderRandom, &first)
        #expect(initiatorKey != nil && initiatorKey == responderKey)
        #expect(throws: PairingFailedReason.unspecifiedReason) { try responder.receive(initiatorRandom, &second) }
        #expect(throws: PairingFailedReason.unspecifiedReason) { try initiator.receive(responderRandom, &first) }
    }

    @Test("Secure Connections authentication hands out its long term key once, at both sides")
    func secureConnections() throws {
        let central = PairingParameters(.secureConnections(), isCentral: true)
        let peripheral = PairingParameters(.secureConnections())
        let request = central.request
        let response = peripheral.response(to: request)
        var (first, second) = (Self.context(1), Self.context(2))
        var initiator = SecureConnectionsAuthentication(
            central,
            try PairingAgreement(request: request, response: response, central),
            &first
        )
        var responder = SecureConnectionsAuthentication(
            peripheral,
            try PairingAgreement(request: request, response: response, peripheral),
            &second
        )
        // The public keys; the responder's promise follows its key.
        let initiatorPublicKey = try Self.takeCommand(&first)
        _ = try responder.receive(initiatorPublicKey, &second)
        let answers = try Self.takeCommands(&second)
        #expect(answers.count == 2)
        for answer in answers { _ = try initiator.receive(answer, &first) }
        let initiatorRandom = try Self.takeCommand(&first)
        _ = try responder.receive(initiatorRandom, &second)
        let responderRandom = try Self.takeCommand(&second)
        _ = try initiator.receive(responderRandom, &first)
        let initiatorCheck = try Self.takeCommand(&first)
        let responderKey = try responder.receive(initiatorCheck, &second)
        let responderCheck = try Self.takeCommand(&second)
        let initiatorKey = try initiator.receive(responderCheck, &first)
        #expect(initiatorKey != nil && initiatorKey == responderKey)
        #expect(throws: PairingFailedReason.unspecifiedReason) { try responder.receive(initiatorCheck, &second) }
        #expect(throws: PairingFailedReason.unspecifiedReason) { try initiator.receive(responderCheck, &first) }
    }

    @Test("A pairing that has finished waits for no encryption, distributes no keys and is no attempt any more")
    func pairing() throws {
        var (first, second) = (Self.context(1), Self.context(2))
        var initiator = Pairing(
            requesting: PairingParameters(.legacy(), isCentral: true),
            asksUser: false,
            &first
        )
        guard case .pairingRequest(let request) = try Self.takeCommand(&first) else {
            Issue.record("no Pairing Request was sent")
            return
        }
        var responder = try Pairing(
            respondingTo: request,
            PairingParameters(.legacy()),
            asksUser: false,
            &second
        )
        // The response and the initiator's promise, the responder's promise and the initiator's value.
        for _ in 0..<2 {
            let answer = try Self.takeCommand(&second)
            _ = try initiator.receive(answer, &first)
            let command = try Self.takeCommand(&first)
            _ = try responder.receive(command, &second)
        }
        let last = try Self.takeCommand(&second)
        _ = try initiator.receive(last, &first)
        for side in [(initiator, first), (responder, second)] {
            var (pairing, context) = side
            let waits = pairing.encryption != nil
            #expect(waits && pairing.hasBegunAuthentication && !pairing.isDistributingKeys)
            let step = try pairing.encrypted(&context)
            guard case .finished(let bond, let isBonded) = step else {
                Issue.record("the pairing has not finished")
                return
            }
            #expect(!isBonded && bond.keySize == 16)
            let stillWaits = pairing.encryption != nil
            #expect(!stillWaits && !pairing.hasBegunAuthentication && !pairing.isDistributingKeys)
        }
    }
}
