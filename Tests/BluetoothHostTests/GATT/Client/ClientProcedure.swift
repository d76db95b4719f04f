// Procedures of all kinds in one type, so that scripts and random tests can hold them in tables and compare what they
// find.

import BluetoothTypes
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
