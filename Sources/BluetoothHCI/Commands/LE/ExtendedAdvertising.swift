// Extended advertising: sets with data of their own (Vol 4, Part E, 7.8.52 and 7.8.54 to 7.8.60).

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
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0035)

    /// The advertising set.
    public var advertisingHandle: AdvertisingHandle
    /// The address.
    public var address: DeviceAddress

    /// Creates the command.
    public init(advertisingHandle: AdvertisingHandle, address: DeviceAddress) {
        self.advertisingHandle = advertisingHandle
        self.address = address
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle)
        self.address = try coder.address("Random_Address", \.address, kind: .random)
    }
}

/// Sets the data of a set, or a part of it (Vol 4, Part E, 7.8.54).
public struct LESetExtendedAdvertisingData: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0037)

    /// The advertising set.
    public var advertisingHandle: AdvertisingHandle
    /// Which part it is.
    public var operation: AdvertisingDataOperation
    /// 1 where the controller should not cut the data.
    public var fragmentPreference: UInt8
    /// At most 251 octets.
    public var data: ByteBuffer

    /// Creates the command.
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

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle)
        self.operation = try coder.field("Operation", \.operation)
        self.fragmentPreference = try coder.field("Fragment_Preference", \.fragmentPreference)
        self.data = try coder.octets("Advertising_Data", \.data, limit: 251)
    }
}

/// Sets the data that a scanner may ask a set for, or a part of it (Vol 4, Part E, 7.8.55).
public struct LESetExtendedScanResponseData: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0038)

    /// The advertising set.
    public var advertisingHandle: AdvertisingHandle
    /// Which part it is.
    public var operation: AdvertisingDataOperation
    /// 1 where the controller should not cut the data.
    public var fragmentPreference: UInt8
    /// At most 251 octets.
    public var data: ByteBuffer

    /// Creates the command.
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

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle)
        self.operation = try coder.field("Operation", \.operation)
        self.fragmentPreference = try coder.field("Fragment_Preference", \.fragmentPreference)
        self.data = try coder.octets("Scan_Response_Data", \.data, limit: 251)
    }
}

/// Starts or stops advertising sets (Vol 4, Part E, 7.8.56).
public struct LESetExtendedAdvertisingEnable: HCICommand {
    /// A set and how long it advertises.
    public struct AdvertisingSet: HCIParameters {
        /// The set.
        public var handle: AdvertisingHandle
        /// How long; 0 is without end.
        public var duration: AdvertisingDuration
        /// How many advertising events; 0 is without end.
        public var maximumEvents: UInt8

        /// Creates a set's part of the command.
        public init(
            handle: AdvertisingHandle,
            duration: AdvertisingDuration = AdvertisingDuration(rawValue: 0),
            maximumEvents: UInt8 = 0
        ) {
            self.handle = handle
            self.duration = duration
            self.maximumEvents = maximumEvents
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.handle = try coder.field("Advertising_Handle", \.handle)
            self.duration = try coder.field("Duration", \.duration)
            self.maximumEvents = try coder.field("Max_Extended_Advertising_Events", \.maximumEvents)
        }
    }

    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0039)

    /// Whether to advertise.
    public var isEnabled: Bool
    /// The sets, at most 63; none with `isEnabled` false stands for all.
    public var sets: [AdvertisingSet]

    /// Creates the command.
    public init(isEnabled: Bool, sets: [AdvertisingSet]) {
        self.isEnabled = isEnabled
        self.sets = sets
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.isEnabled = try coder.field("Enable", \.isEnabled)
        self.sets = try coder.array("Num_Sets", \.sets, limit: 63)
    }
}

/// Reads how much data a set can have (Vol 4, Part E, 7.8.57).
public struct LEReadMaximumAdvertisingDataLength: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x003A)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The number of octets.
        public var length: UInt16

        /// Creates an answer.
        public init(status: HCIErrorCode = .success, length: UInt16 = 0) {
            self.status = status
            self.length = length
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.length = try coder.field("Max_Advertising_Data_Length", \.length)
        }
    }
}

/// Reads how many sets the controller can hold (Vol 4, Part E, 7.8.58).
public struct LEReadNumberOfSupportedAdvertisingSets: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x003B)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The number of sets.
        public var count: UInt8

        /// Creates an answer.
        public init(status: HCIErrorCode = .success, count: UInt8 = 0) {
            self.status = status
            self.count = count
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.count = try coder.field("Num_Supported_Advertising_Sets", \.count)
        }
    }
}

/// Removes a set that does not advertise (Vol 4, Part E, 7.8.59).
public struct LERemoveAdvertisingSet: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x003C)

    /// The advertising set.
    public var advertisingHandle: AdvertisingHandle

    /// Creates the command.
    public init(advertisingHandle: AdvertisingHandle) {
        self.advertisingHandle = advertisingHandle
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle)
    }
}

/// Removes all sets (Vol 4, Part E, 7.8.60).
public struct LEClearAdvertisingSets: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x003D)

    /// Creates the command.
    public init() {}
}
