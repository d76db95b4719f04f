// What `corebluetooth air` and `corebluetooth bridge` print of what happens at their sockets, and what the air tells
// the service manager.

import BluetoothAir
import BluetoothTransport
import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("What is printed of hosts on sockets")
struct AirSessionTests {
    private static let addresses: [StreamAddress] = [.unix(path: "/run/a"), .tcp(host: "127.0.0.1", port: 9101)]

    @MainActor
    private static func session(_ addresses: [StreamAddress], _ output: OutputFormat) -> AirSession {
        AirSession(
            plan: AirService.Plan(
                addresses: addresses,
                settings: AirSettings(hasAirTime: false, loss: LossProbability(0)),
                seed: 7,
                captureFile: nil,
                hostLimit: 4
            ),
            words: "instant, seed 7",
            output: output
        )
    }

    /// What a session prints of events.
    @MainActor
    private static func lines(_ events: [AirService.Event], isJSON: Bool) -> [String] {
        let printed = Watched<[String]>([])
        let output = OutputFormat(isJSON: isJSON, isVerbose: false) { line in printed.update { $0.append(line) } }
        let session = Self.session(Self.addresses, output)
        for event in events { session.report(event) }
        for line in printed.value { RunRecord.note(line) }
        return printed.value
    }

    @Test("Each event of an air is a line, or an object; how many hosts there are is said in words")
    @MainActor
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

    @Test("Events that were dropped are counted in a line of their own behind the others", arguments: [0, 1, 3])
    @MainActor
    func dropped(count: Int) {
        let printed = Watched<[String]>([])
        let output = OutputFormat(isJSON: false, isVerbose: false) { line in printed.update { $0.append(line) } }
        let session = Self.session([], output)
        let waiting = WaitingEvents()
        for number in 0..<WaitingEvents.limit + count { _ = waiting.add(.addressed(number, "-")) }
        session.report(waiting)
        #expect(printed.value.count == WaitingEvents.limit + (count > 0 ? 1 : 0))
        #expect(printed.value.first == "0 is -")
        let words = "\(count) more hosts that came or went are not shown: this output was not read"
        #expect(printed.value.contains(words) == (count > 0))
        #expect(printed.value.last == (count > 0 ? words : "999 is -"))
        RunRecord.note(printed.value.last ?? "-")
    }

    @MainActor
    private static func fail(_ reason: String) {
        Self.session([], OutputFormat(isJSON: false, isVerbose: false)).report(.failed(reason))
    }

    @Test("An air that fails ends the program with the reason")
    func failed() async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            await AirSessionTests.fail("the place is taken")
            exit(99)
        }
        let process = try #require(result)
        #expect(process.errorLines == ["the place is taken"])
    }

    /// Prints what the service manager is told of events, a message a line.
    @MainActor
    private static func tell(_ path: String) throws {
        let receiver = try NotificationReceiver(path, limit: 5)
        setenv("NOTIFY_SOCKET", path, 1)
        let session = Self.session(Self.addresses, OutputFormat(isJSON: false, isVerbose: false) { _ in })
        session.report(.listening(Self.addresses[0], isOwnAir: false))
        session.report(.listening(Self.addresses[1], isOwnAir: false))
        session.report(.joined(1, "blueear", count: 2))
        session.report(.addressed(1, "C0:01:02:03:04:05"))
        session.report(.left(1, reason: "it has closed", count: 1))
        for _ in 0..<3 { Console.print((receiver.message() ?? ["none"]).joined(separator: " ")) }
    }

    @Test("The service manager is told that the air is ready when it is at all of its places, and then who is there")
    func serviceManager() async throws {
        let folder = try TemporaryFolder()
        let path = folder("notify")
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = path as String] in
            try await AirSessionTests.tell(path)
            exit(0)
        }
        let lines = try #require(result).lines
        #expect(lines == ["READY=1 STATUS=nobody is on the air", "STATUS=2 are on the air", "STATUS=1 is on the air"])
        withExtendedLifetime(folder) {}
    }

    @Test("Each event of a bridge is a line, or an object")
    @MainActor
    func bridge() {
        let events: [Bridge.Event] = [
            .listening(Self.addresses[0]), .listening(Self.addresses[1]), .connected("eightball\u{1B}"),
            .refused("blueear"), .disconnected("eightball", reason: "it has closed"),
        ]
        func lines(isJSON: Bool) -> [String] {
            let printed = Watched<[String]>([])
            let output = OutputFormat(isJSON: isJSON, isVerbose: false) { line in printed.update { $0.append(line) } }
            for event in events { BridgeCommand.report(event, .linux(index: 3), output) }
            for line in printed.value { RunRecord.note(line) }
            return printed.value
        }
        #expect(
            lines(isJSON: false) == [
                "hci3 is at unix:/run/a; use it with --adapter h4:unix:/run/a",
                "hci3 is at tcp:127.0.0.1:9101; use it with --adapter h4:tcp:127.0.0.1:9101",
                "in use by \(PrintableText.text("eightball\u{1B}"))", "refused blueear: one host at a time",
                "no more in use by eightball: it has closed",
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
}
