// Events that LE links share with BR/EDR (Vol 4, Part E, 7.7).

/// A link has ended (Vol 4, Part E, 7.7.5).
public struct DisconnectionComplete: HCIEventPayload {
    /// The number of the event.
    public static let code = HCIEventCode.disconnectionComplete

    /// Whether it succeeded.
    public var status: HCIErrorCode
    /// The link.
    public var handle: ConnectionHandle
    /// Why.
    public var reason: HCIErrorCode

    /// Creates the event.
    public init(status: HCIErrorCode = .success, handle: ConnectionHandle, reason: HCIErrorCode) {
        self.status = status
        self.handle = handle
        self.reason = reason
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.reason = try coder.field("Reason", \.reason)
    }
}

/// Encryption of a link was turned on or off [v1] (Vol 4, Part E, 7.7.8).
public struct EncryptionChange: HCIEventPayload {
    /// The number of the event.
    public static let code = HCIEventCode.encryptionChange

    /// Whether it succeeded.
    public var status: HCIErrorCode
    /// The link.
    public var handle: ConnectionHandle
    /// Whether the link is encrypted now.
    public var encryption: EncryptionStatus

    /// Creates the event.
    public init(
        status: HCIErrorCode = .success,
        handle: ConnectionHandle,
        encryption: EncryptionStatus
    ) {
        self.status = status
        self.handle = handle
        self.encryption = encryption
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.encryption = try coder.field("Encryption_Enabled", \.encryption)
    }
}

/// Encryption of a link was turned on or off [v2] (Vol 4, Part E, 7.7.8).
public struct EncryptionChangeV2: HCIEventPayload {
    /// The number of the event.
    public static let code = HCIEventCode.encryptionChangeV2

    /// Whether it succeeded.
    public var status: HCIErrorCode
    /// The link.
    public var handle: ConnectionHandle
    /// Whether the link is encrypted now.
    public var encryption: EncryptionStatus
    /// The size of the key in octets, 7 to 16.
    public var keySize: UInt8

    /// Creates the event.
    public init(
        status: HCIErrorCode = .success,
        handle: ConnectionHandle,
        encryption: EncryptionStatus,
        keySize: UInt8
    ) {
        self.status = status
        self.handle = handle
        self.encryption = encryption
        self.keySize = keySize
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.encryption = try coder.field("Encryption_Enabled", \.encryption)
        self.keySize = try coder.field("Encryption_Key_Size", \.keySize)
    }
}

/// The key of an encrypted link was changed (Vol 4, Part E, 7.7.39).
public struct EncryptionKeyRefreshComplete: HCIEventPayload {
    /// The number of the event.
    public static let code = HCIEventCode.encryptionKeyRefreshComplete

    /// Whether it succeeded.
    public var status: HCIErrorCode
    /// The link.
    public var handle: ConnectionHandle

    /// Creates the event.
    public init(status: HCIErrorCode = .success, handle: ConnectionHandle) {
        self.status = status
        self.handle = handle
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
    }
}

/// Which version a peer speaks (Vol 4, Part E, 7.7.12).
public struct ReadRemoteVersionInformationComplete: HCIEventPayload {
    /// The number of the event.
    public static let code = HCIEventCode.readRemoteVersionInformationComplete

    /// Whether it succeeded.
    public var status: HCIErrorCode
    /// The link.
    public var handle: ConnectionHandle
    /// The version of its link layer.
    public var version: CoreVersion
    /// The maker of its controller.
    public var company: UInt16
    /// The maker's revision.
    public var subversion: UInt16

    /// Creates the event.
    public init(
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

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.version = try coder.field("Version", \.version)
        self.company = try coder.field("Company_Identifier", \.company)
        self.subversion = try coder.field("Subversion", \.subversion)
    }
}

/// A peer sent no authenticated packet for too long (Vol 4, Part E, 7.7.75).
public struct AuthenticatedPayloadTimeoutExpired: HCIEventPayload {
    /// The number of the event.
    public static let code = HCIEventCode.authenticatedPayloadTimeoutExpired

    /// The link.
    public var handle: ConnectionHandle

    /// Creates the event.
    public init(handle: ConnectionHandle) {
        self.handle = handle
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
    }
}

/// The controller failed (Vol 4, Part E, 7.7.16).
public struct HardwareError: HCIEventPayload {
    /// The number of the event.
    public static let code = HCIEventCode.hardwareError

    /// The maker's number for it.
    public var hardwareCode: UInt8

    /// Creates the event.
    public init(hardwareCode: UInt8) {
        self.hardwareCode = hardwareCode
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.hardwareCode = try coder.field("Hardware_Code", \.hardwareCode)
    }
}

/// The host sent more data than there were buffers (Vol 4, Part E, 7.7.26).
public struct DataBufferOverflow: HCIEventPayload {
    /// The number of the event.
    public static let code = HCIEventCode.dataBufferOverflow

    /// The kind of link.
    public var linkType: LinkType

    /// Creates the event.
    public init(linkType: LinkType) {
        self.linkType = linkType
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.linkType = try coder.field("Link_Type", \.linkType)
    }
}
