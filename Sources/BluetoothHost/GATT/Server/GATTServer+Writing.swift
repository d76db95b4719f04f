// Writing values with a request or a command (Vol 3, Part F, 3.4.5), and the two kinds of values that clients write
// and the server keeps: Client Characteristic Configurations and Client Supported Features (Vol 3, Part G, 3.3.3.3
// and 7.2).

import BluetoothTypes
import NIOCore

extension GATTServer {
    /// Write Request (3.4.5.1).
    mutating func write(_ request: ATTWriteRequest, at index: Int, into actions: inout [Action]) {
        let opcode = ATTWriteRequest.opcode
        guard self.isInSync(request: opcode, handle: request.handle, at: index, into: &actions) else { return }
        guard let position = self.database.index(of: request.handle) else {
            self.sendError(.invalidHandle, request: opcode, handle: request.handle, at: index, into: &actions)
            return
        }
        let attribute = self.database.attributes[position]
        if let error = self.writeError(of: attribute, at: index)
            ?? self.valueError(of: attribute, offset: 0, request.value, at: index)
        {
            self.sendError(error, request: opcode, handle: request.handle, at: index, into: &actions)
            return
        }
        switch attribute.content {
        case .application:
            let id = self.links[index].nextRequestID()
            self.links[index].transaction = .writing(
                sequence: self.links[index].sequence,
                handle: request.handle
            )
            let part = GATTWriteRequest.Part(handle: request.handle, offset: 0, value: request.value)
            actions.append(.write(GATTWriteRequest(id: id, link: self.links[index].id, parts: [part])))
        case .fixed, .clientConfiguration, .clientSupportedFeatures, .databaseHash:
            // The answer goes out first: what the application sends to a new subscriber comes behind it.
            self.send(ATTWriteResponse().encoded(), at: index, into: &actions)
            self.keep(request.value, in: attribute, at: index, into: &actions)
        }
    }

    /// Write Command (3.4.5.3): done or ignored, never answered.
    mutating func writeCommand(_ pdu: ByteBuffer, at index: Int, into actions: inout [Action]) {
        guard !self.links[index].isOutOfSync, pdu.readableBytes <= self.links[index].mtu,
            let command = try? ATTWriteCommand(parsing: pdu),
            let position = self.database.index(of: command.handle),
            case .application = self.database.attributes[position].content,
            self.writeError(of: self.database.attributes[position], with: .writeCommand, at: index) == nil,
            command.value.readableBytes <= ATT.maximumValueLength
        else { return }
        let part = GATTWriteRequest.Part(handle: command.handle, offset: 0, value: command.value)
        actions.append(.write(GATTWriteRequest(id: nil, link: self.links[index].id, parts: [part])))
    }

    /// The application's answer to a write; `nil` accepts it.
    ///
    /// Answers to requests that are no longer open are ignored.
    mutating func respond(to request: GATTRequestID, error: ATTErrorCode?, into actions: inout [Action]) {
        guard let index = self.index(of: LinkID(rawValue: UInt32(truncatingIfNeeded: request.rawValue >> 32))) else {
            return
        }
        let answered = UInt32(truncatingIfNeeded: request.rawValue)
        switch self.links[index].transaction {
        case .writing(let sequence, let handle) where sequence == answered:
            self.links[index].transaction = .idle
            if let error {
                self.sendError(error, request: .writeRequest, handle: handle, at: index, into: &actions)
            } else {
                self.send(ATTWriteResponse().encoded(), at: index, into: &actions)
            }
        case .executing(let sequence, let handle, let held) where sequence == answered:
            self.links[index].transaction = .idle
            if let error {
                self.sendError(error, request: .executeWriteRequest, handle: handle, at: index, into: &actions)
            } else {
                self.finishExecuting(held, at: index, into: &actions)
            }
        case .idle, .reading, .writing, .executing:
            return
        }
    }

    // MARK: What the server keeps

    /// What stands against a value that is to be written at an offset; `nil` for nothing, or for what only the
    /// application can tell.
    func valueError(of attribute: GATTAttribute, offset: Int, _ value: ByteBuffer, at index: Int) -> ATTErrorCode? {
        switch attribute.content {
        case .application:
            if offset > ATT.maximumValueLength { return .invalidOffset }
            return offset + value.readableBytes > ATT.maximumValueLength ? .invalidAttributeValueLength : nil
        case .clientConfiguration(_, let properties):
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
            // A client cannot take back what it said it can do (7.2).
            return features.isSuperset(of: self.links[index].features) ? nil : .valueNotAllowed
        case .fixed, .databaseHash:
            return .writeNotPermitted
        }
    }

    /// Writes a value that the server keeps; it has been checked.
    mutating func keep(
        _ value: ByteBuffer,
        in attribute: GATTAttribute,
        at index: Int,
        into actions: inout [Action]
    ) {
        switch attribute.content {
        case .clientConfiguration(let characteristic, _):
            guard let bits = value.configurationBits else { return }
            self.setConfiguration(
                bits,
                of: characteristic,
                needsEncryption: attribute.access.contains(.writeNeedsEncryption),
                at: index,
                into: &actions
            )
        case .clientSupportedFeatures:
            guard let features = value.clientFeatures else { return }
            self.links[index].features.formUnion(features)
        case .fixed, .application, .databaseHash:
            return
        }
    }

    /// Sets a Client Characteristic Configuration and tells the application where the client came or went.
    mutating func setConfiguration(
        _ bits: UInt8,
        of characteristic: AttributeHandle,
        needsEncryption: Bool,
        at index: Int,
        into actions: inout [Action]
    ) {
        let (place, isPresent) = self.links[index].place(ofSubscription: characteristic)
        switch (isPresent, bits != 0) {
        case (true, true):
            self.links[index].subscriptions[place].bits = bits
            return
        case (false, true):
            self.links[index].subscriptions.insert(
                Subscription(characteristic: characteristic, bits: bits, needsEncryption: needsEncryption),
                at: place
            )
        case (true, false):
            self.links[index].subscriptions.remove(at: place)
            self.dropIndications(of: characteristic...characteristic, at: index, into: &actions)
        case (false, false):
            return
        }
        guard characteristic != self.serviceChangedHandle else { return }
        actions.append(.subscriptionChanged(self.links[index].id, characteristic, isSubscribed: bits != 0))
    }
}

extension ByteBuffer {
    /// The bits of a Client Characteristic Configuration that mean something.
    fileprivate var configurationBits: UInt8? {
        self.getInteger(at: self.readerIndex, as: UInt8.self).map { $0 & 0x03 }
    }

    /// The bits of Client Supported Features that mean something; `nil` for an empty value or one longer than any
    /// attribute.
    fileprivate var clientFeatures: GATTServer.ClientFeatures? {
        guard self.readableBytes <= ATT.maximumValueLength else { return nil }
        return self.getInteger(at: self.readerIndex, as: UInt8.self).map {
            GATTServer.ClientFeatures(rawValue: $0).intersection(.known)
        }
    }
}
