// A pairing agent that has no more than it must: what it uses of data that comes by another way than Bluetooth.

import Fixtures
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("An agent that knows of no data from elsewhere")
struct PlainAgentTests {
    private struct PlainAgent: PairingAgent {
        let capabilities: PairingCapabilities

        func pairing(_ prompt: PairingPrompt) {}
    }

    @Test("it uses no such data and has none, so that its display and its keys alone say whether it can authenticate")
    func defaults() {
        let peer = PairingPeer(identifier: UUID(), name: nil)
        for (capabilities, canAuthenticate) in [
            (.none, false), (.display, true), (.displayAndConfirm, true), (.keyboard, true),
            (.keyboardAndDisplay, true),
        ] as [(PairingCapabilities, Bool)] {
            let agent = PlainAgent(capabilities: capabilities)
            #expect(!agent.usesOutOfBandData && agent.canAuthenticate == canAuthenticate)
            let exchange = agent.outOfBandData(for: peer)
            #expect(exchange.local == nil && exchange.peer == nil)
        }
    }
}
