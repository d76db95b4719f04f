// All events of this module as one value: what a host switches over. An event without a declaration here is kept as its
// octets, since a controller of tomorrow may send it (Vol 4, Part E, 7.7).

public import BluetoothTypes
public import NIOCore

/// An HCI event.
public enum HCIEvent: Hashable, Sendable {
    /// Disconnection Complete.
    case disconnectionComplete(DisconnectionComplete)
    /// Encryption Change.
    case encryptionChange(EncryptionChange)
    /// Read Remote Version Information Complete.
    case readRemoteVersionInformationComplete(ReadRemoteVersionInformationComplete)
    /// Command Complete.
    case commandComplete(CommandComplete)
    /// Command Status.
    case commandStatus(CommandStatus)
    /// Hardware Error.
    case hardwareError(HardwareError)
    /// Number Of Completed Packets.
    case numberOfCompletedPackets(NumberOfCompletedPackets)
    /// Data Buffer Overflow.
    case dataBufferOverflow(DataBufferOverflow)
    /// Encryption Key Refresh Complete.
    case encryptionKeyRefreshComplete(EncryptionKeyRefreshComplete)
    /// Authenticated Payload Timeout Expired.
    case authenticatedPayloadTimeoutExpired(AuthenticatedPayloadTimeoutExpired)
    /// Encryption Change [v2].
    case encryptionChangeV2(EncryptionChangeV2)
    /// LE Connection Complete.
    case leConnectionComplete(LEConnectionComplete)
    /// LE Advertising Report.
    case leAdvertisingReports(LEAdvertisingReports)
    /// LE Connection Update Complete.
    case leConnectionUpdateComplete(LEConnectionUpdateComplete)
    /// LE Read Remote Features Complete.
    case leReadRemoteFeaturesComplete(LEReadRemoteFeaturesComplete)
    /// LE Long Term Key Request.
    case leLongTermKeyRequest(LELongTermKeyRequest)
    /// LE Remote Connection Parameter Request.
    case leRemoteConnectionParameterRequest(LERemoteConnectionParameterRequest)
    /// LE Data Length Change.
    case leDataLengthChange(LEDataLengthChange)
    /// LE Read Local P-256 Public Key Complete.
    case leReadLocalP256PublicKeyComplete(LEReadLocalP256PublicKeyComplete)
    /// LE Generate DHKey Complete.
    case leGenerateDHKeyComplete(LEGenerateDHKeyComplete)
    /// LE Enhanced Connection Complete.
    case leEnhancedConnectionComplete(LEEnhancedConnectionComplete)
    /// LE Directed Advertising Report.
    case leDirectedAdvertisingReports(LEDirectedAdvertisingReports)
    /// LE PHY Update Complete.
    case lePHYUpdateComplete(LEPHYUpdateComplete)
    /// LE Extended Advertising Report.
    case leExtendedAdvertisingReports(LEExtendedAdvertisingReports)
    /// LE Scan Timeout.
    case leScanTimeout(LEScanTimeout)
    /// LE Advertising Set Terminated.
    case leAdvertisingSetTerminated(LEAdvertisingSetTerminated)
    /// LE Scan Request Received.
    case leScanRequestReceived(LEScanRequestReceived)
    /// LE Channel Selection Algorithm.
    case leChannelSelectionAlgorithm(LEChannelSelectionAlgorithm)
    /// LE Enhanced Connection Complete [v2].
    case leEnhancedConnectionCompleteV2(LEEnhancedConnectionCompleteV2)
    /// Another event, with its parameters.
    case unknown(HCIEventCode, ByteBuffer)
    /// Another LE subevent, with its parameters.
    case unknownLE(LESubeventCode, ByteBuffer)

    /// Reads an event; another kind of packet is malformed.
    public init(_ packet: HCIPacket) throws(MalformedBytes) {
        guard packet.kind == .event else { throw MalformedBytes(.invalid, "Packet type") }
        var payload = packet.payload
        try self.init(parsing: &payload)
    }

    /// Reads an event from the octets behind the H4 type octet.
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

    /// The parameters as their own type; `nil` for an unknown event.
    public var payload: (any HCIEventPayload)? {
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

    /// The whole packet, H4 type octet first.
    public func packet(allocator: ByteBufferAllocator = ByteBufferAllocator()) -> HCIPacket {
        switch self {
        case .unknown(let code, let parameters):
            HCIPacket.event(code, nil, allocator: allocator) { $0.writeImmutableBuffer(parameters) }
        case .unknownLE(let subevent, let parameters):
            HCIPacket.event(.leMeta, subevent, allocator: allocator) { $0.writeImmutableBuffer(parameters) }
        default:
            self.payload.map { $0.packet(allocator: allocator) } ?? HCIPacket(h4: ByteBuffer())
        }
    }
}
