// Informational Parameters (Vol 4, Part E, 7.4): what the controller is and can do.

public import BluetoothTypes

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

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.hciVersion = try coder.field("HCI_Version", \.hciVersion)
            self.hciSubversion = try coder.field("HCI_Subversion", \.hciSubversion)
            self.linkLayerVersion = try coder.field("LMP_Version", \.linkLayerVersion)
            self.company = try coder.field("Company_Identifier", \.company)
            self.linkLayerSubversion = try coder.field("LMP_Subversion", \.linkLayerSubversion)
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

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.commands = try coder.field("Supported_Commands", \.commands)
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

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.features = try coder.field("LMP_Features", \.features)
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

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.aclDataPacketLength = try coder.field("ACL_Data_Packet_Length", \.aclDataPacketLength)
            self.synchronousDataPacketLength = try coder.field(
                "Synchronous_Data_Packet_Length",
                \.synchronousDataPacketLength
            )
            self.aclDataPacketCount = try coder.field("Total_Num_ACL_Data_Packets", \.aclDataPacketCount)
            self.synchronousDataPacketCount = try coder.field(
                "Total_Num_Synchronous_Data_Packets",
                \.synchronousDataPacketCount
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

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.address = try coder.address("BD_ADDR", \.address, kind: .public)
        }
    }
}
