// The characteristic or descriptor of a command: by its UUID or assigned name, or by its handle if several have that.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation

/// Selects characteristics or descriptors.
struct AttributeQuery {
    /// As it was written.
    let text: String
    private let uuid: CBUUID?
    /// The handle of the value, if the text is one.
    let handle: UInt16?

    /// Parses what the user wrote.
    init(_ text: String) throws {
        self.text = text
        handle = text.hasPrefix("0x") ? UInt16(text.dropFirst(2), radix: 16) : nil
        uuid = handle == nil ? try Arguments.uuid(text) : nil
    }

    /// Selects those of a UUID.
    init(_ uuid: CBUUID) { (text, self.uuid, handle) = (uuid.uuidString, uuid, nil) }

    func selects(_ characteristic: CBCharacteristic) -> Bool {
        uuid.map { $0 == characteristic.uuid } ?? (handle == characteristic.handle)
    }

    func selects(_ descriptor: CBDescriptor) -> Bool {
        uuid.map { $0 == descriptor.uuid } ?? (handle == descriptor.handle)
    }
}

/// A characteristic.
struct CharacteristicOptions: ParsableArguments {
    @Argument(
        help: "The characteristic: its UUID, its assigned name such as \"Battery Level\", or its handle such as 0x0010."
    )
    var characteristic: String

    @Option(help: ArgumentHelp("The service that it belongs to.", valueName: "uuid"))
    var service: String?

    func validate() throws {
        _ = try AttributeQuery(characteristic)
        if let service { _ = try Arguments.uuid(service) }
    }

    /// Discovers it, unless it was before.
    @MainActor
    func find(_ connection: DeviceConnection) async throws -> CBCharacteristic {
        let query = try AttributeQuery(characteristic)
        let found = try await connection.characteristic(query, of: try service.map(Arguments.uuid))
        if let found { return found }
        throw Failure.missing(characteristic: characteristic, service: service, isSession: connection.isSession)
    }
}

/// A descriptor of that characteristic.
struct DescriptorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A descriptor of the characteristic, not its value: a UUID, an assigned name, or a handle.",
            valueName: "uuid"
        )
    )
    var descriptor: String?

    func validate() throws {
        if let descriptor { _ = try AttributeQuery(descriptor) }
    }

    /// Discovers it; `nil` if none was given.
    @MainActor
    func find(_ connection: DeviceConnection, of characteristic: CBCharacteristic) async throws -> CBDescriptor? {
        guard let descriptor else { return nil }
        let query = try AttributeQuery(descriptor)
        let all = try await connection.central.discoverDescriptors(of: characteristic)
        let found = all.filter(query.selects)
        if found.count > 1 { throw Failure.ambiguous("descriptors \(descriptor)", found.map { ($0.handle, nil) }) }
        if let found = found.first { return found }
        let others = all.isEmpty ? "none" : all.map(\.uuid.uuidString).joined(separator: ", ")
        throw Failure("\(characteristic.uuid) has no descriptor \(descriptor); it has \(others)", .notFound)
    }
}

extension Failure {
    /// The failure of a device without a characteristic.
    static func missing(characteristic: String, service: String?, isSession: Bool = false) -> Failure {
        let place = service.map { " in the service \($0)" } ?? ""
        return Failure(
            "the device has no characteristic \(characteristic)\(place); "
                + "\(isSession ? "discover" : "corebluetooth inspect") shows what it has",
            .notFound
        )
    }

    /// The failure of a device that has several of the wanted attributes.
    static func ambiguous(_ what: String, _ found: [(handle: UInt16?, service: CBUUID?)]) -> Failure {
        let all = found.map { handle, service in
            (handle.map(HexadecimalText.number) ?? "?") + (service.map { " in \(UUIDText.label(ofService: $0))" } ?? "")
        }
        return Failure(
            "the device has \(found.count) \(what): \(all.joined(separator: ", ")); name one by its handle",
            .notFound
        )
    }
}
