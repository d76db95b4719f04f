// Lines of standard input for a described peripheral, and the centrals that it reports.

import CommandLineTool
import CoreBluetoothTesting
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The lines of a described peripheral")
@MainActor
struct AdvertiseSessionLinesTests {
    private static let json = AdvertiseSession.json(
        #"""
        { "uuid": "2A19", "properties": ["read", "notify"], "value": { "uint8": 9 } },
        { "uuid": "FFF1", "properties": ["read"] }
        """#
    )

    /// A peripheral, and the function that gives it a line.
    private func served(
        _ json: String = json,
        isJSON: Bool = false
    ) throws -> (ServedPeripheral, (String?) -> Void) {
        let served = try ServedPeripheral(json, isJSON: isJSON)
        var give: ((String?) -> Void)?
        served.session.take(LineReader { give = $0 }, nil)
        return (served, try #require(give))
    }

    @Test("set the values that reads get, by UUID or name, in digits or as text")
    func set() throws {
        let (served, give) = try served()
        for (line, characteristic, digits) in [
            ("set 2A19 5F", "2A19", "5F"), ("set \"Battery Level\" 0x10", "2A19", "10"),
            ("set FFF1 'a b' --text --service FFF0", "FFF1", "612062"), ("# a comment", "FFF1", "612062"),
            ("", "FFF1", "612062"),
        ] {
            give(line)
            #expect(try served.perform("read \(characteristic) --hex") == [digits], "\(line)")
        }
        // The end of the lines changes nothing.
        give(nil)
        #expect(try served.perform("read 2A19 --hex") == ["10"])
        #expect(served.printed.contains("set 2A19 Battery Level: 5F (95 %)"))
    }

    @Test("notify subscribers of a new value or the present one; set does not")
    func notify() throws {
        let (served, give) = try served()
        try served.perform("subscribe 2A19 --hex")
        let notified = try served.connected().testbed.printing {
            for line in ["notify 2A19", "set 2A19 0A", "notify 2A19", "notify 2A19 5F"] {
                give(line)
                served.world.advance(by: .seconds(1))
            }
        }
        #expect(notified == ["09", "0A", "5F"])
        #expect(try served.perform("read 2A19 --hex") == ["5F"])
        #expect(served.printed.last { $0.hasPrefix("notified") } == "notified 2A19 Battery Level: 5F (95 %)")
    }

    @Test("are reported if they fail, in one line, and change nothing")
    func failures() throws {
        let (served, give) = try served(isJSON: true)
        let rows = [
            ("sat 2A19 5F", "there is no command \"sat\"; did you mean 'set'?"),
            ("set 2A19", "set: The value is missing."),
            ("set 2A19 5", "set: \"5\" is not hexadecimal: write pairs of digits such as 0A1B, or use --as or --text."),
            ("set 2A1A 5F", "the peripheral has no characteristic 2A1A"),
            ("set 2A19 5F --service 180F", "the peripheral has no characteristic 2A19 in the service 180F"),
            ("notify FFF1 5F", "FFF1 has neither notify nor indicate among its properties"),
            ("set 2A19 \"5F", "a quotation mark is not closed"),
            ("set 2A19 \(String(repeating: "00", count: 513))", "set: A value has up to 512 octets, not 513."),
        ]
        try served.world.run(until: !served.printed.isEmpty)
        for (line, error) in rows {
            give(line)
            let object = try jsonObject(served.printed.last)
            #expect(object["event"] as? String == "failed" && object["command"] as? String == line)
            #expect(object["error"] as? String == error)
        }
        #expect(try served.perform("read 2A19 --hex") == ["09"])
    }

    @Test("are listed by help, and describe themselves")
    func help() throws {
        let (served, give) = try served()
        try served.world.run(until: !served.printed.isEmpty)
        give("help")
        #expect(served.printed.dropFirst().map { $0.prefix { $0 != " " } } == ["set", "notify", "quit"])
        give("set --help")
        #expect(served.printed.last?.contains("USAGE: ") == true)
    }

    @Test(
        "stand among those of centrals, which are reported when they connect and disconnect",
        arguments: [false, true]
    )
    func centrals(isJSON: Bool) throws {
        let (served, _) = try served(isJSON: isJSON)
        let (testbed, _) = try served.connected()
        try served.world.run(until: served.printed.count == 2)
        let central = testbed.central
        try testbed.perform { await central.disconnect() }
        try served.world.run(until: served.printed.count == 3)
        let lines = Array(served.printed.dropFirst())
        guard isJSON else {
            let pattern = #/(connected|disconnected) [0-9A-F\-]{36}/#
            #expect(lines.allSatisfy { $0.wholeMatch(of: pattern) != nil }, "\(lines)")
            return
        }
        let objects = try lines.map { try jsonObject($0) }
        #expect(objects.map { $0["event"] as? String } == ["connected", "disconnected"])
        #expect(Set(objects.map { $0["central"] as? String }).count == 1)
    }
}
