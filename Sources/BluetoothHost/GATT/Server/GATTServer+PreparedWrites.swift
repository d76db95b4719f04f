// Prepared writes (Vol 3, Part F, 3.4.6): a client's parts wait in a bounded queue until they are executed, all of them
// or none. Permissions are checked when a part arrives, offset and length when the queue is executed.

import BluetoothTypes
import NIOCore

extension GATTServer {
    /// Prepare Write Request (3.4.6.1).
    mutating func prepareWrite(
        _ request: ATTPrepareWriteRequest,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        let opcode = ATTPrepareWriteRequest.opcode
        guard self.checkSync(request: opcode, handle: request.handle, on: &bearer, into: &actions) else { return }
        guard let position = self.database.index(of: request.handle) else {
            self.sendError(.invalidHandle, request: opcode, handle: request.handle, on: &bearer, into: &actions)
            return
        }
        if let error = self.writeError(of: self.database.attributes[position], on: &bearer)
            ?? self.capacityError(for: request, on: &bearer)
        {
            self.sendError(error, request: opcode, handle: request.handle, on: &bearer, into: &actions)
            return
        }
        bearer.server.prepared.append(request)
        self.send(
            ATTPrepareWriteResponse(handle: request.handle, offset: request.offset, value: request.value).encoded(),
            on: &bearer,
            into: &actions
        )
    }

    private func capacityError(for request: ATTPrepareWriteRequest, on bearer: inout ATTBearer) -> ATTErrorCode? {
        let prepared = bearer.server.prepared
        let fits =
            prepared.count < self.configuration.preparedWriteLimit
            && prepared.octets + request.value.readableBytes <= self.configuration.preparedOctetLimit
        return fits ? nil : .prepareQueueFull
    }

    /// Execute Write Request (3.4.6.3).
    ///
    /// The queue is empty afterwards, whatever the outcome.
    mutating func executeWrite(
        _ request: ATTExecuteWriteRequest,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        let parts = bearer.server.prepared.parts
        bearer.server.prepared = PreparedWrites()
        guard request.flags == .write else {
            self.send(ATTExecuteWriteResponse().encoded(), on: &bearer, into: &actions)
            return
        }
        var asked: [GATTWriteRequest.Part] = []
        var kept: [GATTWriteRequest.Part] = []
        for part in parts {
            let error: ATTErrorCode?
            if let position = self.database.index(of: part.handle) {
                let attribute = self.database.attributes[position]
                error =
                    self.writeError(of: attribute, on: &bearer)
                    ?? self.valueError(of: attribute, offset: part.offset, part.value, on: &bearer)
                if !attribute.isApplicationValue { kept.append(part) }
                if attribute.isApplicationValue || attribute.asksBeforeSubscription { asked.append(part) }
            } else {
                // The service was removed while the queue waited.
                error = .invalidHandle
            }
            if let error {
                self.sendError(
                    error,
                    request: ATTExecuteWriteRequest.opcode,
                    handle: part.handle,
                    on: &bearer,
                    into: &actions
                )
                return
            }
        }
        guard let first = asked.first else {
            self.finishExecuting(kept, on: &bearer, into: &actions)
            return
        }
        let id = bearer.server.nextRequestID(on: bearer.link)
        bearer.server.transaction = .executing(
            sequence: bearer.server.sequence,
            handle: first.handle,
            kept: kept
        )
        actions.append(.write(GATTWriteRequest(id: id, link: bearer.link, parts: asked)))
    }

    /// Answers an execution that the application has accepted, and writes the values that the server stores.
    mutating func finishExecuting(
        _ kept: [GATTWriteRequest.Part],
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        self.send(ATTExecuteWriteResponse().encoded(), on: &bearer, into: &actions)
        for part in kept {
            guard let position = self.database.index(of: part.handle) else { continue }
            self.keep(part.value, in: self.database.attributes[position], on: &bearer, into: &actions)
        }
    }
}

extension GATTServer.PreparedWrites {
    /// Adds a part.
    ///
    /// If it continues the last part for the same attribute, the two are joined, even if parts for other attributes lie
    /// in between, since a client may interleave several long writes.
    mutating func append(_ request: ATTPrepareWriteRequest) {
        self.count += 1
        self.octets += request.value.readableBytes
        if let last = self.parts.lastIndex(where: { $0.handle == request.handle }),
            self.parts[last].offset + self.parts[last].value.readableBytes == Int(request.offset)
        {
            self.parts[last].value.writeImmutableBuffer(request.value)
            return
        }
        self.parts.append(
            GATTWriteRequest.Part(
                handle: request.handle,
                offset: Int(request.offset),
                // Copied, so that later parts can be appended and the packet is released.
                value: request.value.compacted
            )
        )
    }

    /// Makes the parts for removed attributes fail, even if their handles are reused.
    mutating func invalidate(_ handles: AttributeHandleRange) {
        for index in self.parts.indices where handles.contains(self.parts[index].handle) {
            self.parts[index].handle = 0x0000
        }
    }
}
