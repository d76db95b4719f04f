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
struct AdvertiseSessionTests {
    /// The first characteristic of a described peripheral.
    private func attribute(_ members: String) throws -> AdvertiseSession.Attribute {
        let session = try AdvertiseSession.described(AdvertiseSession.json(#"{ "uuid": "FFF1", \#(members) }"#))
        return try #require(session.attributes.first)
    }

    @Test(
        "has the properties and permissions that are described",
        arguments: [
            (#""read""#, .read, .readable), (#""write""#, .write, .writeable),
            (#""writeWithoutResponse""#, .writeWithoutResponse, .writeable), (#""notify""#, .notify, []),
            (#""indicate""#, .indicate, []),
            (
                #""read", "write", "writeWithoutResponse", "notify", "indicate""#,
                [.read, .write, .writeWithoutResponse, .notify, .indicate], [.readable, .writeable]
            ),
        ] as [(String, CBCharacteristicProperties, CBAttributePermissions)]
    )
    func properties(list: String, properties: CBCharacteristicProperties, permissions: CBAttributePermissions) throws {
        let characteristic = try attribute(#""properties": [\#(list)]"#).characteristic
        #expect(characteristic.properties == properties && characteristic.permissions == permissions)
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
        let attribute = try attribute(#""properties": ["read"], \#(part)"#)
        #expect(HexadecimalText.digits(attribute.value) == digits)
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
        let descriptors = try attribute(#""properties": ["read"]\#(part)"#).characteristic.descriptors ?? []
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
            let served = try ServedPeripheral(json, advertised: advertised, benchmark: benchmark)
            try served.world.run(until: !served.printed.isEmpty)
            #expect(served.printed == ["\"Safe\" is advertising\(words); Ctrl-C ends it."])
        }
    }

    @Test("prints what a central does as a line, or as an object", arguments: [false, true])
    func events(isJSON: Bool) throws {
        let json = AdvertiseSession.json(
            #"{ "uuid": "2A19", "properties": ["read", "write", "notify"], "value": { "uint8": 9 } }"#
        )
        let served = try ServedPeripheral(json, isJSON: isJSON)
        for line in ["read 2A19", "subscribe 2A19", "write 2A19 0A", "unsubscribe 2A19"] { try served.perform(line) }
        guard isJSON else {
            #expect(
                served.printedBesideLinks == [
                    "\"Safe\" is advertising FFF0; Ctrl-C ends it.", "read 2A19 Battery Level",
                    "subscribed 2A19 Battery Level", "written 2A19 Battery Level: 0A (10 %)",
                    "unsubscribed 2A19 Battery Level",
                ]
            )
            return
        }
        let objects = try served.printedBesideLinks.map { try jsonObject($0) }
        #expect(
            objects.map { $0["event"] as? String } == ["advertising", "read", "subscribed", "written", "unsubscribed"]
        )
        #expect(objects[0]["name"] as? String == "Safe" && objects[0]["services"] as? [String] == ["FFF0"])
        #expect(objects.dropFirst().map { $0["value"] as? String } == [nil, nil, "0A", nil])
        #expect(objects.dropFirst().allSatisfy { $0["characteristic"] as? String == "2A19" })
    }

    // MARK: Values that wait to be sent

    private static let notifying = AdvertiseSession.json(#"{ "uuid": "FFF1", "properties": ["notify"] }"#)

    @Test("keeps the last 256 of the values that wait to be sent")
    func waitingValues() throws {
        let served = try ServedPeripheral(Self.notifying)
        try served.perform("subscribe FFF1 --hex")
        let attribute = try served.attribute
        let values = (0..<1000).map { UInt16($0).littleEndianData }
        let printed = try served.connected().testbed.printing {
            for value in values { served.session.notify(.init(attribute: attribute, value: value, centrals: nil)) }
            served.world.advance(by: .seconds(60))
        }
        let expected = values.map { HexadecimalText.digits($0) }
        #expect(printed.count > 256 && printed.count < 1000)
        #expect(Array(printed.suffix(256)) == Array(expected.suffix(256)))
        let first = printed.dropLast(256)
        #expect(Array(first) == Array(expected.prefix(first.count)))
    }

    @Test("drops the values that wait to be sent when the adapter goes off")
    func droppedValues() throws {
        let served = try ServedPeripheral(Self.notifying)
        let (world, session) = (served.world, served.session)
        try served.perform("subscribe FFF1 --hex")
        let attribute = try served.attribute
        for number in 0..<300 {
            let value = Data([0xA0, UInt8(truncatingIfNeeded: number)])
            session.notify(.init(attribute: attribute, value: value, centrals: nil))
        }
        world["peripheral"]?.isPowered = false
        world.advance(by: .seconds(60))
        world["peripheral"]?.isPowered = true
        world.advance(by: .seconds(5))
        let testbed = try served.connected().testbed
        let again = try testbed.connect("Safe")
        try testbed.perform("subscribe FFF1 --hex", on: again)
        let printed = testbed.printing {
            session.notify(.init(attribute: attribute, value: Data([0xB0]), centrals: nil))
            world.advance(by: .seconds(10))
        }
        #expect(printed == ["B0"])
    }

    @Test("offers described services beside the benchmark's, with the services that they include")
    func besideBenchmark() throws {
        let served = try ServedPeripheral(
            #"""
            { "services": [ { "uuid": "FFF2", "primary": false }, { "uuid": "FFF3", "primary": false },
              { "uuid": "FFF0", "includes": ["FFF3"], "characteristics": [
                { "uuid": "FFF1", "properties": ["read", "write"], "value": { "uint8": 7 } } ] } ] }
            """#,
            benchmark: true
        )
        #expect(try served.perform("read FFF1") == ["07"])
        try served.perform("write FFF1 0102")
        #expect(try served.perform("read FFF1") == ["01 02"])
        let echo = try served.perform("read \(BenchmarkService.echo.uuidString) --hex")
        #expect(echo == [String(repeating: "2A", count: 20)])
        let testbed = try served.connected().testbed
        let included = try testbed.perform {
            let service = try await testbed.central.discoverServices().first { $0.uuid == CBUUID(string: "FFF0") }
            return try await testbed.central.discoverIncludedServices(of: try #require(service)).map(\.uuid)
        }
        #expect(included == [CBUUID(string: "FFF3")])
    }
}
