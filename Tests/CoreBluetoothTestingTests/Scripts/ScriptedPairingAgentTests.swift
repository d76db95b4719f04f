// Scripted users of devices: their answers, and their out-of-band data.

import BluetoothHost
import CoreBluetooth
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothTesting

@Suite("ScriptedPairingAgent")
struct ScriptedPairingAgentTests {
    /// What a user answers to a question.
    private static func answers(_ user: ScriptedPairingAgent, _ question: PairingQuestion) -> [PairingAnswer] {
        let answers = Watched<[PairingAnswer]>([])
        let peer = PairingPeer(identifier: UUID(), name: nil)
        user.pairing(PairingPrompt(question, of: peer) { answer in answers.update { $0.append(answer) } })
        return answers.value
    }

    @Test("enters the code that is shown, another one or none; the last entry again and again")
    func entries() throws {
        let display = ScriptedPairingAgent(.display)
        let user = ScriptedPairingAgent(entering: [.wrong, .right, .wrong, .right, .nothing], shownBy: display)
        #expect(user.capabilities == .keyboard && !user.usesOutOfBandData && display.code == nil)
        var entered: [PairingAnswer] = []
        for number in [0, 0, 123_456, 123_456, 7, 7] as [UInt32] {
            let code = try #require(Passkey(number))
            #expect(Self.answers(display, .displayPasskey(code)) == [])
            entered += Self.answers(user, .enterPasskey)
        }
        let expected: [PairingAnswer] = [
            .passkey(Passkey(1)), .passkey(Passkey(0)), .passkey(Passkey(0)), .passkey(Passkey(123_456)),
            .passkey(nil), .passkey(nil),
        ]
        #expect(entered == expected)
        #expect(display.code == "000007" && display.prompts.first == .showCode("000000"))
        #expect(user.prompts == Array(repeating: .enterCode, count: 6) && user.outcomes.isEmpty)
        #expect(Self.answers(ScriptedPairingAgent(entering: [], shownBy: display), .enterPasskey) == [.passkey(nil)])
    }

    @Test("consents by default, and learns how a pairing ended")
    func users() throws {
        let code = try #require(Passkey(99))
        let plain = ScriptedPairingAgent(.displayAndConfirm)
        #expect(Self.answers(plain, .compareNumbers(code)) == [.numbersMatch(true)])
        #expect(Self.answers(plain, .enterPasskey) == [.passkey(nil)] && plain.code == nil)
        #expect(plain.prompts == [.compareCode("000099"), .enterCode])
        let refuses = ScriptedPairingAgent(.displayAndConfirm, confirms: { _ in false })
        #expect(Self.answers(refuses, .compareNumbers(code)) == [.numbersMatch(false)])
        let idle = ScriptedPairingAgent(.keyboard, entersCode: { _ in "000099" }, confirms: { _ in nil })
        #expect(Self.answers(idle, .compareNumbers(code)) == [] && idle.prompts.count == 1)
        #expect(Self.answers(idle, .enterPasskey) == [.passkey(code)])
        let peer = PairingPeer(identifier: UUID(), name: nil)
        idle.pairingEnded(with: peer, .failed("no"))
        idle.pairingEnded(with: peer, .paired)
        #expect(idle.outcomes == [.failed("no"), .paired])
    }

    private static let peer = PairingPeer(identifier: UUID(), name: nil)

    private static func user() -> ScriptedPairingAgent { ScriptedPairingAgent(.none, usesOutOfBandData: true) }

    @Test("hands over and takes the latest data, for LE Secure Connections or legacy pairing")
    func handOver() {
        let (lock, phone) = (Self.user(), Self.user())
        for user in [lock, phone] {
            let exchange = user.outOfBandData(for: Self.peer)
            #expect(exchange.local == nil && exchange.peer == nil)
        }
        lock.handOver(to: phone)
        let (given, taken) = (lock.outOfBandData(for: Self.peer), phone.outOfBandData(for: Self.peer))
        #expect(given.local != nil && given.peer == nil && taken.local == nil)
        #expect(taken.peer != nil && taken.peer == given.local?.sharedData)
        // New data replaces the old data at both.
        lock.handOver(to: phone)
        let (later, last) = (lock.outOfBandData(for: Self.peer), phone.outOfBandData(for: Self.peer))
        #expect(last.peer != nil && last.peer == later.local?.sharedData && last.peer != taken.peer)
        #expect(later.data(asCentral: true).local != nil && later.data(asCentral: true).temporaryKey == nil)
        lock.handOver(.legacy, to: phone)
        let legacy = lock.outOfBandData(for: Self.peer).data(asCentral: true)
        #expect(legacy.local == nil && legacy.temporaryKey != nil)
        phone.take(nil)
        #expect(phone.outOfBandData(for: Self.peer).peer == nil)
        #expect(lock.outOfBandData(for: Self.peer).local != nil)
    }
}
