// The questions of a pairing: their passkeys, and a delegate that answers none of them.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

/// A host that leaves its questions to the defaults of its delegate.
private class PairingUser: LEHostDelegate {
    let host: LEHost
    private(set) var link: LinkID?
    private(set) var outcomes: [String] = []

    init(_ number: UInt64, on air: Air, _ capability: IOCapability, consent: PairingConsentPolicy = .never) {
        let pairing = PairingConfiguration(ioCapability: capability, prefersMITMProtection: true, consent: consent)
        self.host = LEHost(eventLoop: air.eventLoop, configuration: .numbered(number, pairing: pairing))
        self.host.delegate = self
        self.host.attach(to: air.makeController())
    }

    var isPaired: Bool { self.outcomes == ["paired"] }

    func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
    func host(_ host: LEHost, link: LinkID, didPairWith bond: Bond, isBonded: Bool) { self.outcomes.append("paired") }
    func host(_ host: LEHost, link: LinkID, didFailToPair error: PairingError) { self.outcomes.append("\(error)") }
}

/// Says yes, and enters zeros.
private final class WillingUser: PairingUser {
    func host(_ host: LEHost, link: LinkID, asks question: PairingQuestion) {
        switch question {
        case .consent: host.answer(.consent(true), on: link)
        case .displayPasskey: break
        case .enterPasskey: host.answer(.passkey(Passkey(0)), on: link)
        case .compareNumbers: host.answer(.numbersMatch(true), on: link)
        }
    }
}

@Suite("Questions of a pairing")
struct PairingQuestionTests {
    @Test("has passkeys of six digits, with leading zeros")
    func passkeys() {
        #expect(Passkey(1_000_000) == nil && Passkey(.max) == nil)
        #expect(Passkey(999_999)?.description == "999999" && Passkey(42)?.description == "000042")
        #expect(Passkey(0)?.description == "000000")
        var generator = SeededGenerator(seed: 5)
        let passkeys = (0..<200).map { _ in Passkey(using: &generator).value }
        #expect(Set(passkeys).count > 190 && passkeys.allSatisfy { $0 <= 999_999 })
        #expect(passkeys.contains { $0 > 900_000 } && passkeys.contains { $0 < 100_000 })
    }

    @Test(
        "compares the last six digits of a number",
        arguments: [(7, "000007"), (999_999, "999999"), (1_000_000, "000000"), (.max, "967295")] as [(UInt32, String)]
    )
    func comparedNumbers(number: UInt32, text: String) {
        #expect(Passkey(comparing: number).description == text)
    }

    // MARK: Unanswered questions

    private func outcomes(
        _ capability: IOCapability,
        _ consent: PairingConsentPolicy,
        of central: IOCapability
    ) throws -> [String] {
        let loop = EmbeddedEventLoop()
        let air = Air(eventLoop: loop, settings: .instant, seed: 1)
        let central = WillingUser(1, on: air, central)
        let peripheral = PairingUser(2, on: air, capability, consent: consent)
        peripheral.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
        loop.advanceTime(by: .seconds(1))
        central.host.connect(to: try #require(peripheral.host.radioAddress))
        loop.advanceTime(by: .seconds(5))
        central.host.pair(try #require(central.link))
        loop.advanceTime(by: .seconds(40))
        #expect(peripheral.outcomes.count == 1 && central.outcomes.contains("paired") == peripheral.isPaired)
        return peripheral.outcomes
    }

    @Test(
        "refuses a pairing whose delegate answers nothing, unless nothing is asked",
        arguments: IOCapability.allCases,
        [IOCapability.displayYesNo, .keyboardDisplay, .noInputNoOutput]
    )
    func unanswered(capability: IOCapability, central: IOCapability) throws {
        let asks = [.displayYesNo, .keyboardOnly, .keyboardDisplay].contains(capability) && central != .noInputNoOutput
        let shows = capability == .displayOnly && central == .keyboardDisplay
        #expect((try self.outcomes(capability, .never, of: central) == ["paired"]) == (!asks && !shows))
        #expect(try self.outcomes(capability, .always, of: central) != ["paired"])
    }
}
