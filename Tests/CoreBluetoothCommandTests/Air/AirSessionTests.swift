import BluetoothAir
import BluetoothTransport
import CommandLineTool
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The output of corebluetooth air")
@MainActor
struct AirSessionTests {
    private static let addresses: [StreamAddress] = [.unix(path: "/run/a"), .tcp(host: "127.0.0.1", port: 9101)]

    private static func lines(_ events: [AirService.Event], isJSON: Bool) -> [String] {
        linesPrinted(isJSON: isJSON) { output in
            let session = AirSession(
                plan: AirService.Plan(
                    addresses: addresses,
                    settings: .instant,
                    seed: 7,
                    captureFile: nil,
                    hostLimit: 4
                ),
                words: "instant, seed 7",
                output: output
            )
            for event in events { session.report(event) }
        }
    }

    @Test("has a line, or an object, for each event, with the number of hosts")
    func air() {
        let events: [AirService.Event] = [
            .listening(Self.addresses[0], isOwnAir: true), .listening(Self.addresses[0], isOwnAir: false),
            .listening(Self.addresses[1], isOwnAir: false), .joined(1, "eightball\u{1B}", count: 1),
            .joined(2, "blueear", count: 2), .addressed(2, "C0:01:02:03:04:05"),
            .left(1, reason: "it has closed", count: 1), .left(2, reason: "it has closed", count: 0),
        ]
        let name = PrintableText.text("eightball\u{1B}")
        #expect(
            Self.lines(events, isJSON: false) == [
                "listening at unix:/run/a (instant, seed 7); join with --adapter air",
                "listening at unix:/run/a (instant, seed 7); join with --adapter air:/run/a",
                "listening at tcp:127.0.0.1:9101 (instant, seed 7); join with --adapter air:tcp:127.0.0.1:9101",
                "1 joined: \(name); 1 is on the air", "2 joined: blueear; 2 are on the air", "2 is C0:01:02:03:04:05",
                "1 left: it has closed; 1 is on the air", "2 left: it has closed; nobody is on the air",
            ]
        )
        #expect(
            Self.lines(events, isJSON: true).dropFirst(3) == [
                #"{"event":"joined","number":1,"peer":"eightball\u001b","count":1}"#,
                #"{"event":"joined","number":2,"peer":"blueear","count":2}"#,
                #"{"event":"addressed","number":2,"address":"C0:01:02:03:04:05"}"#,
                #"{"event":"left","number":1,"reason":"it has closed","count":1}"#,
                #"{"event":"left","number":2,"reason":"it has closed","count":0}"#,
            ]
        )
        #expect(
            Self.lines(events, isJSON: true).prefix(2) == [
                #"{"event":"listening","address":"unix:/run/a","adapter":"air"}"#,
                #"{"event":"listening","address":"unix:/run/a","adapter":"air:/run/a"}"#,
            ]
        )
    }
}
