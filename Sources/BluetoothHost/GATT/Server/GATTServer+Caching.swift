// Support for clients that cache discovered services: Service Changed, robust caching, which rejects requests based on
// an outdated cache, and the stored state of bonded clients (Vol 3, Part G, 2.5.2 and 7).

import BluetoothTypes
import NIOCore

extension GATTServer {
    // MARK: Changes

    /// Services were added or removed in `range`: updates and informs the client of a bearer.
    mutating func databaseChanged(
        in range: AttributeHandleRange,
        on bearer: inout ATTBearer,
        now: NIODeadline,
        into actions: inout [ATTBearer.Action]
    ) {
        guard bearer.isUsable else { return }
        // Built while the client's cache was valid.
        bearer.flushBatch(into: &actions)
        bearer.setAwareness(.unaware, into: &actions)
        self.dropSubscriptions(in: range, on: &bearer, into: &actions)
        bearer.server.prepared.invalidate(range)
        self.indicateServiceChanged(range, on: &bearer, now: now, into: &actions)
    }

    /// Ends the subscriptions to removed characteristics.
    private mutating func dropSubscriptions(
        in range: AttributeHandleRange,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        for subscription in bearer.server.subscriptions where range.contains(subscription.characteristic) {
            actions.append(.subscriptionChanged(subscription.characteristic, isSubscribed: false))
        }
        bearer.server.subscriptions.removeAll { range.contains($0.characteristic) }
        bearer.dropIndications(of: range, into: &actions)
    }

    /// Indicates a change to a client that has subscribed to Service Changed.
    ///
    /// Changes before the previous one was indicated are combined into one range.
    private mutating func indicateServiceChanged(
        _ range: AttributeHandleRange,
        on bearer: inout ATTBearer,
        now: NIODeadline,
        into actions: inout [ATTBearer.Action]
    ) {
        guard bearer.server.configuration(of: self.serviceChangedHandle) != 0 else { return }
        if let waiting = bearer.server.changedRange {
            bearer.server.changedRange =
                min(waiting.lowerBound, range.lowerBound)...max(waiting.upperBound, range.upperBound)
        } else {
            bearer.server.changedRange = range
        }
        self.sendNextIndication(on: &bearer, now: now, into: &actions)
    }

    // MARK: Robust caching

    /// A request was received.
    ///
    /// It proves that the client has received earlier responses: the error or the hash that reports the change
    /// (2.5.2.1).
    mutating func noteRequest(on bearer: inout ATTBearer, now: NIODeadline, into actions: inout [ATTBearer.Action]) {
        switch bearer.server.awareness {
        case .aware, .unaware:
            return
        case .unawareErrorSent, .unawareHashRead:
            bearer.setAwareness(.aware, into: &actions)
            self.sendNextIndication(on: &bearer, now: now, into: &actions)
        }
    }

    /// The Database Hash was sent to the client.
    mutating func noteHashRead(on bearer: inout ATTBearer) {
        switch bearer.server.awareness {
        case .unaware: bearer.server.awareness = .unawareHashRead
        case .aware, .unawareErrorSent, .unawareHashRead: return
        }
    }

    /// Whether a client that uses handles knows the current database; if not, it gets an error, once.
    mutating func checkSync(
        request: ATTOpcode,
        handle: AttributeHandle,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) -> Bool {
        guard bearer.server.isOutOfSync else { return true }
        bearer.server.awareness = .unawareErrorSent
        self.sendError(.databaseOutOfSync, request: request, handle: handle, on: &bearer, into: &actions)
        return false
    }

    // MARK: Bonded clients

    /// The state of a bonded client to store for its next link.
    mutating func bondedClient(on bearer: inout ATTBearer) -> BondedClient {
        var configurations: [BondedClient.Configuration] = []
        for subscription in bearer.server.subscriptions {
            guard let position = self.database.index(of: subscription.characteristic) else { continue }
            configurations.append(
                BondedClient.Configuration(
                    characteristic: subscription.characteristic,
                    uuid: self.database.attributes[position].type,
                    bits: subscription.bits
                )
            )
        }
        return BondedClient(
            configurations: configurations,
            features: bearer.server.features.rawValue,
            databaseHash: bearer.server.awareness == .aware ? self.database.hash().octets : nil
        )
    }

    /// Restores the stored state of a bonded client.
    ///
    /// A change-unaware client gets an indication if it has subscribed.
    mutating func restoreClient(
        _ record: BondedClient,
        on bearer: inout ATTBearer,
        now: NIODeadline,
        into actions: inout [ATTBearer.Action]
    ) {
        bearer.server.features.formUnion(ClientFeatures(rawValue: record.features).intersection(.known))
        for configuration in record.configurations {
            guard let position = self.database.index(of: configuration.characteristic),
                self.database.attributes[position].type == configuration.uuid,
                let descriptor = self.clientConfiguration(behind: position),
                case .clientConfiguration(let characteristic, let properties, _) = descriptor.content,
                characteristic == configuration.characteristic
            else { continue }
            let possible: UInt8 = (properties.contains(.notify) ? 1 : 0) | (properties.contains(.indicate) ? 2 : 0)
            self.setConfiguration(
                configuration.bits & possible,
                of: characteristic,
                security: descriptor.writeSecurity,
                on: &bearer,
                into: &actions
            )
        }
        if record.databaseHash != self.database.hash().octets {
            bearer.setAwareness(.unaware, into: &actions)
            self.indicateServiceChanged(0x0001...0xFFFF, on: &bearer, now: now, into: &actions)
        }
    }

    /// The Client Characteristic Configuration among the descriptors that follow a value.
    private func clientConfiguration(behind position: Int) -> GATTAttribute? {
        for attribute in self.database.attributes[(position + 1)...].prefix(2) {
            if case .clientConfiguration = attribute.content { return attribute }
        }
        return nil
    }
}

extension ATTBearer {
    /// Sets whether the client knows of the database's last change.
    mutating func setAwareness(_ awareness: GATTServer.Awareness, into actions: inout [Action]) {
        self.server.awareness = awareness
        self.noteClientChange(into: &actions)
    }

    /// The stored state of a bonded client has changed, on a link that is encrypted with the key of the bond (Vol 3,
    /// Part G, 3.3.3.3).
    mutating func noteClientChange(into actions: inout [Action]) {
        guard self.security.usesBond, self.isUsable else { return }
        actions.append(.bondedClientChanged)
    }
}
