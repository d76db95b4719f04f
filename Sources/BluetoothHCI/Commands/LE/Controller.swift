// Properties of an LE controller, and the services that it offers: AES and random numbers (Vol 4, Part E, 7.8).

public import BluetoothTypes

/// Sets the LE subevents that the host wants (Vol 4, Part E, 7.8.1).
public struct LESetEventMask: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0001)
    public var mask: LEEventMask
    public init(mask: LEEventMask) { self.mask = mask }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.mask = try coder.field("LE_Event_Mask", \.mask)
    }
}

/// Reads the buffers for LE data [v1]; zero if Read Buffer Size reports them (Vol 4, Part E, 7.8.2).
public struct LEReadBufferSize: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.leController, 0x0002)
    public init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        /// Octets of payload, without the header.
        public var aclDataPacketLength: UInt16
        public var aclDataPacketCount: UInt8

        public init(status: HCIErrorCode = .success, aclDataPacketLength: UInt16 = 0, aclDataPacketCount: UInt8 = 0) {
            self.status = status
            self.aclDataPacketLength = aclDataPacketLength
            self.aclDataPacketCount = aclDataPacketCount
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.aclDataPacketLength = try coder.field("LE_ACL_Data_Packet_Length", \.aclDataPacketLength)
            self.aclDataPacketCount = try coder.field("Total_Num_LE_ACL_Data_Packets", \.aclDataPacketCount)
        }
    }
}

/// Reads the features of the link layer, page 0 (Vol 4, Part E, 7.8.3).
public struct LEReadLocalSupportedFeatures: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.leController, 0x0003)
    public init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var features: LEFeatures

        public init(status: HCIErrorCode = .success, features: LEFeatures = []) {
            (self.status, self.features) = (status, features)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.features = try coder.field("LE_Features", \.features)
        }
    }
}

/// Sets the random address (Vol 4, Part E, 7.8.4).
public struct LESetRandomAddress: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0005)
    public var address: DeviceAddress
    public init(address: DeviceAddress) { self.address = address }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.address = try coder.address("Random_Address", \.address, kind: .random)
    }
}

/// Encrypts one block with AES-128 (Vol 4, Part E, 7.8.22).
public struct LEEncrypt: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0017)
    public var key: Octets16
    public var plaintext: Octets16
    public init(key: Octets16, plaintext: Octets16) { (self.key, self.plaintext) = (key, plaintext) }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.key = try coder.field("Key", \.key)
        self.plaintext = try coder.field("Plaintext_Data", \.plaintext)
    }

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var ciphertext: Octets16

        public init(status: HCIErrorCode = .success, ciphertext: Octets16 = .zero) {
            (self.status, self.ciphertext) = (status, ciphertext)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.ciphertext = try coder.field("Encrypted_Data", \.ciphertext)
        }
    }
}

/// Reads 64 random bits (Vol 4, Part E, 7.8.23).
public struct LERand: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.leController, 0x0018)
    public init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var number: UInt64

        public init(status: HCIErrorCode = .success, number: UInt64 = 0) {
            (self.status, self.number) = (status, number)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.number = try coder.field("Random_Number", \.number)
        }
    }
}

/// Reads the supported states and combinations of states of the link layer (Vol 4, Part E, 7.8.27).
public struct LEReadSupportedStates: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.leController, 0x001C)
    public init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var states: LEStates

        public init(status: HCIErrorCode = .success, states: LEStates = []) {
            (self.status, self.states) = (status, states)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.states = try coder.field("LE_States", \.states)
        }
    }
}

/// Reads the range of transmit powers (Vol 4, Part E, 7.8.74).
public struct LEReadTransmitPower: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.leController, 0x004B)
    public init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var minimum: TransmitPower
        public var maximum: TransmitPower

        public init(status: HCIErrorCode = .success, minimum: TransmitPower = 0, maximum: TransmitPower = 0) {
            (self.status, self.minimum, self.maximum) = (status, minimum, maximum)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.minimum = try coder.field("Min_TX_Power", \.minimum)
            self.maximum = try coder.field("Max_TX_Power", \.maximum)
        }
    }
}

/// Reads the gain between the radio and the antenna (Vol 4, Part E, 7.8.75).
public struct LEReadRFPathCompensation: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.leController, 0x004C)
    public init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        /// In units of 0.1 dB.
        public var transmitCompensation: Int16
        /// In units of 0.1 dB.
        public var receiveCompensation: Int16

        public init(status: HCIErrorCode = .success, transmitCompensation: Int16 = 0, receiveCompensation: Int16 = 0) {
            self.status = status
            self.transmitCompensation = transmitCompensation
            self.receiveCompensation = receiveCompensation
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.transmitCompensation = try coder.field("RF_TX_Path_Compensation_Value", \.transmitCompensation)
            self.receiveCompensation = try coder.field("RF_RX_Path_Compensation_Value", \.receiveCompensation)
        }
    }
}

/// Sets the gain between the radio and the antenna (Vol 4, Part E, 7.8.76).
public struct LEWriteRFPathCompensation: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x004D)
    /// In units of 0.1 dB.
    public var transmitCompensation: Int16
    /// In units of 0.1 dB.
    public var receiveCompensation: Int16

    public init(transmitCompensation: Int16, receiveCompensation: Int16) {
        (self.transmitCompensation, self.receiveCompensation) = (transmitCompensation, receiveCompensation)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.transmitCompensation = try coder.field("RF_TX_Path_Compensation_Value", \.transmitCompensation)
        self.receiveCompensation = try coder.field("RF_RX_Path_Compensation_Value", \.receiveCompensation)
    }
}

/// Reads the buffers for LE data and isochronous data [v2] (Vol 4, Part E, 7.8.2).
public struct LEReadBufferSizeV2: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.leController, 0x0060)
    public init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        /// Octets of payload, without the header.
        public var aclDataPacketLength: UInt16
        public var aclDataPacketCount: UInt8
        public var isochronousDataPacketLength: UInt16
        public var isochronousDataPacketCount: UInt8

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

/// Sets or clears a feature bit that the host controls (Vol 4, Part E, 7.8.115).
public struct LESetHostFeature: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0074)
    public var bit: UInt8
    public var isSupported: Bool
    public init(bit: UInt8, isSupported: Bool) { (self.bit, self.isSupported) = (bit, isSupported) }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.bit = try coder.field("Bit_Number", \.bit)
        self.isSupported = try coder.field("Bit_Value", \.isSupported)
    }
}
