// Every PDU of the Attribute Protocol in the hands of chance, on record: octets that are nearly right go through every
// reader; what it makes of them, or why it refuses them, is noted. What was read is written again as it was.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("ATT PDUs: a walk")
struct ATTPDUWalkTests {
    private var notes = ActionNotes()

    /// Reads octets as one kind of PDU.
    private mutating func read<PDU: ATTPDU>(_: PDU.Type, _ octets: ByteBuffer, _ parts: (PDU) -> [String]) {
        var octets = octets
        octets.setInteger(PDU.opcode.rawValue, at: octets.readerIndex)
        do throws(MalformedBytes) {
            let pdu = try PDU(parsing: octets)
            let encoded = pdu.encoded()
            self.notes.note("\(PDU.opcode) \(pdu.parameterLength) \(parts(pdu).joined(separator: ", "))")
            self.notes.note(encoded, 0)
            #expect(encoded == octets || hex(encoded).count < hex(octets).count, "\(hex(octets))")
            #expect(pdu.parameterLength == encoded.readableBytes - 1)
        } catch {
            self.notes.note("\(PDU.opcode) \(error)")
        }
    }

    private mutating func readAll(_ octets: ByteBuffer) {
        func text(_ handles: UInt16...) -> String { handles.map(\.hexDigits).joined(separator: " ") }
        self.read(ATTErrorResponse.self, octets) { [text($0.handle), "\($0.request) \($0.error.rawValue)"] }
        self.read(ATTExchangeMTURequest.self, octets) { [text($0.clientMTU)] }
        self.read(ATTExchangeMTUResponse.self, octets) { [text($0.serverMTU)] }
        self.read(ATTFindInformationRequest.self, octets) { [text($0.start, $0.end)] }
        self.read(ATTFindInformationResponse.self, octets) {
            ["\($0.list.count) \($0.list.format)"] + $0.list.map { text($0.handle) + "\($0.type)" }
        }
        self.read(ATTFindByTypeValueRequest.self, octets) { [text($0.start, $0.end, $0.type), hex($0.value)] }
        self.read(ATTFindByTypeValueResponse.self, octets) {
            ["\($0.list.count)"] + $0.list.map { text($0.found, $0.groupEnd) }
        }
        self.read(ATTReadByTypeRequest.self, octets) { [text($0.start, $0.end), "\($0.type)"] }
        self.read(ATTReadByTypeResponse.self, octets) {
            ["\($0.list.count) \($0.list.entryLength)"] + $0.list.map { text($0.handle) + hex($0.value) }
        }
        self.read(ATTReadRequest.self, octets) { [text($0.handle)] }
        self.read(ATTReadResponse.self, octets) { [hex($0.value)] }
        self.read(ATTReadBlobRequest.self, octets) { [text($0.handle, $0.offset)] }
        self.read(ATTReadBlobResponse.self, octets) { [hex($0.value)] }
        self.read(ATTReadMultipleRequest.self, octets) { ["\($0.handles.count)"] + $0.handles.map { text($0) } }
        self.read(ATTReadMultipleResponse.self, octets) { [hex($0.values)] }
        self.read(ATTReadByGroupTypeRequest.self, octets) { [text($0.start, $0.end), "\($0.type)"] }
        self.read(ATTReadByGroupTypeResponse.self, octets) {
            ["\($0.list.count) \($0.list.entryLength)"]
                + $0.list.map { text($0.handle, $0.groupEnd) + hex($0.value) }
        }
        self.read(ATTReadMultipleVariableRequest.self, octets) {
            ["\($0.handles.count)"] + $0.handles.map { text($0) }
        }
        self.read(ATTReadMultipleVariableResponse.self, octets) { $0.list.map { "\($0.length) \(hex($0.value))" } }
        self.read(ATTWriteRequest.self, octets) { [text($0.handle), hex($0.value)] }
        self.read(ATTWriteResponse.self, octets) { _ in [] }
        self.read(ATTWriteCommand.self, octets) { [text($0.handle), hex($0.value)] }
        self.read(ATTSignedWriteCommand.self, octets) {
            [text($0.handle), hex($0.value), "\($0.signature.counter) \($0.signature.code)"]
        }
        self.read(ATTPrepareWriteRequest.self, octets) { [text($0.handle, $0.offset), hex($0.value)] }
        self.read(ATTPrepareWriteResponse.self, octets) { [text($0.handle, $0.offset), hex($0.value)] }
        self.read(ATTExecuteWriteRequest.self, octets) { ["\($0.flags)"] }
        self.read(ATTExecuteWriteResponse.self, octets) { _ in [] }
        self.read(ATTHandleValueNotification.self, octets) { [text($0.handle), hex($0.value)] }
        self.read(ATTHandleValueIndication.self, octets) { [text($0.handle), hex($0.value)] }
        self.read(ATTHandleValueConfirmation.self, octets) { _ in [] }
        self.read(ATTMultipleHandleValueNotification.self, octets) { $0.list.map { text($0.handle) + hex($0.value) } }
    }

    @Test("octets of every length through the reader of each PDU")
    mutating func readers() {
        var generator = SeededGenerator(seed: 7)
        for length in 1...42 {
            for round in 0..<4 {
                var octets = ByteBuffer(bytes: [0])
                // Small numbers are lengths, formats and flags that are allowed.
                let highest: UInt8 = round == 0 ? 255 : round == 1 ? 1 : 8
                while octets.readableBytes < length {
                    octets.writeInteger(UInt8.random(in: 0...highest, using: &generator))
                }
                self.readAll(octets)
            }
        }
        for octets in ["0B", "02 0A 00 01", ""] as [String] {
            #expect(throws: MalformedBytes.self) { try ATTReadRequest(parsing: hex(octets)) }
        }
    }

    @Test("the lists of one length with entries of each length, whole and not")
    mutating func lists() {
        for length in 0...24 as ClosedRange<UInt8> {
            for count in 0...3 {
                for rest in 0...1 {
                    var octets = ByteBuffer(bytes: [0, length])
                    octets.writeRepeatingByte(5, count: count * Int(length) + rest)
                    self.readAll(octets)
                }
            }
        }
    }

    @Test("a value in a packet of its own, in every packet that is nearly one")
    mutating func valuePackets() {
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<1_500 {
            let count = Int.random(in: 0...6, using: &generator)
            var octets = ByteBuffer(bytes: [2, 0x40, UInt8.random(in: 0...3, using: &generator) << 4])
            octets.writeInteger(UInt16(7 + count), endianness: .little)
            octets.writeInteger(UInt16(3 + count), endianness: .little)
            octets.writeInteger(UInt16(4), endianness: .little)
            octets.writeInteger([0x1B, 0x52, 0x12, 0x1D].randomElement(using: &generator) ?? 0x1B as UInt8)
            octets.writeInteger(UInt16(0x0203), endianness: .little)
            octets.writeBytes((0..<count).map { UInt8($0) })
            if Bool.random(using: &generator) {
                let index = Int.random(in: 0..<octets.readableBytes, using: &generator)
                let change = Int.random(in: -1...1, using: &generator)
                let octet = octets.getInteger(at: index, as: UInt8.self) ?? 0
                octets.setInteger(UInt8(truncatingIfNeeded: Int(octet) + change), at: index)
            }
            if Int.random(in: 0...5, using: &generator) == 0 {
                octets.moveWriterIndex(to: Int.random(in: 1...octets.readableBytes, using: &generator))
            }
            let packet = HCIPacket(h4: octets)
            let value = ATTValuePacket(packet)
            self.notes.note(octets, 1)
            self.notes.note(
                value.map { "\($0.link) \($0.opcode) \($0.attribute) \($0.length) \($0.valueLength)" } ?? "none"
            )
            if value != nil { self.notes.note(ATTValuePacket.value(of: packet), 2) }
        }
    }

    @Test("what every opcode is, and every error")
    mutating func codes() {
        for octet in 0...255 as ClosedRange<UInt8> {
            let opcode = ATTOpcode(rawValue: octet)
            self.notes.note("\(opcode) \(opcode.isCommand) \(opcode.isForServer) \(opcode.words)")
            let error = ATTErrorCode(rawValue: octet)
            self.notes.note("\(error.words) \(SecurityShortfall(error).map { "\($0)" } ?? "none")")
        }
        for security in LinkSecurity.samples {
            for shortfall in SecurityShortfall.allCases {
                let level = security.level(afterRefusalFor: shortfall).map { "\($0)" } ?? "none"
                self.notes.note("\(security.level) \(security.isBonded) \(shortfall) \(level)")
            }
        }
    }

    @Test("a value is written behind its headroom, whatever it has in front")
    mutating func headroom() {
        for front in 0...16 {
            for length in [0, 1, 20] {
                var value = PDUBuffer.make(capacity: length, headroom: front)
                value.writeRepeatingByte(0xAA, count: length)
                let pdu = ATT.encoded(.writeCommand, 0x0102, value)
                self.notes.note(pdu, UInt64(pdu.readerIndex))
                #expect(hex(pdu) == (["52 02 01"] + Array(repeating: "AA", count: length)).joined(separator: " "))
                #expect(pdu.readerIndex >= PDUBuffer.headroom)
            }
        }
    }

    @Test("signatures, and which of them a key accepts")
    mutating func signatures() {
        var generator = SeededGenerator(seed: 9)
        let keys = [Octets16(high: 1, low: 2), Octets16(high: 1, low: 3)]
        var known = PeerSigningKey(key: keys[0], lastCounter: nil)
        for _ in 0..<300 {
            let message = octets(Int.random(in: 0...40, using: &generator))
            let counter = (known.lastCounter ?? 5) &+ UInt32.random(in: 0...2, using: &generator)
            var signature = DataSignature(of: message, counter: counter, key: keys.randomElement(using: &generator)!)
            if Int.random(in: 0...7, using: &generator) == 0 { signature.code ^= 1 << 63 }
            let last = known.lastCounter
            let isAccepted = known.accept(signature, of: message)
            self.notes.note("\(signature.counter) \(signature.code) \(isAccepted) \(known.lastCounter ?? 0)")
            #expect(known.lastCounter == (isAccepted ? counter : last))
            #expect(!isAccepted || last.map { $0 < counter } ?? true)
        }
        for length in 0...14 {
            var bytes = octets(length)
            #expect((DataSignature(parsing: &bytes) != nil) == (length == DataSignature.octetCount))
        }
    }
}

extension LinkSecurity {
    /// Links of every kind.
    fileprivate static var samples: [LinkSecurity] {
        [false, true].flatMap { isBonded in
            SecurityLevel.allCases.map { LinkSecurity(level: $0, isBonded: isBonded) }
                + [LinkSecurity(level: .encrypted, keySize: 7, isBonded: isBonded)]
        }
    }
}
