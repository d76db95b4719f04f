// A described peripheral in a world. Its values at times of its own are tested in the system layer.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("A described peripheral")
@MainActor
struct PeripheralSessionTests {
    @Test("has the properties and permissions that are described")
    func properties() throws {
        let names = ["read", "write", "writeWithoutResponse", "notify", "indicate"]
        for bits in 1..<(1 << names.count) {
            let chosen = names.indices.filter { bits & 1 << $0 != 0 }.map { names[$0] }
            let list = chosen.map { "\"\($0)\"" }.joined(separator: ", ")
            let json = PeripheralSession.json(#"{ "uuid": "FFF1", "properties": [\#(list)] }"#)
            let characteristic = try #require(try PeripheralSession.described(json).attributes.first).characteristic
            let expected: [(CBCharacteristicProperties, CBAttributePermissions)] = [
                (.read, .readable), (.write, .writeable), (.writeWithoutResponse, .writeable), (.notify, []),
                (.indicate, []),
            ]
            let parts = names.indices.filter { bits & 1 << $0 != 0 }.map { expected[$0] }
            let properties = parts.reduce(into: CBCharacteristicProperties()) { $0.formUnion($1.0) }
            let permissions = parts.reduce(into: CBAttributePermissions()) { $0.formUnion($1.1) }
            #expect(characteristic.properties == properties && characteristic.permissions == permissions)
        }
    }

    @Test(
        "has at first the described value, the first of several, the first that was read, or none",
        arguments: [
            (#""value": { "hex": "01" }"#, "01"), (#""values": [ { "hex": "02" }, { "hex": "03" } ]"#, "02"),
            (#""reads": [ { "hex": "04" }, { "hex": "05" } ]"#, "04"),
            (#""value": { "hex": "01" }, "reads": [ { "hex": "04" } ]"#, "01"),
            (#""values": [ { "hex": "02" } ], "reads": [ { "hex": "04" } ]"#, "02"), (#""delay": 0"#, ""),
        ]
    )
    func values(part: String, digits: String) throws {
        let session = try PeripheralSession.described(
            PeripheralSession.json(#"{ "uuid": "FFF1", "properties": ["read"], \#(part) }"#)
        )
        let attribute = try #require(session.attributes.first)
        #expect(Hexadecimal.digits(attribute.value) == digits)
        #expect((attribute.replay != nil) == part.contains("reads"))
    }

    @Test(
        "has a description and a format as descriptors, in this order",
        arguments: [
            ("", []), (#", "description": "A text""#, ["2901"]),
            (#", "format": { "hex": "04002F27010000" }"#, ["2904"]),
            (#", "description": "A text", "format": { "hex": "04002F27010000" }"#, ["2901", "2904"]),
        ] as [(String, [String])]
    )
    func descriptors(part: String, uuids: [String]) throws {
        let session = try PeripheralSession.described(
            PeripheralSession.json(#"{ "uuid": "FFF1", "properties": ["read"]\#(part) }"#)
        )
        let descriptors = try #require(session.attributes.first).characteristic.descriptors ?? []
        #expect(descriptors.map(\.uuid.uuidString) == uuids)
        for descriptor in descriptors where descriptor.uuid.uuidString == "2901" {
            #expect(descriptor.value as? String == "A text")
        }
    }

    @Test("advertises the services that were asked for, the described ones that are not left out, and the benchmark's")
    func advertised() throws {
        let json = """
            { "services": [ { "uuid": "FFF0", "advertise": false }, { "uuid": "FFF1" },
                { "uuid": "FFF2", "advertise": true } ] }
            """
        let none = #"{ "services": [] }"#
        let cases: [(json: String, advertised: [String], benchmark: Bool, words: String)] = [
            (json, ["180D"], false, " Heart Rate, FFF1, FFF2"), (json, [], false, " FFF1, FFF2"),
            (json, [], true, " FFF1, FFF2, \(BenchmarkService.uuid)"), (none, [], false, ""),
            (none, [], true, " \(BenchmarkService.uuid)"),
        ]
        for (json, advertised, benchmark, words) in cases {
            let world = World(seed: 1)
            let printed = Watched<[String]>([])
            let session = try PeripheralSession.started(
                json,
                in: world,
                advertised: advertised,
                benchmark: benchmark
            ) { line in printed.update { $0.append(line) } }
            try world.run(until: !printed.value.isEmpty)
            #expect(printed.value == ["\"Safe\" is advertising\(words); Ctrl-C ends it."])
            withExtendedLifetime(session) {}
        }
    }

    @Test("prints what a central does as a line, or as an object", arguments: [false, true])
    func events(isJSON: Bool) throws {
        let world = World(seed: 1)
        let printed = Watched<[String]>([])
        let json = PeripheralSession.json(
            #"{ "uuid": "2A19", "properties": ["read", "write", "notify"], "value": { "uint8": 9 } }"#
        )
        let session = try PeripheralSession.started(json, in: world, isJSON: isJSON) { line in
            printed.update { $0.append(line) }
        }
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Safe")
        for line in ["read 2A19", "subscribe 2A19", "write 2A19 0A", "unsubscribe 2A19"] {
            try testbed.perform(line, on: connection)
        }
        guard isJSON else {
            #expect(
                printed.value == [
                    "\"Safe\" is advertising FFF0; Ctrl-C ends it.", "read 2A19 Battery Level",
                    "subscribed 2A19 Battery Level", "written 2A19 Battery Level: 0A (10 %)",
                    "unsubscribed 2A19 Battery Level",
                ]
            )
            return
        }
        let objects = try printed.value.map { try jsonObject($0) }
        #expect(
            objects.map { $0["event"] as? String } == ["advertising", "read", "subscribed", "written", "unsubscribed"]
        )
        #expect(objects[0]["name"] as? String == "Safe" && objects[0]["services"] as? [String] == ["FFF0"])
        #expect(objects.dropFirst().map { $0["value"] as? String } == [nil, nil, "0A", nil])
        #expect(objects.dropFirst().allSatisfy { $0["characteristic"] as? String == "2A19" })
        withExtendedLifetime(session) {}
    }

    @Test("keeps the last 256 of the values that wait to be sent")
    func waitingValues() throws {
        let world = World(seed: 1)
        let characteristic = #"{ "uuid": "FFF1", "properties": ["notify"] }"#
        let session = try PeripheralSession.started(PeripheralSession.json(characteristic), in: world)
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Safe")
        try testbed.perform("subscribe FFF1 --hex", on: connection)
        let attribute = try #require(session.attributes.first)
        let values = (0..<1000).map { UInt16($0).littleEndianData }
        let printed = testbed.printing {
            for value in values { session.notify(.init(attribute: attribute, value: value, centrals: nil)) }
            world.advance(by: .seconds(60))
        }
        let expected = values.map { Hexadecimal.digits($0) }
        #expect(printed.count > 256 && printed.count < 1000)
        #expect(Array(printed.suffix(256)) == Array(expected.suffix(256)))
        let first = printed.dropLast(256)
        #expect(Array(first) == Array(expected.prefix(first.count)))
    }

    @Test("drops the values that wait to be sent when the adapter goes off")
    func droppedValues() throws {
        let world = World(seed: 2)
        let session = try PeripheralSession.started(
            PeripheralSession.json(#"{ "uuid": "FFF1", "properties": ["notify"] }"#),
            in: world
        )
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Safe")
        try testbed.perform("subscribe FFF1 --hex", on: connection)
        let attribute = try #require(session.attributes.first)
        for number in 0..<300 {
            let value = Data([0xA0, UInt8(truncatingIfNeeded: number)])
            session.notify(.init(attribute: attribute, value: value, centrals: nil))
        }
        world["peripheral"]?.isPowered = false
        world.advance(by: .seconds(60))
        world["peripheral"]?.isPowered = true
        world.advance(by: .seconds(5))
        let again = try testbed.connect("Safe")
        try testbed.perform("subscribe FFF1 --hex", on: again)
        let printed = testbed.printing {
            session.notify(.init(attribute: attribute, value: Data([0xB0]), centrals: nil))
            world.advance(by: .seconds(10))
        }
        #expect(printed == ["B0"])
        withExtendedLifetime(session) {}
    }

    @Test("offers described services beside the benchmark's, with the services that they include")
    func besideBenchmark() throws {
        let world = World()
        let session = try PeripheralSession.started(
            #"""
            { "services": [ { "uuid": "FFF2", "primary": false }, { "uuid": "FFF3", "primary": false },
              { "uuid": "FFF0", "includes": ["FFF3"], "characteristics": [
                { "uuid": "FFF1", "properties": ["read", "write"], "value": { "uint8": 7 } } ] } ] }
            """#,
            in: world,
            benchmark: true
        )
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Safe")
        #expect(try testbed.perform("read FFF1", on: connection) == ["07"])
        try testbed.perform("write FFF1 0102", on: connection)
        #expect(try testbed.perform("read FFF1", on: connection) == ["01 02"])
        let echo = try testbed.perform("read \(BenchmarkService.echo.uuidString) --hex", on: connection)
        #expect(echo == [String(repeating: "2A", count: 20)])
        let included = try testbed.perform {
            let service = try await testbed.central.discoverServices().first { $0.uuid == CBUUID(string: "FFF0") }
            return try await testbed.central.discoverIncludedServices(of: try #require(service)).map(\.uuid)
        }
        #expect(included == [CBUUID(string: "FFF3")])
        withExtendedLifetime(session) {}
    }
}
