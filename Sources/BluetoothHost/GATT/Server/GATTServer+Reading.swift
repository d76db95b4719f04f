// Reading values (Vol 3, Part F, 3.4.4). What the server keeps is answered at once; for the rest the application is
// asked, and the request waits in the link's transaction until it answers.

import BluetoothTypes
import NIOCore

extension GATTServer {
    /// Read (3.4.4.3).
    mutating func read(_ request: ATTReadRequest, at index: Int, into actions: inout [Action]) {
        self.read(request.handle, offset: 0, isBlob: false, at: index, into: &actions)
    }

    /// Read Blob (3.4.4.5).
    ///
    /// An offset at the very end has an empty answer, whatever the length of the value: clients ask so after a value
    /// that filled a PDU to the last octet.
    mutating func readBlob(_ request: ATTReadBlobRequest, at index: Int, into actions: inout [Action]) {
        self.read(request.handle, offset: Int(request.offset), isBlob: true, at: index, into: &actions)
    }

    private mutating func read(
        _ handle: AttributeHandle,
        offset: Int,
        isBlob: Bool,
        at index: Int,
        into actions: inout [Action]
    ) {
        let request: ATTOpcode = isBlob ? .readBlobRequest : .readRequest
        guard self.isInSync(request: request, handle: handle, at: index, into: &actions) else { return }
        guard let position = self.database.index(of: handle) else {
            self.sendError(.invalidHandle, request: request, handle: handle, at: index, into: &actions)
            return
        }
        let attribute = self.database.attributes[position]
        if let error = self.readError(of: attribute, at: index) {
            self.sendError(error, request: request, handle: handle, at: index, into: &actions)
            return
        }
        guard let value = self.heldValue(of: attribute, at: index) else {
            guard offset <= ATT.maximumValueLength else {
                self.sendError(.invalidOffset, request: request, handle: handle, at: index, into: &actions)
                return
            }
            self.ask(isBlob ? .blob(handle) : .value(handle), handle, offset: offset, at: index, into: &actions)
            return
        }
        guard offset <= value.readableBytes else {
            self.sendError(.invalidOffset, request: request, handle: handle, at: index, into: &actions)
            return
        }
        var rest = value
        rest.moveReaderIndex(forwardBy: offset)
        self.sendValue(rest, opcode: isBlob ? .readBlobResponse : .readResponse, at: index, into: &actions)
        if case .databaseHash = attribute.content { self.noteHashRead(at: index) }
    }

    /// Sends a response that is a value and nothing else, cut to the MTU.
    private mutating func sendValue(
        _ value: ByteBuffer,
        opcode: ATTOpcode,
        at index: Int,
        into actions: inout [Action]
    ) {
        let value = value.prefix(self.links[index].mtu - 1)
        var response = PDUBuffer.make(capacity: 1 + value.readableBytes)
        response.writeInteger(opcode.rawValue)
        response.writeImmutableBuffer(value)
        self.send(response, at: index, into: &actions)
    }

    /// Read By Type (3.4.4.1): values of one length, as many as fit.
    ///
    /// A value of the application ends the list, or is the whole list, so that it is never asked for a value that the
    /// client does not get.
    mutating func readByType(_ request: ATTReadByTypeRequest, at index: Int, into actions: inout [Action]) {
        let opcode = ATTReadByTypeRequest.opcode
        guard self.isValidRange(request.start, request.end, request: opcode, at: index, into: &actions) else { return }
        let shortType = request.type.shortValue ?? 0
        if shortType != GATTAttributeType.include, shortType != GATTAttributeType.characteristic,
            request.start != 0x0001 || request.end != 0xFFFF
        {
            guard self.isInSync(request: opcode, handle: request.start, at: index, into: &actions) else { return }
        }
        let mtu = self.links[index].mtu
        let longestValue = min(mtu - 4, 253)
        var response: ByteBuffer?
        var length = 0
        var containsHash = false
        var position = self.database.firstIndex(from: request.start)
        while position < self.database.attributes.count {
            let attribute = self.database.attributes[position]
            guard attribute.handle <= request.end else { break }
            position += 1
            guard attribute.shortType == shortType, shortType != 0 || attribute.type == request.type else { continue }
            if let error = self.readError(of: attribute, at: index) {
                if response != nil { break }
                self.sendError(error, request: opcode, handle: attribute.handle, at: index, into: &actions)
                return
            }
            guard let value = self.heldValue(of: attribute, at: index) else {
                if response != nil { break }
                self.ask(.byType(attribute.handle), attribute.handle, offset: 0, at: index, into: &actions)
                return
            }
            let shown = min(value.readableBytes, longestValue)
            if response == nil {
                length = value.readableBytes
                response = Self.readByTypeResponse(valueLength: shown, capacity: mtu)
            }
            guard value.readableBytes == length, (response?.readableBytes ?? 0) + 2 + shown <= mtu else { break }
            response?.writeLittleEndian(attribute.handle)
            response?.writeImmutableBuffer(value.prefix(shown))
            if case .databaseHash = attribute.content { containsHash = true }
        }
        guard let response else {
            self.sendError(.attributeNotFound, request: opcode, handle: request.start, at: index, into: &actions)
            return
        }
        self.send(response, at: index, into: &actions)
        if containsHash { self.noteHashRead(at: index) }
    }

    private static func readByTypeResponse(valueLength: Int, capacity: Int) -> ByteBuffer {
        var response = PDUBuffer.make(capacity: capacity)
        response.writeMultipleIntegers(
            ATTReadByTypeResponse.opcode.rawValue,
            UInt8(truncatingIfNeeded: 2 + valueLength)
        )
        return response
    }

    // MARK: Several values

    /// Read Multiple and Read Multiple Variable (3.4.4.7 and 3.4.4.11): all values or an error.
    ///
    /// Permissions are looked at before the first value is asked for.
    mutating func readSeveral(
        _ handles: ATTHandleList,
        request: ATTOpcode,
        at index: Int,
        into actions: inout [Action]
    ) {
        var walk = handles.makeIterator()
        guard self.isInSync(request: request, handle: walk.next() ?? 0, at: index, into: &actions) else { return }
        for handle in handles {
            guard let position = self.database.index(of: handle) else {
                self.sendError(.invalidHandle, request: request, handle: handle, at: index, into: &actions)
                return
            }
            if let error = self.readError(of: self.database.attributes[position], at: index) {
                self.sendError(error, request: request, handle: handle, at: index, into: &actions)
                return
            }
        }
        var response = PDUBuffer.make(capacity: self.links[index].mtu)
        let isVariable = request == .readMultipleVariableRequest
        response.writeInteger(
            (isVariable ? ATTOpcode.readMultipleVariableResponse : ATTOpcode.readMultipleResponse).rawValue
        )
        self.gather(
            Gathering(rest: handles.makeIterator(), handle: 0, request: request, response: response),
            at: index,
            into: &actions
        )
    }

    /// Goes on with a request for several values until it is full, complete, or waits for the application.
    private mutating func gather(_ gathering: consuming Gathering, at index: Int, into actions: inout [Action]) {
        var gathering = gathering
        while gathering.response.readableBytes < self.links[index].mtu, let handle = gathering.rest.next() {
            // The attribute may have gone while the application thought about another one.
            guard let position = self.database.index(of: handle) else {
                self.sendError(.invalidHandle, request: gathering.request, handle: handle, at: index, into: &actions)
                return
            }
            gathering.handle = handle
            guard let value = self.heldValue(of: self.database.attributes[position], at: index) else {
                self.ask(.several(gathering), handle, offset: 0, at: index, into: &actions)
                return
            }
            gathering.append(value)
        }
        let response = gathering.response.prefix(self.links[index].mtu)
        self.send(response, at: index, into: &actions)
    }

    // MARK: The application

    private mutating func ask(
        _ reading: Reading,
        _ handle: AttributeHandle,
        offset: Int,
        at index: Int,
        into actions: inout [Action]
    ) {
        let id = self.links[index].nextRequestID()
        self.links[index].transaction = .reading(sequence: self.links[index].sequence, reading)
        actions.append(
            .read(GATTReadRequest(id: id, link: self.links[index].id, handle: handle, offset: offset))
        )
    }

    /// The application's answer to a read: the value from the request's offset on.
    ///
    /// Answers to requests that are no longer open are ignored.
    mutating func respond(
        to request: GATTRequestID,
        with result: Result<ByteBuffer, ATTErrorCode>,
        into actions: inout [Action]
    ) {
        guard let index = self.index(of: LinkID(rawValue: UInt32(truncatingIfNeeded: request.rawValue >> 32))),
            case .reading(let sequence, let reading) = self.links[index].transaction,
            sequence == UInt32(truncatingIfNeeded: request.rawValue)
        else { return }
        self.links[index].transaction = .idle
        switch (reading, result) {
        case (.value, .success(let value)):
            self.sendValue(value, opcode: .readResponse, at: index, into: &actions)
        case (.blob, .success(let value)):
            self.sendValue(value, opcode: .readBlobResponse, at: index, into: &actions)
        case (.byType(let handle), .success(let value)):
            let value = value.prefix(min(self.links[index].mtu - 4, 253))
            var response = Self.readByTypeResponse(
                valueLength: value.readableBytes,
                capacity: 4 + value.readableBytes
            )
            response.writeLittleEndian(handle)
            response.writeImmutableBuffer(value)
            self.send(response, at: index, into: &actions)
        case (.several(var gathering), .success(let value)):
            gathering.append(value)
            self.gather(gathering, at: index, into: &actions)
        case (.value(let handle), .failure(let error)):
            self.sendError(error, request: .readRequest, handle: handle, at: index, into: &actions)
        case (.blob(let handle), .failure(let error)):
            self.sendError(error, request: .readBlobRequest, handle: handle, at: index, into: &actions)
        case (.byType(let handle), .failure(let error)):
            self.sendError(error, request: .readByTypeRequest, handle: handle, at: index, into: &actions)
        case (.several(let gathering), .failure(let error)):
            self.sendError(error, request: gathering.request, handle: gathering.handle, at: index, into: &actions)
        }
    }
}

extension GATTServer.Gathering {
    /// Adds a value, with its length where the response has lengths.
    fileprivate mutating func append(_ value: ByteBuffer) {
        let value = value.prefix(ATT.maximumValueLength)
        if self.request == .readMultipleVariableRequest {
            self.response.writeLittleEndian(UInt16(value.readableBytes))
        }
        self.response.writeImmutableBuffer(value)
    }
}

extension ByteBuffer {
    /// The first `count` readable octets, or all of them where there are fewer; no octet is copied.
    @inline(__always)
    func prefix(_ count: Int) -> ByteBuffer {
        guard self.readableBytes > count else { return self }
        var cut = self
        cut.moveWriterIndex(to: self.readerIndex + count)
        return cut
    }
}
