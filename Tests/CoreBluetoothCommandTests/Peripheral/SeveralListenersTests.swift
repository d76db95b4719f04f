// A described peripheral with several centrals at a time: the rhythm of its values is one for all who listen, and each
// has a channel of its own.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("A peripheral with several centrals")
struct SeveralListenersTests {
    /// A peripheral with values each 2 s, whose lines begin with a bar, and two sessions that get lines.
    @MainActor
    private static func advertise(
        _ lines: [(seconds: Double, text: String?)],
        _ otherLines: [(seconds: Double, text: String?)]
    ) throws -> SessionRun {
        var run = SessionRun()
        let json = """
            { "services": [ { "uuid": "FFF0", "characteristics": [
                { "uuid": "FFF1", "properties": ["notify"], "notifyEvery": 2,
                  "values": [ { "uint8": 1 }, { "uint8": 2 }, { "uint8": 3 }, { "uint8": 4 } ] } ] } ] }
            """
        let description = try GATTDescription(json: Data(json.utf8), from: "t.json")
        run.start(on: run.world.addDevice("peripheral")) {
            PeripheralSession.started("Safe", description) { Console.print("| " + $0) }
        }
        try run.startSession(on: "tool", lines)
        try run.startSession(on: "other", otherLines)
        return run
    }

    @Test("Who listens later gets the values in the rhythm of the first, which goes on until the last has left")
    func rhythm() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await SeveralListenersTests.advertise(
                [(3, "subscribe FFF1"), (8, "unsubscribe FFF1"), (20, "quit")],
                [(4, "subscribe FFF1"), (12, "unsubscribe FFF1"), (40, nil)]
            )
            for seconds in [4.9, 5.9, 6.9, 7.9, 8.9, 9.9, 10.9, 11.9, 18.9] { run.mark("- \(seconds)", at: seconds) }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        let lines = process.lines.filter { !$0.hasPrefix("| ") }
        #expect(
            lines == [
                "- 4.9", "02", "02", "- 5.9", "- 6.9", "03", "03", "- 7.9", "- 8.9", "04", "- 9.9", "- 10.9", "01",
                "- 11.9", "- 18.9",
            ]
        )
        #expect(process.lines.count { $0 == "| subscribed FFF1" } == 2)
        #expect(process.lines.count { $0 == "| unsubscribed FFF1" } == 2)
    }

    /// A peripheral with a channel that sends back what comes, or with the benchmark's, and three clients.
    @MainActor
    private static func clients(benchmark: Bool, in world: World) throws -> (PeripheralSession, [ChannelClient]) {
        let json = #"{ "services": [], "channels": [{}] }"#
        let description = try benchmark ? nil : GATTDescription(json: Data(json.utf8), from: "t.json")
        let session = world.addDevice("peripheral").run {
            PeripheralSession.started("Peer", description, benchmark: benchmark)
        }
        var clients: [ChannelClient] = []
        for name in ["first", "second", "third"] {
            let client = world.addDevice(name).run { ChannelClient(192) }
            try world.run(until: client.isOpen)
            clients.append(client)
        }
        return (session, clients)
    }

    @Test("Channels that are open beside each other send back what came on each of them")
    @MainActor
    func echoes() throws {
        let world = World(seed: 1)
        let (session, clients) = try Self.clients(benchmark: false, in: world)
        for round in 1...2 {
            for (number, client) in clients.enumerated() { client.send(Data([UInt8(16 * round + number)])) }
            try world.run(until: clients.allSatisfy { $0.received.count == round })
        }
        #expect(clients.map { $0.received } == [Data([16, 32]), Data([17, 33]), Data([18, 34])])
        withExtendedLifetime(session) {}
    }

    @Test("The benchmark confirms and sends on each of its channels what was announced and ordered there")
    @MainActor
    func orders() throws {
        let world = World(seed: 2)
        let (session, clients) = try Self.clients(benchmark: true, in: world)
        #expect(session.server?.psm == 192)
        for round in 1...2 {
            clients[0].send(UInt64(2).littleEndianData + Data([1, 2]))
            clients[1].send((UInt64(3) | BenchmarkService.sendsBit).littleEndianData)
            clients[2].send(UInt64(0).littleEndianData)
            let counts = [round, 3 * round, round]
            try world.run(until: clients.map { $0.received.count } == counts)
            world.advance(by: .seconds(1))
            #expect(clients.map { $0.received.count } == counts)
        }
        #expect(clients[0].received == Data([1, 1]) && clients[2].received == Data([1, 1]))
        withExtendedLifetime(session) {}
    }

    @Test("Beside the benchmark's service, a described channel and a described characteristic are told as ever")
    @MainActor
    func besideBenchmark() throws {
        let world = World(seed: 3)
        let printed = Watched<[String]>([])
        let json = #"""
            { "services": [ { "uuid": "FFF0", "characteristics": [
                { "uuid": "FFF1", "properties": ["read", "write", "notify"], "value": { "uint8": 7 } } ] } ],
              "channels": [{}] }
            """#
        let description = try GATTDescription(json: Data(json.utf8), from: "t.json")
        let session = world.addDevice("peripheral").run {
            PeripheralSession.started("Peer", description, benchmark: true) { line in
                printed.update { $0.append(line) }
            }
        }
        let client = world.addDevice("client").run { ChannelClient(193) }
        try world.run(until: client.isOpen)
        client.send(Data([9, 8]))
        try world.run(until: client.received == Data([9, 8]))
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Peer")
        for line in ["subscribe FFF1 --hex", "read FFF1", "write FFF1 05", "unsubscribe FFF1"] {
            try testbed.perform(line, on: connection)
        }
        let lines = printed.value.filter { !$0.contains("advertising") }
        #expect(
            lines == [
                "the L2CAP channel 193 is open to centrals", "opened channel 193", "channel 193: 0908",
                "subscribed FFF1", "read FFF1", "written FFF1: 05", "unsubscribed FFF1",
            ]
        )
        withExtendedLifetime(session) {}
    }
}
