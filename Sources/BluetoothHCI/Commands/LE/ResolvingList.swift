// Private addresses: the list of keys by which the controller resolves and makes them (Vol 4, Part E, 7.8.38 to 7.8.45
// and 7.8.77).

public import BluetoothTypes

/// Adds a device and its keys to the list (Vol 4, Part E, 7.8.38).
public struct LEAddDeviceToResolvingList: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0027)

    /// The identity address of the peer.
    public var peer: DeviceAddress
    /// The peer's key; zero where it has none.
    public var peerIdentityResolvingKey: Octets16
    /// The key used towards the peer; zero where there is none.
    public var localIdentityResolvingKey: Octets16

    /// Creates the command.
    public init(
        peer: DeviceAddress,
        peerIdentityResolvingKey: Octets16,
        localIdentityResolvingKey: Octets16
    ) {
        self.peer = peer
        self.peerIdentityResolvingKey = peerIdentityResolvingKey
        self.localIdentityResolvingKey = localIdentityResolvingKey
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.peer = try coder.field("Peer_Identity_Address", \.peer)
        self.peerIdentityResolvingKey = try coder.field("Peer_IRK", \.peerIdentityResolvingKey)
        self.localIdentityResolvingKey = try coder.field("Local_IRK", \.localIdentityResolvingKey)
    }
}

/// Takes a device from the list (Vol 4, Part E, 7.8.39).
public struct LERemoveDeviceFromResolvingList: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0028)

    /// The identity address of the peer.
    public var peer: DeviceAddress

    /// Creates the command.
    public init(peer: DeviceAddress) {
        self.peer = peer
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.peer = try coder.field("Peer_Identity_Address", \.peer)
    }
}

/// Empties the list (Vol 4, Part E, 7.8.40).
public struct LEClearResolvingList: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0029)

    /// Creates the command.
    public init() {}
}

/// Reads how many devices the list can hold (Vol 4, Part E, 7.8.41).
public struct LEReadResolvingListSize: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x002A)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The number of devices.
        public var size: UInt8

        /// Creates an answer.
        public init(status: HCIErrorCode = .success, size: UInt8 = 0) {
            self.status = status
            self.size = size
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.size = try coder.field("Resolving_List_Size", \.size)
        }
    }
}

/// Reads the private address that a peer uses now (Vol 4, Part E, 7.8.42).
public struct LEReadPeerResolvableAddress: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x002B)

    /// The identity address of the peer.
    public var peer: DeviceAddress

    /// Creates the command.
    public init(peer: DeviceAddress) {
        self.peer = peer
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.peer = try coder.field("Peer_Identity_Address", \.peer)
    }

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
            self.address = try coder.address("Peer_Resolvable_Address", \.address, kind: .random)
        }
    }
}

/// Reads the private address that is used towards a peer now (Vol 4, Part E, 7.8.43).
public struct LEReadLocalResolvableAddress: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x002C)

    /// The identity address of the peer.
    public var peer: DeviceAddress

    /// Creates the command.
    public init(peer: DeviceAddress) {
        self.peer = peer
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.peer = try coder.field("Peer_Identity_Address", \.peer)
    }

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
            self.address = try coder.address("Local_Resolvable_Address", \.address, kind: .random)
        }
    }
}

/// Turns the resolving of addresses on or off (Vol 4, Part E, 7.8.44).
public struct LESetAddressResolutionEnable: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x002D)

    /// Whether addresses are resolved.
    public var isEnabled: Bool

    /// Creates the command.
    public init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.isEnabled = try coder.field("Address_Resolution_Enable", \.isEnabled)
    }
}

/// Sets how long a private address is used (Vol 4, Part E, 7.8.45).
public struct LESetResolvablePrivateAddressTimeout: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x002E)

    /// The time.
    public var timeout: ResolvablePrivateAddressTimeout

    /// Creates the command.
    public init(timeout: ResolvablePrivateAddressTimeout) {
        self.timeout = timeout
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.timeout = try coder.field("RPA_Timeout", \.timeout)
    }
}

/// Sets how a peer with a key may appear (Vol 4, Part E, 7.8.77).
public struct LESetPrivacyMode: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x004E)

    /// The identity address of the peer.
    public var peer: DeviceAddress
    /// The mode.
    public var mode: PrivacyMode

    /// Creates the command.
    public init(peer: DeviceAddress, mode: PrivacyMode) {
        self.peer = peer
        self.mode = mode
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.peer = try coder.field("Peer_Identity_Address", \.peer)
        self.mode = try coder.field("Privacy_Mode", \.mode)
    }
}
