// Writing values with a request or a command (Vol 3, Part F, 3.4.5), and the two kinds of values that clients write and
// the server stores: Client Characteristic Configurations and Client Supported Features (Vol 3, Part G, 3.3.3.3 and
// 7.2).

import BluetoothTypes
import NIOCore

extension GATTServer {
    /// Write Request (3.4.5.1).
    mutating func write(_ request: ATTWriteRequest, on bearer: inout ATTBearer, into actions: inout [ATTBearer.Action])
    {
        let opcode = ATTWriteRequest.opcode
        guard self.checkSync(request: opcode, handle: request.handle, on: &bearer, into: &actions) else { return }
        guard let position = self.database.index(of: request.handle) else {
            self.sendError(.invalidHandle, request: opcode, handle: request.handle, on: &bearer, into: &actions)
            return
        }
        let attribute = self.database.attributes[position]
        if let error = self.writeError(of: attribute, on: &bearer)
            ?? self.valueError(of: attribute, offset: 0, request.value, on: &bearer)
        {
            self.sendError(error, request: opcode, handle: request.handle, on: &bearer, into: &actions)
            return
        }
        switch attribute.content {
        case .application, .clientConfiguration(_, _, asks: true):
            let id = bearer.server.nextRequestID(on: bearer.link)
            bearer.server.transaction = .writing(
                sequence: bearer.server.sequence,
                handle: request.handle,
                kept: attribute.isApplicationValue ? nil : request.value
            )
            let part = GATTWriteRequest.Part(handle: request.handle, offset: 0, value: request.value)
            actions.append(.write(GATTWriteRequest(id: id, link: bearer.link, parts: [part])))
        case .fixed, .clientConfiguration, .clientSupportedFeatures, .databaseHash:
            // The answer is sent first, before any value of the application for a new subscriber.
            self.send(ATTWriteResponse().encoded(), on: &bearer, into: &actions)
            self.keep(request.value, in: attribute, on: &bearer, into: &actions)
        }
    }

    /// Whether a Write Command with these lengths of PDU and value is executed, and not ignored.
    @inline(__always)
    mutating func acceptsCommand(
        to handle: AttributeHandle,
        _ length: Int,
        _ valueLength: Int,
        on bearer: inout ATTBearer
    ) -> Bool {
        guard bearer.isUsable, !bearer.server.isOutOfSync, length <= bearer.mtu, valueLength <= ATT.maximumValueLength,
            let position = self.database.index(of: handle), self.database.attributes[position].isApplicationValue,
            self.database.attributes[position].access.contains(.writeCommand)
        else { return false }
        return self.shortfall(of: self.database.attributes[position].writeSecurity, on: &bearer) == nil
    }

    /// Write Command (3.4.5.3): executed or ignored, never answered.
    mutating func writeCommand(_ pdu: ByteBuffer, on bearer: inout ATTBearer, into actions: inout [ATTBearer.Action]) {
        guard let command = try? ATTWriteCommand(parsingParametersOf: pdu),
            self.acceptsCommand(to: command.handle, pdu.readableBytes, command.value.readableBytes, on: &bearer)
        else { return }
        let part = GATTWriteRequest.Part(handle: command.handle, offset: 0, value: command.value)
        actions.append(.write(GATTWriteRequest(id: nil, link: bearer.link, parts: [part])))
    }

    /// The application's answer to a write; `nil` accepts it.
    ///
    /// Answers to requests that are no longer open are ignored.
    mutating func respond(
        to request: GATTRequestID,
        error: ATTErrorCode?,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        let answered = request.sequence
        switch bearer.server.transaction {
        case .writing(let sequence, let handle, let kept) where sequence == answered:
            bearer.server.transaction = .idle
            if let error {
                self.sendError(error, request: .writeRequest, handle: handle, on: &bearer, into: &actions)
            } else {
                self.send(ATTWriteResponse().encoded(), on: &bearer, into: &actions)
                // The service may have been removed while the client waited.
                guard let kept, let position = self.database.index(of: handle) else { return }
                self.keep(kept, in: self.database.attributes[position], on: &bearer, into: &actions)
            }
        case .executing(let sequence, let handle, let kept) where sequence == answered:
            bearer.server.transaction = .idle
            if let error {
                self.sendError(error, request: .executeWriteRequest, handle: handle, on: &bearer, into: &actions)
            } else {
                self.finishExecuting(kept, on: &bearer, into: &actions)
            }
        case .idle, .reading, .writing, .executing:
            return
        }
    }

    // MARK: Values of the server

    /// The error for writing a value at an offset; `nil` if there is none, or if the application decides.
    func valueError(
        of attribute: GATTAttribute,
        offset: Int,
        _ value: ByteBuffer,
        on bearer: inout ATTBearer
    ) -> ATTErrorCode? {
        switch attribute.content {
        case .application:
            if offset > ATT.maximumValueLength { return .invalidOffset }
            return offset + value.readableBytes > ATT.maximumValueLength ? .invalidAttributeValueLength : nil
        case .clientConfiguration(_, let properties, _):
            guard offset == 0 else { return .invalidOffset }
            guard value.readableBytes == 2, let bits = value.configurationBits else {
                return .invalidAttributeValueLength
            }
            if bits & 0x01 != 0, !properties.contains(.notify) { return .cccdImproperlyConfigured }
            if bits & 0x02 != 0, !properties.contains(.indicate) { return .cccdImproperlyConfigured }
            return nil
        case .clientSupportedFeatures:
            guard offset == 0 else { return .invalidOffset }
            guard let features = value.clientFeatures else { return .invalidAttributeValueLength }
            // A client cannot clear a feature (7.2).
            return features.isSuperset(of: bearer.server.features) ? nil : .valueNotAllowed
        case .fixed, .databaseHash:
            return .writeNotPermitted
        }
    }

    /// Writes a checked value that the server stores.
    mutating func keep(
        _ value: ByteBuffer,
        in attribute: GATTAttribute,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        switch attribute.content {
        case .clientConfiguration(let characteristic, _, _):
            guard let bits = value.configurationBits else { return }
            self.setConfiguration(
                bits,
                of: characteristic,
                security: attribute.writeSecurity,
                on: &bearer,
                into: &actions
            )
        case .clientSupportedFeatures:
            guard let features = value.clientFeatures else { return }
            bearer.server.features.formUnion(features)
            bearer.noteClientChange(into: &actions)
        case .fixed, .application, .databaseHash:
            return
        }
    }

    /// Sets a Client Characteristic Configuration, and reports to the application if a subscription began or ended.
    mutating func setConfiguration(
        _ bits: UInt8,
        of characteristic: AttributeHandle,
        security: SecurityRequirement,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        let (place, isPresent) = bearer.server.place(ofSubscription: characteristic)
        switch (isPresent, bits != 0) {
        case (true, true):
            bearer.server.subscriptions[place].bits = bits
            return bearer.noteClientChange(into: &actions)
        case (false, true):
            bearer.server.subscriptions.insert(
                Subscription(characteristic: characteristic, bits: bits, security: security),
                at: place
            )
        case (true, false):
            bearer.server.subscriptions.remove(at: place)
            bearer.dropIndications(of: characteristic...characteristic, into: &actions)
        case (false, false):
            return
        }
        bearer.noteClientChange(into: &actions)
        guard characteristic != self.serviceChangedHandle else { return }
        actions.append(.subscriptionChanged(characteristic, isSubscribed: bits != 0))
    }
}

extension ByteBuffer {
    /// The defined bits of a Client Characteristic Configuration.
    fileprivate var configurationBits: UInt8? {
        self.getInteger(at: self.readerIndex, as: UInt8.self).map { $0 & 0x03 }
    }

    /// The defined bits of Client Supported Features; `nil` for an empty value or one longer than any attribute.
    fileprivate var clientFeatures: GATTServer.ClientFeatures? {
        guard self.readableBytes <= ATT.maximumValueLength else { return nil }
        return self.getInteger(at: self.readerIndex, as: UInt8.self).map {
            GATTServer.ClientFeatures(rawValue: $0).intersection(.known)
        }
    }
}
