// ATT PDUs as text, with the names of Vol 3, Part F, 3.4. Handles are shown with the UUID of their attribute if its
// discovery was seen.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension PacketFormatter {
    /// The text of an ATT PDU.
    mutating func describe(att pdu: ByteBuffer, on link: ConnectionHandle, _ direction: Direction) -> String {
        guard let opcode = ATT.opcode(of: pdu) else { return "Empty PDU" }
        // Requests and commands refer to the attributes of their receiver, all others to those of the sender.
        let isAboutPeer = opcode.isForServer == (direction == .toController)
        let attributes = AttributeText(
            names: self.links[link]?.peer.flatMap { self.attributes[$0] }.map {
                isAboutPeer ? $0.ofPeer : $0.ofThisDevice
            } ?? [:]
        )
        let name = opcode.words
        do {
            return try self.describe(pdu, opcode, name, attributes, link, isAboutPeer)
        } catch {
            return "\(name), malformed: \(octetText(pdu))"
        }
    }

    private mutating func describe(
        _ pdu: ByteBuffer,
        _ opcode: ATTOpcode,
        _ name: String,
        _ attributes: AttributeText,
        _ link: ConnectionHandle,
        _ isAboutPeer: Bool
    ) throws(MalformedBytes) -> String {
        switch opcode {
        case .errorResponse:
            let response = try ATTErrorResponse(parsing: pdu)
            let place = response.handle == 0 ? "" : " of \(attributes[response.handle])"
            return "\(name): \(response.request.words)\(place): \(response.error.words)"
        case .exchangeMTURequest:
            return "\(name) \(try ATTExchangeMTURequest(parsing: pdu).clientMTU)"
        case .exchangeMTUResponse:
            return "\(name) \(try ATTExchangeMTUResponse(parsing: pdu).serverMTU)"
        case .findInformationRequest:
            let request = try ATTFindInformationRequest(parsing: pdu)
            return "\(name) \(handles(request.start, request.end))"
        case .findInformationResponse:
            let found = Array(try ATTFindInformationResponse(parsing: pdu).list)
            for entry in found { self.learn(entry.handle, entry.type, link, isAboutPeer, replaces: false) }
            return "\(name) " + found.map { "\(handle($0.handle)) is \($0.type)" }.joined(separator: ", ")
        case .findByTypeValueRequest:
            let request = try ATTFindByTypeValueRequest(parsing: pdu)
            let type = BluetoothUUID(request.type)
            return "\(name) \(handles(request.start, request.end)), type \(type), \(uuidOrOctets(request.value))"
        case .findByTypeValueResponse:
            let found = try ATTFindByTypeValueResponse(parsing: pdu).list
            return "\(name) " + found.map { handles($0.found, $0.groupEnd) }.joined(separator: ", ")
        case .readByTypeRequest:
            let request = try ATTReadByTypeRequest(parsing: pdu)
            if isAboutPeer {
                self.links[link]?.typeAskedOfPeer = request.type
            } else {
                self.links[link]?.typeAskedByPeer = request.type
            }
            return "\(name) \(handles(request.start, request.end)), type \(request.type)"
        case .readByTypeResponse:
            let found = Array(try ATTReadByTypeResponse(parsing: pdu).list)
            let type = isAboutPeer ? self.links[link]?.typeAskedOfPeer : self.links[link]?.typeAskedByPeer
            guard type == .characteristicDeclaration else {
                return "\(name) "
                    + found.map { "\(attributes[$0.handle]) = \(octetText($0.value))" }
                    .joined(separator: ", ")
            }
            let texts = found.map { entry -> String in
                guard let (value, uuid) = declaration(entry.value) else {
                    return "\(handle(entry.handle)) = \(octetText(entry.value))"
                }
                self.learn(value, uuid, link, isAboutPeer, replaces: true)
                return "characteristic \(uuid) at \(handle(value))"
            }
            return "\(name) " + texts.joined(separator: ", ")
        case .readByGroupTypeRequest:
            let request = try ATTReadByGroupTypeRequest(parsing: pdu)
            return "\(name) \(handles(request.start, request.end)), type \(request.type)"
        case .readByGroupTypeResponse:
            let found = try ATTReadByGroupTypeResponse(parsing: pdu).list
            return "\(name) "
                + found.map { "\(handles($0.handle, $0.groupEnd)) \(uuidOrOctets($0.value))" }.joined(separator: ", ")
        case .readRequest:
            return "\(name) \(attributes[try ATTReadRequest(parsing: pdu).handle])"
        case .readResponse:
            return "\(name) \(octetText(try ATTReadResponse(parsing: pdu).value))"
        case .readBlobRequest:
            let request = try ATTReadBlobRequest(parsing: pdu)
            return "\(name) \(attributes[request.handle]) from octet \(request.offset)"
        case .readBlobResponse:
            return "\(name) \(octetText(try ATTReadBlobResponse(parsing: pdu).value))"
        case .readMultipleRequest:
            let list = try ATTReadMultipleRequest(parsing: pdu).handles
            return "\(name) " + list.map { attributes[$0] }.joined(separator: ", ")
        case .readMultipleVariableRequest:
            let list = try ATTReadMultipleVariableRequest(parsing: pdu).handles
            return "\(name) " + list.map { attributes[$0] }.joined(separator: ", ")
        case .writeRequest:
            let request = try ATTWriteRequest(parsing: pdu)
            return "\(name) \(attributes[request.handle]) = \(octetText(request.value))"
        case .writeCommand:
            let command = try ATTWriteCommand(parsing: pdu)
            return "\(name) \(attributes[command.handle]) = \(octetText(command.value))"
        case .prepareWriteRequest:
            let request = try ATTPrepareWriteRequest(parsing: pdu)
            return "\(name) \(attributes[request.handle]) at octet \(request.offset) = "
                + octetText(request.value)
        case .prepareWriteResponse:
            let response = try ATTPrepareWriteResponse(parsing: pdu)
            return "\(name) \(attributes[response.handle]) at octet \(response.offset) = "
                + octetText(response.value)
        case .executeWriteRequest:
            return "\(name) \(try ATTExecuteWriteRequest(parsing: pdu).flags == .write ? "(write)" : "(cancel)")"
        case .handleValueNotification:
            let notification = try ATTHandleValueNotification(parsing: pdu)
            return "\(name) \(attributes[notification.handle]) = "
                + octetText(notification.value)
        case .handleValueIndication:
            let indication = try ATTHandleValueIndication(parsing: pdu)
            return "\(name) \(attributes[indication.handle]) = \(octetText(indication.value))"
        case .writeResponse, .executeWriteResponse, .handleValueConfirmation:
            return name
        default:
            var parameters = pdu
            parameters.moveReaderIndex(forwardBy: 1)
            return "\(name) \(octetText(parameters))"
        }
    }

    /// Remembers the UUID of an attribute.
    private mutating func learn(
        _ handle: AttributeHandle,
        _ uuid: BluetoothUUID,
        _ link: ConnectionHandle,
        _ isOfPeer: Bool,
        replaces: Bool
    ) {
        guard let peer = self.links[link]?.peer else { return }
        if isOfPeer {
            if replaces || self.attributes[peer]?.ofPeer[handle] == nil {
                self.attributes[peer, default: AttributeNames()].ofPeer[handle] = uuid
            }
        } else if replaces || self.attributes[peer]?.ofThisDevice[handle] == nil {
            self.attributes[peer, default: AttributeNames()].ofThisDevice[handle] = uuid
        }
    }
}

/// Handles with the known UUIDs of their attributes.
private struct AttributeText {
    let names: [AttributeHandle: BluetoothUUID]

    subscript(_ attribute: AttributeHandle) -> String {
        self.names[attribute].map { "\(handle(attribute)) (\($0))" } ?? handle(attribute)
    }
}

/// A handle as hexadecimal digits.
private func handle(_ handle: AttributeHandle) -> String { "0x" + handle.hexadecimalDigits }

private func handles(_ first: AttributeHandle, _ last: AttributeHandle) -> String {
    "\(handle(first))-\(handle(last))"
}

/// The value handle and the UUID of a characteristic declaration (Vol 3, Part G, 3.3.1).
private func declaration(_ value: ByteBuffer) -> (AttributeHandle, BluetoothUUID)? {
    var bytes = value
    bytes.moveReaderIndex(forwardBy: min(1, bytes.readableBytes))
    guard let handle = bytes.readInteger(endianness: .little, as: AttributeHandle.self),
        let uuid = try? BluetoothUUID(parsing: &bytes, length: bytes.readableBytes)
    else { return nil }
    return (handle, uuid)
}

private func uuidOrOctets(_ value: ByteBuffer) -> String {
    var bytes = value
    if bytes.readableBytes == 2 || bytes.readableBytes == 16,
        let uuid = try? BluetoothUUID(parsing: &bytes, length: bytes.readableBytes)
    {
        return uuid.description
    }
    return octetText(value)
}

extension BluetoothUUID {
    /// Characteristic (Vol 3, Part G, 3.3.1).
    fileprivate static let characteristicDeclaration: BluetoothUUID = 0x2803
}
