// What the server sends without being asked: notifications, several of them in one PDU where the client takes that,
// and indications, one at a time (Vol 3, Part F, 3.4.7; Vol 3, Part G, 4.10 and 4.11).

import BluetoothTypes
import DequeModule
import NIOCore

extension GATTServer {
    /// Sends a value to a subscribed client, cut to MTU - 3 octets: as a notification, or as an indication where the
    /// client asked for that alone.
    ///
    /// Returns false where the client is not subscribed and nothing happens. Otherwise the value is accounted for once:
    /// in a `send`, an `indicationConfirmed` or a `notificationsDropped`, now or later.
    @discardableResult
    mutating func notify(
        _ value: ByteBuffer,
        characteristic handle: AttributeHandle,
        on link: LinkID,
        token: TransmitToken,
        now: NIODeadline,
        into actions: inout [Action]
    ) -> Bool {
        guard let index = self.index(of: link), !self.links[index].hasFailed else { return false }
        let (place, isPresent) = self.links[index].place(ofSubscription: handle)
        guard isPresent else { return false }
        guard self.links[index].held == nil else {
            self.links[index].held?.append(Notification(handle: handle, value: value, token: token))
            return true
        }
        let subscription = self.links[index].subscriptions[place]
        let single = Transmission(token: token, count: 1)
        if subscription.needsEncryption, self.links[index].security.level == .none {
            actions.append(.notificationsDropped(link, single))
            return true
        }
        let value = value.prefix(self.links[index].mtu - 3)
        guard subscription.notifies else {
            guard self.links[index].indications.count < self.configuration.indicationLimit else {
                actions.append(.notificationsDropped(link, single))
                return true
            }
            self.links[index].indications.append(Notification(handle: handle, value: value, token: token))
            self.sendNextIndication(at: index, now: now, into: &actions)
            return true
        }
        if self.links[index].isOutOfSync {
            // The client might take it for the value of another attribute (Vol 3, Part G, 2.5.2.1).
            actions.append(.notificationsDropped(link, single))
        } else if self.links[index].features.contains(.multipleNotifications) {
            self.batch(Notification(handle: handle, value: value, token: token), at: index, into: &actions)
        } else {
            actions.append(
                .send(link, ATTHandleValueNotification(handle: handle, value: value).encoded(), single)
            )
        }
        return true
    }

    // MARK: While the MTU is being agreed on

    /// Holds back notifications and indications: the client half of this host has asked for the MTU, and until it has the
    /// answer nobody can say which MTU they would be read with (Vol 3, Part F, 3.4.2.2, rule 5).
    mutating func hold(_ link: LinkID) {
        guard let index = self.index(of: link), self.links[index].held == nil else { return }
        self.links[index].held = []
    }

    /// Sends what was held back.
    mutating func release(_ link: LinkID, now: NIODeadline, into actions: inout [Action]) {
        guard let index = self.index(of: link), let held = self.links[index].held else { return }
        self.links[index].held = nil
        for held in held {
            let isQueued = self.notify(
                held.value,
                characteristic: held.handle,
                on: link,
                token: held.token,
                now: now,
                into: &actions
            )
            // A subscription that has ended meanwhile.
            if !isQueued { actions.append(.notificationsDropped(link, Transmission(token: held.token, count: 1))) }
        }
        self.sendNextIndication(at: index, now: now, into: &actions)
    }

    // MARK: Several notifications in one PDU

    /// Whether ``flush(into:)`` has anything to do.
    var needsFlush: Bool { !self.batchedLinks.isEmpty }

    /// Sends the notifications that wait for others to share a PDU with.
    ///
    /// The driver calls this at the end of a turn.
    mutating func flush(into actions: inout [Action]) {
        // A batch that left before the end of the turn leaves the link's name behind.
        for link in self.batchedLinks {
            guard let index = self.index(of: link) else { continue }
            self.flushBatch(at: index, into: &actions)
        }
        self.batchedLinks.removeAll(keepingCapacity: true)
    }

    /// Puts a notification into the link's batch; what does not fit, or is another owner's, goes into the next one
    /// (3.4.7.4).
    private mutating func batch(_ next: Notification, at index: Int, into actions: inout [Action]) {
        let mtu = self.links[index].mtu
        let length = 4 + next.value.readableBytes
        switch self.links[index].batch {
        case .empty:
            self.links[index].batch = .one(next)
            if !self.batchedLinks.contains(self.links[index].id) { self.batchedLinks.append(self.links[index].id) }
            return
        case .one(let first) where first.token == next.token && 1 + 4 + first.value.readableBytes + length <= mtu:
            var pdu = PDUBuffer.make(capacity: mtu)
            pdu.writeInteger(ATTMultipleHandleValueNotification.opcode.rawValue)
            ATTMultipleHandleValueNotification.writeEntry(handle: first.handle, value: first.value, into: &pdu)
            ATTMultipleHandleValueNotification.writeEntry(handle: next.handle, value: next.value, into: &pdu)
            self.links[index].batch = .several(pdu, Transmission(token: next.token, count: 2))
        case .several(var pdu, var transmission)
        where transmission.token == next.token && pdu.readableBytes + length <= mtu:
            // Taken out while it grows, so that it is not copied.
            self.links[index].batch = .empty
            ATTMultipleHandleValueNotification.writeEntry(handle: next.handle, value: next.value, into: &pdu)
            transmission.count += 1
            self.links[index].batch = .several(pdu, transmission)
        case .one, .several:
            self.flushBatch(at: index, into: &actions)
            self.links[index].batch = .one(next)
        }
    }

    /// Sends a link's batch.
    mutating func flushBatch(at index: Int, into actions: inout [Action]) {
        let link = self.links[index].id
        switch self.links[index].batch {
        case .empty:
            return
        case .one(let only):
            let pdu = ATTHandleValueNotification(handle: only.handle, value: only.value).encoded()
            actions.append(.send(link, pdu, Transmission(token: only.token, count: 1)))
        case .several(let pdu, let transmission):
            actions.append(.send(link, pdu, transmission))
        }
        self.links[index].batch = .empty
    }

    // MARK: Indications

    /// Sends the next indication unless one waits for its confirmation.
    ///
    /// Service Changed comes first, and is the only one that a client without knowledge of the last change gets.
    mutating func sendNextIndication(at index: Int, now: NIODeadline, into actions: inout [Action]) {
        guard case .none = self.links[index].outstanding, !self.links[index].hasFailed, self.links[index].held == nil
        else { return }
        let deadline = now + ATT.transactionTimeout
        let indication: ATTHandleValueIndication
        if let range = self.links[index].changedRange {
            self.links[index].changedRange = nil
            self.links[index].outstanding = .serviceChanged(deadline: deadline)
            var value = ByteBuffer()
            value.writeMultipleIntegers(range.lowerBound, range.upperBound, endianness: .little)
            indication = ATTHandleValueIndication(handle: self.serviceChangedHandle, value: value)
        } else if !self.links[index].isOutOfSync, let next = self.links[index].indications.popFirst() {
            self.links[index].outstanding = .application(next.handle, next.token, deadline: deadline)
            // The MTU may have changed while the value waited.
            let value = next.value.prefix(self.links[index].mtu - 3)
            indication = ATTHandleValueIndication(handle: next.handle, value: value)
        } else {
            return
        }
        self.wake(at: deadline)
        self.send(indication.encoded(), at: index, into: &actions)
    }

    /// The client confirmed.
    ///
    /// A confirmation that nothing waits for is ignored.
    mutating func indicationConfirmed(at index: Int, now: NIODeadline, into actions: inout [Action]) {
        switch self.links[index].outstanding {
        case .none:
            return
        case .application(let handle, let token, _):
            actions.append(.indicationConfirmed(self.links[index].id, handle, token))
        case .serviceChanged:
            // Where the database changed again meanwhile, the client does not know of that yet.
            if self.links[index].changedRange == nil { self.links[index].awareness = .aware }
        }
        self.links[index].outstanding = .none
        self.sendNextIndication(at: index, now: now, into: &actions)
    }

    // MARK: What will not be sent

    /// Lets go of the indications of characteristics that are gone or that the client no longer wants.
    mutating func dropIndications(
        of handles: AttributeHandleRange,
        at index: Int,
        into actions: inout [Action]
    ) {
        var dropped = TransmitTally()
        for indication in self.links[index].indications where handles.contains(indication.handle) {
            dropped.add(indication.token)
        }
        guard !dropped.isEmpty else { return }
        self.links[index].indications.removeAll { handles.contains($0.handle) }
        self.drop(dropped, at: index, into: &actions)
    }

    /// Drops everything that waits to be sent or confirmed.
    mutating func dropNotifications(at index: Int, into actions: inout [Action]) {
        var dropped = TransmitTally()
        if case .application(_, let token, _) = self.links[index].outstanding { dropped.add(token) }
        for indication in self.links[index].indications { dropped.add(indication.token) }
        switch self.links[index].batch {
        case .empty: break
        case .one(let only): dropped.add(only.token)
        case .several(_, let transmission): dropped.add(transmission.token, count: transmission.count)
        }
        for held in self.links[index].held ?? [] { dropped.add(held.token) }
        if self.links[index].held != nil { self.links[index].held = [] }
        self.links[index].indications.removeAll()
        self.links[index].batch = .empty
        self.links[index].outstanding = .none
        self.links[index].changedRange = nil
        self.drop(dropped, at: index, into: &actions)
    }

    private func drop(_ dropped: TransmitTally, at index: Int, into actions: inout [Action]) {
        for transmission in dropped.transmissions {
            actions.append(.notificationsDropped(self.links[index].id, transmission))
        }
    }
}
