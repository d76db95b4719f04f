// The control PDUs of the link layer (Vol 6, Part B, 2.4.2). The other end gets the value itself, since both ends are
// in this process; `LLControlPDU+Octets` encodes it.

import BluetoothHCI
import BluetoothTypes

/// The timing of a link.
struct AirLinkTiming: Hashable {
    var interval: ConnectionInterval
    var latency: UInt16
    var supervisionTimeout: SupervisionTimeout
}

extension AirLinkTiming {
    /// The fastest timing that the parameters allow.
    init(_ parameters: ConnectionParameters) {
        self.interval = parameters.minimumInterval
        self.latency = parameters.latency
        self.supervisionTimeout = parameters.supervisionTimeout
    }
}

/// The version of a controller.
struct PeerVersion: Hashable {
    var version: CoreVersion
    var company: UInt16
    var subversion: UInt16
}

/// A control PDU.
enum LLControlPDU {
    /// LL_TERMINATE_IND.
    case terminate(HCIErrorCode)
    /// LL_CONNECTION_UPDATE_IND.
    case connectionUpdate(AirLinkTiming)
    /// LL_CONNECTION_PARAM_REQ.
    case parameterRequest(ConnectionParameters)
    /// LL_REJECT_EXT_IND for LL_CONNECTION_PARAM_REQ.
    case parameterReject(HCIErrorCode)
    /// LL_FEATURE_REQ, LL_PERIPHERAL_FEATURE_REQ.
    case featureRequest
    /// LL_FEATURE_RSP.
    case featureResponse(LEFeatures)
    /// LL_VERSION_IND.
    case version(PeerVersion)
    /// LL_LENGTH_REQ: the lengths that the sender accepts and prefers.
    case lengthRequest(receive: DataLength, transmit: DataLength)
    /// LL_LENGTH_RSP.
    case lengthResponse(receive: DataLength, transmit: DataLength)
    /// LL_PHY_REQ.
    case phyRequest(transmitter: PHYSet, receiver: PHYSet)
    /// LL_PHY_RSP.
    case phyResponse(transmitter: PHYSet, receiver: PHYSet)
    /// LL_PHY_UPDATE_IND.
    case phyUpdate(centralToPeripheral: PHY, peripheralToCentral: PHY)
    /// LL_CHANNEL_MAP_IND.
    case channelMap(ChannelMap)
    /// LL_ENC_REQ.
    case encryptionRequest(random: UInt64, diversifier: UInt16, part: SessionPart)
    /// LL_ENC_RSP.
    case encryptionResponse(SessionPart)
    /// LL_START_ENC_REQ.
    case startEncryptionRequest
    /// LL_START_ENC_RSP, the first encrypted packet of its sender.
    case startEncryptionResponse
    /// LL_REJECT_IND for LL_ENC_REQ.
    case encryptionReject(HCIErrorCode)
    /// LL_PAUSE_ENC_REQ.
    case pauseEncryptionRequest
    /// LL_PAUSE_ENC_RSP.
    case pauseEncryptionResponse
    /// LL_PING_REQ.
    case pingRequest
    /// LL_PING_RSP.
    case pingResponse

    /// Whether the PDU may be sent while encryption is started or paused; all others wait (Vol 6, Part B, 5.1.3).
    var isOfEncryption: Bool {
        switch self {
        case .encryptionRequest, .encryptionResponse, .startEncryptionRequest, .startEncryptionResponse,
            .encryptionReject, .pauseEncryptionRequest, .pauseEncryptionResponse, .terminate:
            true
        case .connectionUpdate, .parameterRequest, .parameterReject, .featureRequest, .featureResponse, .version,
            .lengthRequest, .lengthResponse, .phyRequest, .phyResponse, .phyUpdate, .channelMap, .pingRequest,
            .pingResponse:
            false
        }
    }
}
