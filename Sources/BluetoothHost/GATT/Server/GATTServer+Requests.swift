// What a client sends: finds the handler of each PDU and holds the rules that all requests share: one at a time, no
// longer than the MTU, well-formed, answered once (Vol 3, Part F, 3.3 and 3.4.1).

import BluetoothTypes
import NIOCore

extension GATTServer {
    /// Takes a PDU of a client.
    mutating func receive(_ pdu: ByteBuffer, on link: LinkID, now: NIODeadline, into actions: inout [Action]) {
        guard let index = self.index(of: link), !self.links[index].hasFailed, let opcode = ATT.opcode(of: pdu) else {
            return
        }
        switch opcode {
        case .writeCommand:
            self.writeCommand(pdu, at: index, into: &actions)
        case .handleValueConfirmation:
            guard pdu.readableBytes == 1 else { return }
            self.indicationConfirmed(at: index, now: now, into: &actions)
        case _ where opcode.isCommand || !opcode.isForServer:
            // Unknown commands are ignored; a signed write cannot be checked without a bond's signature key.
            break
        default:
            self.request(opcode, pdu, at: index, now: now, into: &actions)
        }
    }

    private mutating func request(
        _ opcode: ATTOpcode,
        _ pdu: ByteBuffer,
        at index: Int,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        guard case .idle = self.links[index].transaction else {
            // To answer would confuse the answers of two requests, to wait would need a queue that a peer fills.
            self.fail(.requestWhilePending, at: index, into: &actions)
            return
        }
        self.noteRequest(at: index, now: now, into: &actions)
        guard pdu.readableBytes <= self.links[index].mtu else {
            self.sendError(.invalidPDU, request: opcode, at: index, into: &actions)
            return
        }
        do {
            switch opcode {
            case .readRequest:
                self.read(try ATTReadRequest(parsing: pdu), at: index, into: &actions)
            case .writeRequest:
                self.write(try ATTWriteRequest(parsing: pdu), at: index, into: &actions)
            case .exchangeMTURequest:
                self.exchangeMTU(try ATTExchangeMTURequest(parsing: pdu), at: index, into: &actions)
            case .findInformationRequest:
                self.findInformation(try ATTFindInformationRequest(parsing: pdu), at: index, into: &actions)
            case .findByTypeValueRequest:
                self.findByTypeValue(try ATTFindByTypeValueRequest(parsing: pdu), at: index, into: &actions)
            case .readByTypeRequest:
                self.readByType(try ATTReadByTypeRequest(parsing: pdu), at: index, into: &actions)
            case .readBlobRequest:
                self.readBlob(try ATTReadBlobRequest(parsing: pdu), at: index, into: &actions)
            case .readMultipleRequest:
                let handles = try ATTReadMultipleRequest(parsing: pdu).handles
                self.readSeveral(handles, request: opcode, at: index, into: &actions)
            case .readMultipleVariableRequest:
                let handles = try ATTReadMultipleVariableRequest(parsing: pdu).handles
                self.readSeveral(handles, request: opcode, at: index, into: &actions)
            case .readByGroupTypeRequest:
                self.readByGroupType(try ATTReadByGroupTypeRequest(parsing: pdu), at: index, into: &actions)
            case .prepareWriteRequest:
                self.prepareWrite(try ATTPrepareWriteRequest(parsing: pdu), at: index, into: &actions)
            case .executeWriteRequest:
                self.executeWrite(try ATTExecuteWriteRequest(parsing: pdu), at: index, into: &actions)
            default:
                self.sendError(.requestNotSupported, request: opcode, at: index, into: &actions)
            }
        } catch {
            self.sendError(.invalidPDU, request: opcode, at: index, into: &actions)
        }
    }

    /// Agrees on the largest PDU (3.4.2): the smaller of the two offers, from the next PDU on.
    private mutating func exchangeMTU(_ request: ATTExchangeMTURequest, at index: Int, into actions: inout [Action]) {
        let mine = max(ATT.defaultMTU, min(self.configuration.mtu, ATT.maximumMTU))
        self.send(ATTExchangeMTUResponse(serverMTU: UInt16(mine)).encoded(), at: index, into: &actions)
        // An offer below the default is a fault of the client, and changes nothing.
        guard request.clientMTU >= ATT.defaultMTU else { return }
        let mtu = min(mine, Int(request.clientMTU))
        guard mtu != self.links[index].mtu else { return }
        self.links[index].mtu = mtu
        actions.append(.mtuChanged(self.links[index].id, mtu))
    }

    // MARK: Answers

    /// Sends a PDU that is no notification, behind the notifications that were made before it.
    mutating func send(_ pdu: ByteBuffer, at index: Int, into actions: inout [Action]) {
        self.flushBatch(at: index, into: &actions)
        actions.append(.send(self.links[index].id, pdu, nil))
    }

    /// Sends an Error Response.
    mutating func sendError(
        _ error: ATTErrorCode,
        request: ATTOpcode,
        handle: AttributeHandle = 0,
        at index: Int,
        into actions: inout [Action]
    ) {
        self.send(
            ATTErrorResponse(request: request, handle: handle, error: error).encoded(),
            at: index,
            into: &actions
        )
    }

    /// Whether a range of handles is one; where it is not, the client is told (3.4.3.1).
    mutating func isValidRange(
        _ start: AttributeHandle,
        _ end: AttributeHandle,
        request: ATTOpcode,
        at index: Int,
        into actions: inout [Action]
    ) -> Bool {
        guard start != 0, start <= end else {
            self.sendError(.invalidHandle, request: request, handle: start, at: index, into: &actions)
            return false
        }
        return true
    }

    // MARK: Permissions

    /// What stands against reading an attribute; `nil` for nothing.
    ///
    /// Access comes before security, so that nobody pairs for an attribute that cannot be read anyway.
    func readError(of attribute: GATTAttribute, at index: Int) -> ATTErrorCode? {
        guard attribute.access.contains(.read) else { return .readNotPermitted }
        return self.links[index].security.error(
            encryption: attribute.access.contains(.readNeedsEncryption),
            authentication: attribute.access.contains(.readNeedsAuthentication),
            minimumKeySize: self.configuration.minimumKeySize
        )
    }

    /// What stands against writing an attribute with a request or a command; `nil` for nothing.
    func writeError(
        of attribute: GATTAttribute,
        with access: GATTAttribute.Access = .write,
        at index: Int
    ) -> ATTErrorCode? {
        guard attribute.access.contains(access) else { return .writeNotPermitted }
        return self.links[index].security.error(
            encryption: attribute.access.contains(.writeNeedsEncryption),
            authentication: attribute.access.contains(.writeNeedsAuthentication),
            minimumKeySize: self.configuration.minimumKeySize
        )
    }

    /// The value of an attribute that the server keeps itself; `nil` where the application must be asked.
    mutating func heldValue(of attribute: GATTAttribute, at index: Int) -> ByteBuffer? {
        switch attribute.content {
        case .fixed(let value):
            value
        case .application:
            nil
        case .clientConfiguration(let characteristic, _):
            ByteBuffer(integer: UInt16(self.links[index].configuration(of: characteristic)), endianness: .little)
        case .clientSupportedFeatures:
            ByteBuffer(integer: self.links[index].features.rawValue)
        case .databaseHash:
            self.database.hash().value
        }
    }
}
