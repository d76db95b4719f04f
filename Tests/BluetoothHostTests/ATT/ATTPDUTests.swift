// Every ATT PDU as the specification lays it out (Vol 3, Part F, 3.4), and every wrong length.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("ATT PDUs")
struct ATTPDUTests {
    /// The PDU has these octets, and these octets are the PDU.
    private func check<PDU: ATTPDU>(
        _ pdu: PDU,
        _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let expected = hex(text)
        let written = pdu.encoded()
        #expect(written == expected, "\(hex(written))", sourceLocation: sourceLocation)
        #expect(written.readableBytes == 1 + pdu.parameterLength, sourceLocation: sourceLocation)
        #expect(written.readerIndex == PDUBuffer.headroom, sourceLocation: sourceLocation)
        #expect(try PDU(parsing: expected) == pdu, sourceLocation: sourceLocation)
    }

    /// None of these octets are such a PDU.
    private func refuse<PDU: ATTPDU>(_: PDU.Type, _ texts: String..., sourceLocation: SourceLocation = #_sourceLocation)
    {
        for text in texts {
            #expect(throws: MalformedBytes.self, "\(text)", sourceLocation: sourceLocation) {
                _ = try PDU(parsing: hex(text))
            }
        }
    }

    @Test("writes and reads Error Response")
    func errorResponse() throws {
        try self.check(
            ATTErrorResponse(request: .readRequest, handle: 0x1234, error: .invalidHandle),
            "01 0A 34 12 01"
        )
        self.refuse(ATTErrorResponse.self, "", "01 0A 34 12", "01 0A 34 12 01 00", "02 0A 34 12 01")
    }

    @Test("writes and reads Exchange MTU")
    func exchangeMTU() throws {
        try self.check(ATTExchangeMTURequest(clientMTU: 517), "02 05 02")
        self.refuse(ATTExchangeMTURequest.self, "02", "02 05", "02 05 02 00")
        try self.check(ATTExchangeMTUResponse(serverMTU: 247), "03 F7 00")
        self.refuse(ATTExchangeMTUResponse.self, "03", "03 05", "03 05 02 00")
    }

    @Test("writes and reads Find Information")
    func findInformation() throws {
        try self.check(ATTFindInformationRequest(start: 1, end: 0xFFFF), "04 01 00 FF FF")
        self.refuse(ATTFindInformationRequest.self, "04 01 00 FF", "04 01 00 FF FF 00")
        let short = ATTFindInformationResponse.List(format: .short, bytes: hex("01 00 00 28 02 00 03 28"))
        try self.check(ATTFindInformationResponse(list: short), "05 01 01 00 00 28 02 00 03 28")
        #expect(short.count == 2)
        #expect(short.map(\.handle) == [1, 2])
        #expect(short.map(\.type) == [0x2800, 0x2803])
        let uuid = try #require(BluetoothUUID("00112233-4455-6677-8899-AABBCCDDEEFF"))
        let full = ATTFindInformationResponse.List(
            format: .full,
            bytes: hex("03 00 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11 00")
        )
        try self.check(
            ATTFindInformationResponse(list: full),
            "05 02 03 00 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11 00"
        )
        #expect(full.map(\.type) == [uuid])
        self.refuse(
            ATTFindInformationResponse.self,
            "05",
            "05 01",
            "05 02",
            "05 00 01 00 00 28",
            "05 03 01 00 00 28",
            "05 01 01 00 00",
            "05 01 01 00 00 28 02",
            "05 02 01 00 00 28"
        )
    }

    @Test("writes and reads Find By Type Value")
    func findByTypeValue() throws {
        try self.check(
            ATTFindByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: hex("0D 18")),
            "06 01 00 FF FF 00 28 0D 18"
        )
        try self.check(
            ATTFindByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: ByteBuffer()),
            "06 01 00 FF FF 00 28"
        )
        self.refuse(ATTFindByTypeValueRequest.self, "06 01 00 FF FF 00", "06")
        let list = ATTFindByTypeValueResponse.List(bytes: hex("01 00 05 00 10 00 FF FF"))
        try self.check(ATTFindByTypeValueResponse(list: list), "07 01 00 05 00 10 00 FF FF")
        #expect(list.count == 2)
        #expect(list.map(\.found) == [1, 0x10])
        #expect(list.map(\.groupEnd) == [5, 0xFFFF])
        self.refuse(ATTFindByTypeValueResponse.self, "07", "07 01 00 05", "07 01 00 05 00 10")
    }

    @Test("writes and reads Read By Type")
    func readByType() throws {
        try self.check(ATTReadByTypeRequest(start: 1, end: 9, type: 0x2803), "08 01 00 09 00 03 28")
        let uuid = try #require(BluetoothUUID("00112233-4455-6677-8899-AABBCCDDEEFF"))
        try self.check(
            ATTReadByTypeRequest(start: 1, end: 9, type: uuid),
            "08 01 00 09 00 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11 00"
        )
        self.refuse(
            ATTReadByTypeRequest.self,
            "08 01 00 09 00",
            "08 01 00 09 00 03",
            "08 01 00 09 00 03 28 00 00",
            "08 01 00 09 00 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11"
        )
        let list = ATTReadByTypeResponse.List(entryLength: 3, bytes: hex("01 00 AA 02 00 BB"))
        try self.check(ATTReadByTypeResponse(list: list), "09 03 01 00 AA 02 00 BB")
        #expect(list.count == 2)
        #expect(list.map(\.handle) == [1, 2])
        #expect(list.map(\.value) == [hex("AA"), hex("BB")])
        let empty = try ATTReadByTypeResponse(parsing: hex("09 02 01 00 02 00"))
        #expect(empty.list.map(\.value) == [ByteBuffer(), ByteBuffer()])
        self.refuse(
            ATTReadByTypeResponse.self,
            "09",
            "09 03",
            "09 00 01 00",
            "09 01 01",
            "09 03 01 00",
            "09 03 01 00 AA 02"
        )
    }

    @Test("writes and reads Read")
    func read() throws {
        try self.check(ATTReadRequest(handle: 0x0102), "0A 02 01")
        self.refuse(ATTReadRequest.self, "0A", "0A 02", "0A 02 01 00")
        try self.check(ATTReadResponse(value: hex("01 02 03")), "0B 01 02 03")
        try self.check(ATTReadResponse(value: ByteBuffer()), "0B")
    }

    @Test("writes and reads Read Blob")
    func readBlob() throws {
        try self.check(ATTReadBlobRequest(handle: 3, offset: 22), "0C 03 00 16 00")
        self.refuse(ATTReadBlobRequest.self, "0C 03 00 16", "0C 03 00 16 00 00")
        try self.check(ATTReadBlobResponse(value: hex("01")), "0D 01")
        try self.check(ATTReadBlobResponse(value: ByteBuffer()), "0D")
    }

    @Test("writes and reads Read Multiple")
    func readMultiple() throws {
        let handles = ATTHandleList([1, 0x0203, 3])
        try self.check(ATTReadMultipleRequest(handles: handles), "0E 01 00 03 02 03 00")
        #expect(Array(handles) == [1, 0x0203, 3])
        #expect(handles.count == 3)
        self.refuse(ATTReadMultipleRequest.self, "0E", "0E 01 00", "0E 01 00 02", "0E 01 00 02 00 03")
        try self.check(ATTReadMultipleResponse(values: hex("01 02")), "0F 01 02")
    }

    @Test("writes and reads Read By Group Type")
    func readByGroupType() throws {
        try self.check(ATTReadByGroupTypeRequest(start: 1, end: 0xFFFF, type: 0x2800), "10 01 00 FF FF 00 28")
        self.refuse(ATTReadByGroupTypeRequest.self, "10 01 00 FF FF 00", "10 01 00 FF FF 00 28 00")
        let list = ATTReadByGroupTypeResponse.List(entryLength: 6, bytes: hex("01 00 05 00 00 18 06 00 09 00 01 18"))
        try self.check(ATTReadByGroupTypeResponse(list: list), "11 06 01 00 05 00 00 18 06 00 09 00 01 18")
        #expect(list.count == 2)
        #expect(list.map(\.handle) == [1, 6])
        #expect(list.map(\.groupEnd) == [5, 9])
        #expect(list.map(\.value) == [hex("00 18"), hex("01 18")])
        // An entry has two handles at least; its value may be empty.
        let empty = try ATTReadByGroupTypeResponse(parsing: hex("11 04 01 00 05 00"))
        #expect(empty.list.map(\.value) == [ByteBuffer()])
        self.refuse(
            ATTReadByGroupTypeResponse.self,
            "11",
            "11 06",
            "11 03 01 00 05",
            "11 06 01 00 05 00 00",
            "11 06 01 00 05 00 00 18 06"
        )
    }

    @Test("writes and reads Write")
    func write() throws {
        try self.check(ATTWriteRequest(handle: 3, value: hex("01 02")), "12 03 00 01 02")
        try self.check(ATTWriteRequest(handle: 3, value: ByteBuffer()), "12 03 00")
        self.refuse(ATTWriteRequest.self, "12", "12 03")
        try self.check(ATTWriteResponse(), "13")
        self.refuse(ATTWriteResponse.self, "13 00", "")
        try self.check(ATTWriteCommand(handle: 3, value: hex("01 02")), "52 03 00 01 02")
        self.refuse(ATTWriteCommand.self, "52", "52 03")
    }

    @Test("writes and reads Signed Write Command")
    func signedWrite() throws {
        var signature = hex("01 00 00 00 F1 87 1E 93 3C 90 0F F2")
        let parsed = try #require(DataSignature(parsing: &signature))
        for count in [0, 11, 13] {
            var octets = ByteBuffer(repeating: 0, count: count)
            #expect(DataSignature(parsing: &octets) == nil)
        }
        #expect(parsed.counter == 1 && parsed.code == 0xF20F_903C_931E_87F1)
        try self.check(
            ATTSignedWriteCommand(handle: 0x0012, value: hex("13 37"), signature: parsed),
            "D2 12 00 13 37 01 00 00 00 F1 87 1E 93 3C 90 0F F2"
        )
        try self.check(
            ATTSignedWriteCommand(handle: 0x0012, value: hex(""), signature: parsed),
            "D2 12 00 01 00 00 00 F1 87 1E 93 3C 90 0F F2"
        )
        self.refuse(ATTSignedWriteCommand.self, "D2", "D2 12 00", "D2 12 00 01 00 00 00 F1 87 1E 93 3C 90 0F")
    }

    @Test("writes and reads Prepare Write and Execute Write")
    func preparedWrites() throws {
        try self.check(ATTPrepareWriteRequest(handle: 3, offset: 0x0201, value: hex("AA")), "16 03 00 01 02 AA")
        self.refuse(ATTPrepareWriteRequest.self, "16", "16 03 00 01")
        try self.check(ATTPrepareWriteResponse(handle: 3, offset: 0x0201, value: hex("AA")), "17 03 00 01 02 AA")
        self.refuse(ATTPrepareWriteResponse.self, "17", "17 03 00 01")
        try self.check(ATTExecuteWriteRequest(flags: .write), "18 01")
        try self.check(ATTExecuteWriteRequest(flags: .cancel), "18 00")
        self.refuse(ATTExecuteWriteRequest.self, "18", "18 02", "18 01 00")
        try self.check(ATTExecuteWriteResponse(), "19")
        self.refuse(ATTExecuteWriteResponse.self, "19 00")
    }

    @Test("writes and reads notifications, indications and confirmations")
    func handleValues() throws {
        try self.check(ATTHandleValueNotification(handle: 3, value: hex("01 02")), "1B 03 00 01 02")
        self.refuse(ATTHandleValueNotification.self, "1B", "1B 03")
        try self.check(ATTHandleValueIndication(handle: 3, value: ByteBuffer()), "1D 03 00")
        self.refuse(ATTHandleValueIndication.self, "1D", "1D 03")
        try self.check(ATTHandleValueConfirmation(), "1E")
        self.refuse(ATTHandleValueConfirmation.self, "1E 00")
    }

    @Test("writes and reads Read Multiple Variable")
    func readMultipleVariable() throws {
        try self.check(ATTReadMultipleVariableRequest(handles: ATTHandleList([1, 2])), "20 01 00 02 00")
        self.refuse(ATTReadMultipleVariableRequest.self, "20 01 00", "20 01 00 02")
        let list = ATTReadMultipleVariableResponse.List(bytes: hex("01 00 AA 00 00 05 00 01 02"))
        try self.check(ATTReadMultipleVariableResponse(list: list), "21 01 00 AA 00 00 05 00 01 02")
        #expect(list.map(\.length) == [1, 0, 5])
        #expect(list.map(\.value) == [hex("AA"), ByteBuffer(), hex("01 02")])
        // A length cut in the middle is no value.
        #expect(ATTReadMultipleVariableResponse.List(bytes: hex("01 00 AA 05")).map(\.length) == [1])
    }

    @Test("writes and reads Multiple Handle Value Notification")
    func multipleHandleValues() throws {
        let list = ATTMultipleHandleValueNotification.List(bytes: hex("03 00 01 00 AA 04 00 00 00"))
        try self.check(ATTMultipleHandleValueNotification(list: list), "23 03 00 01 00 AA 04 00 00 00")
        #expect(list.map(\.handle) == [3, 4])
        #expect(list.map(\.value) == [hex("AA"), ByteBuffer()])
        // Two values at least, which may be empty (3.4.7.4); a single one is what BlueZ sends.
        let shortest = try ATTMultipleHandleValueNotification(parsing: hex("23 03 00 00 00 04 00 00 00"))
        #expect(shortest.list.map(\.handle) == [3, 4])
        for single in ["23 03 00 00 00", "23 03 00 01 00 AA", "23 03 00 04 00 01 02 03 04"] {
            #expect(try ATTMultipleHandleValueNotification(parsing: hex(single)).list.map(\.handle) == [3])
        }
        self.refuse(
            ATTMultipleHandleValueNotification.self,
            "23",
            "23 03 00 01 00",
            "23 03 00 01 00 AA 04 00 01 00",
            "23 03 00 01 00 AA 04 00 00"
        )
        var written = ByteBuffer()
        ATTMultipleHandleValueNotification.writeEntry(handle: 3, value: hex("AA"), into: &written)
        ATTMultipleHandleValueNotification.writeEntry(handle: 4, value: ByteBuffer(), into: &written)
        #expect(written == list.bytes)
    }

    @Test("reads a buffer from its reader index on")
    func readerIndex() throws {
        var bytes = hex("FF FF 0A 02 01")
        bytes.moveReaderIndex(forwardBy: 2)
        #expect(ATT.opcode(of: bytes) == .readRequest)
        #expect(try ATTReadRequest(parsing: bytes).handle == 0x0102)
        #expect(ATT.opcode(of: ByteBuffer()) == nil)
    }

    @Test("asks for a type of four octets with two or sixteen (3.2.1)")
    func mediumTypes() {
        let short = BluetoothUUID(form: .medium(0x2800))
        let full = BluetoothUUID(form: .medium(0x1234_5678))
        #expect(hex(ATTReadByGroupTypeRequest(start: 1, end: 2, type: short).encoded()) == "10 01 00 02 00 00 28")
        #expect(ATTReadByGroupTypeRequest(start: 1, end: 2, type: full).type.octetCount == 16)
        #expect(hex(ATTReadByTypeRequest(start: 1, end: 2, type: short).encoded()) == "08 01 00 02 00 00 28")
        #expect(ATTReadByTypeRequest(start: 1, end: 2, type: full).type.octetCount == 16)
    }

    @Test("writes opcode and handle in front of a value, whatever headroom the value has", arguments: 0...16)
    func headroom(front: Int) {
        for length in [0, 1, 20] {
            var value = PDUBuffer.make(capacity: length, headroom: front)
            value.writeRepeatingByte(0xAA, count: length)
            let pdu = ATT.encoded(.writeCommand, 0x0102, value)
            #expect(hex(pdu) == (["52 02 01"] + Array(repeating: "AA", count: length)).joined(separator: " "))
            #expect(pdu.readerIndex >= PDUBuffer.headroom)
        }
    }
}
