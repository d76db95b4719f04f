// The PDUs of a client: dispatches each to its handler, and enforces the rules for all requests: one at a time, no
// longer than the MTU, well-formed, answered once (Vol 3, Part F, 3.3 and 3.4.1).

import BluetoothTypes
import NIOCore

extension GATTServer {
    /// Takes a PDU of a client.
    mutating func receive(
        _ pdu: ByteBuffer,
        on bearer: inout ATTBearer,
        now: NIODeadline,
        into actions: inout [ATTBearer.Action]
    ) {
        guard bearer.isUsable, let opcode = ATT.opcode(of: pdu) else { return }
        switch opcode {
        case .writeCommand:
            self.writeCommand(pdu, on: &bearer, into: &actions)
        case .handleValueConfirmation:
            guard pdu.readableBytes == 1 else { return }
            self.indicationConfirmed(on: &bearer, now: now, into: &actions)
        case .signedWriteCommand:
            self.signedWriteCommand(pdu, on: &bearer, into: &actions)
        case _ where opcode.isCommand || !opcode.isForServer:
            // Unknown commands are ignored.
            break
        default:
            self.request(opcode, pdu, on: &bearer, now: now, into: &actions)
        }
    }

    private mutating func request(
        _ opcode: ATTOpcode,
        _ pdu: ByteBuffer,
        on bearer: inout ATTBearer,
        now: NIODeadline,
        into actions: inout [ATTBearer.Action]
    ) {
        guard case .idle = bearer.server.transaction else {
            // Answering would confuse the answers of two requests; waiting would need a queue that a peer could fill.
            bearer.fail(.requestWhilePending, into: &actions)
            return
        }
        self.noteRequest(on: &bearer, now: now, into: &actions)
        guard pdu.readableBytes <= bearer.mtu else {
            self.sendError(.invalidPDU, request: opcode, on: &bearer, into: &actions)
            return
        }
        if let error = self.discoveryError, opcode.isDiscovery {
            let handle = pdu.getInteger(at: pdu.readerIndex + 1, endianness: .little, as: AttributeHandle.self) ?? 0
            self.sendError(error, request: opcode, handle: handle, on: &bearer, into: &actions)
            return
        }
        do {
            switch opcode {
            case .readRequest:
                self.read(try ATTReadRequest(parsing: pdu), on: &bearer, into: &actions)
            case .writeRequest:
                self.write(try ATTWriteRequest(parsing: pdu), on: &bearer, into: &actions)
            case .exchangeMTURequest:
                self.exchangeMTU(try ATTExchangeMTURequest(parsing: pdu), on: &bearer, into: &actions)
            case .findInformationRequest:
                self.findInformation(try ATTFindInformationRequest(parsing: pdu), on: &bearer, into: &actions)
            case .findByTypeValueRequest:
                self.findByTypeValue(try ATTFindByTypeValueRequest(parsing: pdu), on: &bearer, into: &actions)
            case .readByTypeRequest:
                self.readByType(try ATTReadByTypeRequest(parsing: pdu), on: &bearer, into: &actions)
            case .readBlobRequest:
                self.readBlob(try ATTReadBlobRequest(parsing: pdu), on: &bearer, into: &actions)
            case .readMultipleRequest:
                let handles = try ATTReadMultipleRequest(parsing: pdu).handles
                self.readSeveral(handles, request: opcode, on: &bearer, into: &actions)
            case .readMultipleVariableRequest:
                let handles = try ATTReadMultipleVariableRequest(parsing: pdu).handles
                self.readSeveral(handles, request: opcode, on: &bearer, into: &actions)
            case .readByGroupTypeRequest:
                self.readByGroupType(try ATTReadByGroupTypeRequest(parsing: pdu), on: &bearer, into: &actions)
            case .prepareWriteRequest:
                self.prepareWrite(try ATTPrepareWriteRequest(parsing: pdu), on: &bearer, into: &actions)
            case .executeWriteRequest:
                self.executeWrite(try ATTExecuteWriteRequest(parsing: pdu), on: &bearer, into: &actions)
            default:
                self.sendError(.requestNotSupported, request: opcode, on: &bearer, into: &actions)
            }
        } catch {
            self.sendError(.invalidPDU, request: opcode, on: &bearer, into: &actions)
        }
    }

    /// Agrees on the largest PDU (3.4.2): the smaller of the two offers, from the next PDU on.
    private mutating func exchangeMTU(
        _ request: ATTExchangeMTURequest,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        let mine = bearer.preferredMTU
        self.send(ATTExchangeMTUResponse(serverMTU: UInt16(mine)).encoded(), on: &bearer, into: &actions)
        // An offer below the default is an error of the client, and ignored.
        guard request.clientMTU >= ATT.defaultMTU else { return }
        let mtu = min(mine, Int(request.clientMTU))
        bearer.setMTU(mtu, into: &actions)
    }

    // MARK: Answers

    /// Sends a PDU other than a notification, after earlier notifications.
    func send(_ pdu: ByteBuffer, on bearer: inout ATTBearer, into actions: inout [ATTBearer.Action]) {
        bearer.flushBatch(into: &actions)
        actions.append(.send(pdu, nil))
    }

    /// Sends an Error Response.
    func sendError(
        _ error: ATTErrorCode,
        request: ATTOpcode,
        handle: AttributeHandle = 0,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        self.send(
            ATTErrorResponse(request: request, handle: handle, error: error).encoded(),
            on: &bearer,
            into: &actions
        )
    }

    /// Whether a range of handles is valid; if not, the client gets an error (3.4.3.1).
    func checkRange(
        _ start: AttributeHandle,
        _ end: AttributeHandle,
        request: ATTOpcode,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) -> Bool {
        guard start != 0, start <= end else {
            self.sendError(.invalidHandle, request: request, handle: start, on: &bearer, into: &actions)
            return false
        }
        return true
    }

    // MARK: Permissions

    /// The error for a client that reads an attribute; `nil` if it may.
    ///
    /// Access is checked before security, so that no client pairs for an attribute that cannot be read anyway.
    func readError(of attribute: GATTAttribute, on bearer: inout ATTBearer) -> ATTErrorCode? {
        guard attribute.access.contains(.read) else { return .readNotPermitted }
        return self.shortfall(of: attribute.readSecurity, on: &bearer)?.attError
    }

    /// The error for a client that writes an attribute; `nil` if it may.
    func writeError(
        of attribute: GATTAttribute,
        with access: GATTAttribute.Access = .write,
        on bearer: inout ATTBearer
    ) -> ATTErrorCode? {
        guard attribute.access.contains(access) else { return .writeNotPermitted }
        return self.shortfall(of: attribute.writeSecurity, on: &bearer)?.attError
    }

    /// What the link lacks for a requirement; `nil` if nothing.
    @inline(__always)
    func shortfall(of requirement: SecurityRequirement, on bearer: inout ATTBearer) -> SecurityShortfall? {
        bearer.security.shortfall(of: requirement, minimumKeySize: self.configuration.minimumKeySize)
    }

    /// The value of an attribute that the server stores itself; `nil` if the application must be asked.
    mutating func keptValue(of attribute: GATTAttribute, on bearer: inout ATTBearer) -> ByteBuffer? {
        switch attribute.content {
        case .fixed(let value):
            value
        case .application:
            nil
        case .clientConfiguration(let characteristic, _, _):
            ByteBuffer(integer: UInt16(bearer.server.configuration(of: characteristic)), endianness: .little)
        case .clientSupportedFeatures:
            ByteBuffer(integer: bearer.server.features.rawValue)
        case .databaseHash:
            self.database.hash().value
        }
    }
}

extension ATTOpcode {
    /// Whether it is a request that finds attributes (Vol 3, Part G, 4.4 to 4.7).
    fileprivate var isDiscovery: Bool {
        switch self {
        case .readByGroupTypeRequest, .findByTypeValueRequest, .readByTypeRequest, .findInformationRequest: true
        default: false
        }
    }
}
