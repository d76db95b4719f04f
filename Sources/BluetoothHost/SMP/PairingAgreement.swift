// Phase 1 of pairing (Vol 3, Part H, 2.1, 2.3 and 3.5): what this device offers, and what follows from the features of
// both. Everything that a peer could say to get a weaker key than this device wants is refused here.

import BluetoothTypes

/// What a device brings to a pairing.
struct PairingParameters: Sendable {
    /// Whether this device is the central, and so the initiator.
    var isCentral: Bool
    /// The address of this device on the link.
    var localAddress: DeviceAddress
    /// The peer's address on the link.
    var peerAddress: DeviceAddress
    /// How the device pairs.
    var configuration: PairingConfiguration
    /// The least that this pairing has to give.
    var requiredLevel: SecurityLevel
    /// The keys that the devices share already.
    var existing: Bond?
    /// What came another way.
    var outOfBand: OutOfBandData

    /// The central's address.
    var initiatorAddress: DeviceAddress { self.isCentral ? self.localAddress : self.peerAddress }
    /// The peripheral's address.
    var responderAddress: DeviceAddress { self.isCentral ? self.peerAddress : self.localAddress }

    /// The AuthReq of a Security Request and of Pairing Request and Response.
    var authentication: AuthenticationRequirements {
        var result: AuthenticationRequirements = []
        if self.configuration.isBondable { result.insert(.bonding) }
        if self.configuration.prefersMITMProtection || self.leastLevel >= .authenticated { result.insert(.mitm) }
        if self.offersSecureConnections { result.insert(.secureConnections) }
        if self.configuration.usesKeypressNotifications { result.insert(.keypress) }
        return result
    }

    /// What the pairing has to give, from all who have a say.
    var leastLevel: SecurityLevel {
        if self.configuration.isSecureConnectionsOnly { return .secureConnections }
        return max(self.requiredLevel, self.configuration.minimumLevel)
    }

    /// Whether LE Secure Connections are offered: not where a temporary key is all that came another way.
    private var offersSecureConnections: Bool {
        guard !self.configuration.isSecureConnectionsOnly else { return true }
        let hasOnlyTemporaryKey = self.outOfBand.temporaryKey != nil && self.outOfBand.peer == nil
        return self.configuration.supportsSecureConnections && !(self.isCentral && hasOnlyTemporaryKey)
    }

    /// The same with protection against a man in the middle, if the peer wants it.
    func preferring(_ level: SecurityLevel) -> PairingParameters {
        var result = self
        if level >= .authenticated { result.configuration.prefersMITMProtection = true }
        return result
    }

    /// What keys this device offers and wants.
    private func keys(_ keys: KeyDistribution, isOwn: Bool) -> KeyDistribution {
        guard self.configuration.isBondable else { return [] }
        let keys = keys.intersection(.supported)
        return isOwn && self.configuration.identity == nil ? keys.subtracting(.identityKey) : keys
    }

    /// The Pairing Request.
    var request: PairingFeatures {
        let authentication = self.authentication
        let isSecureConnections = authentication.contains(.secureConnections)
        return PairingFeatures(
            ioCapability: self.configuration.ioCapability,
            hasOutOfBandData: isSecureConnections
                ? self.outOfBand.peer != nil : self.outOfBand.temporaryKey != nil,
            authentication: authentication,
            maximumKeySize: self.configuration.maximumKeySize,
            initiatorKeys: self.keys(self.configuration.initiatorKeys, isOwn: true),
            responderKeys: self.keys(self.configuration.responderKeys, isOwn: false)
        )
    }

    /// The Pairing Response to a request: no key that the request does not have (3.5.2).
    func response(to request: PairingFeatures) -> PairingFeatures {
        let authentication = self.authentication
        let isSecureConnections = authentication.intersection(request.authentication).contains(.secureConnections)
        var initiatorKeys = self.keys(self.configuration.initiatorKeys, isOwn: false)
            .intersection(request.initiatorKeys)
        var responderKeys = self.keys(self.configuration.responderKeys, isOwn: true)
            .intersection(request.responderKeys)
        if !request.authentication.isBonding {
            (initiatorKeys, responderKeys) = ([], [])
        } else if isSecureConnections {
            // Both sides compute the long term key.
            initiatorKeys.remove(.encryptionKey)
            responderKeys.remove(.encryptionKey)
        }
        return PairingFeatures(
            ioCapability: self.configuration.ioCapability,
            hasOutOfBandData: isSecureConnections
                ? self.outOfBand.peer != nil : self.outOfBand.temporaryKey != nil,
            authentication: authentication,
            maximumKeySize: self.configuration.maximumKeySize,
            initiatorKeys: initiatorKeys,
            responderKeys: responderKeys
        )
    }
}

/// What two devices have agreed on.
struct PairingAgreement: Hashable, Sendable {
    /// The Pairing Request.
    let request: PairingFeatures
    /// The Pairing Response.
    let response: PairingFeatures
    /// How they make sure that they pair with each other.
    let model: AssociationModel
    /// Whether they use LE Secure Connections.
    let isSecureConnections: Bool
    /// The octets of the encryption key.
    let keySize: Int

    /// Whether both keep the keys.
    var isBonding: Bool { self.request.authentication.isBonding && self.response.authentication.isBonding }
    /// Whether keypress notifications are sent.
    var usesKeypressNotifications: Bool {
        self.request.authentication.intersection(self.response.authentication).contains(.keypress)
    }
    /// The keys of the initiator.
    var initiatorKeys: KeyDistribution { self.distributed(self.response.initiatorKeys) }
    /// The keys of the responder.
    var responderKeys: KeyDistribution { self.distributed(self.response.responderKeys) }

    private func distributed(_ keys: KeyDistribution) -> KeyDistribution {
        let keys = keys.intersection(.supported)
        return self.isSecureConnections ? keys.subtracting(.encryptionKey) : keys
    }

    /// What is to be said of the keys.
    var key: LinkSecurity.Key {
        LinkSecurity.Key(
            isAuthenticated: self.model.isAuthenticated,
            isSecureConnections: self.isSecureConnections,
            size: self.keySize
        )
    }

    /// Checks the features of both; throws the reason to refuse the pairing with.
    init(
        request: PairingFeatures,
        response: PairingFeatures,
        _ parameters: PairingParameters
    ) throws(PairingFailedReason) {
        let configuration = parameters.configuration
        // The responder sets no bit that the initiator has not set (3.5.2).
        guard response.initiatorKeys.isSubset(of: request.initiatorKeys),
            response.responderKeys.isSubset(of: request.responderKeys)
        else { throw .invalidParameters }
        self.request = request
        self.response = response
        self.model = AssociationModel(request: request, response: response)
        self.isSecureConnections = request.isSecureConnections(with: response)
        self.keySize = min(request.maximumKeySize, response.maximumKeySize)
        guard self.keySize >= configuration.minimumKeySize else { throw .encryptionKeySize }
        if parameters.leastLevel == .secureConnections {
            guard self.isSecureConnections, self.model.isAuthenticated else { throw .authenticationRequirements }
            guard self.keySize == 16 else { throw .encryptionKeySize }
        }
        guard self.key.level >= parameters.leastLevel else { throw .authenticationRequirements }
        // A key is not replaced by a weaker one, on no request of the peer: the user removes the bond first.
        if let existing = parameters.existing {
            try self.key.check(replacing: existing.key)
        }
        if self.model == .outOfBand { try self.checkOutOfBandData(parameters) }
    }

    /// What a side says that it has must be there.
    private func checkOutOfBandData(_ parameters: PairingParameters) throws(PairingFailedReason) {
        let data = parameters.outOfBand
        guard self.isSecureConnections else {
            guard data.temporaryKey != nil else { throw .oobNotAvailable }
            return
        }
        let (own, peer) = parameters.isCentral ? (self.request, self.response) : (self.response, self.request)
        guard !own.hasOutOfBandData || data.peer != nil, !peer.hasOutOfBandData || data.local != nil else {
            throw .oobNotAvailable
        }
    }
}

extension LinkSecurity.Key {
    /// Throws the reason to refuse a key that is weaker than the one in whose place it would come.
    func check(replacing existing: LinkSecurity.Key) throws(PairingFailedReason) {
        guard self.isSecureConnections || !existing.isSecureConnections,
            self.isAuthenticated || !existing.isAuthenticated
        else { throw .authenticationRequirements }
        guard self.size >= existing.size else { throw .encryptionKeySize }
    }
}
