// Resolvable private addresses: the list of keys with which the controller resolves and generates them (Vol 4, Part E,
// 7.8.38 to 7.8.45 and 7.8.77).

public import BluetoothTypes

/// Adds a device and its keys to the resolving list (Vol 4, Part E, 7.8.38).
public struct LEAddDeviceToResolvingList: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0027)
    public var peer: DeviceAddress
    /// Zero if the peer has none.
    public var peerIdentityResolvingKey: Octets16
    /// The key for our address towards the peer; zero for none.
    public var localIdentityResolvingKey: Octets16

    public init(peer: DeviceAddress, peerIdentityResolvingKey: Octets16, localIdentityResolvingKey: Octets16) {
        self.peer = peer
        self.peerIdentityResolvingKey = peerIdentityResolvingKey
        self.localIdentityResolvingKey = localIdentityResolvingKey
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.peer = try coder.field("Peer_Identity_Address", \.peer)
        self.peerIdentityResolvingKey = try coder.field("Peer_IRK", \.peerIdentityResolvingKey)
        self.localIdentityResolvingKey = try coder.field("Local_IRK", \.localIdentityResolvingKey)
    }
}

/// Removes a device from the resolving list (Vol 4, Part E, 7.8.39).
public struct LERemoveDeviceFromResolvingList: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0028)
    public var peer: DeviceAddress
    public init(peer: DeviceAddress) { self.peer = peer }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.peer = try coder.field("Peer_Identity_Address", \.peer)
    }
}

/// Clears the resolving list (Vol 4, Part E, 7.8.40).
public struct LEClearResolvingList: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.leController, 0x0029)
    public init() {}
}

/// Reads the capacity of the resolving list (Vol 4, Part E, 7.8.41).
public struct LEReadResolvingListSize: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.leController, 0x002A)
    public init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var size: UInt8
        public init(status: HCIErrorCode = .success, size: UInt8 = 0) { (self.status, self.size) = (status, size) }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.size = try coder.field("Resolving_List_Size", \.size)
        }
    }
}

/// Reads a peer's current resolvable private address (Vol 4, Part E, 7.8.42).
public struct LEReadPeerResolvableAddress: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x002B)
    public var peer: DeviceAddress
    public init(peer: DeviceAddress) { self.peer = peer }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.peer = try coder.field("Peer_Identity_Address", \.peer)
    }

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var address: DeviceAddress

        public init(status: HCIErrorCode = .success, address: DeviceAddress = .none) {
            (self.status, self.address) = (status, address)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.address = try coder.address("Peer_Resolvable_Address", \.address, kind: .random)
        }
    }
}

/// Reads the current resolvable private address towards a peer (Vol 4, Part E, 7.8.43).
public struct LEReadLocalResolvableAddress: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x002C)
    public var peer: DeviceAddress
    public init(peer: DeviceAddress) { self.peer = peer }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.peer = try coder.field("Peer_Identity_Address", \.peer)
    }

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var address: DeviceAddress

        public init(status: HCIErrorCode = .success, address: DeviceAddress = .none) {
            (self.status, self.address) = (status, address)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.address = try coder.address("Local_Resolvable_Address", \.address, kind: .random)
        }
    }
}

/// Turns address resolution on or off (Vol 4, Part E, 7.8.44).
public struct LESetAddressResolutionEnable: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x002D)
    public var isEnabled: Bool
    public init(isEnabled: Bool) { self.isEnabled = isEnabled }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.isEnabled = try coder.field("Address_Resolution_Enable", \.isEnabled)
    }
}

/// Sets the lifetime of a resolvable private address (Vol 4, Part E, 7.8.45).
public struct LESetResolvablePrivateAddressTimeout: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x002E)
    public var timeout: ResolvablePrivateAddressTimeout
    public init(timeout: ResolvablePrivateAddressTimeout) { self.timeout = timeout }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.timeout = try coder.field("RPA_Timeout", \.timeout)
    }
}

/// Sets the privacy mode for a peer (Vol 4, Part E, 7.8.77).
public struct LESetPrivacyMode: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x004E)
    public var peer: DeviceAddress
    public var mode: PrivacyMode
    public init(peer: DeviceAddress, mode: PrivacyMode) { (self.peer, self.mode) = (peer, mode) }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.peer = try coder.field("Peer_Identity_Address", \.peer)
        self.mode = try coder.field("Privacy_Mode", \.mode)
    }
}
