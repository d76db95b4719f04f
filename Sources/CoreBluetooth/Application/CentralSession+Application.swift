// A central manager's session under the rules of its app: what it scans for, and which of its deferred events are kept.

import BluetoothHost
import BluetoothTypes

extension CentralSession {
    /// What is scanned for now, under the rules of the app.
    var effectiveScan: Scan? {
        guard let scan = self.scan, !self.discoveryWindow.isFull else { return nil }
        guard let application = self.application else { return scan }
        return application.isTerminated && !self.isPreserved
            ? nil : scan.under(application.permission(for: .central))
    }

    /// Merges the deferred events, where there are others than the last time.
    func limitDeferredEvents() {
        guard self.outbox.count > self.mergedCount else { return }
        self.outbox = CentralEvent.merged(self.outbox)
        self.mergedCount = self.outbox.count
    }
}

extension CentralEvent {
    /// How many events are deferred for an app; beyond that, the oldest that may be lost are dropped.
    static let deferredLimit = 1000

    /// Deferred events as they are kept: each peripheral is discovered once, and of too many events the oldest are
    /// dropped.
    static func merged(_ events: [CentralEvent]) -> [CentralEvent] {
        var discovered: Set<DeviceAddress> = []
        var merged: [CentralEvent] = []
        merged.reserveCapacity(events.count)
        for event in events.reversed() {
            // The last one knows the most.
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

    /// The event is not delivered: it no longer waits for the app.
    fileprivate func drop() {
        if case .discovered(_, let window) = self { _ = window.remove(Discovery.size) }
    }

    /// Whether the event may be lost where too many wait. What a window counts never is: it holds back who causes it.
    fileprivate var isExpendable: Bool {
        switch self {
        case .discovered, .connected: true
        case .disconnected(_, _, timestamp: _, let isReconnecting): isReconnecting
        default: false
        }
    }
}

extension PeripheralConnection {
    /// Shows what the app asked the system to show while it cannot run.
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

/// Which alerts an app asked for when it connected.
struct ConnectAlerts: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let connection = ConnectAlerts(rawValue: 1 << 0)
    static let disconnection = ConnectAlerts(rawValue: 1 << 1)
    static let notification = ConnectAlerts(rawValue: 1 << 2)
}
