// Each command of a session on a connection in virtual time, on record: its lines for a person, and its objects for a
// program.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("Each command of a session")
@MainActor
struct ActionWalkTests {
    private let testbed: ToolTestbed
    private let peripheral: CBPeripheral

    init() throws {
        let world = World(seed: 1)
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init(
                "2A19",
                properties: [.read, .notify],
                value: Data([87]),
                updates: .every(.seconds(1)) { _ in Data([86]) }
            ),
            .init("FFF1", properties: [.read, .write], value: Data([1]), userDescription: "Kitchen"),
            .init("FFF2", properties: .writeWithoutResponse),
            .init("FFF3", properties: .read, value: Data([3]), security: .encrypted),
        ]
        let services: [ScriptedPeripheral.Service] = [
            .init("FFE0", characteristics: [.init("FFE1", properties: .read, value: Data("Hi".utf8))]),
            .init("FFF0", characteristics: characteristics, includes: [CBUUID(string: "FFE0")]),
        ]
        world.addPeripheral(ScriptedPeripheral(name: "Thermo", services: services))
        testbed = try ToolTestbed(world, permitsPairing: true)
        peripheral = try testbed.connect("Thermo").peripheral
    }

    /// What each of the lines prints; what fails is on record, too.
    private func perform(_ lines: [String], isJSON: Bool) -> [[String]] {
        let printed = Watched<[String]>([])
        let output = OutputFormat(isJSON: isJSON, isVerbose: false) { line in printed.update { $0.append(line) } }
        let connection = DeviceConnection(testbed.central, peripheral, output: output, isSession: true)
        return lines.map { line in
            let before = printed.value.count
            do {
                try testbed.perform(line, on: connection)
            } catch {
                RunRecord.note("\(line) failed: \(connection.central.words(for: error, device: "Thermo"))")
            }
            let result = Array(printed.value.dropFirst(before))
            let identifier = peripheral.identifier.uuidString
            for (number, text) in result.enumerated() {
                RunRecord.note("\(line) \(number): \(text.replacing(identifier, with: "IDENTIFIER"))")
            }
            return result
        }
    }

    private func object(_ line: String?) throws -> [String: Any] {
        let text = try #require(line)
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(value as? [String: Any])
    }

    @Test("The connection itself: what it has is shown, and what is asked for is there then", arguments: [false, true])
    func link(isJSON: Bool) throws {
        let lines = [
            "mtu", "phy", "phy 2m", "phy 1M 2m", "phy 1m", "phy coded", "parameters", "parameters --interval 100",
            "parameters --latency 2 --supervision-timeout 4000", "parameters --interval 4000", "parameters", "rssi",
            "connect",
        ]
        // The MTU is agreed on behind the connection.
        testbed.world.advance(by: .seconds(1))
        let printed = perform(lines, isJSON: isJSON)
        for index in [0, 1, 6, 11] { #expect(printed[index].count == 1, "\(lines[index])") }
        let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
        #expect(printed[12].isEmpty)
        // What does not fit is not asked for.
        #expect(printed[9].isEmpty)
        if isJSON {
            for (index, event) in [(0, "mtu"), (1, "phy"), (6, "parameters"), (11, "rssi")] {
                #expect(try object(printed[index].first)["event"] as? String == event)
            }
            #expect(try object(printed[0].first)["maximumWriteWithoutResponse"] as? Int == length)
        } else {
            #expect(printed[0].first?.hasPrefix("MTU ") == true)
            #expect(printed[0].first?.hasSuffix(", up to \(length) octets in a write without response") == true)
            #expect(printed[1].first?.hasPrefix("sends on ") == true)
            #expect(printed[6].first?.hasPrefix("interval ") == true)
            #expect(printed[11].first?.hasSuffix(" dBm") == true)
        }
    }

    @Test("Values are read, written and sent: each is an object, what was written with whether it was confirmed")
    func objects() throws {
        let lines = [
            "write FFF1 0203", "read FFF1", "write FFF1 Hi --text", "read FFF1 --text", "read FFF1 --hex",
            "write FFF2 01 --without-response", "subscribe 2A19 --count 2", "pair", "pair", "read FFF3",
            "subscribe 2A19", "unsubscribe 2A19", "rea FFF1", "write FFF1 01 --without-response", "read FFF9",
        ]
        let printed = perform(lines, isJSON: true)
        #expect(printed[0] == [#"{"event":"written","characteristic":"FFF1","value":"0203","confirmed":true}"#])
        #expect(printed[5] == [#"{"event":"written","characteristic":"FFF2","value":"01","confirmed":false}"#])
        #expect(try object(printed[1].first)["value"] as? String == "0203")
        for index in [3, 4] {
            let value = try object(printed[index].first)
            #expect(value["event"] as? String == "value")
            #expect(value["value"] as? String == "4869")
            #expect(value["text"] as? String == "Hi")
            #expect(value["meaning"] as? String == "48 69 \"Hi\"")
        }
        #expect(printed[6].count == 2)
        let pairings = try printed[7...8].map { try object($0.first) }
        #expect(pairings.map { $0["new"] as? Bool } == [true, false])
        #expect(pairings.map { $0["security"] as? String } == ["encrypted", "encrypted"])
        #expect(pairings.allSatisfy { $0["name"] as? String == "Thermo" })
        #expect(try object(printed[9].first)["value"] as? String == "03")
        #expect(printed[12...14].allSatisfy { $0.isEmpty })
    }

    @Test("What the device offers is shown with its values where that is asked for", arguments: [false, true])
    func discover(isJSON: Bool) throws {
        let printed = perform(["discover", "discover --values"], isJSON: isJSON)
        #expect(printed.allSatisfy { !$0.isEmpty } && printed[0].count == printed[1].count)
        guard isJSON else {
            #expect(printed[0].contains("\nFFF0  (includes FFE0)"))
            #expect(printed[0].contains("\nFFE0"))
            #expect(printed[0].contains("  FFE1  read"))
            #expect(printed[1].contains("  FFE1  read = 48 69 \"Hi\""))
            #expect(printed[1].contains("    2901 Characteristic User Description = \"Kitchen\""))
            return
        }
        for (lines, meaning) in zip(printed, [nil, "48 69 \"Hi\""] as [String?]) {
            let objects = try lines.map { try object($0) }
            let services = objects.filter { $0["event"] as? String == "service" }
            #expect(services.map { $0["uuid"] as? String } == ["FFE0", "FFF0"])
            #expect(services.compactMap { $0["includes"] as? [String] } == [[], ["FFE0"]])
            #expect(services.allSatisfy { $0["primary"] as? Bool == true })
            let own = objects.first { $0["uuid"] as? String == "FFE1" }
            #expect(own?["meaning"] as? String == meaning)
            #expect(own?["service"] as? String == "FFE0")
            #expect(own?["properties"] as? [String] == ["read"])
        }
    }

    @Test("help lists the commands in their order with what they do, and shows that of one", arguments: [false, true])
    func help(isJSON: Bool) throws {
        let printed = perform(["help", "help read", "help xyz"], isJSON: isJSON)
        let lines = SessionCommands.all.map { command in
            let name = SessionCommands.name(command)
            return name + String(repeating: " ", count: 13 - name.count) + command.configuration.abstract
        }
        #expect(printed[0] == lines)
        #expect(printed[1] == [SessionCommands.help(ReadAction.self)])
        #expect(printed[2].isEmpty)
    }

    @Test("A write without response carries as much as it may, and not an octet more")
    func longest() throws {
        testbed.world.advance(by: .seconds(1))
        let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
        let connection = DeviceConnection(testbed.central, peripheral, output: testbed.output, isSession: true)
        func line(_ count: Int) -> String {
            "write FFF2 \(String(repeating: "41", count: count)) --without-response"
        }
        try testbed.perform(line(length), on: connection)
        let failure = #expect(throws: Failure.self) { try testbed.perform(line(length + 1), on: connection) }
        #expect(failure?.line == "a write without response carries up to \(length) octets, not \(length + 1)")
    }

    @Test("Who has no session is sent to the command that shows what the device has", arguments: [false, true])
    func missing(isSession: Bool) throws {
        let connection = DeviceConnection(testbed.central, peripheral, output: testbed.output, isSession: isSession)
        let failure = #expect(throws: Failure.self) { try testbed.perform("read FFF9", on: connection) }
        let command = isSession ? "discover" : "corebluetooth inspect"
        #expect(failure?.line == "the device has no characteristic FFF9; \(command) shows what it has")
    }

    @Test("A whole inspection has the device first, and its services, in JSON")
    func inspection() throws {
        let printed = Watched<[String]>([])
        let output = OutputFormat(isJSON: true, isVerbose: false) { line in printed.update { $0.append(line) } }
        let (central, peripheral) = (testbed.central, peripheral)
        for reads in [false, true] {
            try testbed.perform {
                try await Inspection(central: central, reads: reads, output: output, columns: nil).show(peripheral)
            }
        }
        let objects = try printed.value.map { try object($0) }
        let devices = objects.filter { $0["event"] as? String == "device" }
        #expect(devices.map { $0["name"] as? String } == ["Thermo", "Thermo"])
        #expect(devices.map { $0["services"] as? Int } == [2, 2])
        #expect(devices.allSatisfy { $0["security"] as? String == "none" })
        let securities = objects.filter { $0["event"] as? String == "security" }
        // A value that demands it has made the two pair.
        #expect(securities.map { $0["security"] as? String } == ["encrypted"])
        let identifier = peripheral.identifier.uuidString
        for (number, line) in printed.value.enumerated() {
            RunRecord.note("\(number) \(line.replacing(identifier, with: "IDENTIFIER"))")
        }
    }
}
