// The PHYs of a link (Vol 4, Part E, 7.8.47 to 7.8.49).

package import BluetoothTypes

/// The PHYs that a host prefers (Vol 4, Part E, 7.8.48).
package struct PHYPreference: HCIParameters {
    /// `nil` for no preference.
    package var transmitter: PHYSet?
    /// `nil` for no preference.
    package var receiver: PHYSet?

    package init(transmitter: PHYSet?, receiver: PHYSet?) {
        (self.transmitter, self.receiver) = (transmitter, receiver)
    }

    /// Bit 0: no preference for transmission; bit 1: none for reception.
    private var allPHYs: UInt8 { (self.transmitter == nil ? 1 : 0) | (self.receiver == nil ? 2 : 0) }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        let allPHYs = try coder.field("ALL_PHYs", \.allPHYs)
        let transmitter = try coder.field("TX_PHYs") { $0.transmitter ?? [] }
        let receiver = try coder.field("RX_PHYs") { $0.receiver ?? [] }
        self.transmitter = allPHYs & 1 == 0 ? transmitter : nil
        self.receiver = allPHYs & 2 == 0 ? receiver : nil
    }
}

/// Reads the PHYs of a link (Vol 4, Part E, 7.8.47).
package struct LEReadPHY: HCICommandForLink {
    package static let opcode = HCIOpcode(.leController, 0x0030)
    package var handle: ConnectionHandle
    package init(handle: ConnectionHandle) { self.handle = handle }

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var handle: ConnectionHandle
        package var transmitter: PHY
        package var receiver: PHY

        package init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0),
            transmitter: PHY = .le1M,
            receiver: PHY = .le1M
        ) {
            (self.status, self.handle, self.transmitter, self.receiver) = (status, handle, transmitter, receiver)
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.handle = try coder.field("Connection_Handle", \.handle)
            self.transmitter = try coder.field("TX_PHY", \.transmitter)
            self.receiver = try coder.field("RX_PHY", \.receiver)
        }
    }
}

/// Sets the preferred PHYs of new links (Vol 4, Part E, 7.8.48).
package struct LESetDefaultPHY: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0031)
    package var preference: PHYPreference
    package init(preference: PHYPreference) { self.preference = preference }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.preference = try coder.group(\.preference)
    }
}

/// Requests other PHYs for a link; LE PHY Update Complete follows (Vol 4, Part E, 7.8.49).
package struct LESetPHY: HCICommand {
    package typealias ReturnParameters = NoReturnParameters
    package static let opcode = HCIOpcode(.leController, 0x0032)
    package var handle: ConnectionHandle
    package var preference: PHYPreference
    /// Preferred coding if the PHY is LE Coded.
    package var options: PHYOptions

    package init(handle: ConnectionHandle, preference: PHYPreference, options: PHYOptions = .noPreference) {
        (self.handle, self.preference, self.options) = (handle, preference, options)
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.preference = try coder.group(\.preference)
        self.options = try coder.field("PHY_Options", \.options)
    }
}
