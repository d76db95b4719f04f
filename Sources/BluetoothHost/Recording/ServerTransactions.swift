// Matches the requests and answers between the client and the server of one link. ATT has one request at a time in each
// direction (Vol 3, Part F, 3.3.2), so an answer belongs to the last request.

import BluetoothTypes
import NIOCore

/// The conversation with the server of one link.
struct ServerTransactions: Sendable {
    /// A request that waits for its answer.
    private enum Request: Sendable {
        case readByGroupType(BluetoothUUID, from: AttributeHandle)
        case findByTypeValue(type: UInt16, value: ByteBuffer)
        case readByType(BluetoothUUID, AttributeHandleRange)
        case findInformation(AttributeHandleRange)
        case read(AttributeHandle)
        case readBlob(AttributeHandle, offset: Int)
        case readMultiple([AttributeHandle], isVariable: Bool)
        /// The payload is the number of the write in the database.
        case write(Int)
        case prepareWrite(AttributeHandle, offset: Int, ByteBuffer)
        /// The payload is the numbers of the writes in the database.
        case executeWrite([Int])
        case other
    }

    /// The largest total length of prepared writes that is kept: an attribute has at most 512 octets.
    private static let preparedLimit = 65_536

    /// The link's number in the capture.
    var linkNumber = 0
    private var request: Request?
    private var prepared: [(handle: AttributeHandle, offset: Int, value: ByteBuffer)] = []
    private var preparedOctets = 0

    /// Takes a PDU; those of the client's own server are ignored.
    mutating func receive(
        _ pdu: ByteBuffer,
        _ opcode: ATTOpcode,
        isFromPeripheral: Bool,
        at time: Int64,
        into database: inout ObservedDatabase
    ) {
        do {
            switch (opcode.isForServer, isFromPeripheral) {
            case (true, false): try self.receiveRequest(pdu, opcode, at: time, into: &database)
            case (false, true): try self.receiveAnswer(pdu, opcode, at: time, into: &database)
            case (true, true), (false, false): break
            }
        } catch {
            // Malformed: neither a request nor a response.
            return
        }
    }

    // MARK: The client

    private mutating func receiveRequest(
        _ pdu: ByteBuffer,
        _ opcode: ATTOpcode,
        at time: Int64,
        into database: inout ObservedDatabase
    ) throws(MalformedBytes) {
        switch opcode {
        case .handleValueConfirmation: return
        case .writeCommand:
            let command = try ATTWriteCommand(parsing: pdu)
            database.wrote(command.value, to: command.handle, on: self.linkNumber, at: time, .command)
            return
        case .signedWriteCommand:
            let command = try ATTSignedWriteCommand(parsing: pdu)
            database.wrote(command.value, to: command.handle, on: self.linkNumber, at: time, .command)
            return
        default: break
        }
        self.request = nil
        switch opcode {
        case .readByGroupTypeRequest:
            let request = try ATTReadByGroupTypeRequest(parsing: pdu)
            self.request = .readByGroupType(request.type, from: request.start)
        case .findByTypeValueRequest:
            let request = try ATTFindByTypeValueRequest(parsing: pdu)
            self.request = .findByTypeValue(type: request.type, value: request.value)
        case .readByTypeRequest:
            let request = try ATTReadByTypeRequest(parsing: pdu)
            guard request.start <= request.end else { return }
            self.request = .readByType(request.type, request.start...request.end)
        case .findInformationRequest:
            let request = try ATTFindInformationRequest(parsing: pdu)
            guard request.start <= request.end else { return }
            self.request = .findInformation(request.start...request.end)
        case .readRequest: self.request = .read(try ATTReadRequest(parsing: pdu).handle)
        case .readBlobRequest:
            let request = try ATTReadBlobRequest(parsing: pdu)
            self.request = .readBlob(request.handle, offset: Int(request.offset))
        case .readMultipleRequest:
            self.request = .readMultiple(Array(try ATTReadMultipleRequest(parsing: pdu).handles), isVariable: false)
        case .readMultipleVariableRequest:
            self.request = .readMultiple(
                Array(try ATTReadMultipleVariableRequest(parsing: pdu).handles),
                isVariable: true
            )
        case .writeRequest:
            let request = try ATTWriteRequest(parsing: pdu)
            self.request = .write(
                database.wrote(request.value, to: request.handle, on: self.linkNumber, at: time, .unanswered)
            )
        case .prepareWriteRequest:
            let request = try ATTPrepareWriteRequest(parsing: pdu)
            self.request = .prepareWrite(request.handle, offset: Int(request.offset), request.value)
        case .executeWriteRequest:
            if try ATTExecuteWriteRequest(parsing: pdu).flags == .write {
                self.request = .executeWrite(self.execute(at: time, into: &database))
            } else {
                self.forgetPrepared()
                self.request = .other
            }
        default: self.request = .other
        }
    }

    // MARK: The server

    private mutating func receiveAnswer(
        _ pdu: ByteBuffer,
        _ opcode: ATTOpcode,
        at time: Int64,
        into database: inout ObservedDatabase
    ) throws(MalformedBytes) {
        switch opcode {
        case .handleValueNotification:
            let notification = try ATTHandleValueNotification(parsing: pdu)
            return database.sent(notification.value, of: notification.handle, on: self.linkNumber, at: time)
        case .handleValueIndication:
            let indication = try ATTHandleValueIndication(parsing: pdu)
            return database.sent(indication.value, of: indication.handle, on: self.linkNumber, at: time)
        case .multipleHandleValueNotification:
            for (handle, value) in try ATTMultipleHandleValueNotification(parsing: pdu).list {
                database.sent(value, of: handle, on: self.linkNumber, at: time)
            }
            return
        case .exchangeMTUResponse:
            let mtu = Int(try ATTExchangeMTUResponse(parsing: pdu).serverMTU)
            database.serverMTU = min(max(mtu, ATT.defaultMTU), ATT.maximumMTU)
        default: break
        }
        guard let request = self.request else { return }
        self.request = nil
        if opcode == .errorResponse {
            let response = try ATTErrorResponse(parsing: pdu)
            return self.refused(request, response.error, at: time, into: &database)
        }
        switch (request, opcode) {
        case (.readByGroupType(let type, let start), .readByGroupTypeResponse):
            var last: AttributeHandle?
            for (handle, end, value) in try ATTReadByGroupTypeResponse(parsing: pdu).list {
                database.foundService(value, handle, end, type)
                last = end
            }
            database.asked(.services, from: start, upTo: last)
        case (.findByTypeValue(let type, let value), .findByTypeValueResponse):
            for (handle, end) in try ATTFindByTypeValueResponse(parsing: pdu).list {
                database.foundService(value, handle, end, BluetoothUUID(type))
            }
        case (.readByType(let type, let range), .readByTypeResponse):
            var last: AttributeHandle?
            for (handle, value) in try ATTReadByTypeResponse(parsing: pdu).list {
                database.found(value, at: handle, type, on: self.linkNumber)
                last = handle
            }
            if type.shortValue == GATTAttributeType.characteristic {
                database.asked(.characteristics, from: range.lowerBound, upTo: last)
            }
        case (.findInformation(let range), .findInformationResponse):
            var last: AttributeHandle?
            for (handle, type) in try ATTFindInformationResponse(parsing: pdu).list {
                database.found(type, at: handle)
                last = handle
            }
            database.asked(.descriptors, from: range.lowerBound, upTo: last)
        case (.read(let handle), .readResponse):
            database.read(try ATTReadResponse(parsing: pdu).value, of: handle, offset: 0, on: self.linkNumber)
        case (.readBlob(let handle, let offset), .readBlobResponse):
            database.read(try ATTReadBlobResponse(parsing: pdu).value, of: handle, offset: offset, on: self.linkNumber)
        case (.readMultiple(let handles, false), .readMultipleResponse):
            database.read(try ATTReadMultipleResponse(parsing: pdu).values, of: handles, on: self.linkNumber)
        case (.readMultiple(let handles, true), .readMultipleVariableResponse):
            for (handle, entry) in zip(handles, try ATTReadMultipleVariableResponse(parsing: pdu).list) {
                // The last one may be truncated.
                guard entry.value.readableBytes == entry.length else { break }
                database.read(entry.value, of: handle, offset: 0, on: self.linkNumber)
            }
        case (.write(let number), .writeResponse): database.answered(number, .taken, at: time)
        case (.prepareWrite(let handle, let offset, let value), .prepareWriteResponse):
            self.preparedOctets += value.readableBytes
            if self.preparedOctets <= Self.preparedLimit { self.prepared.append((handle, offset, value)) }
        case (.executeWrite(let numbers), .executeWriteResponse):
            for number in numbers { database.answered(number, .taken, at: time) }
        default: return
        }
    }

    private mutating func refused(
        _ request: Request,
        _ error: ATTErrorCode,
        at time: Int64,
        into database: inout ObservedDatabase
    ) {
        switch request {
        case .readByType(let type, let range):
            if error == .attributeNotFound, type.shortValue == GATTAttributeType.characteristic {
                database.asked(.characteristics, from: range.lowerBound, upTo: range.upperBound)
            }
        case .findInformation(let range):
            if error == .attributeNotFound {
                database.asked(.descriptors, from: range.lowerBound, upTo: range.upperBound)
            }
        case .read(let handle): database.refusedRead(of: handle, error)
        case .readBlob(let handle, let offset): if offset == 0 { database.refusedRead(of: handle, error) }
        case .write(let number): database.answered(number, .refused(error), at: time)
        case .executeWrite(let numbers): for number in numbers { database.answered(number, .refused(error), at: time) }
        case .readByGroupType, .findByTypeValue, .readMultiple, .prepareWrite, .other: break
        }
    }

    // MARK: Prepared writes

    /// Joins the parts into the written values.
    private mutating func execute(at time: Int64, into database: inout ObservedDatabase) -> [Int] {
        var values: [(handle: AttributeHandle, value: ByteBuffer)] = []
        for part in self.prepared {
            if let last = values.last, last.handle == part.handle, part.offset == last.value.readableBytes {
                values[values.count - 1].value.writeImmutableBuffer(part.value)
            } else if part.offset == 0 {
                values.append((part.handle, part.value))
            }
        }
        self.forgetPrepared()
        return values.map { database.wrote($0.value, to: $0.handle, on: self.linkNumber, at: time, .unanswered) }
    }

    private mutating func forgetPrepared() {
        self.prepared = []
        self.preparedOctets = 0
    }
}
