// Informational Parameters (Vol 4, Part E, 7.4): what the controller is and can do.

public import BluetoothTypes
public import NIOCore

/// Reads the versions that the controller speaks (Vol 4, Part E, 7.4.1).
public struct ReadLocalVersionInformation: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.informationalParameters, 0x0001)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The version of HCI.
        public var hciVersion: CoreVersion
        /// The maker's revision of HCI.
        public var hciSubversion: UInt16
        /// The version of the link layer.
        public var linkLayerVersion: CoreVersion
        /// The maker.
        public var company: UInt16
        /// The maker's revision of the link layer.
        public var linkLayerSubversion: UInt16

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            hciVersion: CoreVersion = CoreVersion(rawValue: 0),
            hciSubversion: UInt16 = 0,
            linkLayerVersion: CoreVersion = CoreVersion(rawValue: 0),
            company: UInt16 = 0,
            linkLayerSubversion: UInt16 = 0
        ) {
            self.status = status
            self.hciVersion = hciVersion
            self.hciSubversion = hciSubversion
            self.linkLayerVersion = linkLayerVersion
            self.company = company
            self.linkLayerSubversion = linkLayerSubversion
        }

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) {
            bytes.writeParameters(
                self.status,
                self.hciVersion,
                self.hciSubversion,
                self.linkLayerVersion,
                self.company,
                self.linkLayerSubversion
            )
        }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 8),
                hciVersion: try bytes.readParameter("HCI_Version"),
                hciSubversion: try bytes.readParameter("HCI_Subversion"),
                linkLayerVersion: try bytes.readParameter("LMP_Version"),
                company: try bytes.readParameter("Company_Identifier"),
                linkLayerSubversion: try bytes.readParameter("LMP_Subversion")
            )
        }
    }
}

/// Reads which commands the controller knows (Vol 4, Part E, 7.4.2).
public struct ReadLocalSupportedCommands: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.informationalParameters, 0x0002)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The commands.
        public var commands: SupportedCommands

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            commands: SupportedCommands = SupportedCommands()
        ) {
            self.status = status
            self.commands = commands
        }

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.status, self.commands) }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 64),
                commands: try bytes.readParameter("Supported_Commands")
            )
        }
    }
}

/// Reads the features of the link manager (Vol 4, Part E, 7.4.3).
public struct ReadLocalSupportedFeatures: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.informationalParameters, 0x0003)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The features.
        public var features: LMPFeatures

        /// Creates an answer.
        public init(status: HCIErrorCode = .success, features: LMPFeatures = []) {
            self.status = status
            self.features = features
        }

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.status, self.features) }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 8),
                features: try bytes.readParameter("LMP_Features")
            )
        }
    }
}

/// Reads the buffers of a controller that has one pool for both radios (Vol 4, Part E, 7.4.5).
public struct ReadBufferSize: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.informationalParameters, 0x0005)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The longest ACL data packet, in octets behind its header.
        public var aclDataPacketLength: UInt16
        /// The longest synchronous data packet.
        public var synchronousDataPacketLength: UInt8
        /// How many ACL data packets.
        public var aclDataPacketCount: UInt16
        /// How many synchronous data packets.
        public var synchronousDataPacketCount: UInt16

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            aclDataPacketLength: UInt16 = 0,
            synchronousDataPacketLength: UInt8 = 0,
            aclDataPacketCount: UInt16 = 0,
            synchronousDataPacketCount: UInt16 = 0
        ) {
            self.status = status
            self.aclDataPacketLength = aclDataPacketLength
            self.synchronousDataPacketLength = synchronousDataPacketLength
            self.aclDataPacketCount = aclDataPacketCount
            self.synchronousDataPacketCount = synchronousDataPacketCount
        }

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) {
            bytes.writeParameters(
                self.status,
                self.aclDataPacketLength,
                self.synchronousDataPacketLength,
                self.aclDataPacketCount,
                self.synchronousDataPacketCount
            )
        }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 7),
                aclDataPacketLength: try bytes.readParameter("ACL_Data_Packet_Length"),
                synchronousDataPacketLength: try bytes.readParameter("Synchronous_Data_Packet_Length"),
                aclDataPacketCount: try bytes.readParameter("Total_Num_ACL_Data_Packets"),
                synchronousDataPacketCount: try bytes.readParameter("Total_Num_Synchronous_Data_Packets")
            )
        }
    }
}

/// Reads the public address; zero where the controller has none (Vol 4, Part E, 7.4.6).
public struct ReadBDADDR: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.informationalParameters, 0x0009)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The address.
        public var address: DeviceAddress

        /// Creates an answer.
        public init(status: HCIErrorCode = .success, address: DeviceAddress = .none) {
            self.status = status
            self.address = address
        }

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) {
            self.status.write(into: &bytes)
            self.address.encode(into: &bytes)
        }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 6),
                address: try DeviceAddress(parsing: &bytes, kind: .public, "BD_ADDR")
            )
        }
    }
}
