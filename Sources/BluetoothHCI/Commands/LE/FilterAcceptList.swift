// The filter accept list (Vol 4, Part E, 7.8.14 to 7.8.17).

/// Reads the capacity of the filter accept list (Vol 4, Part E, 7.8.14).
package struct LEReadFilterAcceptListSize: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x000F)
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var size: UInt8
        package init(status: HCIErrorCode = .success, size: UInt8 = 0) { (self.status, self.size) = (status, size) }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.size = try coder.field("Filter_Accept_List_Size", \.size)
        }
    }
}

/// Clears the filter accept list (Vol 4, Part E, 7.8.15).
package struct LEClearFilterAcceptList: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x0010)
    package init() {}
}

/// Adds a device to the filter accept list (Vol 4, Part E, 7.8.16).
package struct LEAddDeviceToFilterAcceptList: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0011)
    package var entry: FilterAcceptListEntry
    package init(entry: FilterAcceptListEntry) { self.entry = entry }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.entry = try coder.field("Address", \.entry)
    }
}

/// Removes a device from the filter accept list (Vol 4, Part E, 7.8.17).
package struct LERemoveDeviceFromFilterAcceptList: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0012)
    package var entry: FilterAcceptListEntry
    package init(entry: FilterAcceptListEntry) { self.entry = entry }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.entry = try coder.field("Address", \.entry)
    }
}
