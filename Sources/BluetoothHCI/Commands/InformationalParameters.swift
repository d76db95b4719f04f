// Informational Parameters (Vol 4, Part E, 7.4).

package import BluetoothTypes

/// Reads the versions of the controller (Vol 4, Part E, 7.4.1).
public struct ReadLocalVersionInformation: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.informationalParameters, 0x0001)
    public init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var hciVersion: CoreVersion
        package var hciSubversion: UInt16
        package var linkLayerVersion: CoreVersion
        package var company: UInt16
        package var linkLayerSubversion: UInt16

        package init(
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

/// Reads the commands that the controller supports (Vol 4, Part E, 7.4.2).
package struct ReadLocalSupportedCommands: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.informationalParameters, 0x0002)
    package init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        package var commands: SupportedCommands

        package init(status: HCIErrorCode = .success, commands: SupportedCommands = SupportedCommands()) {
            (self.status, self.commands) = (status, commands)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.commands = try coder.field("Supported_Commands", \.commands)
        }
    }
}

/// Reads the features of the link manager (Vol 4, Part E, 7.4.3).
package struct ReadLocalSupportedFeatures: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.informationalParameters, 0x0003)
    package init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        package var features: LMPFeatures

        package init(status: HCIErrorCode = .success, features: LMPFeatures = []) {
            (self.status, self.features) = (status, features)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.features = try coder.field("LMP_Features", \.features)
        }
    }
}

/// Reads the buffers of a controller that shares them between LE and BR/EDR (Vol 4, Part E, 7.4.5).
package struct ReadBufferSize: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.informationalParameters, 0x0005)
    package init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        /// Octets of payload, without the header.
        package var aclDataPacketLength: UInt16
        package var synchronousDataPacketLength: UInt8
        package var aclDataPacketCount: UInt16
        package var synchronousDataPacketCount: UInt16

        package init(
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

/// Reads the public address; zero if the controller has none (Vol 4, Part E, 7.4.6).
package struct ReadBDADDR: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.informationalParameters, 0x0009)
    package init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        package var address: DeviceAddress

        package init(status: HCIErrorCode = .success, address: DeviceAddress = .none) {
            (self.status, self.address) = (status, address)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.address = try coder.address("BD_ADDR", \.address, kind: .public)
        }
    }
}
