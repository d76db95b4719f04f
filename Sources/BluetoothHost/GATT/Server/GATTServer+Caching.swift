// Clients keep what they discovered. This file tells them of changes and keeps those who asked for it from using an
// old picture of the database: Service Changed, robust caching, and what is remembered of bonded clients
// (Vol 3, Part G, 2.5.2 and 7).

import BluetoothTypes
import NIOCore

extension GATTServer {
    // MARK: Changes

    /// Services came or went in `range`.
    mutating func databaseChanged(
        in range: AttributeHandleRange,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        for index in self.links.indices where !self.links[index].hasFailed {
            // Made while the client's picture was right.
            self.flushBatch(at: index, into: &actions)
            self.links[index].awareness = .unaware
            self.dropSubscriptions(in: range, at: index, into: &actions)
            self.links[index].prepared.invalidate(range)
            self.indicateServiceChanged(range, at: index, now: now, into: &actions)
        }
    }

    /// Ends the subscriptions to characteristics that are gone.
    private mutating func dropSubscriptions(
        in range: AttributeHandleRange,
        at index: Int,
        into actions: inout [Action]
    ) {
        let link = self.links[index].id
        for subscription in self.links[index].subscriptions where range.contains(subscription.characteristic) {
            actions.append(.subscriptionChanged(link, subscription.characteristic, isSubscribed: false))
        }
        self.links[index].subscriptions.removeAll { range.contains($0.characteristic) }
        self.dropIndications(of: range, at: index, into: &actions)
    }

    /// Tells a client of a change where it asked for that.
    ///
    /// Changes that come before the client was told of the last one become one range.
    private mutating func indicateServiceChanged(
        _ range: AttributeHandleRange,
        at index: Int,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        guard self.links[index].configuration(of: self.serviceChangedHandle) != 0 else { return }
        if let waiting = self.links[index].changedRange {
            self.links[index].changedRange =
                min(waiting.lowerBound, range.lowerBound)...max(waiting.upperBound, range.upperBound)
        } else {
            self.links[index].changedRange = range
        }
        self.sendNextIndication(at: index, now: now, into: &actions)
    }

    // MARK: Robust caching

    /// A request came.
    ///
    /// It shows that the client got what was sent before it: the error or the hash that tells it of the last change
    /// (2.5.2.1).
    mutating func noteRequest(at index: Int, now: NIODeadline, into actions: inout [Action]) {
        switch self.links[index].awareness {
        case .aware, .unaware:
            return
        case .unawareErrorSent, .unawareHashRead:
            self.links[index].awareness = .aware
            self.sendNextIndication(at: index, now: now, into: &actions)
        }
    }

    /// The client was sent the Database Hash.
    mutating func noteHashRead(at index: Int) {
        switch self.links[index].awareness {
        case .unaware: self.links[index].awareness = .unawareHashRead
        case .aware, .unawareErrorSent, .unawareHashRead: return
        }
    }

    /// Whether a client that names handles knows what they stand for; where it does not, it is told, once.
    mutating func isInSync(
        request: ATTOpcode,
        handle: AttributeHandle,
        at index: Int,
        into actions: inout [Action]
    ) -> Bool {
        guard self.links[index].isOutOfSync else { return true }
        self.links[index].awareness = .unawareErrorSent
        self.sendError(.databaseOutOfSync, request: request, handle: handle, at: index, into: &actions)
        return false
    }

    // MARK: Bonded clients

    /// What is to be remembered of a client that is bonded; `nil` where the link is unknown.
    mutating func clientRecord(of link: LinkID) -> BondedClient? {
        guard let index = self.index(of: link) else { return nil }
        var configurations: [BondedClient.Configuration] = []
        for subscription in self.links[index].subscriptions {
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
            features: self.links[index].features.rawValue,
            databaseHash: self.links[index].awareness == .aware ? self.database.hash().octets : nil
        )
    }

    /// Brings back what was remembered of a bonded client whose link has just been opened.
    ///
    /// A client that does not know the database as it is now is told where it asked for that.
    mutating func restoreClient(
        _ record: BondedClient,
        on link: LinkID,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        guard let index = self.index(of: link) else { return }
        self.links[index].features = ClientFeatures(rawValue: record.features).intersection(.known)
        for configuration in record.configurations {
            guard let position = self.database.index(of: configuration.characteristic),
                self.database.attributes[position].type == configuration.uuid,
                let descriptor = self.clientConfiguration(behind: position),
                case .clientConfiguration(let characteristic, let properties) = descriptor.content,
                characteristic == configuration.characteristic
            else { continue }
            let possible: UInt8 = (properties.contains(.notify) ? 1 : 0) | (properties.contains(.indicate) ? 2 : 0)
            self.setConfiguration(
                configuration.bits & possible,
                of: characteristic,
                needsEncryption: descriptor.access.contains(.writeNeedsEncryption),
                at: index,
                into: &actions
            )
        }
        if record.databaseHash != self.database.hash().octets {
            self.links[index].awareness = .unaware
            self.indicateServiceChanged(0x0001...0xFFFF, at: index, now: now, into: &actions)
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
