// Every ATT PDU of the specification (Vol 3, Part F, 3.4), and every wrong length.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("ATT PDUs")
struct ATTPDUTests {
    private static let uuid = BluetoothUUID("00112233-4455-6677-8899-AABBCCDDEEFF") ?? 0
    private static let uuidOctets = "FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11 00"

    /// The PDU encodes to these octets and decodes from them, and the others are not such a PDU.
    private func check<PDU: ATTPDU>(
        _ pdu: PDU,
        _ text: String,
        refuses refused: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let expected = hex(text)
        let written = pdu.encoded()
        #expect(written == expected, "\(hex(written))", sourceLocation: sourceLocation)
        #expect(written.readableBytes == 1 + pdu.parameterLength, sourceLocation: sourceLocation)
        #expect(written.readerIndex == PDUBuffer.headroom, sourceLocation: sourceLocation)
        #expect(try PDU(parsing: expected) == pdu, sourceLocation: sourceLocation)
        for text in refused {
            #expect(throws: MalformedBytes.self, "\(text)", sourceLocation: sourceLocation) {
                _ = try PDU(parsing: hex(text))
            }
        }
    }

    @Test("writes and reads errors and the exchange of the MTU")
    func errorsAndMTU() throws {
        let error = ATTErrorResponse(request: .readRequest, handle: 0x1234, error: .invalidHandle)
        try self.check(error, "01 0A 34 12 01", refuses: "", "01 0A 34 12", "01 0A 34 12 01 00", "02 0A 34 12 01")
        try self.check(ATTExchangeMTURequest(clientMTU: 517), "02 05 02", refuses: "02", "02 05", "02 05 02 00")
        try self.check(ATTExchangeMTUResponse(serverMTU: 247), "03 F7 00", refuses: "03", "03 05", "03 05 02 00")
    }

    @Test("writes and reads Find Information")
    func findInformation() throws {
        let request = ATTFindInformationRequest(start: 1, end: 0xFFFF)
        try self.check(request, "04 01 00 FF FF", refuses: "04 01 00 FF", "04 01 00 FF FF 00")
        let short = ATTFindInformationResponse.List(format: .short, bytes: hex("01 00 00 28 02 00 03 28"))
        try self.check(
            ATTFindInformationResponse(list: short),
            "05 01 01 00 00 28 02 00 03 28",
            refuses: "05",
            "05 01",
            "05 02",
            "05 00 01 00 00 28",
            "05 03 01 00 00 28",
            "05 01 01 00 00",
            "05 01 01 00 00 28 02",
            "05 02 01 00 00 28"
        )
        #expect(short.map(\.handle) == [1, 2] && short.map(\.type) == [0x2800, 0x2803])
        let full = ATTFindInformationResponse.List(format: .full, bytes: hex("03 00 \(Self.uuidOctets)"))
        try self.check(ATTFindInformationResponse(list: full), "05 02 03 00 \(Self.uuidOctets)")
        #expect(full.map(\.type) == [Self.uuid])
    }

    @Test("writes and reads Find By Type Value")
    func findByTypeValue() throws {
        let request = ATTFindByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: hex("0D 18"))
        try self.check(request, "06 01 00 FF FF 00 28 0D 18", refuses: "06 01 00 FF FF 00", "06")
        let empty = ATTFindByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: ByteBuffer())
        try self.check(empty, "06 01 00 FF FF 00 28")
        let list = ATTFindByTypeValueResponse.List(bytes: hex("01 00 05 00 10 00 FF FF"))
        try self.check(
            ATTFindByTypeValueResponse(list: list),
            "07 01 00 05 00 10 00 FF FF",
            refuses: "07",
            "07 01 00 05",
            "07 01 00 05 00 10"
        )
        #expect(list.map(\.found) == [1, 0x10] && list.map(\.groupEnd) == [5, 0xFFFF])
    }

    @Test("writes and reads Read By Type")
    func readByType() throws {
        try self.check(
            ATTReadByTypeRequest(start: 1, end: 9, type: 0x2803),
            "08 01 00 09 00 03 28",
            refuses: "08 01 00 09 00",
            "08 01 00 09 00 03",
            "08 01 00 09 00 03 28 00 00",
            "08 01 00 09 00 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11"
        )
        try self.check(ATTReadByTypeRequest(start: 1, end: 9, type: Self.uuid), "08 01 00 09 00 \(Self.uuidOctets)")
        let list = ATTReadByTypeResponse.List(entryLength: 3, bytes: hex("01 00 AA 02 00 BB"))
        try self.check(
            ATTReadByTypeResponse(list: list),
            "09 03 01 00 AA 02 00 BB",
            refuses: "09",
            "09 03",
            "09 00 01 00",
            "09 01 01",
            "09 03 01 00",
            "09 03 01 00 AA 02"
        )
        #expect(list.map(\.handle) == [1, 2] && list.map(\.value) == [hex("AA"), hex("BB")])
        let empty = try ATTReadByTypeResponse(parsing: hex("09 02 01 00 02 00"))
        #expect(empty.list.map(\.value) == [ByteBuffer(), ByteBuffer()])
    }

    @Test("writes and reads Read, Read Blob and Read Multiple")
    func read() throws {
        try self.check(ATTReadRequest(handle: 0x0102), "0A 02 01", refuses: "0A", "0A 02", "0A 02 01 00")
        try self.check(ATTReadResponse(value: hex("01 02 03")), "0B 01 02 03")
        try self.check(ATTReadResponse(value: ByteBuffer()), "0B")
        let blob = ATTReadBlobRequest(handle: 3, offset: 22)
        try self.check(blob, "0C 03 00 16 00", refuses: "0C 03 00 16", "0C 03 00 16 00 00")
        try self.check(ATTReadBlobResponse(value: hex("01")), "0D 01")
        let handles = ATTHandleList([1, 0x0203, 3])
        try self.check(
            ATTReadMultipleRequest(handles: handles),
            "0E 01 00 03 02 03 00",
            refuses: "0E",
            "0E 01 00",
            "0E 01 00 02",
            "0E 01 00 02 00 03"
        )
        #expect(Array(handles) == [1, 0x0203, 3] && handles.count == 3)
        try self.check(ATTReadMultipleResponse(values: hex("01 02")), "0F 01 02")
    }

    @Test("writes and reads Read By Group Type")
    func readByGroupType() throws {
        let request = ATTReadByGroupTypeRequest(start: 1, end: 0xFFFF, type: 0x2800)
        try self.check(request, "10 01 00 FF FF 00 28", refuses: "10 01 00 FF FF 00", "10 01 00 FF FF 00 28 00")
        let list = ATTReadByGroupTypeResponse.List(entryLength: 6, bytes: hex("01 00 05 00 00 18 06 00 09 00 01 18"))
        try self.check(
            ATTReadByGroupTypeResponse(list: list),
            "11 06 01 00 05 00 00 18 06 00 09 00 01 18",
            refuses: "11",
            "11 06",
            "11 03 01 00 05",
            "11 06 01 00 05 00 00",
            "11 06 01 00 05 00 00 18 06"
        )
        #expect(list.map(\.handle) == [1, 6] && list.map(\.groupEnd) == [5, 9])
        #expect(list.map(\.value) == [hex("00 18"), hex("01 18")])
        // An entry has at least two handles; its value may be empty.
        #expect(try ATTReadByGroupTypeResponse(parsing: hex("11 04 01 00 05 00")).list.map(\.value) == [ByteBuffer()])
    }

    @Test("writes and reads Write, with a request, a command and a signed command")
    func write() throws {
        try self.check(ATTWriteRequest(handle: 3, value: hex("01 02")), "12 03 00 01 02", refuses: "12", "12 03")
        try self.check(ATTWriteRequest(handle: 3, value: ByteBuffer()), "12 03 00")
        try self.check(ATTWriteResponse(), "13", refuses: "13 00", "")
        try self.check(ATTWriteCommand(handle: 3, value: hex("01 02")), "52 03 00 01 02", refuses: "52", "52 03")
        var octets = hex("01 00 00 00 F1 87 1E 93 3C 90 0F F2")
        let signature = try #require(DataSignature(parsing: &octets))
        for count in [0, 11, 13] {
            var octets = ByteBuffer(repeating: 0, count: count)
            #expect(DataSignature(parsing: &octets) == nil)
        }
        #expect(signature.counter == 1 && signature.code == 0xF20F_903C_931E_87F1)
        try self.check(
            ATTSignedWriteCommand(handle: 0x0012, value: hex("13 37"), signature: signature),
            "D2 12 00 13 37 01 00 00 00 F1 87 1E 93 3C 90 0F F2",
            refuses: "D2",
            "D2 12 00",
            "D2 12 00 01 00 00 00 F1 87 1E 93 3C 90 0F"
        )
        let empty = ATTSignedWriteCommand(handle: 0x0012, value: ByteBuffer(), signature: signature)
        try self.check(empty, "D2 12 00 01 00 00 00 F1 87 1E 93 3C 90 0F F2")
    }

    @Test("writes and reads Prepare Write and Execute Write")
    func preparedWrites() throws {
        let request = ATTPrepareWriteRequest(handle: 3, offset: 0x0201, value: hex("AA"))
        try self.check(request, "16 03 00 01 02 AA", refuses: "16", "16 03 00 01")
        let response = ATTPrepareWriteResponse(handle: 3, offset: 0x0201, value: hex("AA"))
        try self.check(response, "17 03 00 01 02 AA", refuses: "17", "17 03 00 01")
        try self.check(ATTExecuteWriteRequest(flags: .write), "18 01", refuses: "18", "18 02", "18 01 00")
        try self.check(ATTExecuteWriteRequest(flags: .cancel), "18 00")
        try self.check(ATTExecuteWriteResponse(), "19", refuses: "19 00")
    }

    @Test("writes and reads notifications, indications and confirmations")
    func handleValues() throws {
        let notification = ATTHandleValueNotification(handle: 3, value: hex("01 02"))
        try self.check(notification, "1B 03 00 01 02", refuses: "1B", "1B 03")
        try self.check(ATTHandleValueIndication(handle: 3, value: ByteBuffer()), "1D 03 00", refuses: "1D", "1D 03")
        try self.check(ATTHandleValueConfirmation(), "1E", refuses: "1E 00")
    }

    @Test("writes and reads Read Multiple Variable")
    func readMultipleVariable() throws {
        let request = ATTReadMultipleVariableRequest(handles: ATTHandleList([1, 2]))
        try self.check(request, "20 01 00 02 00", refuses: "20 01 00", "20 01 00 02")
        let list = ATTReadMultipleVariableResponse.List(bytes: hex("01 00 AA 00 00 05 00 01 02"))
        try self.check(ATTReadMultipleVariableResponse(list: list), "21 01 00 AA 00 00 05 00 01 02")
        #expect(list.map(\.length) == [1, 0, 5])
        #expect(list.map(\.value) == [hex("AA"), ByteBuffer(), hex("01 02")])
        // A truncated length is not a value.
        #expect(ATTReadMultipleVariableResponse.List(bytes: hex("01 00 AA 05")).map(\.length) == [1])
    }

    @Test("writes and reads Multiple Handle Value Notification")
    func multipleHandleValues() throws {
        var list = ByteBuffer()
        ATTMultipleHandleValueNotification.writeEntry(handle: 3, value: hex("AA"), into: &list)
        ATTMultipleHandleValueNotification.writeEntry(handle: 4, value: ByteBuffer(), into: &list)
        let notification = ATTMultipleHandleValueNotification(list: .init(bytes: list))
        try self.check(
            notification,
            "23 03 00 01 00 AA 04 00 00 00",
            refuses: "23",
            "23 03 00 01 00",
            "23 03 00 01 00 AA 04 00 01 00",
            "23 03 00 01 00 AA 04 00 00"
        )
        #expect(notification.list.map(\.handle) == [3, 4])
        #expect(notification.list.map(\.value) == [hex("AA"), ByteBuffer()])
        // At least two values, which may be empty (3.4.7.4); BlueZ sends a single one.
        for (octets, handles) in [
            ("00 00 04 00 00 00", [3, 4]), ("00 00", [3]), ("01 00 AA", [3]), ("04 00 01 02 03 04", [3]),
        ] as [(String, [AttributeHandle])] {
            let read = try ATTMultipleHandleValueNotification(parsing: hex("23 03 00 \(octets)"))
            #expect(read.list.map(\.handle) == handles)
        }
    }

    @Test("reads a buffer from its reader index on")
    func readerIndex() throws {
        var bytes = hex("FF FF 0A 02 01")
        bytes.moveReaderIndex(forwardBy: 2)
        #expect(ATT.opcode(of: bytes) == .readRequest)
        #expect(try ATTReadRequest(parsing: bytes).handle == 0x0102)
        #expect(ATT.opcode(of: ByteBuffer()) == nil)
    }

    @Test("writes a type of four octets with two or sixteen (3.2.1)")
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
