import BluetoothHost
import BluetoothTypes
import CommandLineTool
import Foundation
import NIOCore
import Testing

@testable import CoreBluetoothCommand

@Suite("A recorded characteristic")
@MainActor
struct PeripheralRecordingTests {
    /// A characteristic, and the session that answers for it.
    private func described(_ members: String) throws -> (AdvertiseSession, AdvertiseSession.Attribute) {
        let session = try AdvertiseSession.described(AdvertiseSession.json(#"{ "uuid": "FFF1", \#(members) }"#))
        return (session, try #require(session.attributes.first))
    }

    @Test("takes the writes that are described, and is read with its value")
    func answersAlone() throws {
        let (session, attribute) = try described(
            """
            "properties": ["read", "write"], "value": { "uint8": 7 },
            "answers": [ { "written": { "hex": "01" } }, { "written": { "hex": "02" }, "error": 128 } ]
            """
        )
        #expect(session.read(attribute) == nil && attribute.value == Data([7]))
        #expect(session.write(Data([2]), to: attribute).error == .unnamed(128))
        #expect(session.read(attribute) == nil && attribute.value == Data([7]))
        let reply = session.write(Data([1]), to: attribute)
        #expect(reply.error == nil && !reply.isUnanswered && reply.sendings.isEmpty)
        #expect(session.read(attribute) == nil && attribute.value == Data([1]))
    }

    @Test("takes every write if only reads were recorded, and keeps to these")
    func readsAlone() throws {
        let (session, attribute) = try described(
            #""properties": ["read", "write"], "value": { "uint8": 7 }, "reads": [ { "uint8": 8 }, { "uint8": 9 } ]"#
        )
        #expect(attribute.value == Data([7]))
        let reply = session.write(Data([5]), to: attribute)
        #expect(reply.error == nil && !reply.isUnanswered && reply.sendings.isEmpty)
        for value in [8, 9, 9] as [UInt8] {
            #expect(session.read(attribute) == nil && attribute.value == Data([value]))
        }
    }

    @Test("refuses a read with the recorded code, and keeps its value")
    func refusedRead() throws {
        let (session, attribute) = try described(#""properties": ["read"], "value": { "uint8": 7 }"#)
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

    @Test("does not answer a write that was never answered in the record")
    func unansweredWrite() throws {
        let (session, attribute) = try described(
            #""properties": ["write"], "answers": [ { "written": { "hex": "01" } } ]"#
        )
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
