// What a peripheral prints of its channels, and what it does not print of the benchmark's service; and what the user
// description of a characteristic demands.

import BluetoothHost
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("What a peripheral prints of channels and of the benchmark")
@MainActor
struct PeripheralLinesTests {
    private func peripheral(
        _ json: String?,
        in world: World,
        isJSON: Bool = false,
        _ printed: Watched<[String]>
    ) throws -> PeripheralSession {
        let description = try json.map { try GATTDescription(json: Data($0.utf8), from: "t.json") }
        return world.addDevice("peripheral").run {
            PeripheralSession.started("Peer", description, benchmark: json == nil, isJSON: isJSON) { line in
                printed.update { $0.append(line) }
            }
        }
    }

    @Test("A channel that is open to centrals, that is opened, and what comes on it, are a line each, or an object")
    func channel() throws {
        for isJSON in [false, true] {
            let world = World(seed: 1)
            let printed = Watched<[String]>([])
            let json = #"{ "services": [], "channels": [ {}, { "security": "encrypted" } ] }"#
            let session = try peripheral(json, in: world, isJSON: isJSON, printed)
            let client = world.addDevice("client").run { ChannelClient(192) }
            try world.run(until: client.isOpen)
            client.send(Data([0x01, 0xAB]))
            try world.run(until: client.received == Data([0x01, 0xAB]))
            client.send(Data([0x0C]))
            try world.run(until: client.received == Data([0x01, 0xAB, 0x0C]))
            let lines = printed.value.filter { !$0.contains("advertising") }
            let objects = [
                #"{"event":"channel","psm":192,"security":"none"}"#,
                #"{"event":"channel","psm":193,"security":"encrypted"}"#, #"{"event":"opened","psm":192}"#,
                #"{"event":"received","psm":192,"value":"01AB"}"#, #"{"event":"received","psm":192,"value":"0C"}"#,
            ]
            let words = [
                "the L2CAP channel 192 is open to centrals", "the L2CAP channel 193 is open to centrals, encrypted",
                "opened channel 192", "channel 192: 01AB", "channel 192: 0C",
            ]
            #expect(lines == (isJSON ? objects : words))
            for line in printed.value { RunRecord.note(line) }
            withExtendedLifetime(session) {}
        }
    }

    @Test("The benchmark sends as many values as were ordered, of 512 octets at most, and prints nothing of it")
    func benchmark() throws {
        let world = World(seed: 2)
        let printed = Watched<[String]>([])
        let session = try peripheral(nil, in: world, printed)
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Peer")
        let (source, order) = (BenchmarkService.source.uuidString, BenchmarkService.order.uuidString)
        // The MTU is agreed on behind the connection.
        world.advance(by: .seconds(1))
        try testbed.perform("subscribe \(source) --hex", on: connection)
        let cases: [(order: String, count: Int, length: Int)] = [
            ("030000000500", 3, 5), ("010000000002", 1, 512), ("010000005802", 1, 512), ("000000000500", 0, 5),
            ("02000000FF01", 2, 511),
        ]
        for (digits, count, length) in cases {
            let values = try testbed.printing {
                try testbed.perform("write \(order) \(digits)", on: connection)
                world.advance(by: .seconds(2))
            }
            #expect(values == Array(repeating: String(repeating: "2A", count: length), count: count), "\(digits)")
        }
        try testbed.perform("unsubscribe \(source)", on: connection)
        try testbed.perform("read \(BenchmarkService.sink.uuidString)", on: connection)
        #expect(printed.value == ["\"Peer\" is advertising \(BenchmarkService.uuid); Ctrl-C ends it."])
        withExtendedLifetime(session) {}
    }

    @Test(
        "The user description demands what is said for it, and nothing where the rest of the characteristic does",
        arguments: [
            ("", SecurityLevel.none), (#", "security": "authenticated""#, .none), (#", "security": {}"#, .none),
            (#", "security": { "read": "encrypted" }"#, .none),
            (#", "security": { "description": "encrypted" }"#, .encrypted),
            (#", "security": { "description": "authenticated", "read": "encrypted" }"#, .authenticated),
        ] as [(String, SecurityLevel)]
    )
    func description(part: String, level: SecurityLevel) throws {
        let json = """
            { "services": [ { "uuid": "FFF0", "characteristics": [
                { "uuid": "FFF1", "properties": ["read"], "description": "A text",
                  "format": { "hex": "04002F27010000" }\(part) } ] } ] }
            """
        let session = PeripheralSession(
            name: "Safe",
            advertised: [],
            description: try GATTDescription(json: Data(json.utf8), from: "t.json"),
            benchmark: false,
            output: OutputFormat(isJSON: false, isVerbose: false) { _ in }
        )
        let descriptors = try #require(session.attributes.first).characteristic.descriptors ?? []
        let levels = descriptors.map { ($0 as? CBMutableDescriptor)?.requiredLevel }
        #expect(levels == [level, SecurityLevel.none])
    }
}
