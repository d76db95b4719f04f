// Extended advertising (Vol 4, Part E, 7.8.52 and 7.8.54 to 7.8.60).

package import BluetoothTypes
package import NIOCore

/// The largest lengths of advertising data, in octets.
package enum AdvertisingDataLimits {
    /// In legacy PDUs (Vol 6, Part B, 2.3.1).
    package static let legacy = 31
    /// In extended PDUs of a connectable set, whose data is in one `AUX_ADV_IND`: 255 octets less its extended header.
    package static let connectable = 245
    /// In all other extended PDUs (Vol 4, Part E, 7.8.57).
    package static let extended = 1_650
}

/// Sets the random address of a set (Vol 4, Part E, 7.8.52).
package struct LESetAdvertisingSetRandomAddress: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0035)
    package var advertisingHandle: AdvertisingHandle
    package var address: DeviceAddress

    package init(advertisingHandle: AdvertisingHandle, address: DeviceAddress) {
        (self.advertisingHandle, self.address) = (advertisingHandle, address)
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle)
        self.address = try coder.address("Random_Address", \.address, kind: .random)
    }
}

/// Sets the advertising data of a set, or a fragment of it (Vol 4, Part E, 7.8.54).
package struct LESetExtendedAdvertisingData: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0037)
    package var advertisingHandle: AdvertisingHandle
    package var operation: AdvertisingDataOperation
    /// 1 if the controller should not fragment the data.
    package var fragmentPreference: UInt8
    /// At most 251 octets.
    package var data: ByteBuffer

    package init(
        advertisingHandle: AdvertisingHandle,
        operation: AdvertisingDataOperation = .complete,
        fragmentPreference: UInt8 = 1,
        data: ByteBuffer
    ) {
        self.advertisingHandle = advertisingHandle
        self.operation = operation
        self.fragmentPreference = fragmentPreference
        self.data = data
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle)
        self.operation = try coder.field("Operation", \.operation)
        self.fragmentPreference = try coder.field("Fragment_Preference", \.fragmentPreference)
        self.data = try coder.octets("Advertising_Data", \.data, limit: 251)
    }
}

/// Sets the scan response data of a set, or a fragment of it (Vol 4, Part E, 7.8.55).
package struct LESetExtendedScanResponseData: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0038)
    package var advertisingHandle: AdvertisingHandle
    package var operation: AdvertisingDataOperation
    /// 1 if the controller should not fragment the data.
    package var fragmentPreference: UInt8
    /// At most 251 octets.
    package var data: ByteBuffer

    package init(
        advertisingHandle: AdvertisingHandle,
        operation: AdvertisingDataOperation = .complete,
        fragmentPreference: UInt8 = 1,
        data: ByteBuffer
    ) {
        self.advertisingHandle = advertisingHandle
        self.operation = operation
        self.fragmentPreference = fragmentPreference
        self.data = data
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle)
        self.operation = try coder.field("Operation", \.operation)
        self.fragmentPreference = try coder.field("Fragment_Preference", \.fragmentPreference)
        self.data = try coder.octets("Scan_Response_Data", \.data, limit: 251)
    }
}

/// Starts or stops advertising sets (Vol 4, Part E, 7.8.56).
package struct LESetExtendedAdvertisingEnable: HCICommand {
    /// A set and its limits.
    package struct AdvertisingSet: HCIParameters {
        package var handle: AdvertisingHandle
        /// 0 for no limit.
        package var duration: AdvertisingDuration
        /// 0 for no limit.
        package var maximumEvents: UInt8

        package init(
            handle: AdvertisingHandle,
            duration: AdvertisingDuration = AdvertisingDuration(rawValue: 0),
            maximumEvents: UInt8 = 0
        ) {
            (self.handle, self.duration, self.maximumEvents) = (handle, duration, maximumEvents)
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.handle = try coder.field("Advertising_Handle", \.handle)
            self.duration = try coder.field("Duration", \.duration)
            self.maximumEvents = try coder.field("Max_Extended_Advertising_Events", \.maximumEvents)
        }
    }

    package static let opcode = HCIOpcode(.leController, 0x0039)
    package var isEnabled: Bool
    /// At most 63; if empty and `isEnabled` is false, all sets stop.
    package var sets: [AdvertisingSet]
    package init(isEnabled: Bool, sets: [AdvertisingSet]) { (self.isEnabled, self.sets) = (isEnabled, sets) }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.isEnabled = try coder.field("Enable", \.isEnabled)
        self.sets = try coder.array("Num_Sets", \.sets, limit: 63)
    }
}

/// Reads the maximum amount of data of a set, in octets (Vol 4, Part E, 7.8.57).
package struct LEReadMaximumAdvertisingDataLength: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x003A)
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var length: UInt16

        package init(status: HCIErrorCode = .success, length: UInt16 = 0) {
            (self.status, self.length) = (status, length)
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.length = try coder.field("Max_Advertising_Data_Length", \.length)
        }
    }
}

/// Reads the number of sets that the controller supports (Vol 4, Part E, 7.8.58).
package struct LEReadNumberOfSupportedAdvertisingSets: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x003B)
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var count: UInt8
        package init(status: HCIErrorCode = .success, count: UInt8 = 0) { (self.status, self.count) = (status, count) }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.count = try coder.field("Num_Supported_Advertising_Sets", \.count)
        }
    }
}

/// Removes a set that is not advertising (Vol 4, Part E, 7.8.59).
package struct LERemoveAdvertisingSet: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x003C)
    package var advertisingHandle: AdvertisingHandle
    package init(advertisingHandle: AdvertisingHandle) { self.advertisingHandle = advertisingHandle }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle)
    }
}

/// Removes all sets (Vol 4, Part E, 7.8.60).
package struct LEClearAdvertisingSets: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x003D)
    package init() {}
}
