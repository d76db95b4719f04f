// Peripherals as files describe them, and what is said of wrong descriptions.

import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CoreBluetoothCommand

@Suite("corebluetooth advertise --gatt")
struct DescriptionTests {
    private func read(_ json: String) throws -> GATTDescription {
        try GATTDescription(json: Data(json.utf8), from: "t.json")
    }

    private func failure(_ json: String) -> String? {
        do {
            _ = try self.read(json)
            return nil
        } catch {
            return (error as? Failure)?.line
        }
    }

    @Test("A description has services, characteristics, and values in several forms")
    func whole() throws {
        let description = try self.read(
            """
            { "name": "Thermometer",
              "services": [
                { "uuid": "Environmental Sensing",
                  "characteristics": [
                    { "uuid": "2A6E", "properties": ["read", "notify"], "notifyEvery": 0.5, "description": "Kitchen",
                      "values": [ { "int16": -50 }, { "hex": "0a 0B" }, { "text": "é" }, { "uint32": 1 } ] } ] },
                { "uuid": "FFF0", "advertise": false, "primary": false } ] }
            """
        )
        #expect(description.name == "Thermometer")
        #expect(description.services.map(\.uuid.uuid) == [CBUUID(string: "181A"), CBUUID(string: "FFF0")])
        #expect(description.services.map(\.advertise) == [nil, false])
        let characteristic = try #require(description.services[0].characteristics?.first)
        #expect(characteristic.properties == [.read, .notify])
        #expect(
            characteristic.values?.map(\.data) == [
                Data([0xCE, 0xFF]), Data([0x0A, 0x0B]), Data([0xC3, 0xA9]), Data([1, 0, 0, 0]),
            ]
        )
    }

    @Test("What was recorded is written as JSON, and read again the same")
    func recorded() throws {
        let description = try self.read(
            """
            { "name": "Lamp",
              "services": [
                { "uuid": "180F", "primary": false, "advertise": false },
                { "uuid": "FFF0", "includes": ["180F"],
                  "characteristics": [
                    { "uuid": "FFF1", "properties": ["read", "write", "notify"], "security": "encrypted",
                      "description": "Colour", "format": { "hex": "04000027010000" },
                      "reads": [ { "uint8": 1 }, { "uint8": 2 } ],
                      "notifications": [ { "after": 0.5, "value": { "uint8": 3 } } ],
                      "answers": [
                        { "written": { "hex": "01" },
                          "notifications": [ { "after": 0.1, "value": { "uint8": 4 }, "uuid": "FFF2" } ] },
                        { "written": { "hex": "02" }, "error": 128 } ] },
                    { "uuid": "FFF2", "properties": ["notify"] } ] } ] }
            """
        )
        let again = try GATTDescription(json: try description.json, from: "again.json")
        #expect(try again.json == description.json)
        #expect(again.services.map(\.primary) == description.services.map { $0.primary ?? true })
        #expect(again.services.map(\.advertise) == description.services.map { $0.advertise ?? true })
        let characteristic = try #require(again.services[1].characteristics?.first)
        #expect(again.services[1].includes?.map(\.uuid) == [CBUUID(string: "180F")])
        #expect(characteristic.notifications?.map(\.after) == [0.5])
        #expect(characteristic.answers?[0].notifications?[0].uuid?.uuid == CBUUID(string: "FFF2"))
        var replay = try #require(characteristic.replay)
        #expect(try replay.read()?.get() == ByteBuffer(bytes: [1]))
        #expect(replay.write(ByteBuffer(bytes: [2]))?.error?.rawValue == 128)
        #expect(replay.write(ByteBuffer(bytes: [9])) == nil)
        #expect(replay.write(ByteBuffer(bytes: [1]))?.answers.map(\.delay) == [.milliseconds(100)])
        #expect(try replay.read()?.get() == ByteBuffer(bytes: [1]))
    }

    @Test(
        "What is wrong is said with its place",
        arguments: [
            ("{", "t.json: this is not JSON"),
            ("{}", "\"services\" is missing"),
            (#"{"services": [{}]}"#, #"services[0]: "uuid" is missing"#),
            (#"{"services": [{"uuid": "nothing"}]}"#, #"services[0].uuid: "nothing" is no UUID and no assigned name"#),
            (
                #"{"services": [{"uuid": "FFF0", "characteristics": [{"uuid": "FFF1", "properties": ["raed"]}]}]}"#,
                #"services[0].characteristics[0].properties[0]: "raed" is none of read, write"#
            ),
            (
                #"{"services": [{"uuid": "FFF0", "characteristics": [{"uuid": "FFF1", "properties": ["read"], "value": {"hex": "0"}}]}]}"#,
                "services[0].characteristics[0].value.hex: the digits are not hexadecimal"
            ),
            (
                #"{"services": [{"uuid": "FFF0", "characteristics": [{"uuid": "FFF1", "properties": ["read"], "value": {"uint8": 1, "text": "1"}}]}]}"#,
                "services[0].characteristics[0].value: a value has exactly one of hex, text"
            ),
            (
                #"{"services": [{"uuid": "FFF0", "characteristics": [{"uuid": "FFF1", "properties": ["read"], "notifyEvery": 1}]}]}"#,
                "services[0].characteristics[0].notifyEvery needs the property notify or indicate"
            ),
            (
                #"{"services": [{"uuid": "FFF0", "characteristics": [{"uuid": "FFF1", "properties": []}]}]}"#,
                "services[0].characteristics[0].properties is empty"
            ),
            (#"{"services": 7}"#, "services: this is not what belongs here"),
            (
                #"{"services": [{"uuid": "FFF0", "characteristics": [{"uuid": "FFF1", "properties": ["read"], "notifications": [{"after": 1, "value": {"uint8": 1}}]}]}]}"#,
                "services[0].characteristics[0].notifications needs the property notify or indicate"
            ),
            (
                #"{"services": [{"uuid": "FFF0", "characteristics": [{"uuid": "FFF1", "properties": ["notify"], "notifications": [{"after": -1, "value": {"uint8": 1}}]}]}]}"#,
                "services[0].characteristics[0]: after is a number of seconds from 0 to 86400"
            ),
            (
                #"{"services": [{"uuid": "FFF0", "characteristics": [{"uuid": "FFF1", "properties": ["notify"], "notifications": [{"after": 86400, "value": {"uint8": 1}}, {"after": 86400.1, "value": {"uint8": 1}}]}]}]}"#,
                "services[0].characteristics[0]: after is a number of seconds from 0 to 86400"
            ),
            (
                #"{"services": [{"uuid": "FFF0", "characteristics": [{"uuid": "FFF1", "properties": ["write"], "answers": [{"writen": {"uint8": 1}}]}]}]}"#,
                #"services[0].characteristics[0].answers[0]: the key "writen" has no meaning"#
            ),
            (
                #"{"services": [{"uuid": "FFF0", "includes": ["180F"]}, {"uuid": "180F"}]}"#,
                "services[0].includes: "
            ),
        ]
    )
    func wrong(json: String, words: String) throws {
        let line = try #require(self.failure(json))
        #expect(line.contains(words), "\(line)")
        #expect(line.hasPrefix("t.json: "))
        #expect(!line.contains("\n"))
    }

    @Test("A value is sent after a day at most", arguments: [0, 86_400])
    func longestDelay(seconds: Int) {
        let json =
            #"{"uuid": "FFF1", "properties": ["notify"], "notifications": [{"after": \#(seconds), "value": {"uint8": 1}}]}"#
        #expect(self.failure(#"{"services": [{"uuid": "FFF0", "characteristics": [\#(json)]}]}"#) == nil)
    }

    @Test(
        "C3: an error has its path, line and column, key, or limit, and a hint that needs no source tree",
        arguments: [
            ("{\n  \"name\": \"A\",\n  services }", "this is not JSON: invalid value in line 3, column 3"),
            ("{", "this is not JSON: it ends in line 1, column 2, where more has to come"),
            (
                #"{"services": [{"uuid": "FFF0", "charcteristics": []}]}"#,
                #"services[0]: the key "charcteristics" has no meaning; here are uuid, primary, advertise"#
            ),
            (
                #"{"services": [], "version": 1}"#,
                #"the key "version" has no meaning; here are name, manufacturerData, services"#
            ),
            (
                #"{"services": [{"uuid": "FFF0", "characteristics": [{"uuid": "FFF1", "properties": ["read"], "value": {"uint8": 300}}]}]}"#,
                "services[0].characteristics[0].value.uint8: 300 is no whole number from 0 to 255"
            ),
            (
                #"{"services": [{"uuid": "FFF0", "characteristics": [{"uuid": "FFF1", "properties": ["read"], "values": [{"int8": 1.5}]}]}]}"#,
                "services[0].characteristics[0].values[0].int8: 1.5 is no whole number from -128 to 127"
            ),
        ]
    )
    func precise(json: String, words: String) throws {
        let line = try #require(self.failure(json))
        #expect(line.hasPrefix("t.json: " + words), "\(line)")
        #expect(line.hasSuffix("; corebluetooth advertise --help has an example"), "\(line)")
    }

    @Test("C3: a value of more than 512 octets is refused, and a folder is none")
    func limits() throws {
        func json(_ count: Int) -> String {
            let text = String(repeating: "x", count: count)
            let characteristic = #"{"uuid": "FFF1", "properties": ["read"], "value": {"text": "\#(text)"}}"#
            return #"{"services": [{"uuid": "FFF0", "characteristics": [\#(characteristic)]}]}"#
        }
        #expect(self.failure(json(512)) == nil)
        let line = try #require(self.failure(json(513)))
        #expect(line.contains("services[0].characteristics[0] has a value of 513 octets; 512 are the limit"))
        for (path, words) in [("/", "it is a folder"), ("/nowhere/at/all", "there is no such file")] {
            #expect {
                try GATTDescription.read(path)
            } throws: {
                ($0 as? Failure)?.line.contains(words) == true
            }
        }
    }

    @Test("Security is demanded of all that a characteristic does, or of each alone; channels have their own")
    func security() throws {
        let description = try self.read(
            """
            { "services": [ { "uuid": "FFF0", "characteristics": [
                { "uuid": "FFF1", "properties": ["read"], "security": "authenticated" },
                { "uuid": "FFF2", "properties": ["write"], "security": { "write": "encrypted" } } ] } ],
              "channels": [ {}, { "security": "encrypted" } ] }
            """
        )
        let all = try #require(description.services[0].characteristics?.first?.security)
        #expect(all.read == .authenticated && all.write == .authenticated && all.notify == .authenticated)
        #expect(all.description == nil)
        let one = try #require(description.services[0].characteristics?.last?.security)
        #expect(one.read == nil && one.write == .encrypted)
        #expect(description.channels?.map(\.security) == [nil, .encrypted])
        func line(_ security: String) -> String? {
            let characteristic = #"{"uuid": "FFF1", "properties": ["read"], "security": \#(security)}"#
            return self.failure(#"{"services": [{"uuid": "FFF0", "characteristics": [\#(characteristic)]}]}"#)
        }
        let place = "t.json: services[0].characteristics[0].security: "
        #expect(line(#""secret""#)?.hasPrefix(place + "\"secret\" is none of encrypted, authenticated") == true)
        #expect(line(#"{"reed": "encrypted"}"#)?.hasPrefix(place + "the key \"reed\" has no meaning") == true)
        #expect(line("5")?.hasPrefix(place + "this is not what belongs here") == true)
    }

    @Test("C3: the example of the help can be read")
    func example() throws {
        #expect(try self.read(GATTDescription.example).services.count == 2)
    }

    @Test(
        "Values are sent at most once a day, and not without a pause",
        arguments: [("86400", true), ("86401", false), ("0.001", true), ("0", false), ("-1", false)]
    )
    func interval(seconds: String, isTaken: Bool) {
        let line = self.failure(
            """
            {"services": [{"uuid": "FFF0", "characteristics": [
                {"uuid": "FFF1", "properties": ["notify"], "notifyEvery": \(seconds)}]}]}
            """
        )
        #expect((line == nil) == isTaken, "\(line ?? "")")
    }

    @Test(
        "Values of common characteristics are put into words, the others into octets and text",
        arguments: [
            ("2A19", [0x57], "57 (87 %)"), ("2A6E", [0xCE, 0xFF], "CE FF (-0.5 °C)"), ("2A00", [0x48, 0x69], "\"Hi\""),
            ("2A37", [0x00, 0x48], "00 48 (72 bpm)"), ("2A37", [0x01, 0x48, 0x01], "01 48 01 (328 bpm)"),
            ("2A37", [0x01], "01"), ("2A07", [0xFC], "FC (-4 dBm)"), ("2A38", [0x02], "02 (wrist)"),
            ("2A07", [0x80], "80 (-128 dBm)"), ("2A07", [0x7F], "7F (127 dBm)"),
            ("2A6E", [0x00, 0x80], "00 80 (not known)"), ("2A6E", [0xFF, 0x7F], "FF 7F (327.67 °C)"),
            ("2A38", [0xEE], "EE"), ("FFF1", [0x48, 0x69], "48 69 \"Hi\""), ("FFF1", [0x1B, 0x5B], "1B 5B"),
            ("FFF1", [], "(empty)"), ("2A6D", [0xA0, 0x8C, 0x0F, 0x00], "A0 8C 0F 00 (101904 Pa)"),
            (
                "2A04", [0x06, 0x00, 0x0C, 0x00, 0x00, 0x00, 0xC8, 0x00],
                "06 00 0C 00 00 00 C8 00 (interval 7.5 to 15.0 ms, latency 0, timeout 2000 ms)"
            ),
            (
                "2A50", [0x01, 0x4C, 0x00, 0x34, 0x12, 0x00, 0x01],
                "01 4C 00 34 12 00 01 (vendor Apple, product 0x1234, version 0x0100)"
            ),
        ] as [(String, [UInt8], String)]
    )
    func values(uuid: String, octets: [UInt8], text: String) {
        #expect(ValueText.text(Data(octets), of: CBUUID(string: uuid)) == text)
    }

    @Test("Random octets of every known characteristic are put into words without a trap")
    func randomValues() {
        var generator = SystemRandomNumberGenerator()
        for number in 0x2A00...0x2AFF {
            let uuid = CBUUID(string: String(number, radix: 16, uppercase: true))
            for length in 0..<12 {
                let octets = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
                #expect(!ValueText.text(Data(octets), of: uuid).isEmpty)
            }
        }
    }

    @Test("Numbers of the benchmark are written and read in the order of the air")
    func numbers() {
        #expect(UInt32(0x0102_0304).littleEndianData == Data([4, 3, 2, 1]))
        #expect(UInt32(littleEndianData: Data([4, 3, 2, 1])) == 0x0102_0304)
        #expect(UInt64(littleEndianData: Data([1])) == 1)
        #expect(UInt16(littleEndianData: Data([1, 2, 3])) == 0x0201)
    }

    @Test("What a characteristic demands goes to what it permits, and to nothing else", arguments: [false, true])
    func demands(isAuthenticated: Bool) throws {
        let level = isAuthenticated ? "authenticated" : "encrypted"
        let all: CBCharacteristicProperties = [.read, .write, .notify, .indicate]
        let (read, write): (CBAttributePermissions, CBAttributePermissions) =
            isAuthenticated
            ? (.readAuthenticationRequired, .writeAuthenticationRequired)
            : (.readEncryptionRequired, .writeEncryptionRequired)
        let subscriptions: CBCharacteristicProperties = isAuthenticated ? .subscriptionAuthenticationRequired : []
        for (key, properties, permissions, moreProperties, morePermissions) in [
            ("read", all, [.readable, .writeable], [], read), ("read", all, .writeable, [], []),
            ("write", all, [.readable, .writeable], [], write), ("write", all, .readable, [], []),
            ("notify", .notify, .readable, subscriptions.union(.notifyEncryptionRequired), []),
            ("notify", .indicate, .readable, subscriptions.union(.indicateEncryptionRequired), []),
            (
                "notify", all, [.readable, .writeable],
                subscriptions.union([.notifyEncryptionRequired, .indicateEncryptionRequired]), []
            ),
            ("notify", .read, .readable, [], []), ("description", all, [.readable, .writeable], [], []),
        ]
            as [(
                String, CBCharacteristicProperties, CBAttributePermissions, CBCharacteristicProperties,
                CBAttributePermissions
            )]
        {
            let text = Data(#"{"\#(key)": "\#(level)"}"#.utf8)
            let security = try JSONDecoder().decode(GATTDescription.Security.self, from: text)
            var (gotProperties, gotPermissions) = (properties, permissions)
            security.add(to: &gotProperties, &gotPermissions)
            #expect(gotProperties == properties.union(moreProperties), "\(key) \(properties)")
            #expect(gotPermissions == permissions.union(morePermissions), "\(key) \(permissions)")
        }
    }
}
