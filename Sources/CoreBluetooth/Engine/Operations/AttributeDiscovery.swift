// `CBPeripheral.discoverServices(_:)`, `discoverIncludedServices(_:for:)`, `discoverCharacteristics(_:for:)` and
// `discoverDescriptors(for:)`: cached parts of the peer's database are not requested again, the peer's answers are
// noted for all apps, and what an app is shown is noted for that app.

import BluetoothHost
import BluetoothTypes
import NIOCore

/// Discovers services, characteristics or descriptors.
final class AttributeDiscovery: PeripheralOperation {
    /// The discovery to make. It is for all attributes of a service, whatever the app looks for: that takes no more
    /// requests, and then all are known.
    private let discovery: GATTDiscovery
    /// The UUIDs that the app looks for in a service; `nil` for all.
    private let uuids: [BluetoothUUID]?
    private var procedure: DiscoverAttributes
    /// The attributes that were found; from ``report(to:)`` on those that the app is shown.
    private var found: GATTDiscovered?
    private var isKnown = false

    init(_ discovery: GATTDiscovery, _ uuids: [BluetoothUUID]? = nil, of subject: Subject) {
        self.discovery = discovery
        self.uuids = uuids
        self.procedure = DiscoverAttributes(discovery)
        super.init(subject)
    }

    // MARK: On the event loop

    override func mustAsk(for connection: PeripheralConnection) -> Bool {
        self.found = connection.peer.server.cachedDatabase?.known(of: self.discovery)
        self.isKnown = self.found != nil
        self.procedure = DiscoverAttributes(self.discovery)
        return !self.isKnown
    }

    override func ask(_ event: GATTEvent, mtu: Int) -> ByteBuffer? {
        self.follow(&self.procedure, event, mtu: mtu) { self.found = $0 }
    }

    override func report(to connection: PeripheralConnection) {
        if self.failure == nil, let found = self.found {
            if !self.isKnown { connection.learn { $0.learn(found, of: self.discovery) } }
            self.found = self.show(found, to: connection)
        }
        super.report(to: connection)
    }

    /// Notes what the app is shown of the attributes, and returns it.
    private func show(_ found: GATTDiscovered, to connection: PeripheralConnection) -> GATTDiscovered {
        func isWanted(_ uuid: BluetoothUUID) -> Bool { self.uuids?.contains(uuid) ?? true }
        switch (self.discovery, found) {
        case (.services, .services(let services)):
            connection.session.core.peers.discovered(services, of: connection.peer)
            let shown = services.filter { !CBPeripheral.hiddenServices.contains($0.uuid) }
            connection.note { $0.add(shown, listed: true) }
            return .services(shown)
        case (.includedServices(let service), .services(let services)):
            let shown = services.filter { isWanted($0.uuid) }
            connection.note { $0.add(shown, includedBy: service) }
            return .services(shown)
        case (.characteristics(let service), .characteristics(let characteristics)):
            let shown = characteristics.filter { isWanted($0.uuid) }
            connection.note { $0.add(shown, of: service) }
            return .characteristics(shown)
        case (.descriptors(let characteristic), .descriptors(let descriptors)):
            connection.note { $0.add(descriptors, of: characteristic.valueHandle) }
            return found
        case (.services, _), (.includedServices, _), (.characteristics, _), (.descriptors, _): return found
        }
    }

    // MARK: On the manager's queue

    override func apply(to peripheral: CBPeripheral) {
        switch (self.subject, self.found) {
        case (.peripheral, .services(let services)?): peripheral.show(services)
        case (.service(let service, _), .services(let services)?): peripheral.show(services, includedBy: service)
        case (.service(let service, _), .characteristics(let found)?): peripheral.show(found, of: service)
        case (.characteristic(let characteristic?, _), .descriptors(let found)?):
            peripheral.show(found, of: characteristic)
        case (.peripheral, _), (.service, _), (.characteristic, _), (.descriptor, _): break
        }
    }

    override func inform(_ delegate: any CBPeripheralDelegate, of peripheral: CBPeripheral) {
        let error = self.reportedError
        switch (self.subject, self.discovery) {
        case (.service(let service, _), .includedServices):
            delegate.peripheral(peripheral, didDiscoverIncludedServicesFor: service, error: error)
        case (.service(let service, _), _):
            delegate.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: error)
        case (.characteristic(let characteristic?, _), _):
            delegate.peripheral(peripheral, didDiscoverDescriptorsFor: characteristic, error: error)
        case (.peripheral, _), (.characteristic, _), (.descriptor, _):
            delegate.peripheral(peripheral, didDiscoverServices: error)
        }
    }

    override var call: String {
        let (wanted, what) = (words(self.uuids), words(self.subject))
        return switch self.discovery {
        case .services(let uuids): "discoverServices(\(words(uuids)))"
        case .includedServices: "discoverIncludedServices(\(wanted), for: \(what))"
        case .characteristics: "discoverCharacteristics(\(wanted), for: \(what))"
        case .descriptors: "discoverDescriptors(for: \(what))"
        }
    }

    override var callback: String {
        let (what, count) = (words(self.subject), self.failure.map(words) ?? ": \(self.found?.count ?? 0)")
        return switch self.discovery {
        case .services: "didDiscoverServices\(count)"
        case .includedServices: "didDiscoverIncludedServicesFor \(what)\(count)"
        case .characteristics: "didDiscoverCharacteristicsFor \(what)\(count)"
        case .descriptors: "didDiscoverDescriptorsFor \(what)\(count)"
        }
    }
}

extension GATTDiscovered {
    /// The number of attributes that were found.
    fileprivate var count: Int {
        switch self {
        case .services(let services): services.count
        case .characteristics(let characteristics): characteristics.count
        case .descriptors(let descriptors): descriptors.count
        }
    }
}
