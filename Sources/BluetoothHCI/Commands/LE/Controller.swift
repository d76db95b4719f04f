// What an LE controller is and can do, and the two services it lends: AES and random numbers (Vol 4, Part E, 7.8).

public import BluetoothTypes

/// Chooses the LE subevents that the host wants (Vol 4, Part E, 7.8.1).
public struct LESetEventMask: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0001)

    /// The subevents.
    public var mask: LEEventMask

    /// Creates the command.
    public init(mask: LEEventMask) {
        self.mask = mask
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.mask = try coder.field("LE_Event_Mask", \.mask)
    }
}

/// Reads the buffers for LE data [v1]; zero where Read Buffer Size reports them (Vol 4, Part E, 7.8.2).
public struct LEReadBufferSize: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0002)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The longest ACL data packet, in octets behind its header.
        public var aclDataPacketLength: UInt16
        /// How many ACL data packets.
        public var aclDataPacketCount: UInt8

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            aclDataPacketLength: UInt16 = 0,
            aclDataPacketCount: UInt8 = 0
        ) {
            self.status = status
            self.aclDataPacketLength = aclDataPacketLength
            self.aclDataPacketCount = aclDataPacketCount
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.aclDataPacketLength = try coder.field("LE_ACL_Data_Packet_Length", \.aclDataPacketLength)
            self.aclDataPacketCount = try coder.field("Total_Num_LE_ACL_Data_Packets", \.aclDataPacketCount)
        }
    }
}

/// Reads the features of the link layer, page 0 (Vol 4, Part E, 7.8.3).
public struct LEReadLocalSupportedFeatures: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0003)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The features.
        public var features: LEFeatures

        /// Creates an answer.
        public init(status: HCIErrorCode = .success, features: LEFeatures = []) {
            self.status = status
            self.features = features
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.features = try coder.field("LE_Features", \.features)
        }
    }
}

/// Sets the random address (Vol 4, Part E, 7.8.4).
public struct LESetRandomAddress: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0005)

    /// The address.
    public var address: DeviceAddress

    /// Creates the command.
    public init(address: DeviceAddress) {
        self.address = address
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.address = try coder.address("Random_Address", \.address, kind: .random)
    }
}

/// Encrypts one block with AES-128 (Vol 4, Part E, 7.8.22).
public struct LEEncrypt: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0017)

    /// The key.
    public var key: Octets16
    /// The block.
    public var plaintext: Octets16

    /// Creates the command.
    public init(key: Octets16, plaintext: Octets16) {
        self.key = key
        self.plaintext = plaintext
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.key = try coder.field("Key", \.key)
        self.plaintext = try coder.field("Plaintext_Data", \.plaintext)
    }

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The encrypted block.
        public var ciphertext: Octets16

        /// Creates an answer.
        public init(status: HCIErrorCode = .success, ciphertext: Octets16 = .zero) {
            self.status = status
            self.ciphertext = ciphertext
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.ciphertext = try coder.field("Encrypted_Data", \.ciphertext)
        }
    }
}

/// Asks for a random number (Vol 4, Part E, 7.8.23).
public struct LERand: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0018)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// 64 random bits.
        public var number: UInt64

        /// Creates an answer.
        public init(status: HCIErrorCode = .success, number: UInt64 = 0) {
            self.status = status
            self.number = number
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.number = try coder.field("Random_Number", \.number)
        }
    }
}

/// Reads what the link layer can do at the same time (Vol 4, Part E, 7.8.27).
public struct LEReadSupportedStates: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x001C)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The states.
        public var states: LEStates

        /// Creates an answer.
        public init(status: HCIErrorCode = .success, states: LEStates = []) {
            self.status = status
            self.states = states
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.states = try coder.field("LE_States", \.states)
        }
    }
}

/// Reads the range of powers at which the controller can send (Vol 4, Part E, 7.8.74).
public struct LEReadTransmitPower: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x004B)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The lowest one.
        public var minimum: TransmitPower
        /// The highest one.
        public var maximum: TransmitPower

        /// Creates an answer.
        public init(status: HCIErrorCode = .success, minimum: TransmitPower = 0, maximum: TransmitPower = 0) {
            self.status = status
            self.minimum = minimum
            self.maximum = maximum
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.minimum = try coder.field("Min_TX_Power", \.minimum)
            self.maximum = try coder.field("Max_TX_Power", \.maximum)
        }
    }
}

/// Reads what lies between the radio and the antenna (Vol 4, Part E, 7.8.75).
public struct LEReadRFPathCompensation: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x004C)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// On sending, in 0.1 dB.
        public var transmitCompensation: Int16
        /// On receiving, in 0.1 dB.
        public var receiveCompensation: Int16

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            transmitCompensation: Int16 = 0,
            receiveCompensation: Int16 = 0
        ) {
            self.status = status
            self.transmitCompensation = transmitCompensation
            self.receiveCompensation = receiveCompensation
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.transmitCompensation = try coder.field("RF_TX_Path_Compensation_Value", \.transmitCompensation)
            self.receiveCompensation = try coder.field("RF_RX_Path_Compensation_Value", \.receiveCompensation)
        }
    }
}

/// Sets the compensation for what lies between the radio and the antenna (Vol 4, Part E, 7.8.76).
public struct LEWriteRFPathCompensation: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x004D)

    /// On sending, in 0.1 dB.
    public var transmitCompensation: Int16
    /// On receiving, in 0.1 dB.
    public var receiveCompensation: Int16

    /// Creates the command.
    public init(transmitCompensation: Int16, receiveCompensation: Int16) {
        self.transmitCompensation = transmitCompensation
        self.receiveCompensation = receiveCompensation
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.transmitCompensation = try coder.field("RF_TX_Path_Compensation_Value", \.transmitCompensation)
        self.receiveCompensation = try coder.field("RF_RX_Path_Compensation_Value", \.receiveCompensation)
    }
}

/// Reads the buffers for LE data and isochronous data [v2] (Vol 4, Part E, 7.8.2).
public struct LEReadBufferSizeV2: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0060)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The longest ACL data packet, in octets behind its header.
        public var aclDataPacketLength: UInt16
        /// How many ACL data packets.
        public var aclDataPacketCount: UInt8
        /// The longest isochronous data packet.
        public var isochronousDataPacketLength: UInt16
        /// How many isochronous data packets.
        public var isochronousDataPacketCount: UInt8

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            aclDataPacketLength: UInt16 = 0,
            aclDataPacketCount: UInt8 = 0,
            isochronousDataPacketLength: UInt16 = 0,
            isochronousDataPacketCount: UInt8 = 0
        ) {
            self.status = status
            self.aclDataPacketLength = aclDataPacketLength
            self.aclDataPacketCount = aclDataPacketCount
            self.isochronousDataPacketLength = isochronousDataPacketLength
            self.isochronousDataPacketCount = isochronousDataPacketCount
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.aclDataPacketLength = try coder.field("LE_ACL_Data_Packet_Length", \.aclDataPacketLength)
            self.aclDataPacketCount = try coder.field("Total_Num_LE_ACL_Data_Packets", \.aclDataPacketCount)
            self.isochronousDataPacketLength = try coder.field("ISO_Data_Packet_Length", \.isochronousDataPacketLength)
            self.isochronousDataPacketCount = try coder.field(
                "Total_Num_ISO_Data_Packets",
                \.isochronousDataPacketCount
            )
        }
    }
}

/// Sets or clears a feature bit that is the host's (Vol 4, Part E, 7.8.115).
public struct LESetHostFeature: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0074)

    /// The number of the bit.
    public var bit: UInt8
    /// Whether the host has the feature.
    public var isSupported: Bool

    /// Creates the command.
    public init(bit: UInt8, isSupported: Bool) {
        self.bit = bit
        self.isSupported = isSupported
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.bit = try coder.field("Bit_Number", \.bit)
        self.isSupported = try coder.field("Bit_Value", \.isSupported)
    }
}
