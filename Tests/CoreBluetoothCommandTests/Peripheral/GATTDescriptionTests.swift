// Files for advertise --gatt, and the lines that say what is wrong with them.

import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CoreBluetoothCommand

@Suite("The description of a peripheral")
struct GATTDescriptionTests {
    private func read(_ json: String) throws -> GATTDescription {
        try GATTDescription(json: Data(json.utf8), from: "t.json")
    }

    private func failure(_ json: String) -> String? {
        do {
            _ = try GATTDescription(json: Data(json.utf8), from: "t.json")
            return nil
        } catch {
            return (error as? Failure)?.line
        }
    }

    @Test("has services, characteristics, and values in several forms")
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

    @Test("is written as JSON as it was recorded, and read again the same")
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
        "takes the octets of its type for a number",
        arguments: [
            ("uint24", "16777215", [0xFF, 0xFF, 0xFF]), ("int24", "-8388608", [0x00, 0x00, 0x80]),
            ("uint64", "18446744073709551615", [UInt8](repeating: 0xFF, count: 8)),
            ("int64", "-2", [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]), ("uint8", "7.0", [0x07]),
            ("float32", "1.5", [0x00, 0x00, 0xC0, 0x3F]), ("float64", "-2", [0, 0, 0, 0, 0, 0, 0, 0xC0]),
            ("medfloat16", "36.6", [0x6E, 0xF1]), ("medfloat16", "-1", [0xFF, 0x0F]),
            ("medfloat16", "0", [0x00, 0x00]), ("medfloat16", "-2045", [0x03, 0x08]),
            ("medfloat16", "2045", [0xFD, 0x07]), ("medfloat16", "2050", [0xCD, 0x10]),
            ("medfloat32", "36.65", [0x51, 0x0E, 0x00, 0xFE]), ("medfloat32", "8388605", [0xFD, 0xFF, 0x7F, 0x00]),
        ] as [(String, String, [UInt8])]
    )
    func numbers(type: String, number: String, octets: [UInt8]) throws {
        let value = "{ \"\(type)\": \(number) }"
        let description = try read(
            AdvertiseSession.json(#"{ "uuid": "FFF1", "properties": ["read"], "value": \#(value) }"#)
        )
        #expect(description.services[0].characteristics?[0].value?.data == Data(octets))
    }

    private static let reading = #""properties": ["read"], "#
    private static let notifying = #""properties": ["notify"], "#
    private static let hint = "; corebluetooth advertise --help has an example"

    private static func text(_ count: Int) -> String { #"{ "text": "\#(String(repeating: "x", count: count))" }"# }
    private static func sent(after seconds: String) -> String {
        #""notifications": [ { "after": \#(seconds), "value": { "uint8": 1 } } ]"#
    }

    @Test(
        "C3: names the place and the key, or the limit, of what is wrong with a characteristic, in one line",
        arguments: [
            (#""properties": ["raed"]"#, #".properties[0]: "raed" is none of read, write"#),
            (#""properties": []"#, ".properties is empty"),
            (
                reading + #""value": { "hex": "0" }"#,
                ".value.hex: \"0\" is not hexadecimal: write pairs of digits such as 0A1B"
            ),
            (reading + #""value": { "uint8": 1, "text": "1" }"#, ".value: a value has exactly one of hex, text"),
            (reading + #""value": {}"#, ".value: a value has exactly one of hex, text"),
            (reading + #""value": { "uint8": 1 }, "values": []"#, " has both value and values; one of them is enough"),
            (reading + #""values": []"#, ".values is empty"),
            (reading + #""value": \#(text(513))"#, " has a value of 513 octets; 512 are the limit"),
            (reading + #""values": [ \#(text(513)) ]"#, " has a value of 513 octets; 512 are the limit"),
            (reading + #""reads": [ \#(text(513)) ]"#, " has a value of 513 octets; 512 are the limit"),
            (reading + #""delay": 61"#, ".delay is a number of seconds from 0 to 60"),
            (reading + #""delay": -1"#, ".delay is a number of seconds from 0 to 60"),
            (reading + #""notifyEvery": 1"#, ".notifyEvery needs the property notify or indicate"),
            (notifying + #""notifyEvery": 0"#, ".notifyEvery is a number of seconds above 0, up to 86400"),
            (notifying + #""notifyEvery": 86401"#, ".notifyEvery is a number of seconds above 0, up to 86400"),
            (
                notifying + #""notifyEvery": 1, "# + sent(after: "1"),
                " has both notifyEvery and notifications; one of them is enough"
            ), (reading + sent(after: "1"), ".notifications needs the property notify or indicate"),
            (notifying + sent(after: "-1"), ": after is a number of seconds from 0 to 86400"),
            (notifying + sent(after: "86400.1"), ": after is a number of seconds from 0 to 86400"),
            (
                #""properties": ["write"], "answers": [ { "writen": { "uint8": 1 } } ]"#,
                #".answers[0]: the key "writen" has no meaning"#
            ),
            (
                #""properties": ["write"], "answers": [ { "written": { "uint8": 1 }, "error": 0 } ]"#, ": 0 is no error"
            ), (reading + #""value": { "uint8": 300 }"#, ".value.uint8: 300 is no whole number from 0 to 255"),
            (reading + #""values": [ { "int8": 1.5 } ]"#, ".values[0].int8: 1.5 is no whole number from -128 to 127"),
            (
                reading + #""value": { "uint24": 16777216 }"#,
                ".value.uint24: 16777216 is no whole number from 0 to 16777215"
            ),
            (
                reading + #""value": { "int24": -8388609 }"#,
                ".value.int24: -8388609 is no whole number from -8388608 to 8388607"
            ),
            (
                reading + #""value": { "uint64": -1 }"#,
                ".value.uint64: -1 is no whole number from 0 to 18446744073709551615"
            ), (reading + #""value": { "medfloat16": 36.655 }"#, "36.655 has more digits than a medfloat16 takes"),
            (reading + #""value": { "medfloat16": 2047 }"#, "2047 has more digits than a medfloat16 takes"),
            (reading + #""value": { "float32": 1e39 }"#, "is too large for a float32"),
            (reading + #""security": "secret""#, #".security: "secret" is none of encrypted, authenticated"#),
            (reading + #""security": { "reed": "encrypted" }"#, #".security: the key "reed" has no meaning"#),
            (reading + #""security": 5"#, ".security: an object in braces belongs here"),
        ]
    )
    func characteristics(members: String, words: String) throws {
        let line = try #require(failure(AdvertiseSession.json(#"{ "uuid": "FFF1", \#(members) }"#)))
        #expect(line.hasPrefix("t.json: services[0].characteristics[0]") && line.contains(words), "\(line)")
        #expect(line.hasSuffix(Self.hint) && !line.contains("\n"), "\(line)")
    }

    @Test(
        "takes values and times up to their limits",
        arguments: [
            reading + #""value": \#(text(512))"#, reading + #""delay": 0"#, reading + #""delay": 60"#,
            notifying + #""notifyEvery": 0.001"#, notifying + #""notifyEvery": 86400"#, notifying + sent(after: "0"),
            notifying + sent(after: "86400"),
        ]
    )
    func limits(members: String) {
        #expect(failure(AdvertiseSession.json(#"{ "uuid": "FFF1", \#(members) }"#)) == nil)
    }

    @Test(
        "C3: names the place, the line and the column of what is wrong with a file",
        arguments: [
            ("{}", "\"services\" is missing"), (#"{"services": [{}]}"#, #"services[0]: "uuid" is missing"#),
            (#"{"services": [{"uuid": "nothing"}]}"#, #"services[0].uuid: "nothing" is no UUID and no assigned name"#),
            (#"{"services": 7}"#, "services: a list in brackets belongs here"),
            (#"{"services": [{"uuid": "FFF0", "includes": ["180F"]}, {"uuid": "180F"}]}"#, "services[0].includes: "),
            ("{\n  \"name\": \"A\",\n  services }", "this is not JSON: invalid value in line 3, column 3"),
            ("{", "this is not JSON: it ends in line 1, column 2, where more has to come"),
            (
                #"{"services": [{"uuid": "FFF0", "charcteristics": []}]}"#,
                #"services[0]: the key "charcteristics" has no meaning; here are uuid, primary, advertise"#
            ),
            (
                #"{"services": [], "version": 1}"#,
                #"the key "version" has no meaning; here are name, manufacturerData, serviceData"#
            ),
        ]
    )
    func files(json: String, words: String) throws {
        let line = try #require(failure(json))
        #expect(line.hasPrefix("t.json: " + words) && line.hasSuffix(Self.hint), "\(line)")
        #expect(!line.contains("\n"))
    }

    @Test(
        "has manufacturer data with a company, up to what fits into a packet",
        arguments: [(1, false), (2, true), (26, true), (27, false)]
    )
    func manufacturerData(count: Int, isTaken: Bool) {
        let hex = String(repeating: "00", count: count)
        let line = failure(#"{"services": [], "manufacturerData": {"hex": "\#(hex)"}}"#)
        #expect((line == nil) == isTaken, "\(line ?? "")")
        #expect(
            isTaken || line?.contains("manufacturerData has \(count) octets; 2, for the company, to 26 fit") == true
        )
    }

    @Test("C3: can be the example of the help, and is read from no folder")
    func paths() throws {
        #expect(try read(GATTDescription.example).services.count == 2)
        let failure = #expect(throws: Failure.self) { _ = try GATTDescription.read("/") }
        #expect(failure?.line.contains("it is a folder") == true)
    }

    @Test("may say where its schema is; no part of it may")
    func schemaKey() {
        let key = #""$schema": "file:///usr/share/opencorebluetooth/gatt-description.schema.json""#
        #expect(failure("{\(key), \"services\": []}") == nil)
        #expect(failure("{\"services\": [{\"uuid\": \"FFF0\", \(key)}]}")?.contains("has no meaning") == true)
    }
}
