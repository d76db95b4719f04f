// What sessions of eightball have to do with a pairing that goes on meanwhile: where its answers come from, and that a
// question does not time out while the user is busy. And numbers that the documentation names.

import BluetoothHost
import CoreBluetooth
import Foundation
import Testing

@testable import CommandLineTool
@testable @_spi(Steps) import ITCB
@testable import eightball

@Suite("Sessions of eightball beside a pairing")
struct SessionPairingTests {
    private static func agent() -> TerminalPairingAgent {
        // What is shown of a pairing goes nowhere.
        TerminalPairingAgent(.keyboardAndDisplay, serves: OutputFormat(isJSON: false, isVerbose: false) { _ in })
    }

    @Test("The answers to what is asked about a pairing come from the lines of the session")
    @MainActor
    func lines() throws {
        let output = OutputFormat(isJSON: false, isVerbose: false) { _ in }
        let (first, second) = (LineReader { _ in }, LineReader { _ in })
        let asking = ProgramPairing(Self.agent(), try RadioOptions.parse([]))
        let session = CentralSession(lines: first, pairing: asking, output: output)
        #expect(asking.conversation.lines === first)
        let choosing = ProgramPairing(Self.agent(), try RadioOptions.parse([]))
        let chooser = Chooser(lines: second, pairing: choosing, output: output)
        #expect(choosing.conversation.lines === second)
        withExtendedLifetime((session, chooser)) {}
    }

    @Test("The SDK knows how long ago the user was busy with a pairing, and gives each step to the session")
    @MainActor
    func idleTime() throws {
        let agent = Self.agent()
        let sdk = ITCB_SDK()
        var steps: [ITCB_SDK_Step] = []
        Steps.observe(sdk, ProgramPairing(agent, try RadioOptions.parse([]))) { steps.append($0) }
        guard let idleTime = sdk.userIdleTime else {
            Issue.record("nobody says how long the user is idle")
            return
        }
        #expect(idleTime() == nil)
        let peer = PairingPeer(identifier: UUID(), name: "Anna")
        let code = try #require(Passkey(42))
        agent.conversation.begin(PairingPrompt(.displayPasskey(code), of: peer) { _ in })
        #expect(idleTime() == 0)
        agent.conversation.end(peer, .paired)
        #expect((idleTime() ?? -1) >= 0)
        sdk._note(.scanning)
        sdk._note(.ready(name: "Anna"))
        #expect(steps == [.scanning, .ready(name: "Anna")])
    }

    @Test("An SDK whose user is asked nothing has nobody who says so")
    @MainActor
    func withoutPairing() {
        let sdk = ITCB_SDK()
        var count = 0
        Steps.observe(sdk) { _ in count += 1 }
        let isAsked = sdk.userIdleTime != nil
        #expect(!isAsked)
        sdk._note(.scanning)
        #expect(count == 1)
    }

    @Test("The limits and times that the documentation names")
    @MainActor
    func numbers() {
        #expect(CentralPage.lossTicks == 50 && Ticks.interval == 100 && PeripheralPage.entryLimit == 200)
        #expect(WebDocument.entryLimit == 50 && WebDocument.ballLimit == 250)
        #expect(BallPicture.rows == 5 && BallPicture.columns == 13)
    }
}
