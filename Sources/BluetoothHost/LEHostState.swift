// The states of a host, and its errors. GATT procedures and channels have errors of their own.

public import BluetoothHCI

/// The state of a host and its controller.
public enum LEHostState: Hashable, Sendable {
    /// No controller.
    case detached
    /// The controller is being reset, and its capabilities are being read.
    case starting
    /// Ready for work.
    case ready
    /// The controller failed or was lost, with a one-line reason.
    case failed(String)
    /// The controller does not support Bluetooth LE, with a one-line reason.
    case unsupported(String)
}

/// Why a host could not do something.
public enum LEHostError: Error, Hashable, Sendable {
    /// The controller refused a command.
    case refused(HCIErrorCode)
    /// The controller did not answer a command within ``LEHostConfiguration/commandTimeout``.
    case unanswered
    /// The controller went away, or there is none.
    case controllerLost
    /// The controller answered with octets that the specification does not allow.
    case malformedAnswer
    /// Advertising is directed to a peer that does not resolve private addresses, or has not been asked yet (Vol 3,
    /// Part C, 12.4).
    case addressNotResolvedByPeer
    /// There is no such link.
    case notConnected
    /// A later call replaced this one.
    case superseded

    /// The nearest status of HCI.
    var status: HCIErrorCode {
        switch self {
        case .refused(let status): status
        case .notConnected: .unknownConnectionIdentifier
        case .unanswered, .controllerLost, .malformedAnswer, .addressNotResolvedByPeer, .superseded: .unspecifiedError
        }
    }
}

extension LEHostError: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .refused(let status): "the controller refused: \(status)"
        case .unanswered: "the controller did not answer"
        case .controllerLost: "the controller is gone"
        case .malformedAnswer: "the controller's answer is malformed"
        case .addressNotResolvedByPeer: "the peer does not resolve private addresses"
        case .notConnected: "there is no such link"
        case .superseded: "a later call took its place"
        }
    }
}
