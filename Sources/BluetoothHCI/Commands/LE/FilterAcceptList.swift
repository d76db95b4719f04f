// The list of devices that the controller takes notice of (Vol 4, Part E, 7.8.14 to 7.8.17).

/// Reads how many devices the list can hold (Vol 4, Part E, 7.8.14).
public struct LEReadFilterAcceptListSize: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x000F)

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
            self.size = try coder.field("Filter_Accept_List_Size", \.size)
        }
    }
}

/// Empties the list (Vol 4, Part E, 7.8.15).
public struct LEClearFilterAcceptList: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0010)

    /// Creates the command.
    public init() {}
}

/// Adds a device to the list (Vol 4, Part E, 7.8.16).
public struct LEAddDeviceToFilterAcceptList: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0011)

    /// The device, or all anonymous ones.
    public var entry: FilterAcceptListEntry

    /// Creates the command.
    public init(entry: FilterAcceptListEntry) {
        self.entry = entry
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.entry = try coder.field("Address", \.entry)
    }
}

/// Takes a device from the list (Vol 4, Part E, 7.8.17).
public struct LERemoveDeviceFromFilterAcceptList: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0012)

    /// The device, or all anonymous ones.
    public var entry: FilterAcceptListEntry

    /// Creates the command.
    public init(entry: FilterAcceptListEntry) {
        self.entry = entry
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.entry = try coder.field("Address", \.entry)
    }
}
