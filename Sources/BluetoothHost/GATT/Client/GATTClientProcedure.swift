// The shape of a procedure: it is asked for its first request, then fed with answers, and each time says what to send
// next or how it ended. The client above does the rest: order, time, and whether an answer belongs to the request.

import BluetoothTypes
import NIOCore

/// What a procedure wants next.
enum GATTClientStep {
    /// Send this request and come back with the answer.
    case request(ByteBuffer)
    /// The procedure has ended.
    case finish(Result<GATTClient.Output, GATTError>)

    /// Sends `pdu`.
    @inline(__always)
    static func send(_ pdu: some ATTPDU) -> GATTClientStep { .request(pdu.encoded()) }

    /// Ends well.
    @inline(__always)
    static func succeed(_ output: GATTClient.Output) -> GATTClientStep { .finish(.success(output)) }

    /// Ends badly.
    @inline(__always)
    static func fail(_ error: GATTError) -> GATTClientStep { .finish(.failure(error)) }

    /// Ends with the server's error.
    @inline(__always)
    static func fail(_ error: ATTErrorResponse) -> GATTClientStep {
        .finish(.failure(.att(error.error, handle: error.handle)))
    }
}

/// What a procedure is told.
enum GATTClientEvent {
    /// It is its turn.
    case begin
    /// The response that belongs to its request, opcode included.
    case response(ByteBuffer)
    /// An Error Response that belongs to its request.
    case error(ATTErrorResponse)
    /// An answer that does not belong to its request, or makes no sense.
    case malformed
}

/// A procedure under way.
protocol GATTClientProcedure: Sendable {
    /// The first request.
    mutating func begin(mtu: Int) -> GATTClientStep
    /// Takes the response, whose opcode is the right one.
    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTClientStep
    /// Takes an error.
    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTClientStep
    /// Takes an answer that cannot be read.
    mutating func receiveMalformed(mtu: Int) -> GATTClientStep
}

extension GATTClientProcedure {
    /// An error ends the procedure.
    @inline(__always)
    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTClientStep { .fail(error) }

    /// Nonsense ends the procedure.
    @inline(__always)
    mutating func receiveMalformed(mtu: Int) -> GATTClientStep { .fail(.malformedResponse) }

    /// Takes what happened.
    @inline(__always)
    mutating func handle(_ event: GATTClientEvent, mtu: Int) -> GATTClientStep {
        switch event {
        case .begin:
            return self.begin(mtu: mtu)
        case .response(let pdu):
            do {
                return try self.receive(pdu, mtu: mtu)
            } catch {
                return self.receiveMalformed(mtu: mtu)
            }
        case .error(let error):
            return self.receive(error, mtu: mtu)
        case .malformed:
            return self.receiveMalformed(mtu: mtu)
        }
    }
}

/// The procedure of a client, whichever it is.
enum GATTActiveProcedure: Sendable {
    case mtuExchange(GATTMTUExchange)
    case read(GATTValueRead)
    case write(GATTValueWrite)
    case preparedWrite(GATTPreparedWrite)
    case typedRead(GATTTypedRead)
    case multipleRead(GATTMultipleRead)
    case serviceDiscovery(GATTServiceDiscovery)
    case filteredServiceDiscovery(GATTFilteredServiceDiscovery)
    case includedServiceDiscovery(GATTIncludedServiceDiscovery)
    case characteristicDiscovery(GATTCharacteristicDiscovery)
    case descriptorDiscovery(GATTDescriptorDiscovery)
    case cachingSetup(GATTCachingSetup)
    case databaseHashRead(GATTDatabaseHashRead)
    case cachingResumption(GATTCachingResumption)

    /// The procedure that was asked for.
    init(_ procedure: GATTClient.Procedure, mtu: Int) {
        switch procedure {
        case .exchangeMTU(let preferred):
            self = .mtuExchange(GATTMTUExchange(preferred: preferred))
        case .discoverServices(nil):
            self = .serviceDiscovery(GATTServiceDiscovery())
        case .discoverServices(let uuids?):
            self = .filteredServiceDiscovery(GATTFilteredServiceDiscovery(uuids: uuids))
        case .discoverIncludedServices(let range):
            self = .includedServiceDiscovery(GATTIncludedServiceDiscovery(of: range))
        case .discoverCharacteristics(let range, let uuids):
            self = .characteristicDiscovery(GATTCharacteristicDiscovery(of: range, uuids: uuids))
        case .discoverDescriptors(let characteristic):
            self = .descriptorDiscovery(GATTDescriptorDiscovery(of: characteristic))
        case .read(let handle):
            self = .read(GATTValueRead(handle: handle, offset: 0))
        case .readLong(let handle, let offset):
            self = .read(GATTValueRead(handle: handle, offset: offset))
        case .readByType(let type, let range):
            self = .typedRead(GATTTypedRead(type: type, range: range))
        case .readMultiple(let handles):
            self = .multipleRead(GATTMultipleRead(handles: handles, isVariable: false))
        case .readMultipleVariable(let handles):
            self = .multipleRead(GATTMultipleRead(handles: handles, isVariable: true))
        case .write(let handle, let value):
            if value.readableBytes <= mtu - 3 {
                self = .write(GATTValueWrite(handle: handle, value: value))
            } else {
                self = .preparedWrite(GATTPreparedWrite([GATTClient.Value(handle: handle, value: value)]))
            }
        case .writeReliably(let values):
            self = .preparedWrite(GATTPreparedWrite(values))
        case .subscribeToServiceChanged:
            self = .cachingSetup(GATTCachingSetup())
        case .readDatabaseHash:
            self = .databaseHashRead(GATTDatabaseHashRead())
        case .resumeCaching(let server):
            self = .cachingResumption(GATTCachingResumption(server))
        }
    }

    /// Lets the procedure take what happened.
    ///
    /// It is moved out and back, so that its arrays grow in place.
    @inline(__always)
    mutating func handle(_ event: GATTClientEvent, mtu: Int) -> GATTClientStep {
        let step: GATTClientStep
        switch consume self {
        case .mtuExchange(var procedure):
            step = procedure.handle(event, mtu: mtu)
            self = .mtuExchange(procedure)
        case .read(var procedure):
            step = procedure.handle(event, mtu: mtu)
            self = .read(procedure)
        case .write(var procedure):
            step = procedure.handle(event, mtu: mtu)
            self = .write(procedure)
        case .preparedWrite(var procedure):
            step = procedure.handle(event, mtu: mtu)
            self = .preparedWrite(procedure)
        case .typedRead(var procedure):
            step = procedure.handle(event, mtu: mtu)
            self = .typedRead(procedure)
        case .multipleRead(var procedure):
            step = procedure.handle(event, mtu: mtu)
            self = .multipleRead(procedure)
        case .serviceDiscovery(var procedure):
            step = procedure.handle(event, mtu: mtu)
            self = .serviceDiscovery(procedure)
        case .filteredServiceDiscovery(var procedure):
            step = procedure.handle(event, mtu: mtu)
            self = .filteredServiceDiscovery(procedure)
        case .includedServiceDiscovery(var procedure):
            step = procedure.handle(event, mtu: mtu)
            self = .includedServiceDiscovery(procedure)
        case .characteristicDiscovery(var procedure):
            step = procedure.handle(event, mtu: mtu)
            self = .characteristicDiscovery(procedure)
        case .descriptorDiscovery(var procedure):
            step = procedure.handle(event, mtu: mtu)
            self = .descriptorDiscovery(procedure)
        case .cachingSetup(var procedure):
            step = procedure.handle(event, mtu: mtu)
            self = .cachingSetup(procedure)
        case .databaseHashRead(var procedure):
            step = procedure.handle(event, mtu: mtu)
            self = .databaseHashRead(procedure)
        case .cachingResumption(var procedure):
            step = procedure.handle(event, mtu: mtu)
            self = .cachingResumption(procedure)
        }
        return step
    }
}
