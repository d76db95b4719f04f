// What a described characteristic answers, by itself: of those that a capture describes a read without a recorded value
// is refused, of all others it gets the value that the characteristic has.

import BluetoothHost
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CoreBluetoothCommand

@Suite("The answers of a described characteristic")
@MainActor
struct DescribedAnswersTests {
    private func session(_ characteristic: String) throws -> PeripheralSession {
        let json = #"{ "services": [ { "uuid": "FFF0", "characteristics": [ \#(characteristic) ] } ] }"#
        return PeripheralSession(
            name: "Safe",
            advertised: [],
            description: try GATTDescription(json: Data(json.utf8), from: "t.json"),
            benchmark: false,
            output: OutputFormat(isJSON: false, isVerbose: false) { _ in }
        )
    }

    @Test("A characteristic that says what may be written and has no recorded reads is read with its value")
    func answersAlone() throws {
        let session = try session(
            """
            { "uuid": "FFF1", "properties": ["read", "write"], "value": { "uint8": 7 },
              "answers": [ { "written": { "hex": "01" } }, { "written": { "hex": "02" }, "error": 128 } ] }
            """
        )
        let attribute = try #require(session.attributes.first)
        #expect(session.read(attribute) == nil && attribute.value == Data([7]))
        // What is refused changes nothing, and what is taken is what is read from then on.
        #expect(session.write(Data([2]), to: attribute).error == .unnamed(128))
        #expect(session.read(attribute) == nil && attribute.value == Data([7]))
        let reply = session.write(Data([1]), to: attribute)
        #expect(reply.error == nil && !reply.isUnanswered && reply.sendings.isEmpty)
        #expect(session.read(attribute) == nil && attribute.value == Data([1]))
    }

    @Test("A characteristic with recorded reads alone takes every write, and keeps to what was read")
    func readsAlone() throws {
        let session = try session(
            """
            { "uuid": "FFF1", "properties": ["read", "write"], "value": { "uint8": 7 },
              "reads": [ { "uint8": 8 }, { "uint8": 9 } ] }
            """
        )
        let attribute = try #require(session.attributes.first)
        #expect(attribute.value == Data([7]))
        let reply = session.write(Data([5]), to: attribute)
        #expect(reply.error == nil && !reply.isUnanswered && reply.sendings.isEmpty)
        for value in [8, 9, 9] as [UInt8] {
            #expect(session.read(attribute) == nil && attribute.value == Data([value]))
        }
    }

    @Test("A read that was refused in the record is refused with its code, and the value stays")
    func refusedRead() throws {
        let session = try session(#"{ "uuid": "FFF1", "properties": ["read"], "value": { "uint8": 7 } }"#)
        let attribute = try #require(session.attributes.first)
        #expect(attribute.replay == nil && session.read(attribute) == nil)
        var record = RecordedCharacteristic(uuid: 0xFFF1, properties: [.read], handle: 3)
        record.reads = [
            .init(.failure(.readNotPermitted)), .init(.failure(ATTErrorCode(rawValue: 0x80))),
            .init(.success(ByteBuffer(bytes: [9]))),
        ]
        attribute.replay = CharacteristicReplay(record)
        #expect(session.read(attribute) == .readNotPermitted && attribute.value == Data([7]))
        #expect(session.read(attribute) == .unnamed(0x80) && attribute.value == Data([7]))
        #expect(session.read(attribute) == nil && attribute.value == Data([9]))
    }

    @Test("A write that was never answered in the record has no answer here, either")
    func unansweredWrite() throws {
        let session = try session(
            #"{ "uuid": "FFF1", "properties": ["write"], "answers": [ { "written": { "hex": "01" } } ] }"#
        )
        let attribute = try #require(session.attributes.first)
        #expect(!session.write(Data([1]), to: attribute).isUnanswered)
        var record = RecordedCharacteristic(uuid: 0xFFF1, properties: [.write], handle: 3)
        var write = RecordedCharacteristic.Write(value: ByteBuffer(bytes: [1]))
        write.isUnanswered = true
        record.writes = [write]
        attribute.replay = CharacteristicReplay(record)
        let reply = session.write(Data([1]), to: attribute)
        #expect(reply.isUnanswered && reply.error == nil)
    }
}
