import BluetoothTransport
import CommandLineTool
import Foundation
import Testing

@testable import BluetoothAirService
@testable import CoreBluetoothCommand

@Suite("corebluetooth bridge")
@MainActor
struct BridgeCommandTests {
    private static let addresses: [StreamAddress] = [.unix(path: "/run/a"), .tcp(host: "127.0.0.1", port: 9101)]

    @Test("prints a line, or an object, for each event")
    func bridge() {
        let events: [Bridge.Event] = [
            .listening(Self.addresses[0]), .listening(Self.addresses[1]), .connected("eightball\u{1B}"),
            .refused("blueear"), .disconnected("eightball", reason: "it has closed"),
        ]
        func lines(isJSON: Bool) -> [String] {
            linesPrinted(isJSON: isJSON) { output in
                for event in events { BridgeCommand.report(event, .linux(index: 3), output) }
            }
        }
        #expect(
            lines(isJSON: false) == [
                "hci3 is at unix:/run/a; use it with --adapter h4:unix:/run/a",
                "hci3 is at tcp:127.0.0.1:9101; use it with --adapter h4:tcp:127.0.0.1:9101",
                "in use by \(PrintableText.text("eightball\u{1B}"))", "refused blueear: one host at a time",
                "no longer in use by eightball: it has closed",
            ]
        )
        #expect(
            lines(isJSON: true) == [
                #"{"event":"listening","address":"unix:/run/a","adapter":"h4:unix:/run/a","controller":"hci3"}"#,
                #"{"event":"listening","address":"tcp:127.0.0.1:9101","adapter":"h4:tcp:127.0.0.1:9101","#
                    + #""controller":"hci3"}"#,
                #"{"event":"connected","peer":"eightball\u001b"}"#, #"{"event":"refused","peer":"blueear"}"#,
                #"{"event":"disconnected","peer":"eightball","reason":"it has closed"}"#,
            ]
        )
    }

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

    @Test("reports hosts that come, are refused or go, and nothing of addresses")
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
