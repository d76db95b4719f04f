// A central manager's session under its app's policy: its present scan, and which deferred events are kept.

import BluetoothHost
import BluetoothTypes

extension CentralSession {
    /// The present scan, under the app's policy.
    var effectiveScan: Scan? {
        guard let scan = self.scan, !self.discoveryWindow.isFull else { return nil }
        guard let application = self.application else { return scan }
        return application.isTerminated && !self.isPreserved
            ? nil : scan.under(application.permission(for: .central))
    }

    /// Merges the deferred events if there are new ones since the last time.
    func limitDeferredEvents() {
        guard self.outbox.count > self.mergedCount else { return }
        self.outbox = CentralEvent.merged(self.outbox)
        self.mergedCount = self.outbox.count
    }
}

extension CentralEvent {
    /// The number of deferred events of an app; beyond it, the oldest expendable ones are dropped.
    static let deferredLimit = 1000

    /// Merges deferred events: each peripheral is discovered once, and the oldest of too many events are dropped.
    static func merged(_ events: [CentralEvent]) -> [CentralEvent] {
        var discovered: Set<DeviceAddress> = []
        var merged: [CentralEvent] = []
        merged.reserveCapacity(events.count)
        for event in events.reversed() {
            // The last discovery has the most data.
            if case .discovered(let discovery, _) = event, !discovered.insert(discovery.peer.address).inserted {
                event.drop()
                continue
            }
            merged.append(event)
        }
        merged.reverse()
        var excess = merged.count - Self.deferredLimit
        merged.removeAll { event in
            guard excess > 0, event.isExpendable else { return false }
            excess -= 1
            event.drop()
            return true
        }
        return merged
    }

    var isWorthWaking: Bool {
        switch self {
        case .restored, .state, .mtu, .name, .canSend: false
        case .discovered, .connected, .failedToConnect, .disconnected, .connectionEvent, .completed, .value,
            .subscriptionLost, .servicesInvalidated, .channelOpened, .channelRefused, .unknownChannelEnded:
            true
        }
    }

    /// The event will not be delivered, so it leaves its window.
    fileprivate func drop() {
        if case .discovered(_, let window) = self { _ = window.remove(Discovery.size) }
    }

    /// Whether the event may be dropped if too many wait. Events that a window counts never are, since a full window
    /// stops the sender.
    fileprivate var isExpendable: Bool {
        switch self {
        case .discovered, .connected: true
        case .disconnected(_, _, timestamp: _, let isReconnecting): isReconnecting
        default: false
        }
    }
}

extension PeripheralConnection {
    /// Shows the alert that the app asked for while it cannot run.
    func showAlert(for event: CentralEvent) {
        guard let application = self.session.application, !self.options.alerts.isEmpty else { return }
        let kind: ConnectionAlert
        switch event {
        case .connected where self.options.alerts.contains(.connection): kind = .connection
        case .disconnected where self.options.alerts.contains(.disconnection): kind = .disconnection
        case .value where self.options.alerts.contains(.notification): kind = .notification
        default: return
        }
        let record = self.session.core.identities.record(for: self.peer.address)
        application.show(kind, about: record.name ?? record.identifier.uuidString)
    }
}

/// The alerts that an app asked for when it connected.
struct ConnectAlerts: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let connection = ConnectAlerts(rawValue: 1 << 0)
    static let disconnection = ConnectAlerts(rawValue: 1 << 1)
    static let notification = ConnectAlerts(rawValue: 1 << 2)
}
