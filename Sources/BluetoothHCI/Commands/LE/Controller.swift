// Properties of an LE controller, and the services that it offers: AES and random numbers (Vol 4, Part E, 7.8).

package import BluetoothTypes

/// Sets the LE subevents that the host wants (Vol 4, Part E, 7.8.1).
package struct LESetEventMask: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0001)
    package var mask: LEEventMask
    package init(mask: LEEventMask) { self.mask = mask }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.mask = try coder.field("LE_Event_Mask", \.mask)
    }
}

/// Reads the buffers for LE data [v1]; zero if Read Buffer Size reports them (Vol 4, Part E, 7.8.2).
package struct LEReadBufferSize: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x0002)
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        /// Octets of payload, without the header.
        package var aclDataPacketLength: UInt16
        package var aclDataPacketCount: UInt8

        package init(status: HCIErrorCode = .success, aclDataPacketLength: UInt16 = 0, aclDataPacketCount: UInt8 = 0) {
            self.status = status
            self.aclDataPacketLength = aclDataPacketLength
            self.aclDataPacketCount = aclDataPacketCount
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.aclDataPacketLength = try coder.field("LE_ACL_Data_Packet_Length", \.aclDataPacketLength)
            self.aclDataPacketCount = try coder.field("Total_Num_LE_ACL_Data_Packets", \.aclDataPacketCount)
        }
    }
}

/// Reads the features of the link layer, page 0 (Vol 4, Part E, 7.8.3).
package struct LEReadLocalSupportedFeatures: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x0003)
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var features: LEFeatures

        package init(status: HCIErrorCode = .success, features: LEFeatures = []) {
            (self.status, self.features) = (status, features)
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.features = try coder.field("LE_Features", \.features)
        }
    }
}

/// Sets the random address (Vol 4, Part E, 7.8.4).
package struct LESetRandomAddress: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0005)
    package var address: DeviceAddress
    package init(address: DeviceAddress) { self.address = address }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.address = try coder.address("Random_Address", \.address, kind: .random)
    }
}

/// Encrypts one block with AES-128 (Vol 4, Part E, 7.8.22).
package struct LEEncrypt: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0017)
    package var key: Octets16
    package var plaintext: Octets16
    package init(key: Octets16, plaintext: Octets16) { (self.key, self.plaintext) = (key, plaintext) }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.key = try coder.field("Key", \.key)
        self.plaintext = try coder.field("Plaintext_Data", \.plaintext)
    }

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var ciphertext: Octets16

        package init(status: HCIErrorCode = .success, ciphertext: Octets16 = .zero) {
            (self.status, self.ciphertext) = (status, ciphertext)
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.ciphertext = try coder.field("Encrypted_Data", \.ciphertext)
        }
    }
}

/// Reads 64 random bits (Vol 4, Part E, 7.8.23).
package struct LERand: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x0018)
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var number: UInt64

        package init(status: HCIErrorCode = .success, number: UInt64 = 0) {
            (self.status, self.number) = (status, number)
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.number = try coder.field("Random_Number", \.number)
        }
    }
}

/// Reads the supported states and combinations of states of the link layer (Vol 4, Part E, 7.8.27).
package struct LEReadSupportedStates: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x001C)
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var states: LEStates

        package init(status: HCIErrorCode = .success, states: LEStates = []) {
            (self.status, self.states) = (status, states)
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.states = try coder.field("LE_States", \.states)
        }
    }
}

/// Reads the range of transmit powers (Vol 4, Part E, 7.8.74).
package struct LEReadTransmitPower: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x004B)
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var minimum: TransmitPower
        package var maximum: TransmitPower

        package init(status: HCIErrorCode = .success, minimum: TransmitPower = 0, maximum: TransmitPower = 0) {
            (self.status, self.minimum, self.maximum) = (status, minimum, maximum)
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.minimum = try coder.field("Min_TX_Power", \.minimum)
            self.maximum = try coder.field("Max_TX_Power", \.maximum)
        }
    }
}

/// Reads the gain between the radio and the antenna (Vol 4, Part E, 7.8.75).
package struct LEReadRFPathCompensation: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x004C)
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        /// In units of 0.1 dB.
        package var transmitCompensation: Int16
        /// In units of 0.1 dB.
        package var receiveCompensation: Int16

        package init(status: HCIErrorCode = .success, transmitCompensation: Int16 = 0, receiveCompensation: Int16 = 0) {
            self.status = status
            self.transmitCompensation = transmitCompensation
            self.receiveCompensation = receiveCompensation
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.transmitCompensation = try coder.field("RF_TX_Path_Compensation_Value", \.transmitCompensation)
            self.receiveCompensation = try coder.field("RF_RX_Path_Compensation_Value", \.receiveCompensation)
        }
    }
}

/// Sets the gain between the radio and the antenna (Vol 4, Part E, 7.8.76).
package struct LEWriteRFPathCompensation: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x004D)
    /// In units of 0.1 dB.
    package var transmitCompensation: Int16
    /// In units of 0.1 dB.
    package var receiveCompensation: Int16

    package init(transmitCompensation: Int16, receiveCompensation: Int16) {
        (self.transmitCompensation, self.receiveCompensation) = (transmitCompensation, receiveCompensation)
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.transmitCompensation = try coder.field("RF_TX_Path_Compensation_Value", \.transmitCompensation)
        self.receiveCompensation = try coder.field("RF_RX_Path_Compensation_Value", \.receiveCompensation)
    }
}

/// Reads the buffers for LE data and isochronous data [v2] (Vol 4, Part E, 7.8.2).
package struct LEReadBufferSizeV2: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x0060)
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        /// Octets of payload, without the header.
        package var aclDataPacketLength: UInt16
        package var aclDataPacketCount: UInt8
        package var isochronousDataPacketLength: UInt16
        package var isochronousDataPacketCount: UInt8

        package init(
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

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
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
package struct LESetHostFeature: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0074)
    package var bit: UInt8
    package var isSupported: Bool
    package init(bit: UInt8, isSupported: Bool) { (self.bit, self.isSupported) = (bit, isSupported) }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.bit = try coder.field("Bit_Number", \.bit)
        self.isSupported = try coder.field("Bit_Value", \.isSupported)
    }
}
