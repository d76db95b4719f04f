// The discovery of a whole database: services, the services they include, characteristics, descriptors.

import CoreBluetooth
import Foundation

/// How far a discovery has come.
struct Discovery {
    private let peer: CBPeripheral
    private let start = DispatchTime.now()
    /// Requests that await an answer; the first is that for the services.
    private var open = 1

    init(of peer: CBPeripheral) { self.peer = peer }

    var isComplete: Bool { self.open == 0 }
    /// Whether the services are known, so that it has to begin again if they change.
    private(set) var knowsServices = false

    /// Whether a service was discovered and has not changed since.
    func includes(_ service: CBService?) -> Bool { self.peer.services?.contains { $0 === service } ?? false }

    mutating func discoveredServices() {
        self.open -= 1
        self.knowsServices = true
        for service in self.peer.services ?? [] {
            self.open += 2
            self.peer.discoverIncludedServices(nil, for: service)
            self.peer.discoverCharacteristics(nil, for: service)
        }
    }

    mutating func discoveredCharacteristics(of service: CBService) {
        self.open -= 1
        for characteristic in service.characteristics ?? [] {
            self.open += 1
            self.peer.discoverDescriptors(for: characteristic)
        }
    }

    mutating func discoveredPart() { self.open -= 1 }

    /// The database that was found.
    func report(_ number: (CBAttribute) -> Int) -> [String: Any?] {
        let services = (self.peer.services ?? []).map { service -> [String: Any] in
            [
                "uuid": service.uuid.uuidString,
                "primary": service.isPrimary,
                "includes": (service.includedServices ?? []).map(\.uuid.uuidString),
                "characteristics": (service.characteristics ?? []).map { characteristic -> [String: Any] in
                    [
                        "uuid": characteristic.uuid.uuidString,
                        "attribute": number(characteristic),
                        "properties": characteristic.properties.rawValue,
                        "descriptors": (characteristic.descriptors ?? []).map { descriptor -> [String: Any] in
                            ["uuid": descriptor.uuid.uuidString, "attribute": number(descriptor)]
                        },
                    ]
                },
            ]
        }
        return [
            "peer": self.peer.identifier.uuidString,
            "services": services,
            "ms": milliseconds(since: self.start),
        ]
    }
}
