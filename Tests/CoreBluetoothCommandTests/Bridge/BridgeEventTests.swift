// What of the events at a socket concerns a bridge: who comes, who is refused, and who goes.

import BluetoothTransport
import Fixtures
import Testing

@testable import BluetoothAirService
@testable import CoreBluetoothCommand

@Suite("The events of a bridge")
struct BridgeEventTests {
    private static func words(_ event: Bridge.Event?) -> String {
        switch event {
        case .listening?: "listening"
        case .connected(let peer)?: "connected \(peer)"
        case .refused(let peer)?: "refused \(peer)"
        case .disconnected(let peer, let reason)?: "disconnected \(peer): \(reason)"
        case .failed?: "failed"
        case nil: "none"
        }
    }

    @Test("A host that comes, is refused or goes is told by its name, one that sets an address is not")
    func events() {
        let peer = H4Peer.network("192.0.2.7:9101")
        let name = "192.0.2.7:9101"
        let client = AirClient(number: 1, peer: peer)
        let cases: [(event: AirServerEvent, words: String)] = [
            (.connected(client), "connected \(name)"), (.refused(peer), "refused \(name)"),
            (.disconnected(client, reason: "it has closed"), "disconnected \(name): it has closed"),
            (.addressChanged(client), "none"),
        ]
        for (event, words) in cases {
            let found = Self.words(Bridge.Event(event))
            #expect(found == words)
        }
    }
}
