// All events of this module as one value to switch over. An event that is not declared here is kept as octets, since a
// newer controller may send it (Vol 4, Part E, 7.7).

public import BluetoothTypes
public import NIOCore

/// An HCI event.
public enum HCIEvent: Hashable, Sendable {
    case disconnectionComplete(DisconnectionComplete)
    case encryptionChange(EncryptionChange)
    case readRemoteVersionInformationComplete(ReadRemoteVersionInformationComplete)
    case commandComplete(CommandComplete)
    case commandStatus(CommandStatus)
    case hardwareError(HardwareError)
    case numberOfCompletedPackets(NumberOfCompletedPackets)
    case dataBufferOverflow(DataBufferOverflow)
    case encryptionKeyRefreshComplete(EncryptionKeyRefreshComplete)
    case authenticatedPayloadTimeoutExpired(AuthenticatedPayloadTimeoutExpired)
    case encryptionChangeV2(EncryptionChangeV2)
    case leConnectionComplete(LEConnectionComplete)
    case leAdvertisingReports(LEAdvertisingReports)
    case leConnectionUpdateComplete(LEConnectionUpdateComplete)
    case leReadRemoteFeaturesComplete(LEReadRemoteFeaturesComplete)
    case leLongTermKeyRequest(LELongTermKeyRequest)
    case leRemoteConnectionParameterRequest(LERemoteConnectionParameterRequest)
    case leDataLengthChange(LEDataLengthChange)
    case leReadLocalP256PublicKeyComplete(LEReadLocalP256PublicKeyComplete)
    case leGenerateDHKeyComplete(LEGenerateDHKeyComplete)
    case leEnhancedConnectionComplete(LEEnhancedConnectionComplete)
    case leDirectedAdvertisingReports(LEDirectedAdvertisingReports)
    case lePHYUpdateComplete(LEPHYUpdateComplete)
    case leExtendedAdvertisingReports(LEExtendedAdvertisingReports)
    case leScanTimeout(LEScanTimeout)
    case leAdvertisingSetTerminated(LEAdvertisingSetTerminated)
    case leScanRequestReceived(LEScanRequestReceived)
    case leChannelSelectionAlgorithm(LEChannelSelectionAlgorithm)
    case leEnhancedConnectionCompleteV2(LEEnhancedConnectionCompleteV2)
    /// Any other event, with its parameters.
    case unknown(HCIEventCode, ByteBuffer)
    /// Any other LE subevent, with its parameters.
    case unknownLE(LESubeventCode, ByteBuffer)

    /// Parses an event; throws for any other kind of packet.
    public init(_ packet: HCIPacket) throws(MalformedBytes) {
        guard packet.kind == .event else { throw MalformedBytes(.invalid, "Packet type") }
        var payload = packet.payload
        try self.init(parsing: &payload)
    }

    /// Parses an event from the octets after the H4 type octet.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        let code = try HCIEventCode.read(from: &bytes, "Event_Code")
        let length: UInt8 = try bytes.readLittleEndian("Parameter_Total_Length")
        var parameters = try bytes.readOctets(Int(length), "Event parameters")
        switch code {
        case .leMeta: try self.init(parsingLE: &parameters)
        case .disconnectionComplete: self = .disconnectionComplete(try .init(parsing: &parameters))
        case .encryptionChange: self = .encryptionChange(try .init(parsing: &parameters))
        case .readRemoteVersionInformationComplete:
            self = .readRemoteVersionInformationComplete(try .init(parsing: &parameters))
        case .commandComplete: self = .commandComplete(try .init(parsing: &parameters))
        case .commandStatus: self = .commandStatus(try .init(parsing: &parameters))
        case .hardwareError: self = .hardwareError(try .init(parsing: &parameters))
        case .numberOfCompletedPackets: self = .numberOfCompletedPackets(try .init(parsing: &parameters))
        case .dataBufferOverflow: self = .dataBufferOverflow(try .init(parsing: &parameters))
        case .encryptionKeyRefreshComplete: self = .encryptionKeyRefreshComplete(try .init(parsing: &parameters))
        case .authenticatedPayloadTimeoutExpired:
            self = .authenticatedPayloadTimeoutExpired(try .init(parsing: &parameters))
        case .encryptionChangeV2: self = .encryptionChangeV2(try .init(parsing: &parameters))
        default: self = .unknown(code, parameters)
        }
    }

    private init(parsingLE parameters: inout ByteBuffer) throws(MalformedBytes) {
        let subevent = try LESubeventCode.read(from: &parameters, "Subevent_Code")
        switch subevent {
        case .connectionComplete: self = .leConnectionComplete(try .init(parsing: &parameters))
        case .advertisingReport: self = .leAdvertisingReports(try .init(parsing: &parameters))
        case .connectionUpdateComplete: self = .leConnectionUpdateComplete(try .init(parsing: &parameters))
        case .readRemoteFeaturesComplete: self = .leReadRemoteFeaturesComplete(try .init(parsing: &parameters))
        case .longTermKeyRequest: self = .leLongTermKeyRequest(try .init(parsing: &parameters))
        case .remoteConnectionParameterRequest:
            self = .leRemoteConnectionParameterRequest(try .init(parsing: &parameters))
        case .dataLengthChange: self = .leDataLengthChange(try .init(parsing: &parameters))
        case .readLocalP256PublicKeyComplete: self = .leReadLocalP256PublicKeyComplete(try .init(parsing: &parameters))
        case .generateDHKeyComplete: self = .leGenerateDHKeyComplete(try .init(parsing: &parameters))
        case .enhancedConnectionComplete: self = .leEnhancedConnectionComplete(try .init(parsing: &parameters))
        case .directedAdvertisingReport: self = .leDirectedAdvertisingReports(try .init(parsing: &parameters))
        case .phyUpdateComplete: self = .lePHYUpdateComplete(try .init(parsing: &parameters))
        case .extendedAdvertisingReport: self = .leExtendedAdvertisingReports(try .init(parsing: &parameters))
        case .scanTimeout: self = .leScanTimeout(try .init(parsing: &parameters))
        case .advertisingSetTerminated: self = .leAdvertisingSetTerminated(try .init(parsing: &parameters))
        case .scanRequestReceived: self = .leScanRequestReceived(try .init(parsing: &parameters))
        case .channelSelectionAlgorithm: self = .leChannelSelectionAlgorithm(try .init(parsing: &parameters))
        case .enhancedConnectionCompleteV2: self = .leEnhancedConnectionCompleteV2(try .init(parsing: &parameters))
        default: self = .unknownLE(subevent, parameters.slice())
        }
    }

    /// The parameters; `nil` for an unknown event.
    package var payload: (any HCIEventPayload)? {
        switch self {
        case .disconnectionComplete(let payload): payload
        case .encryptionChange(let payload): payload
        case .readRemoteVersionInformationComplete(let payload): payload
        case .commandComplete(let payload): payload
        case .commandStatus(let payload): payload
        case .hardwareError(let payload): payload
        case .numberOfCompletedPackets(let payload): payload
        case .dataBufferOverflow(let payload): payload
        case .encryptionKeyRefreshComplete(let payload): payload
        case .authenticatedPayloadTimeoutExpired(let payload): payload
        case .encryptionChangeV2(let payload): payload
        case .leConnectionComplete(let payload): payload
        case .leAdvertisingReports(let payload): payload
        case .leConnectionUpdateComplete(let payload): payload
        case .leReadRemoteFeaturesComplete(let payload): payload
        case .leLongTermKeyRequest(let payload): payload
        case .leRemoteConnectionParameterRequest(let payload): payload
        case .leDataLengthChange(let payload): payload
        case .leReadLocalP256PublicKeyComplete(let payload): payload
        case .leGenerateDHKeyComplete(let payload): payload
        case .leEnhancedConnectionComplete(let payload): payload
        case .leDirectedAdvertisingReports(let payload): payload
        case .lePHYUpdateComplete(let payload): payload
        case .leExtendedAdvertisingReports(let payload): payload
        case .leScanTimeout(let payload): payload
        case .leAdvertisingSetTerminated(let payload): payload
        case .leScanRequestReceived(let payload): payload
        case .leChannelSelectionAlgorithm(let payload): payload
        case .leEnhancedConnectionCompleteV2(let payload): payload
        case .unknown, .unknownLE: nil
        }
    }
}
