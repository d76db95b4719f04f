// The texts of packet descriptions: names of opcodes and errors, octets, advertising data, L2CAP signalling, pairing.

import BluetoothTypes
import NIOCore

extension ATTOpcode {
    /// The PDU's name (Vol 3, Part F, 3.4).
    var words: String {
        switch self {
        case .errorResponse: "Error Response"
        case .exchangeMTURequest: "Exchange MTU Request"
        case .exchangeMTUResponse: "Exchange MTU Response"
        case .findInformationRequest: "Find Information Request"
        case .findInformationResponse: "Find Information Response"
        case .findByTypeValueRequest: "Find By Type Value Request"
        case .findByTypeValueResponse: "Find By Type Value Response"
        case .readByTypeRequest: "Read By Type Request"
        case .readByTypeResponse: "Read By Type Response"
        case .readRequest: "Read Request"
        case .readResponse: "Read Response"
        case .readBlobRequest: "Read Blob Request"
        case .readBlobResponse: "Read Blob Response"
        case .readMultipleRequest: "Read Multiple Request"
        case .readMultipleResponse: "Read Multiple Response"
        case .readByGroupTypeRequest: "Read By Group Type Request"
        case .readByGroupTypeResponse: "Read By Group Type Response"
        case .writeRequest: "Write Request"
        case .writeResponse: "Write Response"
        case .prepareWriteRequest: "Prepare Write Request"
        case .prepareWriteResponse: "Prepare Write Response"
        case .executeWriteRequest: "Execute Write Request"
        case .executeWriteResponse: "Execute Write Response"
        case .handleValueNotification: "Notification"
        case .handleValueIndication: "Indication"
        case .handleValueConfirmation: "Confirmation"
        case .readMultipleVariableRequest: "Read Multiple Variable Request"
        case .readMultipleVariableResponse: "Read Multiple Variable Response"
        case .multipleHandleValueNotification: "Multiple Notification"
        case .writeCommand: "Write Command"
        case .signedWriteCommand: "Signed Write Command"
        default: "PDU \(self)"
        }
    }
}

extension ATTErrorCode {
    /// The error's name with its code.
    package var words: String {
        let code = "0x" + self.rawValue.hexadecimalDigits
        let name: String? =
            switch self {
            case .invalidHandle: "Invalid Handle"
            case .readNotPermitted: "Read Not Permitted"
            case .writeNotPermitted: "Write Not Permitted"
            case .invalidPDU: "Invalid PDU"
            case .insufficientAuthentication: "Insufficient Authentication"
            case .requestNotSupported: "Request Not Supported"
            case .invalidOffset: "Invalid Offset"
            case .insufficientAuthorization: "Insufficient Authorization"
            case .prepareQueueFull: "Prepare Queue Full"
            case .attributeNotFound: "Attribute Not Found"
            case .attributeNotLong: "Attribute Not Long"
            case .encryptionKeySizeTooShort: "Encryption Key Size Too Short"
            case .invalidAttributeValueLength: "Invalid Attribute Value Length"
            case .unlikelyError: "Unlikely Error"
            case .insufficientEncryption: "Insufficient Encryption"
            case .unsupportedGroupType: "Unsupported Group Type"
            case .insufficientResources: "Insufficient Resources"
            case .databaseOutOfSync: "Database Out Of Sync"
            case .valueNotAllowed: "Value Not Allowed"
            case .writeRequestRejected: "Write Request Rejected"
            case .cccdImproperlyConfigured: "Client Characteristic Configuration Improperly Configured"
            case .procedureAlreadyInProgress: "Procedure Already In Progress"
            case .outOfRange: "Out Of Range"
            default: nil
            }
        return name.map { "\($0) (\(code))" } ?? "error \(code)"
    }
}

/// Octets as hexadecimal digits, also as text if they are printable; truncated if there are many.
func octetText(_ octets: ByteBuffer) -> String {
    let count = octets.readableBytes
    guard count > 0 else { return "nothing" }
    let shown = octets.readableBytesView.prefix(24)
    var text = shown.hexadecimalDigits()
    if count > shown.count { text += "… (\(count) octets)" }
    if shown.allSatisfy({ (0x20...0x7E).contains($0) }) {
        text += " \"\(String(decoding: shown, as: UTF8.self))\(count > shown.count ? "…" : "")\""
    }
    return text
}

/// The elements of advertising data.
func advertisingText(_ bytes: ByteBuffer) -> String {
    let data = AdvertisingData(parsing: bytes)
    var parts: [String] = []
    if let name = data.localName { parts.append("\"\(name)\"") }
    let services = data.serviceUUIDs
    if !services.isEmpty {
        parts.append(
            (services.count == 1 ? "service " : "services ") + services.map(\.description).joined(separator: " ")
        )
    }
    let solicited = data.solicitedServiceUUIDs
    if !solicited.isEmpty { parts.append("solicits " + solicited.map(\.description).joined(separator: " ")) }
    for service in data.serviceData { parts.append("data of \(service.uuid) \(octetText(service.data))") }
    for element in data.elements where element.type == .manufacturerSpecificData {
        parts.append("manufacturer data \(octetText(element.value))")
    }
    if let power = data.txPowerLevel { parts.append("sent with \(power)") }
    return parts.isEmpty ? "no data" : parts.joined(separator: ", ")
}

/// The command of a frame of the signalling channel (Vol 3, Part A, 4).
func signallingText(_ payload: ByteBuffer) -> String {
    var bytes = payload
    do throws(MalformedBytes) {
        let header = try LESignallingHeader(parsing: &bytes)
        var parameters = try bytes.readOctets(header.dataLength, "Data")
        return "\(try LESignallingCommand(header.code, parameters: &parameters).words), #\(header.identifier)"
    } catch {
        return "Signalling, malformed: \(octetText(payload))"
    }
}

extension LESignallingCommand {
    fileprivate var words: String {
        switch self {
        case .commandReject: "Command Reject"
        case .disconnectionRequest(let destination, let source):
            "Disconnection Request \(destination) from \(source)"
        case .disconnectionResponse(let destination, let source):
            "Disconnection Response \(destination) from \(source)"
        case .connectionParameterUpdateRequest(let request):
            """
            Connection Parameter Update Request interval \(request.minimumInterval) to \(request.maximumInterval), \
            latency \(request.latency), timeout \(request.supervisionTimeout)
            """
        case .connectionParameterUpdateResponse(let isAccepted):
            "Connection Parameter Update Response, \(isAccepted ? "accepted" : "rejected")"
        case .leCreditBasedConnectionRequest(let request):
            """
            LE Credit Based Connection Request SPSM \(request.spsm), channel \(request.source), \
            \(request.parameters.words)
            """
        case .leCreditBasedConnectionResponse(let response):
            response.result == .success
                ? """
                LE Credit Based Connection Response channel \(response.destination), \
                \(response.parameters.words)
                """ : "LE Credit Based Connection Response, refused: \(response.result.rawValue.hexadecimalNumber)"
        case .flowControlCredit(let channel, let credits):
            "Flow Control Credit channel \(channel), \(credits) credits"
        case .creditBasedConnectionRequest(let request):
            "Credit Based Connection Request SPSM \(request.spsm), \(request.sources.count) channels"
        case .creditBasedConnectionResponse(let response):
            "Credit Based Connection Response, result \(response.result.rawValue.hexadecimalNumber)"
        case .creditBasedReconfigureRequest(let request):
            "Credit Based Reconfigure Request MTU \(request.mtu), MPS \(request.mps)"
        case .creditBasedReconfigureResponse(let result):
            "Credit Based Reconfigure Response, result \(result.hexadecimalNumber)"
        case .unknown(let code): "Signalling command \(code.rawValue.hexadecimalNumber)"
        }
    }
}

extension CreditBasedParameters {
    fileprivate var words: String { "MTU \(self.mtu), MPS \(self.mps), \(self.initialCredits) credits" }
}

/// The name and the octets of a PDU of the Security Manager (Vol 3, Part H, 3.3).
func pairingText(_ pdu: ByteBuffer) -> String {
    let names = [
        "Pairing Request", "Pairing Response", "Pairing Confirm", "Pairing Random", "Pairing Failed",
        "Encryption Information", "Central Identification", "Identity Information", "Identity Address Information",
        "Signing Information", "Security Request", "Pairing Public Key", "Pairing DHKey Check",
        "Pairing Keypress Notification",
    ]
    var bytes = pdu
    guard let code: UInt8 = bytes.readInteger() else { return "Empty PDU" }
    let name = (1...UInt8(names.count)).contains(code) ? names[Int(code) - 1] : "PDU \(code.hexadecimalNumber)"
    return bytes.readableBytes == 0 ? name : "\(name) \(octetText(bytes))"
}
