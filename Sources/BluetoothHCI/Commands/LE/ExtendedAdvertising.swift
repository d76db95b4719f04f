// Extended advertising (Vol 4, Part E, 7.8.52 and 7.8.54 to 7.8.60).

public import BluetoothTypes
public import NIOCore

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
public struct LESetAdvertisingSetRandomAddress: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0035)
    public var advertisingHandle: AdvertisingHandle
    public var address: DeviceAddress

    public init(advertisingHandle: AdvertisingHandle, address: DeviceAddress) {
        (self.advertisingHandle, self.address) = (advertisingHandle, address)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle)
        self.address = try coder.address("Random_Address", \.address, kind: .random)
    }
}

/// Sets the advertising data of a set, or a fragment of it (Vol 4, Part E, 7.8.54).
public struct LESetExtendedAdvertisingData: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0037)
    public var advertisingHandle: AdvertisingHandle
    public var operation: AdvertisingDataOperation
    /// 1 if the controller should not fragment the data.
    public var fragmentPreference: UInt8
    /// At most 251 octets.
    public var data: ByteBuffer

    public init(
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

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle)
        self.operation = try coder.field("Operation", \.operation)
        self.fragmentPreference = try coder.field("Fragment_Preference", \.fragmentPreference)
        self.data = try coder.octets("Advertising_Data", \.data, limit: 251)
    }
}

/// Sets the scan response data of a set, or a fragment of it (Vol 4, Part E, 7.8.55).
public struct LESetExtendedScanResponseData: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0038)
    public var advertisingHandle: AdvertisingHandle
    public var operation: AdvertisingDataOperation
    /// 1 if the controller should not fragment the data.
    public var fragmentPreference: UInt8
    /// At most 251 octets.
    public var data: ByteBuffer

    public init(
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

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle)
        self.operation = try coder.field("Operation", \.operation)
        self.fragmentPreference = try coder.field("Fragment_Preference", \.fragmentPreference)
        self.data = try coder.octets("Scan_Response_Data", \.data, limit: 251)
    }
}

/// Starts or stops advertising sets (Vol 4, Part E, 7.8.56).
public struct LESetExtendedAdvertisingEnable: HCICommand {
    /// A set and its limits.
    public struct AdvertisingSet: HCIParameters {
        public var handle: AdvertisingHandle
        /// 0 for no limit.
        public var duration: AdvertisingDuration
        /// 0 for no limit.
        public var maximumEvents: UInt8

        public init(
            handle: AdvertisingHandle,
            duration: AdvertisingDuration = AdvertisingDuration(rawValue: 0),
            maximumEvents: UInt8 = 0
        ) {
            (self.handle, self.duration, self.maximumEvents) = (handle, duration, maximumEvents)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.handle = try coder.field("Advertising_Handle", \.handle)
            self.duration = try coder.field("Duration", \.duration)
            self.maximumEvents = try coder.field("Max_Extended_Advertising_Events", \.maximumEvents)
        }
    }

    public static let opcode = HCIOpcode(.leController, 0x0039)
    public var isEnabled: Bool
    /// At most 63; if empty and `isEnabled` is false, all sets stop.
    public var sets: [AdvertisingSet]
    public init(isEnabled: Bool, sets: [AdvertisingSet]) { (self.isEnabled, self.sets) = (isEnabled, sets) }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.isEnabled = try coder.field("Enable", \.isEnabled)
        self.sets = try coder.array("Num_Sets", \.sets, limit: 63)
    }
}

/// Reads the maximum amount of data of a set, in octets (Vol 4, Part E, 7.8.57).
public struct LEReadMaximumAdvertisingDataLength: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.leController, 0x003A)
    public init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var length: UInt16

        public init(status: HCIErrorCode = .success, length: UInt16 = 0) {
            (self.status, self.length) = (status, length)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.length = try coder.field("Max_Advertising_Data_Length", \.length)
        }
    }
}

/// Reads the number of sets that the controller supports (Vol 4, Part E, 7.8.58).
public struct LEReadNumberOfSupportedAdvertisingSets: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.leController, 0x003B)
    public init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var count: UInt8
        public init(status: HCIErrorCode = .success, count: UInt8 = 0) { (self.status, self.count) = (status, count) }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.count = try coder.field("Num_Supported_Advertising_Sets", \.count)
        }
    }
}

/// Removes a set that is not advertising (Vol 4, Part E, 7.8.59).
public struct LERemoveAdvertisingSet: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x003C)
    public var advertisingHandle: AdvertisingHandle
    public init(advertisingHandle: AdvertisingHandle) { self.advertisingHandle = advertisingHandle }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle)
    }
}

/// Removes all sets (Vol 4, Part E, 7.8.60).
public struct LEClearAdvertisingSets: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.leController, 0x003D)
    public init() {}
}
