// Keypress notifications (Vol 3, Part H, 3.5.8): when this side sends them, whose it reports, and how many.

import Fixtures
import Testing

@testable import BluetoothHost

@Suite("Pairing: keypress notifications")
struct PairingKeypressTests {
    private static let own = SecurityManagerScript.ownKey
    private static let tester = SecurityManagerScript.testerKey

    private static func legacy(_ ioCapability: IOCapability) -> PairingConfiguration {
        var configuration = PairingConfiguration.legacy(ioCapability)
        configuration.usesKeypressNotifications = true
        return configuration
    }

    @Test("A responder of a legacy pairing sends them while it waits for the passkey, and none after it")
    func legacyResponderSends() {
        var script = SecurityManagerScript(isCentral: false, Self.legacy(.keyboardOnly))
        script.run(
            """
            keypress 0
            > 01 00 00 15 10 00 00
            < 02 02 00 15 10 00 00
            ? enter
            keypress 0
            < 0E 00
            keypress 1
            < 0E 01
            keypress 2
            < 0E 02
            keypress 3
            < 0E 03
            > 03 00..0F                 # the promise waits for the passkey
            keypress 4
            < 0E 04
            """
        )
        script.manager.answer(.passkey(Passkey(123_456)), &script.context)
        #expect(script.takeOutput().count == 1)
        script.run("keypress 1")
    }

    @Test("An initiator of a legacy pairing sends them while it waits for the passkey")
    func legacyInitiatorSends() {
        SecurityManagerScript.run(
            isCentral: true,
            Self.legacy(.keyboardOnly),
            """
            pair encrypted
            < 01 02 00 15 10 00 00
            keypress 0
            > 02 00 00 15 10 00 00
            ? enter
            keypress 0
            < 0E 00
            keypress 4
            < 0E 04
            """
        )
    }

    @Test("An initiator of a Secure Connections pairing sends them from the question for the passkey on")
    func secureConnectionsInitiatorSends() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(.keyboardOnly, usesKeypressNotifications: true),
            """
            pair encrypted
            < 01 02 00 1D 10 00 00
            > 02 00 00 1D 10 00 00
            < 0C \(Self.own)
            keypress 0
            > 0C \(Self.tester)
            ? enter
            keypress 0
            < 0E 00
            """
        )
    }

    @Test("None is sent in a legacy pairing whose other side has not set the Keypress bit, nor by a side that shows")
    func notSent() {
        SecurityManagerScript.run(
            isCentral: false,
            Self.legacy(.keyboardOnly),
            """
            > 01 00 00 05 10 00 00
            < 02 02 00 15 10 00 00
            ? enter
            keypress 0
            """
        )
        SecurityManagerScript.run(
            isCentral: false,
            Self.legacy(.displayOnly),
            """
            > 01 02 00 15 10 00 00
            < 02 00 00 15 10 00 00
            ? show 535192
            keypress 0
            """
        )
    }

    @Test("A notification that is sent restarts the 30 s (3.4)")
    func restartsTheTimer() {
        SecurityManagerScript.run(
            isCentral: false,
            Self.legacy(.keyboardOnly),
            """
            > 01 00 00 15 10 00 00
            < 02 02 00 15 10 00 00
            ? enter
            wait 29
            keypress 0
            < 0E 00
            wait 29
            wait 1
            ? timedOut
            keypress 1
            """
        )
    }

    @Test("Where both enter the passkey, the peer's notifications are reported until its promise comes, legacy")
    func bothEnterLegacy() {
        SecurityManagerScript.run(
            isCentral: false,
            Self.legacy(.keyboardOnly),
            """
            > 01 02 00 15 10 00 00
            < 02 02 00 15 10 00 00
            ? enter
            > 0E 00
            ? keypress 0
            > 0E 01
            ? keypress 1
            > 03 00..0F
            > 0E 01
            """
        )
    }

    @Test("Where both enter the passkey, the peer's notifications are reported until its promise comes")
    func bothEnterSecureConnections() {
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(.keyboardOnly, usesKeypressNotifications: true),
            """
            > 01 02 00 1D 10 00 00
            < 02 02 00 1D 10 00 00
            > 0E 00                     # its user may be faster than its public key
            ? keypress 0
            > 0C \(Self.tester)
            < 0C \(Self.own)
            ? enter
            > 0E 01
            ? keypress 1
            > 03 00..0F
            > 0E 01
            """
        )
    }

    @Test("64 notifications are accepted before the one that ends the entry")
    func limit() {
        var keypresses = KeypressNotifications()
        let types: [KeypressNotification] = [.digitEntered, .digitErased, .cleared]
        let isStarted = keypresses.accept(.entryStarted)
        let accepted = (1..<64).filter { keypresses.accept(types[$0 % 3]) }
        #expect(isStarted && accepted.count == 63)
        let excess = types.filter { keypresses.accept($0) }
        #expect(excess.isEmpty)
        let isCompleted = keypresses.accept(.entryCompleted)
        #expect(isCompleted)
    }

    @Test("What comes before the beginning, a second beginning, and what comes after the end are not accepted")
    func order() {
        var keypresses = KeypressNotifications()
        let early = KeypressNotification.allCases.dropFirst().filter { keypresses.accept($0) }
        #expect(early.isEmpty)
        let first = keypresses.accept(.entryStarted)
        let second = keypresses.accept(.entryStarted)
        #expect(first && !second)
        let isCompleted = keypresses.accept(.entryCompleted)
        #expect(isCompleted)
        let late = KeypressNotification.allCases.filter { keypresses.accept($0) }
        #expect(late.isEmpty)
    }
}
