// What a described peripheral makes of its description before anybody connects: properties, permissions, values,
// descriptors and what is advertised; and what becomes of values that wait to be sent.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The attributes of a described peripheral")
@MainActor
struct PeripheralAttributesTests {
    private static func session(
        _ json: String,
        advertised: [String] = [],
        benchmark: Bool = false,
        _ print: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> PeripheralSession {
        PeripheralSession(
            name: "Safe",
            advertised: advertised.map { CBUUID(string: $0) },
            description: try GATTDescription(json: Data(json.utf8), from: "t.json"),
            benchmark: benchmark,
            output: OutputFormat(isJSON: false, isVerbose: false, write: print)
        )
    }

    /// A session with one service, FFF0.
    private static func session(characteristics: String) throws -> PeripheralSession {
        try session(#"{ "services": [ { "uuid": "FFF0", "characteristics": [ \#(characteristics) ] } ] }"#)
    }

    @Test("Each set of properties, with each demand, has its properties and permissions")
    func properties() throws {
        let names = ["read", "write", "writeWithoutResponse", "notify", "indicate"]
        let demands = [
            "", #", "security": "encrypted""#, #", "security": "authenticated""#, #", "security": {}"#,
            #", "security": { "read": "encrypted" }"#, #", "security": { "read": "authenticated" }"#,
            #", "security": { "write": "encrypted" }"#, #", "security": { "write": "authenticated" }"#,
            #", "security": { "notify": "encrypted" }"#, #", "security": { "notify": "authenticated" }"#,
        ]
        for bits in 1..<(1 << names.count) {
            let chosen = names.indices.filter { bits & 1 << $0 != 0 }.map { names[$0] }
            let list = chosen.map { "\"\($0)\"" }.joined(separator: ", ")
            for demand in demands {
                let json = #"{ "uuid": "FFF1", "properties": [\#(list)]\#(demand) }"#
                let session = try Self.session(characteristics: json)
                let characteristic = try #require(session.attributes.first).characteristic
                let (properties, permissions) = (characteristic.properties, characteristic.permissions)
                RunRecord.note("\(list)\(demand): \(properties.rawValue) \(permissions.rawValue)")
                #expect(properties.contains(.read) == chosen.contains("read"))
                #expect(properties.contains(.write) == chosen.contains("write"))
                #expect(properties.contains(.writeWithoutResponse) == chosen.contains("writeWithoutResponse"))
                #expect(properties.contains(.notify) == chosen.contains("notify"))
                #expect(properties.contains(.indicate) == chosen.contains("indicate"))
                #expect(permissions.contains(.readable) == chosen.contains("read"))
                let isWritten = chosen.contains("write") || chosen.contains("writeWithoutResponse")
                #expect(permissions.contains(.writeable) == isWritten)
            }
        }
    }

    @Test(
        "The value at the start is the one that is described, the first of several, the first that was read, or none",
        arguments: [
            (#""value": { "hex": "01" }"#, "01"), (#""values": [ { "hex": "02" }, { "hex": "03" } ]"#, "02"),
            (#""reads": [ { "hex": "04" }, { "hex": "05" } ]"#, "04"),
            (#""value": { "hex": "01" }, "reads": [ { "hex": "04" } ]"#, "01"),
            (#""values": [ { "hex": "02" } ], "reads": [ { "hex": "04" } ]"#, "02"), (#""delay": 0"#, ""),
        ]
    )
    func values(part: String, digits: String) throws {
        let session = try Self.session(characteristics: #"{ "uuid": "FFF1", "properties": ["read"], \#(part) }"#)
        let attribute = try #require(session.attributes.first)
        #expect(Hexadecimal.digits(attribute.value) == digits)
        #expect((attribute.replay != nil) == part.contains("reads"))
        RunRecord.note("\(part) \(Hexadecimal.digits(attribute.value))")
    }

    @Test(
        "A description and a format are descriptors, in this order, each where it is there",
        arguments: [
            ("", []), (#", "description": "A text""#, ["2901"]),
            (#", "format": { "hex": "04002F27010000" }"#, ["2904"]),
            (#", "description": "A text", "format": { "hex": "04002F27010000" }"#, ["2901", "2904"]),
        ] as [(String, [String])]
    )
    func descriptors(part: String, uuids: [String]) throws {
        let session = try Self.session(characteristics: #"{ "uuid": "FFF1", "properties": ["read"]\#(part) }"#)
        let descriptors = try #require(session.attributes.first).characteristic.descriptors ?? []
        #expect(descriptors.map(\.uuid.uuidString) == uuids)
        for descriptor in descriptors where descriptor.uuid.uuidString == "2901" {
            #expect(descriptor.value as? String == "A text")
        }
    }

    @Test("What is advertised is what was asked for, then each service that is not left out, then the benchmark's")
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
            let session = try world.addDevice("peripheral").run {
                let session = try Self.session(json, advertised: advertised, benchmark: benchmark) { line in
                    printed.update { $0.append(line) }
                }
                session.start()
                return session
            }
            try world.run(until: !printed.value.isEmpty)
            #expect(printed.value == ["\"Safe\" is advertising\(words); Ctrl-C ends it."])
            withExtendedLifetime(session) {}
        }
    }

    @Test("Of values that wait to be sent the last 256 are kept; those that were on their way arrive, too")
    func waitingValues() throws {
        let world = World(seed: 1)
        let characteristic = #"{ "uuid": "FFF1", "properties": ["notify"] }"#
        let session = try world.addDevice("peripheral").run {
            let session = try Self.session(characteristics: characteristic)
            session.start()
            return session
        }
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
        RunRecord.note("\(printed)")
    }
}
