// The commands of the LE signalling channel (Vol 3, Part A, 4): code, identifier, length, then the parameters. A
// C-frame of an LE link has one command. Commands of enhanced credit-based channels are decoded, too, so that they can
// be refused as the specification requires.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The header of a signalling command.
struct LESignallingHeader: Hashable, Sendable {
    /// The size of the header in octets.
    static let length = 4

    /// The code of the command.
    var code: LESignallingCode
    /// The number that matches a response to its request, 1 to 255.
    var identifier: UInt8
    /// The number of octets after the header.
    var dataLength: Int

    /// Reads the header.
    init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.code = LESignallingCode(rawValue: try bytes.readLittleEndian("Code"))
        self.identifier = try bytes.readLittleEndian("Identifier")
        self.dataLength = Int(try bytes.readLittleEndian("Length", as: UInt16.self))
    }
}

/// The code of a signalling command (Vol 3, Part A, table 4.2).
struct LESignallingCode: RawRepresentable, Hashable, Sendable {
    /// The octet.
    var rawValue: UInt8

    /// A code from its octet.
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `L2CAP_COMMAND_REJECT_RSP`.
    static let commandReject = LESignallingCode(rawValue: 0x01)
    /// `L2CAP_DISCONNECTION_REQ`.
    static let disconnectionRequest = LESignallingCode(rawValue: 0x06)
    /// `L2CAP_DISCONNECTION_RSP`.
    static let disconnectionResponse = LESignallingCode(rawValue: 0x07)
    /// `L2CAP_CONNECTION_PARAMETER_UPDATE_REQ`.
    static let connectionParameterUpdateRequest = LESignallingCode(rawValue: 0x12)
    /// `L2CAP_CONNECTION_PARAMETER_UPDATE_RSP`.
    static let connectionParameterUpdateResponse = LESignallingCode(rawValue: 0x13)
    /// `L2CAP_LE_CREDIT_BASED_CONNECTION_REQ`.
    static let leCreditBasedConnectionRequest = LESignallingCode(rawValue: 0x14)
    /// `L2CAP_LE_CREDIT_BASED_CONNECTION_RSP`.
    static let leCreditBasedConnectionResponse = LESignallingCode(rawValue: 0x15)
    /// `L2CAP_FLOW_CONTROL_CREDIT_IND`.
    static let flowControlCredit = LESignallingCode(rawValue: 0x16)
    /// `L2CAP_CREDIT_BASED_CONNECTION_REQ`.
    static let creditBasedConnectionRequest = LESignallingCode(rawValue: 0x17)
    /// `L2CAP_CREDIT_BASED_CONNECTION_RSP`.
    static let creditBasedConnectionResponse = LESignallingCode(rawValue: 0x18)
    /// `L2CAP_CREDIT_BASED_RECONFIGURE_REQ`.
    static let creditBasedReconfigureRequest = LESignallingCode(rawValue: 0x19)
    /// `L2CAP_CREDIT_BASED_RECONFIGURE_RSP`.
    static let creditBasedReconfigureResponse = LESignallingCode(rawValue: 0x1A)

    /// Whether the command is a response, which is never answered.
    var isResponse: Bool {
        switch self {
        case .commandReject, .disconnectionResponse, .connectionParameterUpdateResponse,
            .leCreditBasedConnectionResponse, .creditBasedConnectionResponse, .creditBasedReconfigureResponse:
            true
        default:
            false
        }
    }
}

/// A command and its parameters.
enum LESignallingCommand: Hashable, Sendable {
    /// The rejection of a request (4.1).
    case commandReject(LECommandReject)
    /// A request to close a channel (4.6).
    case disconnectionRequest(destination: CID, source: CID)
    /// The channel is closed (4.7).
    case disconnectionResponse(destination: CID, source: CID)
    /// A peripheral's request for connection parameters (4.20).
    case connectionParameterUpdateRequest(LEConnectionParameterRequest)
    /// Whether the central sets them (4.21).
    case connectionParameterUpdateResponse(isAccepted: Bool)
    /// A request for a channel (4.22).
    case leCreditBasedConnectionRequest(LECreditBasedConnectionRequest)
    /// The response to it (4.23).
    case leCreditBasedConnectionResponse(LECreditBasedConnectionResponse)
    /// More credits for a channel (4.24).
    case flowControlCredit(channel: CID, credits: UInt16)
    /// A request for up to five channels (4.25).
    case creditBasedConnectionRequest(CreditBasedConnectionRequest)
    /// The response to it (4.26).
    case creditBasedConnectionResponse(CreditBasedConnectionResponse)
    /// A request for other limits of channels (4.27).
    case creditBasedReconfigureRequest(CreditBasedReconfigureRequest)
    /// The response to it (4.28).
    case creditBasedReconfigureResponse(result: UInt16)
    /// A code that is unknown, or not used on an LE link.
    case unknown(LESignallingCode)

    /// The command's code.
    var code: LESignallingCode {
        switch self {
        case .commandReject: .commandReject
        case .disconnectionRequest: .disconnectionRequest
        case .disconnectionResponse: .disconnectionResponse
        case .connectionParameterUpdateRequest: .connectionParameterUpdateRequest
        case .connectionParameterUpdateResponse: .connectionParameterUpdateResponse
        case .leCreditBasedConnectionRequest: .leCreditBasedConnectionRequest
        case .leCreditBasedConnectionResponse: .leCreditBasedConnectionResponse
        case .flowControlCredit: .flowControlCredit
        case .creditBasedConnectionRequest: .creditBasedConnectionRequest
        case .creditBasedConnectionResponse: .creditBasedConnectionResponse
        case .creditBasedReconfigureRequest: .creditBasedReconfigureRequest
        case .creditBasedReconfigureResponse: .creditBasedReconfigureResponse
        case .unknown(let code): code
        }
    }

    /// Reads the parameters, which take all octets.
    init(_ code: LESignallingCode, parameters: inout ByteBuffer) throws(MalformedBytes) {
        switch code {
        case .commandReject:
            self = .commandReject(try LECommandReject(parsing: &parameters))
        case .disconnectionRequest:
            self = .disconnectionRequest(
                destination: try CID.read(from: &parameters, "Destination CID"),
                source: try CID.read(from: &parameters, "Source CID")
            )
        case .disconnectionResponse:
            self = .disconnectionResponse(
                destination: try CID.read(from: &parameters, "Destination CID"),
                source: try CID.read(from: &parameters, "Source CID")
            )
        case .connectionParameterUpdateRequest:
            self = .connectionParameterUpdateRequest(try LEConnectionParameterRequest(parsing: &parameters))
        case .connectionParameterUpdateResponse:
            let result: UInt16 = try parameters.readLittleEndian("Result")
            self = .connectionParameterUpdateResponse(isAccepted: result == 0)
        case .leCreditBasedConnectionRequest:
            self = .leCreditBasedConnectionRequest(try LECreditBasedConnectionRequest(parsing: &parameters))
        case .leCreditBasedConnectionResponse:
            self = .leCreditBasedConnectionResponse(try LECreditBasedConnectionResponse(parsing: &parameters))
        case .flowControlCredit:
            self = .flowControlCredit(
                channel: try CID.read(from: &parameters, "CID"),
                credits: try parameters.readLittleEndian("Credits")
            )
        case .creditBasedConnectionRequest:
            self = .creditBasedConnectionRequest(try CreditBasedConnectionRequest(parsing: &parameters))
        case .creditBasedConnectionResponse:
            self = .creditBasedConnectionResponse(try CreditBasedConnectionResponse(parsing: &parameters))
        case .creditBasedReconfigureRequest:
            self = .creditBasedReconfigureRequest(try CreditBasedReconfigureRequest(parsing: &parameters))
        case .creditBasedReconfigureResponse:
            self = .creditBasedReconfigureResponse(result: try parameters.readLittleEndian("Result"))
        default:
            parameters.moveReaderIndex(to: parameters.writerIndex)
            self = .unknown(code)
        }
        try parameters.requireEnd("Data")
    }

    /// The whole C-frame payload, with headroom for the layers below.
    func encoded(identifier: UInt8) -> ByteBuffer {
        precondition(identifier != 0, "0 is no identifier")
        var bytes = PDUBuffer.make(capacity: 24)
        bytes.writeMultipleIntegers(self.code.rawValue, identifier, UInt16(0), endianness: .little)
        self.encodeParameters(into: &bytes)
        bytes.setInteger(
            UInt16(truncatingIfNeeded: bytes.readableBytes - LESignallingHeader.length),
            at: bytes.readerIndex + 2,
            endianness: .little
        )
        return bytes
    }

    private func encodeParameters(into bytes: inout ByteBuffer) {
        switch self {
        case .commandReject(let reject):
            reject.encode(into: &bytes)
        case .disconnectionRequest(let destination, let source), .disconnectionResponse(let destination, let source):
            bytes.writeMultipleIntegers(destination.rawValue, source.rawValue, endianness: .little)
        case .connectionParameterUpdateRequest(let request):
            request.encode(into: &bytes)
        case .connectionParameterUpdateResponse(let isAccepted):
            bytes.writeLittleEndian(UInt16(isAccepted ? 0 : 1))
        case .leCreditBasedConnectionRequest(let request):
            request.encode(into: &bytes)
        case .leCreditBasedConnectionResponse(let response):
            response.encode(into: &bytes)
        case .flowControlCredit(let channel, let credits):
            bytes.writeMultipleIntegers(channel.rawValue, credits, endianness: .little)
        case .creditBasedConnectionRequest(let request):
            request.encode(into: &bytes)
        case .creditBasedConnectionResponse(let response):
            response.encode(into: &bytes)
        case .creditBasedReconfigureRequest(let request):
            request.encode(into: &bytes)
        case .creditBasedReconfigureResponse(let result):
            bytes.writeLittleEndian(result)
        case .unknown:
            break
        }
    }
}
