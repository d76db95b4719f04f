// Which association model two devices use, from the features that they have exchanged (Vol 3, Part H, 2.3.5.1,
// tables 2.6, 2.7 and 2.8).

/// How the two sides make sure that they pair with each other.
public enum AssociationModel: Hashable, Sendable {
    /// Not at all: the key does not protect against a man in the middle.
    case justWorks
    /// Both show six digits, and their users say whether they are the same. Of LE Secure Connections alone.
    case numericComparison
    /// Six digits that one shows are entered at the other, or the same six digits are entered at both.
    case passkeyEntry(PasskeyEntry)
    /// By data that came another way.
    case outOfBand

    /// Who shows a passkey, and who enters it.
    public enum PasskeyEntry: Hashable, Sendable {
        /// The initiator shows, the responder's user enters.
        case initiatorDisplays
        /// The responder shows, the initiator's user enters.
        case responderDisplays
        /// The users enter the same at both.
        case bothEnter
    }

    /// Whether the key protects against a man in the middle.
    public var isAuthenticated: Bool {
        switch self {
        case .justWorks: false
        case .numericComparison, .passkeyEntry, .outOfBand: true
        }
    }
}

extension AssociationModel {
    /// The model that both sides find from the request and the response.
    init(request: PairingFeatures, response: PairingFeatures) {
        let isSecureConnections = request.isSecureConnections(with: response)
        let hasOutOfBandData =
            isSecureConnections
            ? request.hasOutOfBandData || response.hasOutOfBandData
            : request.hasOutOfBandData && response.hasOutOfBandData
        if hasOutOfBandData {
            self = .outOfBand
        } else if request.authentication.union(response.authentication).contains(.mitm) {
            self.init(
                initiator: request.ioCapability,
                responder: response.ioCapability,
                isSecureConnections: isSecureConnections
            )
        } else {
            self = .justWorks
        }
    }

    /// Table 2.8.
    init(initiator: IOCapability, responder: IOCapability, isSecureConnections: Bool) {
        switch (initiator, responder) {
        case (.noInputNoOutput, _), (_, .noInputNoOutput):
            self = .justWorks
        case (.displayOnly, .displayOnly), (.displayOnly, .displayYesNo), (.displayYesNo, .displayOnly):
            self = .justWorks
        case (.displayYesNo, .displayYesNo):
            self = isSecureConnections ? .numericComparison : .justWorks
        case (.keyboardDisplay, .displayYesNo):
            self = isSecureConnections ? .numericComparison : .passkeyEntry(.responderDisplays)
        case (.displayYesNo, .keyboardDisplay), (.keyboardDisplay, .keyboardDisplay):
            self = isSecureConnections ? .numericComparison : .passkeyEntry(.initiatorDisplays)
        case (.keyboardOnly, .keyboardOnly):
            self = .passkeyEntry(.bothEnter)
        case (.keyboardOnly, .displayOnly), (.keyboardOnly, .displayYesNo), (.keyboardOnly, .keyboardDisplay),
            (.keyboardDisplay, .displayOnly):
            self = .passkeyEntry(.responderDisplays)
        case (.displayOnly, .keyboardOnly), (.displayYesNo, .keyboardOnly), (.keyboardDisplay, .keyboardOnly),
            (.displayOnly, .keyboardDisplay):
            self = .passkeyEntry(.initiatorDisplays)
        }
    }
}

extension PairingFeatures {
    /// Whether two devices pair with LE Secure Connections: where both can.
    func isSecureConnections(with other: PairingFeatures) -> Bool {
        self.authentication.intersection(other.authentication).contains(.secureConnections)
    }
}
