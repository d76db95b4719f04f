// Procedures of all kinds in one type, so that scripts and simulations can hold them in tables and compare what they
// find.

import BluetoothTypes
import NIOCore

@testable import BluetoothHost

/// A procedure, and how its result is compared.
struct ClientProcedure: Sendable {
    /// The result of a procedure of any kind.
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
        case discovered([GATTDiscovered])
    }

    typealias Outcome = Result<Output, GATTError>
    typealias Completion = (Outcome) -> Void
    typealias Start =
        @Sendable (inout GATTClient, inout ATTBearer, @escaping Completion, inout [ATTBearer.Action]) -> GATTOperation

    /// Asks a client for the procedure.
    let start: Start

    private init(start: @escaping Start) { self.start = start }

    private init<Procedure: GATTProcedure>(
        _ procedure: Procedure,
        _ output: @escaping @Sendable (Procedure.Output) -> Output
    ) {
        self.init { client, bearer, completion, actions in
            let operation = GATTProcedureOperation(procedure) { completion($0.map(output)) }
            client.perform(operation, on: &bearer, into: &actions)
            return operation
        }
    }

    static func exchangeMTU(preferred: Int) -> Self {
        Self { client, bearer, completion, actions in
            client.exchangeMTU(preferred: preferred, on: &bearer, into: &actions) { completion($0.map(Output.mtu)) }
        }
    }

    // MARK: Discovery

    static func discoverServices(uuids: [BluetoothUUID]?) -> Self {
        Self(DiscoverPrimaryServices(uuids: uuids), Output.services)
    }

    static func discoverIncludedServices(_ service: AttributeHandleRange) -> Self {
        Self(FindIncludedServices(of: service), Output.services)
    }

    static func discoverCharacteristics(_ service: AttributeHandleRange, uuids: [BluetoothUUID]? = nil) -> Self {
        Self(DiscoverCharacteristics(of: service, uuids: uuids), Output.characteristics)
    }

    static func discoverDescriptors(_ characteristic: GATTRemoteCharacteristic) -> Self {
        Self(DiscoverDescriptors(of: characteristic), Output.descriptors)
    }

    static func repeatDiscoveries(_ discoveries: [GATTDiscovery]) -> Self {
        Self(RepeatDiscoveries(discoveries), Output.discovered)
    }

    // MARK: Values

    static func read(_ handle: AttributeHandle, offset: Int = 0) -> Self {
        Self(ReadValue(handle, from: offset), Output.value)
    }

    static func readByType(_ type: BluetoothUUID, _ range: AttributeHandleRange) -> Self {
        Self(ReadUsingCharacteristicUUID(type, in: range), Output.values)
    }

    static func readMultiple(_ handles: [AttributeHandle]) -> Self { Self(ReadMultipleValues(handles), Output.value) }

    static func readMultipleVariable(_ handles: [AttributeHandle]) -> Self {
        Self(ReadMultipleVariableLengthValues(handles), Output.values)
    }

    static var readDeviceName: Self { Self(ReadDeviceName(), Output.value) }

    static var readDatabaseHash: Self { Self(ReadDatabaseHash(), Output.value) }

    static func write(_ handle: AttributeHandle, _ value: ByteBuffer) -> Self {
        Self(WriteValue(value, to: handle)) { .done }
    }

    static func writeReliably(_ values: [AttributeValue]) -> Self { Self(ReliableWrites(values)) { .done } }

    static func configure(
        _ configuration: ClientCharacteristicConfiguration,
        of characteristic: GATTRemoteCharacteristic,
        at descriptor: AttributeHandle? = nil
    ) -> Self {
        let procedure = WriteClientCharacteristicConfiguration(configuration, of: characteristic, at: descriptor)
        return Self(procedure, Output.configured)
    }

    // MARK: Caching

    static var configureCaching: Self { Self(ConfigureCaching(), Output.caching) }

    static func resumeCaching(_ cached: GATTCachedDatabase) -> Self {
        Self(ResumeCaching(cached), Output.caching)
    }

    static func validateDatabaseCache(_ cached: GATTCachedDatabase?) -> Self {
        Self(ValidateDatabaseCache(cached: cached), Output.validation)
    }

    /// Validates what was validated on this link before.
    static func validateAgain(_ validated: GATTCachedDatabase) -> Self {
        Self(ValidateDatabaseCache(validated: validated), Output.validation)
    }
}

extension GATTRemoteCharacteristic {
    /// A characteristic in few words.
    init(
        _ uuid: BluetoothUUID,
        _ properties: CharacteristicProperties,
        _ declaration: AttributeHandle,
        _ value: AttributeHandle,
        _ end: AttributeHandle
    ) {
        self.init(
            uuid: uuid,
            properties: properties,
            declarationHandle: declaration,
            valueHandle: value,
            endHandle: end
        )
    }
}
