// Reading values (Vol 3, Part F, 3.4.4). Values that the server stores are returned immediately; for the others the
// application is asked, and the request waits in the link's transaction for its answer.

import BluetoothTypes
import NIOCore

extension GATTServer {
    /// Read (3.4.4.3).
    mutating func read(_ request: ATTReadRequest, on bearer: inout ATTBearer, into actions: inout [ATTBearer.Action]) {
        self.read(request.handle, offset: 0, isBlob: false, on: &bearer, into: &actions)
    }

    /// Read Blob (3.4.4.5).
    ///
    /// An offset at the end of the value has an empty answer: clients send such a request after a value that exactly
    /// filled a PDU.
    mutating func readBlob(
        _ request: ATTReadBlobRequest,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        self.read(request.handle, offset: Int(request.offset), isBlob: true, on: &bearer, into: &actions)
    }

    private mutating func read(
        _ handle: AttributeHandle,
        offset: Int,
        isBlob: Bool,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        let request: ATTOpcode = isBlob ? .readBlobRequest : .readRequest
        guard self.checkSync(request: request, handle: handle, on: &bearer, into: &actions) else { return }
        guard let position = self.database.index(of: handle) else {
            self.sendError(.invalidHandle, request: request, handle: handle, on: &bearer, into: &actions)
            return
        }
        let attribute = self.database.attributes[position]
        if let error = self.readError(of: attribute, on: &bearer) {
            self.sendError(error, request: request, handle: handle, on: &bearer, into: &actions)
            return
        }
        guard let value = self.keptValue(of: attribute, on: &bearer) else {
            guard offset <= ATT.maximumValueLength else {
                self.sendError(.invalidOffset, request: request, handle: handle, on: &bearer, into: &actions)
                return
            }
            self.ask(isBlob ? .blob(handle) : .value(handle), handle, offset: offset, on: &bearer, into: &actions)
            return
        }
        guard offset <= value.readableBytes else {
            self.sendError(.invalidOffset, request: request, handle: handle, on: &bearer, into: &actions)
            return
        }
        var rest = value
        rest.moveReaderIndex(forwardBy: offset)
        self.sendValue(rest, opcode: isBlob ? .readBlobResponse : .readResponse, on: &bearer, into: &actions)
        if case .databaseHash = attribute.content { self.noteHashRead(on: &bearer) }
    }

    /// Sends a response that consists of a value, truncated to the MTU.
    private mutating func sendValue(
        _ value: ByteBuffer,
        opcode: ATTOpcode,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        let value = value.prefix(bearer.mtu - 1)
        var response = PDUBuffer.make(capacity: 1 + value.readableBytes)
        response.writeInteger(opcode.rawValue)
        response.writeImmutableBuffer(value)
        self.send(response, on: &bearer, into: &actions)
    }

    /// Read By Type (3.4.4.1): returns values of one length, as many as fit.
    ///
    /// A value of the application ends the list, or is the whole list, so that the application is never asked for a
    /// value that is not returned.
    mutating func readByType(
        _ request: ATTReadByTypeRequest,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        let opcode = ATTReadByTypeRequest.opcode
        guard self.checkRange(request.start, request.end, request: opcode, on: &bearer, into: &actions) else {
            return
        }
        let shortType = request.type.shortValue ?? 0
        if shortType != GATTAttributeType.include, shortType != GATTAttributeType.characteristic,
            request.start != 0x0001 || request.end != 0xFFFF
        {
            guard self.checkSync(request: opcode, handle: request.start, on: &bearer, into: &actions) else { return }
        }
        let mtu = bearer.mtu
        let longestValue = ATT.longestListedValue(mtu: mtu)
        var response: ByteBuffer?
        var length = 0
        var containsHash = false
        var position = self.database.firstIndex(from: request.start)
        while position < self.database.attributes.count {
            let attribute = self.database.attributes[position]
            guard attribute.handle <= request.end else { break }
            position += 1
            guard attribute.shortType == shortType, shortType != 0 || attribute.type == request.type else { continue }
            if let error = self.readError(of: attribute, on: &bearer) {
                if response != nil { break }
                self.sendError(error, request: opcode, handle: attribute.handle, on: &bearer, into: &actions)
                return
            }
            guard let value = self.keptValue(of: attribute, on: &bearer) else {
                if response != nil { break }
                self.ask(.byType(attribute.handle), attribute.handle, offset: 0, on: &bearer, into: &actions)
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
            self.sendError(.attributeNotFound, request: opcode, handle: request.start, on: &bearer, into: &actions)
            return
        }
        self.send(response, on: &bearer, into: &actions)
        if containsHash { self.noteHashRead(on: &bearer) }
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
    /// Permissions are checked before the first value is read.
    mutating func readSeveral(
        _ handles: ATTHandleList,
        request: ATTOpcode,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        var walk = handles.makeIterator()
        guard self.checkSync(request: request, handle: walk.next() ?? 0, on: &bearer, into: &actions) else { return }
        for handle in handles {
            guard let position = self.database.index(of: handle) else {
                self.sendError(.invalidHandle, request: request, handle: handle, on: &bearer, into: &actions)
                return
            }
            if let error = self.readError(of: self.database.attributes[position], on: &bearer) {
                self.sendError(error, request: request, handle: handle, on: &bearer, into: &actions)
                return
            }
        }
        var response = PDUBuffer.make(capacity: bearer.mtu)
        let isVariable = request == .readMultipleVariableRequest
        response.writeInteger(
            (isVariable ? ATTOpcode.readMultipleVariableResponse : ATTOpcode.readMultipleResponse).rawValue
        )
        self.gather(
            Gathering(rest: handles.makeIterator(), handle: 0, request: request, response: response),
            on: &bearer,
            into: &actions
        )
    }

    /// Continues a request for several values until its response is full or complete, or it waits for the application.
    private mutating func gather(
        _ gathering: consuming Gathering,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        var gathering = gathering
        while gathering.response.readableBytes < bearer.mtu, let handle = gathering.rest.next() {
            // The attribute may have been removed, or the link's security lost, while the application was asked for
            // another one.
            guard let position = self.database.index(of: handle) else {
                self.sendError(.invalidHandle, request: gathering.request, handle: handle, on: &bearer, into: &actions)
                return
            }
            gathering.handle = handle
            if let error = self.readError(of: self.database.attributes[position], on: &bearer) {
                self.sendError(error, request: gathering.request, handle: handle, on: &bearer, into: &actions)
                return
            }
            guard let value = self.keptValue(of: self.database.attributes[position], on: &bearer) else {
                self.ask(.several(gathering), handle, offset: 0, on: &bearer, into: &actions)
                return
            }
            gathering.append(value)
        }
        let response = gathering.response.prefix(bearer.mtu)
        self.send(response, on: &bearer, into: &actions)
    }

    // MARK: The application

    private mutating func ask(
        _ reading: Reading,
        _ handle: AttributeHandle,
        offset: Int,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        let id = bearer.server.nextRequestID(on: bearer.link)
        bearer.server.transaction = .reading(sequence: bearer.server.sequence, reading)
        actions.append(
            .read(GATTReadRequest(id: id, link: bearer.link, handle: handle, offset: offset))
        )
    }

    /// The application's answer to a read: the value from the request's offset on.
    ///
    /// Answers to requests that are no longer open are ignored.
    mutating func respond(
        to request: GATTRequestID,
        with result: Result<ByteBuffer, ATTErrorCode>,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        guard case .reading(let sequence, let reading) = bearer.server.transaction,
            sequence == request.sequence
        else { return }
        bearer.server.transaction = .idle
        // The link may have lost its security meanwhile.
        var result = result
        if let position = self.database.index(of: reading.handle),
            let error = self.readError(of: self.database.attributes[position], on: &bearer)
        {
            result = .failure(error)
        }
        switch (reading, result) {
        case (.value, .success(let value)):
            self.sendValue(value, opcode: .readResponse, on: &bearer, into: &actions)
        case (.blob, .success(let value)):
            self.sendValue(value, opcode: .readBlobResponse, on: &bearer, into: &actions)
        case (.byType(let handle), .success(let value)):
            let value = value.prefix(ATT.longestListedValue(mtu: bearer.mtu))
            var response = Self.readByTypeResponse(
                valueLength: value.readableBytes,
                capacity: 4 + value.readableBytes
            )
            response.writeLittleEndian(handle)
            response.writeImmutableBuffer(value)
            self.send(response, on: &bearer, into: &actions)
        case (.several(var gathering), .success(let value)):
            gathering.append(value)
            self.gather(gathering, on: &bearer, into: &actions)
        case (.value(let handle), .failure(let error)):
            self.sendError(error, request: .readRequest, handle: handle, on: &bearer, into: &actions)
        case (.blob(let handle), .failure(let error)):
            self.sendError(error, request: .readBlobRequest, handle: handle, on: &bearer, into: &actions)
        case (.byType(let handle), .failure(let error)):
            self.sendError(error, request: .readByTypeRequest, handle: handle, on: &bearer, into: &actions)
        case (.several(let gathering), .failure(let error)):
            self.sendError(error, request: gathering.request, handle: gathering.handle, on: &bearer, into: &actions)
        }
    }
}

extension GATTServer.Reading {
    /// The handle for which the application was asked.
    fileprivate var handle: AttributeHandle {
        switch self {
        case .value(let handle), .blob(let handle), .byType(let handle): handle
        case .several(let gathering): gathering.handle
        }
    }
}

extension GATTServer.Gathering {
    /// Adds a value, with its length if the response has lengths.
    fileprivate mutating func append(_ value: ByteBuffer) {
        let value = value.prefix(ATT.maximumValueLength)
        if self.request == .readMultipleVariableRequest {
            self.response.writeLittleEndian(UInt16(value.readableBytes))
        }
        self.response.writeImmutableBuffer(value)
    }
}

extension ByteBuffer {
    /// The first `count` readable octets, or all if there are fewer, without copying.
    @inline(__always)
    consuming func prefix(_ count: Int) -> ByteBuffer {
        if self.readableBytes > count { self.moveWriterIndex(to: self.readerIndex + count) }
        return self
    }
}
