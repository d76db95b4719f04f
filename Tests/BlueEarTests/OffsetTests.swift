// A central that reads from an octet of its own, and one that writes pieces: what the peripheral role answers.

import BluetoothHost
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar
@testable import CoreBluetooth

@Suite("Offsets")
struct OffsetTests {
    private let testbed = Testbed()
    private let speaker: Speaker
    private let central: BareCentral
    private let link: LinkID
    private let handle: AttributeHandle

    init() throws {
        self.speaker = self.testbed.speaker(["Hello": "Darkness"])
        self.central = BareCentral(in: self.testbed)
        self.link = try self.central.connect()
        let service = CBUUID(string: "0cdbe648-eed0-11e6-bc64-92361f002671")
        self.handle = try #require(try self.central.valueHandles(of: service.value, on: self.link).first)
    }

    private func read(from offset: Int) throws -> [UInt8] {
        Array(try self.central.perform(ReadValue(self.handle, from: offset), on: self.link).get().readableBytesView)
    }

    private func write(_ pieces: [(offset: Int, value: Data)]) throws {
        let pieces = pieces.map { (offset: $0.offset, value: ByteBuffer(bytes: $0.value)) }
        try self.central.perform(WriteInPieces(self.handle, pieces), on: self.link).get()
    }

    @Test("A message may be read from any octet up to its end; behind that it is an ATT error")
    func read() throws {
        let whole = try self.read(from: 0)
        #expect(whole.count > 40)
        #expect(try self.read(from: 40) == Array(whole.dropFirst(40)))
        #expect(try self.read(from: whole.count) == [])
        #expect(throws: GATTError.att(.invalidOffset, handle: self.handle)) { try self.read(from: whole.count + 1) }
    }

    @Test("The pieces of a message meet, or the whole is an ATT error and nothing is received")
    func write() throws {
        let message = list(["Yo": "Lo"])
        let first = message.prefix(20)
        let rest = message.dropFirst(20)
        let error = GATTError.att(.invalidOffset, handle: self.handle)
        #expect(throws: error) { try self.write([(0, first), (21, rest)]) }
        #expect(throws: error) { try self.write([(1, message)]) }
        #expect(self.speaker.received.isEmpty && self.speaker.errors.isEmpty)
        try self.write([(0, first), (20, rest)])
        #expect(self.speaker.received.map(\.message) == [["Yo": "Lo"]])
    }

    @Test("Another characteristic of the service has no messages: to read or write it is an ATT error")
    func anotherCharacteristic() throws {
        let testbed = Testbed()
        let speaker = testbed.speaker()
        let other = CBMutableCharacteristic(
            type: CBUUID(string: "2A00"),
            properties: [.read, .write],
            value: nil,
            permissions: [.readable, .writeable]
        )
        speaker.manager.service?.characteristics?.append(other)
        let central = BareCentral(in: testbed)
        let link = try central.connect()
        let service = CBUUID(string: "0cdbe648-eed0-11e6-bc64-92361f002671")
        let handle = try #require(try central.valueHandles(of: service.value, on: link).last)
        let error = GATTError.att(.attributeNotFound, handle: handle)
        #expect(throws: error) { try central.perform(ReadValue(handle), on: link).get() }
        let pieces = [(offset: 0, value: ByteBuffer(bytes: list(["Yo": "Lo"])))]
        #expect(throws: error) { try central.perform(WriteInPieces(handle, pieces), on: link).get() }
        #expect(speaker.received.isEmpty && speaker.errors.isEmpty)
    }
}
