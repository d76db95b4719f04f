// The requests that find attributes (Vol 3, Part F, 3.4.3 and 3.4.4.9). They need no permission: every client may read
// handles, types and declarations.

import BluetoothTypes
import NIOCore

extension GATTServer {
    /// Returns handles and types, as many of one type length as fit (3.4.3.1).
    mutating func findInformation(
        _ request: ATTFindInformationRequest,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        let opcode = ATTFindInformationRequest.opcode
        guard self.checkRange(request.start, request.end, request: opcode, on: &bearer, into: &actions) else {
            return
        }
        let mtu = bearer.mtu
        var position = self.database.firstIndex(from: request.start)
        guard position < self.database.attributes.count, self.database.attributes[position].handle <= request.end else {
            self.sendError(.attributeNotFound, request: opcode, handle: request.start, on: &bearer, into: &actions)
            return
        }
        let typeLength = self.database.attributes[position].type.octetCount
        let entryLength = 2 + typeLength
        var response = PDUBuffer.make(capacity: mtu)
        ATTFindInformationResponse.writeHeader(typeLength == 2 ? .short : .full, into: &response)
        while position < self.database.attributes.count, response.readableBytes + entryLength <= mtu {
            let attribute = self.database.attributes[position]
            guard attribute.handle <= request.end, attribute.type.octetCount == typeLength else { break }
            ATTFindInformationResponse.writeEntry(handle: attribute.handle, type: attribute.type, into: &response)
            position += 1
        }
        self.send(response, on: &bearer, into: &actions)
    }

    /// Returns the attributes with exactly a value, and the ends of their groups (3.4.3.3).
    ///
    /// Values are compared octet by octet, so a service that is declared with a 16-bit UUID is not found by the 128-bit
    /// form. Some other servers match both; our own client uses the short form.
    ///
    /// Values that the application handles, or that the client may not read, are not compared.
    mutating func findByTypeValue(
        _ request: ATTFindByTypeValueRequest,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        let opcode = ATTFindByTypeValueRequest.opcode
        guard self.checkRange(request.start, request.end, request: opcode, on: &bearer, into: &actions) else {
            return
        }
        let mtu = bearer.mtu
        var response: ByteBuffer?
        var position = self.database.firstIndex(from: request.start)
        while position < self.database.attributes.count, (response?.readableBytes ?? 0) + 4 <= mtu {
            let attribute = self.database.attributes[position]
            guard attribute.handle <= request.end else { break }
            position += 1
            guard attribute.shortType == request.type, attribute.type.octetCount == 2,
                self.readError(of: attribute, on: &bearer) == nil,
                let value = self.keptValue(of: attribute, on: &bearer), value == request.value
            else { continue }
            if response == nil {
                response = PDUBuffer.make(capacity: mtu)
                response?.writeInteger(ATTFindByTypeValueResponse.opcode.rawValue)
            }
            response?.writeMultipleIntegers(attribute.handle, attribute.groupEnd, endianness: .little)
        }
        guard let response else {
            self.sendError(.attributeNotFound, request: opcode, handle: request.start, on: &bearer, into: &actions)
            return
        }
        self.send(response, on: &bearer, into: &actions)
    }

    /// Returns services with their last handles and UUIDs, as many of one UUID length as fit (3.4.4.9).
    mutating func readByGroupType(
        _ request: ATTReadByGroupTypeRequest,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        let opcode = ATTReadByGroupTypeRequest.opcode
        guard self.checkRange(request.start, request.end, request: opcode, on: &bearer, into: &actions) else {
            return
        }
        let type = request.type.shortValue
        guard type == GATTAttributeType.primaryService || type == GATTAttributeType.secondaryService else {
            self.sendError(.unsupportedGroupType, request: opcode, handle: request.start, on: &bearer, into: &actions)
            return
        }
        let mtu = bearer.mtu
        var response: ByteBuffer?
        var valueLength = 0
        // The services are in order, so whole services are skipped.
        for service in self.database.services where service.lowerBound >= request.start {
            guard service.lowerBound <= request.end else { break }
            guard let position = self.database.index(of: service.lowerBound),
                self.database.attributes[position].shortType == type,
                case .fixed(let value) = self.database.attributes[position].content
            else { continue }
            if response == nil {
                valueLength = value.readableBytes
                response = PDUBuffer.make(capacity: mtu)
                response?.writeMultipleIntegers(
                    ATTReadByGroupTypeResponse.opcode.rawValue,
                    UInt8(truncatingIfNeeded: 4 + valueLength)
                )
            }
            guard value.readableBytes == valueLength, (response?.readableBytes ?? 0) + 4 + valueLength <= mtu else {
                break
            }
            response?.writeMultipleIntegers(service.lowerBound, service.upperBound, endianness: .little)
            response?.writeImmutableBuffer(value)
        }
        guard let response else {
            self.sendError(.attributeNotFound, request: opcode, handle: request.start, on: &bearer, into: &actions)
            return
        }
        self.send(response, on: &bearer, into: &actions)
    }
}
