// Notifications, several of them in one PDU if the client supports that, and indications, one at a time (Vol 3, Part F,
// 3.4.7; Vol 3, Part G, 4.10 and 4.11).

import BluetoothTypes
import DequeModule
import NIOCore

extension GATTServer {
    /// Sends a value to a subscribed client, truncated to MTU - 3 octets: as a notification, or as an indication if the
    /// client has subscribed to indications only.
    ///
    /// The value is counted once for its owner, with a `send`, `confirmed` or `dropped`, now or later; it is dropped
    /// immediately if the client is not subscribed. Mutating, like ``receive(_:on:now:into:)``, so that the server is
    /// not copied for each value.
    mutating func notify(
        _ value: consuming ByteBuffer,
        characteristic handle: AttributeHandle,
        token: TransmitToken,
        on bearer: inout ATTBearer,
        now: NIODeadline,
        into actions: inout [ATTBearer.Action]
    ) {
        let single = Transmission(token: token, count: 1)
        guard bearer.isUsable else { return actions.append(.dropped(single)) }
        let (place, isPresent) = bearer.server.place(ofSubscription: handle)
        guard isPresent else { return actions.append(.dropped(single)) }
        guard !bearer.isExchangingMTU else {
            bearer.server.deferred.append(ServedClient.Value(handle: handle, value: value, token: token))
            return
        }
        let subscription = bearer.server.subscriptions[place]
        guard self.shortfall(of: subscription.security, on: &bearer) == nil else {
            return actions.append(.dropped(single))
        }
        value = value.prefix(bearer.mtu - 3)
        if !subscription.notifies {
            guard bearer.server.indications.count < self.configuration.indicationLimit else {
                return actions.append(.dropped(single))
            }
            bearer.server.indications.append(ServedClient.Value(handle: handle, value: value, token: token))
            self.sendNextIndication(on: &bearer, now: now, into: &actions)
        } else if bearer.server.isOutOfSync {
            // A change-unaware client might take it for the value of another attribute (Vol 3, Part G, 2.5.2.1).
            actions.append(.dropped(single))
        } else if bearer.server.features.contains(.multipleNotifications), value.readableBytes <= Self.batchedLength {
            bearer.batch(ServedClient.Value(handle: handle, value: value, token: token), into: &actions)
        } else {
            bearer.flushBatch(into: &actions)
            actions.append(.send(ATT.encoded(.handleValueNotification, handle, value), single))
        }
    }

    /// Sends a notification to a client even if it is not subscribed, truncated to MTU - 3 octets, and counts it for
    /// its token, if any.
    func notifyUnconditionally(
        _ value: ByteBuffer,
        characteristic handle: AttributeHandle,
        token: TransmitToken? = nil,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        guard bearer.isUsable else {
            if let token { actions.append(.dropped(Transmission(token: token, count: 1))) }
            return
        }
        let pdu = ATT.encoded(.handleValueNotification, handle, value.prefix(bearer.mtu - 3))
        guard let token else { return self.send(pdu, on: &bearer, into: &actions) }
        bearer.flushBatch(into: &actions)
        actions.append(.send(pdu, Transmission(token: token, count: 1)))
    }

    /// The longest value that shares a PDU with others, in octets. Two longer ones need as many Link Layer packets of
    /// 251 octets together as separately.
    private static let batchedLength = 121

    /// Sends the values that were deferred during the local client's MTU exchange: until its end, it was unknown which
    /// MTU the peer would apply (Vol 3, Part F, 3.4.2.2, rule 5).
    mutating func sendDeferred(on bearer: inout ATTBearer, now: NIODeadline, into actions: inout [ATTBearer.Action]) {
        let deferred = bearer.server.deferred
        bearer.server.deferred = []
        for value in deferred {
            self.notify(
                value.value,
                characteristic: value.handle,
                token: value.token,
                on: &bearer,
                now: now,
                into: &actions
            )
        }
        self.sendNextIndication(on: &bearer, now: now, into: &actions)
    }

    // MARK: Indications

    /// Sends the next indication unless one is unconfirmed.
    ///
    /// Service Changed comes first, and is the only indication for a change-unaware client.
    func sendNextIndication(
        on bearer: inout ATTBearer,
        now: NIODeadline,
        into actions: inout [ATTBearer.Action]
    ) {
        guard case .none = bearer.server.outstanding, bearer.isUsable, !bearer.isExchangingMTU else { return }
        let deadline = now + ATT.transactionTimeout
        let indication: ATTHandleValueIndication
        if let range = bearer.server.changedRange {
            bearer.server.changedRange = nil
            bearer.server.outstanding = .serviceChanged(deadline: deadline)
            var value = ByteBuffer()
            value.writeMultipleIntegers(range.lowerBound, range.upperBound, endianness: .little)
            indication = ATTHandleValueIndication(handle: self.serviceChangedHandle, value: value)
        } else if !bearer.server.isOutOfSync, let next = self.takeIndication(on: &bearer, into: &actions) {
            bearer.server.outstanding = .application(next.handle, next.token, deadline: deadline)
            // The MTU may have changed meanwhile.
            let value = next.value.prefix(bearer.mtu - 3)
            indication = ATTHandleValueIndication(handle: next.handle, value: value)
        } else {
            return
        }
        self.send(indication.encoded(), on: &bearer, into: &actions)
    }

    /// The next indication for which the link is secure enough; the others are dropped.
    ///
    /// The link may have lost its security meanwhile.
    private func takeIndication(
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) -> ServedClient.Value? {
        while let next = bearer.server.indications.popFirst() {
            let (place, isPresent) = bearer.server.place(ofSubscription: next.handle)
            if isPresent, self.shortfall(of: bearer.server.subscriptions[place].security, on: &bearer) == nil {
                return next
            }
            actions.append(.dropped(Transmission(token: next.token, count: 1)))
        }
        return nil
    }

    /// The client confirmed.
    ///
    /// An unexpected confirmation is ignored.
    func indicationConfirmed(
        on bearer: inout ATTBearer,
        now: NIODeadline,
        into actions: inout [ATTBearer.Action]
    ) {
        switch bearer.server.outstanding {
        case .none:
            return
        case .application(let handle, let token, _):
            actions.append(.confirmed(handle, Transmission(token: token, count: 1)))
        case .serviceChanged:
            // If the database has changed again meanwhile, the client does not know of that yet.
            if bearer.server.changedRange == nil { bearer.setAwareness(.aware, into: &actions) }
        }
        bearer.server.outstanding = .none
        self.sendNextIndication(on: &bearer, now: now, into: &actions)
    }
}

extension ATTBearer {
    // MARK: Several notifications in one PDU

    /// Whether a batch waits for ``flushBatch(into:)``, which the driver calls at the end of a turn.
    var hasBatch: Bool {
        switch self.server.batch {
        case .empty: false
        case .one, .several: true
        }
    }

    /// Adds a notification to the batch; one that does not fit, or has another owner, starts the next batch (3.4.7.4).
    mutating func batch(_ next: GATTServer.ServedClient.Value, into actions: inout [Action]) {
        let length = 4 + next.value.readableBytes
        switch self.server.batch {
        case .empty:
            self.server.batch = .one(next)
        case .one(let first)
        where first.token == next.token && 1 + 4 + first.value.readableBytes + length <= self.mtu:
            var pdu = PDUBuffer.make(capacity: self.mtu)
            pdu.writeInteger(ATTMultipleHandleValueNotification.opcode.rawValue)
            ATTMultipleHandleValueNotification.writeEntry(handle: first.handle, value: first.value, into: &pdu)
            ATTMultipleHandleValueNotification.writeEntry(handle: next.handle, value: next.value, into: &pdu)
            self.server.batch = .several(pdu, Transmission(token: next.token, count: 2))
        case .several(var pdu, var transmission)
        where transmission.token == next.token && pdu.readableBytes + length <= self.mtu:
            // Moved out while it grows, so that it is not copied.
            self.server.batch = .empty
            ATTMultipleHandleValueNotification.writeEntry(handle: next.handle, value: next.value, into: &pdu)
            transmission.count += 1
            self.server.batch = .several(pdu, transmission)
        case .one, .several:
            self.flushBatch(into: &actions)
            self.server.batch = .one(next)
        }
    }

    /// Sends the batch of notifications.
    mutating func flushBatch(into actions: inout [Action]) {
        let batch = self.server.batch
        self.server.batch = .empty
        switch consume batch {
        case .empty:
            return
        case .one(let only):
            let pdu = ATT.encoded(.handleValueNotification, only.handle, only.value)
            actions.append(.send(pdu, Transmission(token: only.token, count: 1)))
        case .several(let pdu, let transmission):
            actions.append(.send(pdu, transmission))
        }
    }

    // MARK: Dropped values

    /// Drops the indications of characteristics that were removed or unsubscribed.
    mutating func dropIndications(of handles: AttributeHandleRange, into actions: inout [Action]) {
        var dropped = TransmitTally()
        for indication in self.server.indications where handles.contains(indication.handle) {
            dropped.add(indication.token)
        }
        guard !dropped.isEmpty else { return }
        self.server.indications.removeAll { handles.contains($0.handle) }
        dropped.report(into: &actions)
    }

    /// Drops all values that wait to be sent or confirmed.
    mutating func dropNotifications(into actions: inout [Action]) {
        var dropped = TransmitTally()
        if case .application(_, let token, _) = self.server.outstanding { dropped.add(token) }
        for indication in self.server.indications { dropped.add(indication.token) }
        switch self.server.batch {
        case .empty: break
        case .one(let only): dropped.add(only.token)
        case .several(_, let transmission): dropped.add(transmission.token, count: transmission.count)
        }
        for value in self.server.deferred { dropped.add(value.token) }
        self.server.deferred.removeAll()
        self.server.indications.removeAll()
        self.server.batch = .empty
        self.server.outstanding = .none
        self.server.changedRange = nil
        dropped.report(into: &actions)
    }
}

extension TransmitTally {
    fileprivate func report(into actions: inout [ATTBearer.Action]) {
        for transmission in self.transmissions { actions.append(.dropped(transmission)) }
    }
}
