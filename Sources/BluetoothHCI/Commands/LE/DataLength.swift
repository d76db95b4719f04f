// The packet lengths of a link (Vol 4, Part E, 7.8.33 to 7.8.35 and 7.8.46).

/// The limits of data packets on the air (Vol 6, Part B, 4.5.10).
package enum DataPacketLimits {
    /// The octets of payload that every controller supports.
    package static let minimumOctets: UInt16 = 27
    /// Their air time on LE 1M, in µs.
    package static let minimumTime: UInt16 = 328
    /// The largest payload, in octets.
    package static let maximumOctets: UInt16 = 251
    /// Their air time on LE 1M, in µs.
    package static let maximumTimeOn1M: UInt16 = 2_120
    /// Its air time on LE Coded, in µs.
    package static let maximumTime: UInt16 = 17_040
    /// Valid payload sizes, in octets.
    package static let octets = minimumOctets...maximumOctets
    /// Valid packet times, in µs.
    package static let times = minimumTime...maximumTime
}

/// Suggests the maximum packet length of a link (Vol 4, Part E, 7.8.33).
package struct LESetDataLength: HCICommand {
    package typealias ReturnParameters = LinkReturnParameters
    package static let opcode = HCIOpcode(.leController, 0x0022)
    package var handle: ConnectionHandle
    /// 27 to 251 octets of payload.
    package var transmitOctets: UInt16
    /// 328 to 17,040 µs.
    package var transmitTime: UInt16

    package init(handle: ConnectionHandle, transmitOctets: UInt16, transmitTime: UInt16) {
        (self.handle, self.transmitOctets, self.transmitTime) = (handle, transmitOctets, transmitTime)
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.transmitOctets = try coder.field("TX_Octets", \.transmitOctets)
        self.transmitTime = try coder.field("TX_Time", \.transmitTime)
    }
}

/// Reads the initial packet length of new links (Vol 4, Part E, 7.8.34).
package struct LEReadSuggestedDefaultDataLength: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x0023)
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        /// 27 to 251 octets of payload.
        package var transmitOctets: UInt16
        /// 328 to 17,040 µs.
        package var transmitTime: UInt16

        package init(status: HCIErrorCode = .success, transmitOctets: UInt16 = 0, transmitTime: UInt16 = 0) {
            (self.status, self.transmitOctets, self.transmitTime) = (status, transmitOctets, transmitTime)
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.transmitOctets = try coder.field("TX_Octets", \.transmitOctets)
            self.transmitTime = try coder.field("TX_Time", \.transmitTime)
        }
    }
}

/// Sets the initial packet length of new links (Vol 4, Part E, 7.8.35).
package struct LEWriteSuggestedDefaultDataLength: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0024)
    /// 27 to 251 octets of payload.
    package var transmitOctets: UInt16
    /// 328 to 17,040 µs.
    package var transmitTime: UInt16

    package init(transmitOctets: UInt16, transmitTime: UInt16) {
        (self.transmitOctets, self.transmitTime) = (transmitOctets, transmitTime)
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.transmitOctets = try coder.field("TX_Octets", \.transmitOctets)
        self.transmitTime = try coder.field("TX_Time", \.transmitTime)
    }
}

/// Reads the maximum packet lengths of the controller (Vol 4, Part E, 7.8.46).
package struct LEReadMaximumDataLength: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x002F)
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var transmitOctets: UInt16
        /// In µs.
        package var transmitTime: UInt16
        package var receiveOctets: UInt16
        /// In µs.
        package var receiveTime: UInt16

        package init(
            status: HCIErrorCode = .success,
            transmitOctets: UInt16 = 0,
            transmitTime: UInt16 = 0,
            receiveOctets: UInt16 = 0,
            receiveTime: UInt16 = 0
        ) {
            self.status = status
            self.transmitOctets = transmitOctets
            self.transmitTime = transmitTime
            self.receiveOctets = receiveOctets
            self.receiveTime = receiveTime
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.transmitOctets = try coder.field("Supported_Max_TX_Octets", \.transmitOctets)
            self.transmitTime = try coder.field("Supported_Max_TX_Time", \.transmitTime)
            self.receiveOctets = try coder.field("Supported_Max_RX_Octets", \.receiveOctets)
            self.receiveTime = try coder.field("Supported_Max_RX_Time", \.receiveTime)
        }
    }
}
