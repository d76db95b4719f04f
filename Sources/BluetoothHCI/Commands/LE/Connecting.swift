// Establishing a link and changing its parameters (Vol 4, Part E, 7.8.12, 7.8.13, 7.8.18 to 7.8.21, 7.8.31, 7.8.32).

package import BluetoothTypes

/// Connects to an advertising device; LE Connection Complete follows (Vol 4, Part E, 7.8.12).
package struct LECreateConnection: HCICommand {
    package typealias ReturnParameters = NoReturnParameters
    package static let opcode = HCIOpcode(.leController, 0x000D)
    package var scanInterval: ScanInterval
    package var scanWindow: ScanInterval
    package var filterPolicy: InitiatorFilterPolicy
    /// Ignored if the filter accept list is used.
    package var peer: DeviceAddress
    package var ownAddressType: OwnAddressType
    package var parameters: ConnectionParameters

    package init(
        scanInterval: ScanInterval,
        scanWindow: ScanInterval,
        filterPolicy: InitiatorFilterPolicy = .peer,
        peer: DeviceAddress = .none,
        ownAddressType: OwnAddressType = .public,
        parameters: ConnectionParameters
    ) {
        self.scanInterval = scanInterval
        self.scanWindow = scanWindow
        self.filterPolicy = filterPolicy
        self.peer = peer
        self.ownAddressType = ownAddressType
        self.parameters = parameters
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.scanInterval = try coder.field("LE_Scan_Interval", \.scanInterval)
        self.scanWindow = try coder.field("LE_Scan_Window", \.scanWindow)
        self.filterPolicy = try coder.field("Initiator_Filter_Policy", \.filterPolicy)
        self.peer = try coder.field("Peer_Address", \.peer)
        self.ownAddressType = try coder.field("Own_Address_Type", \.ownAddressType)
        self.parameters = try coder.group(\.parameters)
    }
}

/// Cancels connecting; LE Connection Complete follows (Vol 4, Part E, 7.8.13).
package struct LECreateConnectionCancel: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x000E)
    package init() {}
}

/// Changes the parameters of a link; LE Connection Update Complete follows (Vol 4, Part E, 7.8.18).
package struct LEConnectionUpdate: HCICommand {
    package typealias ReturnParameters = NoReturnParameters
    package static let opcode = HCIOpcode(.leController, 0x0013)
    package var handle: ConnectionHandle
    package var parameters: ConnectionParameters

    package init(handle: ConnectionHandle, parameters: ConnectionParameters) {
        (self.handle, self.parameters) = (handle, parameters)
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.parameters = try coder.group(\.parameters)
    }
}

/// Sets which data channels may be used (Vol 4, Part E, 7.8.19).
package struct LESetHostChannelClassification: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0014)
    package var channels: ChannelMap
    package init(channels: ChannelMap) { self.channels = channels }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.channels = try coder.field("Channel_Map", \.channels)
    }
}

/// Reads the data channels that a link uses (Vol 4, Part E, 7.8.20).
package struct LEReadChannelMap: HCICommandForLink {
    package static let opcode = HCIOpcode(.leController, 0x0015)
    package var handle: ConnectionHandle
    package init(handle: ConnectionHandle) { self.handle = handle }

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var handle: ConnectionHandle
        package var channels: ChannelMap

        package init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0),
            channels: ChannelMap = ChannelMap(rawValue: 0)
        ) {
            (self.status, self.handle, self.channels) = (status, handle, channels)
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.handle = try coder.field("Connection_Handle", \.handle)
            self.channels = try coder.field("Channel_Map", \.channels)
        }
    }
}

/// Requests a peer's features; LE Read Remote Features Complete follows (Vol 4, Part E, 7.8.21).
package struct LEReadRemoteFeatures: HCICommandForLink {
    package typealias ReturnParameters = NoReturnParameters
    package static let opcode = HCIOpcode(.leController, 0x0016)
    package var handle: ConnectionHandle
    package init(handle: ConnectionHandle) { self.handle = handle }
}

/// Accepts the parameters that a peer requests (Vol 4, Part E, 7.8.31).
package struct LERemoteConnectionParameterRequestReply: HCICommand {
    package typealias ReturnParameters = LinkReturnParameters
    package static let opcode = HCIOpcode(.leController, 0x0020)
    package var handle: ConnectionHandle
    package var parameters: ConnectionParameters

    package init(handle: ConnectionHandle, parameters: ConnectionParameters) {
        (self.handle, self.parameters) = (handle, parameters)
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.parameters = try coder.group(\.parameters)
    }
}

/// Rejects the parameters that a peer requests (Vol 4, Part E, 7.8.32).
package struct LERemoteConnectionParameterRequestNegativeReply: HCICommand {
    package typealias ReturnParameters = LinkReturnParameters
    package static let opcode = HCIOpcode(.leController, 0x0021)
    package var handle: ConnectionHandle
    package var reason: HCIErrorCode

    package init(handle: ConnectionHandle, reason: HCIErrorCode = .unacceptableConnectionParameters) {
        (self.handle, self.reason) = (handle, reason)
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.reason = try coder.field("Reason", \.reason)
    }
}
