// Events that LE links share with BR/EDR (Vol 4, Part E, 7.7).

/// A link has ended (Vol 4, Part E, 7.7.5).
public struct DisconnectionComplete: HCIEventPayload {
    package static let code = HCIEventCode.disconnectionComplete
    package var status: HCIErrorCode
    package var handle: ConnectionHandle
    package var reason: HCIErrorCode

    package init(status: HCIErrorCode = .success, handle: ConnectionHandle, reason: HCIErrorCode) {
        (self.status, self.handle, self.reason) = (status, handle, reason)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.reason = try coder.field("Reason", \.reason)
    }
}

/// Encryption of a link was turned on or off [v1] (Vol 4, Part E, 7.7.8).
public struct EncryptionChange: HCIEventPayload {
    package static let code = HCIEventCode.encryptionChange
    package var status: HCIErrorCode
    package var handle: ConnectionHandle
    package var encryption: EncryptionStatus

    package init(status: HCIErrorCode = .success, handle: ConnectionHandle, encryption: EncryptionStatus) {
        (self.status, self.handle, self.encryption) = (status, handle, encryption)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.encryption = try coder.field("Encryption_Enabled", \.encryption)
    }
}

/// Encryption of a link was turned on or off [v2] (Vol 4, Part E, 7.7.8).
public struct EncryptionChangeV2: HCIEventPayload {
    package static let code = HCIEventCode.encryptionChangeV2
    package var status: HCIErrorCode
    package var handle: ConnectionHandle
    package var encryption: EncryptionStatus
    /// In octets, 7 to 16.
    package var keySize: UInt8

    package init(
        status: HCIErrorCode = .success,
        handle: ConnectionHandle,
        encryption: EncryptionStatus,
        keySize: UInt8
    ) {
        (self.status, self.handle, self.encryption, self.keySize) = (status, handle, encryption, keySize)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.encryption = try coder.field("Encryption_Enabled", \.encryption)
        self.keySize = try coder.field("Encryption_Key_Size", \.keySize)
    }
}

/// The key of an encrypted link was changed (Vol 4, Part E, 7.7.39).
public struct EncryptionKeyRefreshComplete: HCIEventPayload {
    package static let code = HCIEventCode.encryptionKeyRefreshComplete
    package var status: HCIErrorCode
    package var handle: ConnectionHandle

    package init(status: HCIErrorCode = .success, handle: ConnectionHandle) {
        (self.status, self.handle) = (status, handle)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
    }
}

/// The version that a peer supports (Vol 4, Part E, 7.7.12).
public struct ReadRemoteVersionInformationComplete: HCIEventPayload {
    package static let code = HCIEventCode.readRemoteVersionInformationComplete
    package var status: HCIErrorCode
    package var handle: ConnectionHandle
    package var version: CoreVersion
    /// The manufacturer of the peer's controller.
    package var company: UInt16
    /// The manufacturer's revision.
    package var subversion: UInt16

    package init(
        status: HCIErrorCode = .success,
        handle: ConnectionHandle,
        version: CoreVersion,
        company: UInt16,
        subversion: UInt16
    ) {
        self.status = status
        self.handle = handle
        self.version = version
        self.company = company
        self.subversion = subversion
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.version = try coder.field("Version", \.version)
        self.company = try coder.field("Company_Identifier", \.company)
        self.subversion = try coder.field("Subversion", \.subversion)
    }
}

/// A peer sent no authenticated packet in time (Vol 4, Part E, 7.7.75).
public struct AuthenticatedPayloadTimeoutExpired: HCIEventPayload {
    package static let code = HCIEventCode.authenticatedPayloadTimeoutExpired
    package var handle: ConnectionHandle
    package init(handle: ConnectionHandle) { self.handle = handle }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
    }
}

/// The controller failed (Vol 4, Part E, 7.7.16).
public struct HardwareError: HCIEventPayload {
    package static let code = HCIEventCode.hardwareError
    /// The manufacturer's code.
    package var hardwareCode: UInt8
    package init(hardwareCode: UInt8) { self.hardwareCode = hardwareCode }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.hardwareCode = try coder.field("Hardware_Code", \.hardwareCode)
    }
}

/// The host sent more data than the controller has buffers (Vol 4, Part E, 7.7.26).
public struct DataBufferOverflow: HCIEventPayload {
    package static let code = HCIEventCode.dataBufferOverflow
    package var linkType: LinkType
    package init(linkType: LinkType) { self.linkType = linkType }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.linkType = try coder.field("Link_Type", \.linkType)
    }
}
