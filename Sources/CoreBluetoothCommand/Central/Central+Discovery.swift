// Discovering what a device has, one kind of attribute after the other.

import CommandLineTool
import CoreBluetooth

extension Central {
    /// Discovers services; none given means all.
    func discoverServices(_ uuids: [CBUUID]? = nil) async throws -> [CBService] {
        guard let peripheral else { return [] }
        try await request(.services, "discovering the services") { peripheral.discoverServices(uuids) }
        return peripheral.services ?? []
    }

    /// Visits services, each of them once, and shows how far it has come; one that is only included comes after the
    /// service that includes it.
    ///
    /// - Parameter visit: Called with a service and the services that it includes.
    func forEachService(
        of services: [CBService],
        _ label: String,
        _ visit: @MainActor (CBService, _ included: [CBService]) async throws -> Void
    ) async throws {
        let listed = Set(services.map(ObjectIdentifier.init))
        var seen: Set<ObjectIdentifier> = []
        try await ProgressLine.during(label, .items("services"), total: services.count) { progress in
            for (index, service) in services.enumerated() {
                progress.update(index)
                var open = [service]
                while let next = open.popLast() {
                    guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
                    let included = try await discoverIncludedServices(of: next)
                    try await visit(next, included)
                    open += included.reversed().filter { !listed.contains(ObjectIdentifier($0)) }
                }
            }
        }
    }

    /// Discovers the services that a service includes.
    func discoverIncludedServices(of service: CBService) async throws -> [CBService] {
        try await request(.includedServices(ObjectIdentifier(service)), "discovering included services", service) {
            peripheral?.discoverIncludedServices(nil, for: service)
        }
        return service.includedServices ?? []
    }

    /// Discovers the characteristics of a service.
    func discoverCharacteristics(of service: CBService) async throws -> [CBCharacteristic] {
        try await request(.characteristics(ObjectIdentifier(service)), "discovering characteristics", service) {
            peripheral?.discoverCharacteristics(nil, for: service)
        }
        return service.characteristics ?? []
    }

    /// Discovers the descriptors of a characteristic.
    func discoverDescriptors(of characteristic: CBCharacteristic) async throws -> [CBDescriptor] {
        let service = characteristic.service
        try await request(.descriptors(ObjectIdentifier(characteristic)), "discovering descriptors", service) {
            peripheral?.discoverDescriptors(for: characteristic)
        }
        return characteristic.descriptors ?? []
    }
}
