// Private addresses: the list of keys by which the controller resolves and makes them (Vol 4, Part E, 7.8.38 to 7.8.45
// and 7.8.77).

public import BluetoothTypes
public import NIOCore

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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.peer, self.peerIdentityResolvingKey, self.localIdentityResolvingKey)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            peer: try bytes.readParameter("Peer_Identity_Address"),
            peerIdentityResolvingKey: try bytes.readParameter("Peer_IRK"),
            localIdentityResolvingKey: try bytes.readParameter("Local_IRK")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.peer.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            peer: try bytes.readParameter("Peer_Identity_Address")
        )
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

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.status, self.size) }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 1),
                size: try bytes.readParameter("Resolving_List_Size")
            )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.peer.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            peer: try bytes.readParameter("Peer_Identity_Address")
        )
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

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) {
            self.status.write(into: &bytes)
            self.address.encode(into: &bytes)
        }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 6),
                address: try DeviceAddress(parsing: &bytes, kind: .random, "Peer_Resolvable_Address")
            )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.peer.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            peer: try bytes.readParameter("Peer_Identity_Address")
        )
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

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) {
            self.status.write(into: &bytes)
            self.address.encode(into: &bytes)
        }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 6),
                address: try DeviceAddress(parsing: &bytes, kind: .random, "Local_Resolvable_Address")
            )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.isEnabled.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            isEnabled: try bytes.readParameter("Address_Resolution_Enable")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.timeout.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            timeout: try bytes.readParameter("RPA_Timeout")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.peer, self.mode) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            peer: try bytes.readParameter("Peer_Identity_Address"),
            mode: try bytes.readParameter("Privacy_Mode")
        )
    }
}
