// Every record about a device, as the commands print it, is valid by the schema that the package has.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The records of a device")
@MainActor
struct OutputSchemaTests {
    private let tool: ConnectedTool
    private let schema: JSONSchema

    init() throws {
        let heart = ScriptedPeripheral.Updates.every(.seconds(1)) { _ in Data([0x18, 72, 10, 0, 0, 4]) }
        let services: [ScriptedPeripheral.Service] = [
            .init(
                "180D",
                characteristics: [
                    .init(
                        "2A37",
                        properties: .notify,
                        updates: heart,
                        descriptors: [.init("2901", value: Data("Chest".utf8)), .init("FFD1", value: Data([7]))]
                    ), .init("2A38", properties: .read, value: Data([1])),
                ]
            ),
            .init(
                "FFF0",
                characteristics: [
                    .init("FFF1", properties: [.read, .write], value: Data("Hi".utf8)),
                    .init("FFF2", properties: .read, onRead: { _ in .error(.insufficientAuthorization) }),
                ]
            ),
        ]
        tool = try ConnectedTool(ScriptedPeripheral(name: "Band", services: services), isJSON: true)
        schema = try JSONSchema("output.schema.json")
        // Otherwise a PHY is asked for while the link changes to another one.
        tool.world.advance(by: .seconds(1))
    }

    private func check(_ lines: [String], events: Set<String>) throws {
        var seen: Set<String> = []
        for line in lines {
            let object = try jsonObject(line)
            #expect(schema.problem(object) == nil, "\(line)")
            seen.insert(try #require(object["event"] as? String))
        }
        #expect(seen == events)
    }

    @Test(
        "are valid by the schema, whatever the command",
        arguments: [
            ("discover", ["service", "characteristic", "descriptor"]),
            ("discover --values", ["service", "characteristic", "descriptor"]), ("read 2A38", ["value"]),
            ("read FFF1", ["value"]), ("write FFF1 0102", ["written"]), ("subscribe 2A37 --count 2", ["value"]),
            ("mtu", ["mtu"]), ("phy 1m", ["phy"]), ("parameters --interval 50", ["parameters"]), ("rssi", ["rssi"]),
        ] as [(String, Set<String>)]
    )
    func commands(line: String, events: Set<String>) throws {
        try check(try tool.perform(line), events: events)
    }

    @Test("of an inspection and of every attribute are valid by the schema")
    func inspection() throws {
        let (testbed, peripheral) = (tool.testbed, tool.connection.peripheral)
        let inspected = try testbed.printing {
            try testbed.perform {
                try await Inspection(central: testbed.central, reads: true, output: testbed.output, columns: nil)
                    .show(peripheral)
            }
        }
        try check(inspected, events: ["device", "service", "characteristic", "descriptor"])
        let attributes = try testbed.printing {
            try testbed.perform {
                AttributeListing(testbed.output, peripheral).show(try await testbed.central.attributes())
            }
        }
        try check(attributes, events: ["attribute"])
    }

    @Test("of a scan and of failures are valid by the schema")
    func others() throws {
        let heard = ScannedDevice(
            identifier: UUID(),
            name: "Band",
            rssi: -60,
            services: [CBUUID(string: "180D")],
            manufacturerData: Data([0x4C, 0, 1]),
            serviceData: [(service: CBUUID(string: "180F"), data: Data([87]))],
            txPower: 4
        )
        try check([heard.object.text, ScannedDevice(identifier: UUID()).object.text], events: ["discovered"])
        let central = tool.testbed.central
        let twins = Failure("2 devices", .notFound, details: [("devices", .array([heard.object]))])
        let lines = linesPrinted(isJSON: true) { output in
            output.print(central.failure(for: twins, device: "Band"))
            output.print(central.failure(for: DeviceFailure("reading", CBATTError(.readNotPermitted)), device: "Band"))
        }
        try check(lines, events: ["failed"])
    }

    @Test("are rejected by the schema if a key is missing, unknown, or of another type")
    func rejected() throws {
        let good = try #require(try tool.perform("read 2A38").first)
        #expect(schema.problem(try jsonObject(good)) == nil)
        for (old, new) in [
            (#""hex":"01""#, #""hex":"1""#), (#""unit":null"#, #""unit":7"#), (#""unit":null,"#, ""),
            (#""event":"value""#, #""event":"values""#), (#""name":"B"#, #""nam":"B"#),
            (#""service":"180D""#, #""service":true"#),
        ] {
            let bad = good.replacing(old, with: new)
            let problem = schema.problem(try jsonObject(bad))
            #expect(bad != good && problem != nil, "\(bad)")
        }
    }
}
