// Events that LE links share with BR/EDR (Vol 4, Part E, 7.7).

public import BluetoothTypes
public import NIOCore

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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.status, self.handle, self.reason)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            status: try bytes.readParameter("Status"),
            handle: try bytes.readParameter("Connection_Handle"),
            reason: try bytes.readParameter("Reason")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.status, self.handle, self.encryption)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            status: try bytes.readParameter("Status"),
            handle: try bytes.readParameter("Connection_Handle"),
            encryption: try bytes.readParameter("Encryption_Enabled")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.status, self.handle, self.encryption, self.keySize)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            status: try bytes.readParameter("Status"),
            handle: try bytes.readParameter("Connection_Handle"),
            encryption: try bytes.readParameter("Encryption_Enabled"),
            keySize: try bytes.readParameter("Encryption_Key_Size")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.status, self.handle) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            status: try bytes.readParameter("Status"),
            handle: try bytes.readParameter("Connection_Handle")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.status, self.handle, self.version, self.company, self.subversion)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            status: try bytes.readParameter("Status"),
            handle: try bytes.readParameter("Connection_Handle"),
            version: try bytes.readParameter("Version"),
            company: try bytes.readParameter("Company_Identifier"),
            subversion: try bytes.readParameter("Subversion")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.handle.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.hardwareCode.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            hardwareCode: try bytes.readParameter("Hardware_Code")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.linkType.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            linkType: try bytes.readParameter("Link_Type")
        )
    }
}
