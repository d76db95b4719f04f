// Procedures of all kinds in one type, so that scripts and random tests can hold them in tables and compare what they
// find.

import BluetoothTypes
import Fixtures
import NIOCore

@testable import BluetoothHost

/// A procedure, and how its result is compared.
struct ClientProcedure: Sendable {
    /// What a procedure finds, whichever it is.
    enum Output: Hashable, Sendable {
        case done
        case mtu(Int)
        case services([GATTRemoteService])
        case characteristics([GATTRemoteCharacteristic])
        case descriptors([GATTRemoteDescriptor])
        case configured([GATTRemoteDescriptor]?)
        case value(ByteBuffer)
        case values([AttributeValue])
        case caching(GATTServerCaching)
        case validation(GATTDatabaseValidation)
    }

    typealias Outcome = Result<Output, GATTError>

    /// Asks a client for the procedure.
    let start:
        @Sendable (
            inout ATTBearer, GATTProcedureID, @escaping (Outcome) -> Void, inout [ATTBearer.Action]
        ) -> Void

    private init(
        start:
            @escaping @Sendable (
                inout ATTBearer, GATTProcedureID, @escaping (Outcome) -> Void, inout [ATTBearer.Action]
            ) -> Void
    ) { self.start = start }

    private init<Procedure: GATTProcedure>(
        _ procedure: Procedure,
        _ output: @escaping @Sendable (Procedure.Output) -> Output
    ) {
        self.init { client, id, completion, actions in
            client.perform(
                OwnedProcedure(procedure, id: id) { completion($0.map(output)) },
                into: &actions
            )
        }
    }

    private init<Procedure: BearerFindingProcedure>(
        finding procedure: Procedure,
        _ output: @escaping @Sendable (Procedure.Output) -> Output
    ) {
        self.init { client, id, completion, actions in
            client.perform(
                OwnedProcedure(finding: procedure, id: id) { completion($0.map(output)) },
                into: &actions
            )
        }
    }

    static func exchangeMTU(preferred: Int) -> ClientProcedure {
        ClientProcedure { client, id, completion, actions in
            client.exchangeMTU(preferred: preferred, id: id, into: &actions) { completion($0.map(Output.mtu)) }
        }
    }

    static func discoverServices(uuids: [BluetoothUUID]?) -> ClientProcedure {
        ClientProcedure(DiscoverPrimaryServices(uuids: uuids), Output.services)
    }

    static func discoverIncludedServices(_ service: AttributeHandleRange) -> ClientProcedure {
        ClientProcedure(FindIncludedServices(of: service), Output.services)
    }

    static func discoverCharacteristics(
        _ service: AttributeHandleRange,
        uuids: [BluetoothUUID]?
    ) -> ClientProcedure {
        ClientProcedure(DiscoverCharacteristics(of: service, uuids: uuids), Output.characteristics)
    }

    static func discoverDescriptors(_ characteristic: GATTRemoteCharacteristic) -> ClientProcedure {
        ClientProcedure(DiscoverDescriptors(of: characteristic), Output.descriptors)
    }

    static func read(_ handle: AttributeHandle) -> ClientProcedure {
        ClientProcedure(ReadValue(handle), Output.value)
    }

    static func readLong(_ handle: AttributeHandle, offset: Int) -> ClientProcedure {
        ClientProcedure(ReadValue(handle, from: offset), Output.value)
    }

    static func readByType(_ type: BluetoothUUID, _ range: AttributeHandleRange) -> ClientProcedure {
        ClientProcedure(ReadUsingCharacteristicUUID(type, in: range), Output.values)
    }

    static func readMultiple(_ handles: [AttributeHandle]) -> ClientProcedure {
        ClientProcedure(ReadMultipleValues(handles), Output.value)
    }

    static func readMultipleVariable(_ handles: [AttributeHandle]) -> ClientProcedure {
        ClientProcedure(ReadMultipleVariableLengthValues(handles), Output.values)
    }

    static var readDeviceName: ClientProcedure { ClientProcedure(ReadDeviceName(), Output.value) }

    static var readDatabaseHash: ClientProcedure { ClientProcedure(ReadDatabaseHash(), Output.value) }

    static func write(_ handle: AttributeHandle, _ value: ByteBuffer) -> ClientProcedure {
        ClientProcedure(WriteValue(value, to: handle)) { .done }
    }

    static func writeReliably(_ values: [AttributeValue]) -> ClientProcedure {
        ClientProcedure(ReliableWrites(values)) { .done }
    }

    static func configure(
        _ configuration: ClientCharacteristicConfiguration,
        of characteristic: GATTRemoteCharacteristic,
        at descriptor: AttributeHandle? = nil
    ) -> ClientProcedure {
        ClientProcedure(
            WriteClientCharacteristicConfiguration(configuration, of: characteristic, at: descriptor),
            Output.configured
        )
    }

    /// Validates what was validated on this link before.
    static func validateAgain(_ validated: GATTCachedDatabase) -> ClientProcedure {
        ClientProcedure(finding: ValidateDatabaseCache(validated: validated), Output.validation)
    }

    static var configureCaching: ClientProcedure {
        ClientProcedure(finding: ConfigureCaching(), Output.caching)
    }

    static func resumeCaching(_ cached: GATTCachedDatabase) -> ClientProcedure {
        ClientProcedure(finding: ResumeCaching(cached), Output.caching)
    }

    static func validateDatabaseCache(_ cached: GATTCachedDatabase?) -> ClientProcedure {
        ClientProcedure(finding: ValidateDatabaseCache(cached: cached), Output.validation)
    }
}

extension ClientProcedure.Outcome {
    /// The outcome on one line, for a record.
    var text: String {
        switch self {
        case .success(let output): output.text
        case .failure(let error): "failed: \(error)"
        }
    }
}

extension ClientProcedure.Output {
    /// The output on one line, for a record.
    fileprivate var text: String {
        switch self {
        case .done: "done"
        case .mtu(let mtu): "mtu \(mtu)"
        case .services(let services):
            Self.text(services) { "\($0.uuid) \($0.handles) \($0.isPrimary)" }
        case .characteristics(let characteristics):
            Self.text(characteristics) {
                "\($0.uuid) \($0.properties.rawValue) \($0.declarationHandle) \($0.valueHandle) \($0.endHandle)"
            }
        case .descriptors(let descriptors): Self.text(descriptors) { "\($0.uuid) \($0.handle)" }
        case .configured(let descriptors):
            descriptors.map { Self.text($0) { "\($0.uuid) \($0.handle)" } } ?? "not discovered"
        case .value(let value): hex(value)
        case .values(let values): Self.text(values) { "\($0.handle) \(hex($0.value))" }
        case .caching(let caching): Self.text(caching.cachedDatabase) + " \(Self.text(caching.serviceChanged))"
        case .validation(.noDatabaseHash): "no hash"
        case .validation(.unchanged(let database)): "unchanged " + Self.text(database)
        case .validation(.changed(let database)): "changed " + Self.text(database)
        }
    }

    /// Of a list that a hostile server has made very long, the number alone.
    private static func text<Element>(_ elements: [Element], _ text: (Element) -> String) -> String {
        "\(elements.count): " + (elements.count > 200 ? "" : elements.map(text).joined(separator: ", "))
    }

    private static func text(_ handle: AttributeHandle?) -> String { handle?.hexDigits ?? "none" }

    private static func text(_ database: GATTCachedDatabase?) -> String {
        guard let database else { return "nothing cached" }
        return [
            hex(database.databaseHash), self.text(database.serviceChanged),
            self.text(database.serviceChangedConfiguration), self.text(database.clientSupportedFeatures),
        ].joined(separator: " ")
    }
}
