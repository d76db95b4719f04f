// Resolvable private addresses: the list of keys with which the controller resolves and generates them (Vol 4, Part E,
// 7.8.38 to 7.8.45 and 7.8.77).

package import BluetoothTypes

/// Adds a device and its keys to the resolving list (Vol 4, Part E, 7.8.38).
package struct LEAddDeviceToResolvingList: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0027)
    package var peer: DeviceAddress
    /// Zero if the peer has none.
    package var peerIdentityResolvingKey: Octets16
    /// The key for our address towards the peer; zero for none.
    package var localIdentityResolvingKey: Octets16

    package init(peer: DeviceAddress, peerIdentityResolvingKey: Octets16, localIdentityResolvingKey: Octets16) {
        self.peer = peer
        self.peerIdentityResolvingKey = peerIdentityResolvingKey
        self.localIdentityResolvingKey = localIdentityResolvingKey
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.peer = try coder.field("Peer_Identity_Address", \.peer)
        self.peerIdentityResolvingKey = try coder.field("Peer_IRK", \.peerIdentityResolvingKey)
        self.localIdentityResolvingKey = try coder.field("Local_IRK", \.localIdentityResolvingKey)
    }
}

/// Removes a device from the resolving list (Vol 4, Part E, 7.8.39).
package struct LERemoveDeviceFromResolvingList: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0028)
    package var peer: DeviceAddress
    package init(peer: DeviceAddress) { self.peer = peer }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.peer = try coder.field("Peer_Identity_Address", \.peer)
    }
}

/// Clears the resolving list (Vol 4, Part E, 7.8.40).
package struct LEClearResolvingList: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x0029)
    package init() {}
}

/// Reads the capacity of the resolving list (Vol 4, Part E, 7.8.41).
package struct LEReadResolvingListSize: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x002A)
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var size: UInt8
        package init(status: HCIErrorCode = .success, size: UInt8 = 0) { (self.status, self.size) = (status, size) }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.size = try coder.field("Resolving_List_Size", \.size)
        }
    }
}

/// Reads a peer's current resolvable private address (Vol 4, Part E, 7.8.42).
package struct LEReadPeerResolvableAddress: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x002B)
    package var peer: DeviceAddress
    package init(peer: DeviceAddress) { self.peer = peer }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.peer = try coder.field("Peer_Identity_Address", \.peer)
    }

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var address: DeviceAddress

        package init(status: HCIErrorCode = .success, address: DeviceAddress = .none) {
            (self.status, self.address) = (status, address)
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.address = try coder.address("Peer_Resolvable_Address", \.address, kind: .random)
        }
    }
}

/// Reads the current resolvable private address towards a peer (Vol 4, Part E, 7.8.43).
package struct LEReadLocalResolvableAddress: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x002C)
    package var peer: DeviceAddress
    package init(peer: DeviceAddress) { self.peer = peer }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.peer = try coder.field("Peer_Identity_Address", \.peer)
    }

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var address: DeviceAddress

        package init(status: HCIErrorCode = .success, address: DeviceAddress = .none) {
            (self.status, self.address) = (status, address)
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.address = try coder.address("Local_Resolvable_Address", \.address, kind: .random)
        }
    }
}

/// Turns address resolution on or off (Vol 4, Part E, 7.8.44).
package struct LESetAddressResolutionEnable: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x002D)
    package var isEnabled: Bool
    package init(isEnabled: Bool) { self.isEnabled = isEnabled }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.isEnabled = try coder.field("Address_Resolution_Enable", \.isEnabled)
    }
}

/// Sets the lifetime of a resolvable private address (Vol 4, Part E, 7.8.45).
package struct LESetResolvablePrivateAddressTimeout: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x002E)
    package var timeout: ResolvablePrivateAddressTimeout
    package init(timeout: ResolvablePrivateAddressTimeout) { self.timeout = timeout }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.timeout = try coder.field("RPA_Timeout", \.timeout)
    }
}

/// Sets the privacy mode for a peer (Vol 4, Part E, 7.8.77).
package struct LESetPrivacyMode: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x004E)
    package var peer: DeviceAddress
    package var mode: PrivacyMode
    package init(peer: DeviceAddress, mode: PrivacyMode) { (self.peer, self.mode) = (peer, mode) }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.peer = try coder.field("Peer_Identity_Address", \.peer)
        self.mode = try coder.field("Privacy_Mode", \.mode)
    }
}
