// The filter accept list (Vol 4, Part E, 7.8.14 to 7.8.17).

/// Reads the capacity of the filter accept list (Vol 4, Part E, 7.8.14).
public struct LEReadFilterAcceptListSize: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.leController, 0x000F)
    public init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var size: UInt8
        public init(status: HCIErrorCode = .success, size: UInt8 = 0) { (self.status, self.size) = (status, size) }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.size = try coder.field("Filter_Accept_List_Size", \.size)
        }
    }
}

/// Clears the filter accept list (Vol 4, Part E, 7.8.15).
public struct LEClearFilterAcceptList: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.leController, 0x0010)
    public init() {}
}

/// Adds a device to the filter accept list (Vol 4, Part E, 7.8.16).
public struct LEAddDeviceToFilterAcceptList: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0011)
    public var entry: FilterAcceptListEntry
    public init(entry: FilterAcceptListEntry) { self.entry = entry }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.entry = try coder.field("Address", \.entry)
    }
}

/// Removes a device from the filter accept list (Vol 4, Part E, 7.8.17).
public struct LERemoveDeviceFromFilterAcceptList: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0012)
    public var entry: FilterAcceptListEntry
    public init(entry: FilterAcceptListEntry) { self.entry = entry }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.entry = try coder.field("Address", \.entry)
    }
}
