// A central manager's session under the rules of its app: what it scans for, and when its events leave.

import BluetoothHost
import BluetoothTypes

extension CentralSession {
    /// What is scanned for now, under the rules of the app.
    var effectiveScan: Scan? {
        guard let scan = self.scan else { return nil }
        guard let application = self.application else { return scan }
        return application.state == .terminated && !self.isPreserved
            ? nil : scan.under(application.permission(for: .central))
    }

    /// Whether the events that wait may leave; wakes the app, or has it launched, where they are worth it.
    func mayFlush(under application: Application) -> Bool {
        guard !self.lanes.outbox.isEmpty else { return false }
        let isWorthIt = self.lanes.outbox.contains(where: \.isWorthWaking)
        if self.estate != nil {
            self.hold()
            if isWorthIt { application.requestLaunch() }
            return false
        }
        switch application.delivery(for: .central) {
        case .now: return true
        case .held, .launches: self.hold()
        case .wakes:
            // Waking lets everything leave that waits, these events too.
            if isWorthIt { application.wake() } else { self.hold() }
        }
        return false
    }

    /// Joins what waits: each peripheral is sighted once, and of too many events the oldest are lost that matter least.
    private func hold() {
        guard self.lanes.outbox.count > self.heldCount else { return }
        var sightings: Set<DeviceAddress> = []
        var joined: [CentralEvent] = []
        joined.reserveCapacity(self.lanes.outbox.count)
        for event in self.lanes.outbox.reversed() {
            // The last sighting knows the most.
            if case .discovered(let discovery) = event, !sightings.insert(discovery.peer.address).inserted { continue }
            joined.append(event)
        }
        joined.reverse()
        var excess = joined.count - Application.heldEventLimit
        if excess > 0 {
            joined.removeAll { event in
                guard excess > 0, event.isExpendable else { return false }
                excess -= 1
                return true
            }
        }
        self.lanes.outbox = joined
        self.heldCount = joined.count
    }
}

extension CentralEvent {
    /// Whether an app is woken for the event; the others are the bookkeeping of its managers.
    fileprivate var isWorthWaking: Bool {
        switch self {
        case .restored, .state, .mtu, .name, .hasRoom: false
        case .discovered, .connected, .failedToConnect, .disconnected, .connectionEvent, .services, .includedServices,
            .characteristics, .descriptors, .value, .readFailed, .wrote, .descriptor, .descriptorReadFailed,
            .wroteDescriptor, .notifying, .rssi, .servicesInvalidated, .channelOpened, .channelRefused,
            .unknownChannelEnded:
            true
        }
    }

    /// Whether the event may be lost where too many wait.
    fileprivate var isExpendable: Bool {
        switch self {
        case .discovered, .value, .connected, .mtu: true
        case .disconnected(_, _, timestamp: _, let isReconnecting): isReconnecting
        default: false
        }
    }
}

extension PeripheralConnection {
    /// Shows what the app asked the system to show while it cannot run.
    func showAlert(for event: CentralEvent) {
        guard let application = self.session.application, !self.options.alerts.isEmpty else { return }
        let kind: Application.Alert.Kind
        switch event {
        case .connected where self.options.alerts.contains(.connection): kind = .connection
        case .disconnected where self.options.alerts.contains(.disconnection): kind = .disconnection
        case .value where self.options.alerts.contains(.notification): kind = .notification
        default: return
        }
        let record = self.session.core.identities.record(for: self.peer.address)
        application.show(kind, record.name ?? record.identifier.uuidString)
    }
}

/// Which alerts an app asked for when it connected.
struct ConnectAlerts: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let connection = ConnectAlerts(rawValue: 1 << 0)
    static let disconnection = ConnectAlerts(rawValue: 1 << 1)
    static let notification = ConnectAlerts(rawValue: 1 << 2)
}
