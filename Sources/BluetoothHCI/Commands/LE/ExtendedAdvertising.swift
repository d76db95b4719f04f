// Extended advertising: sets with data of their own (Vol 4, Part E, 7.8.52 and 7.8.54 to 7.8.60).

public import BluetoothTypes
public import NIOCore

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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        self.advertisingHandle.write(into: &bytes)
        self.address.encode(into: &bytes)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            advertisingHandle: try bytes.readParameter("Advertising_Handle"),
            address: try DeviceAddress(parsing: &bytes, kind: .random, "Random_Address")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.advertisingHandle, self.operation, self.fragmentPreference)
        bytes.writeCounted(self.data, limit: 251)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            advertisingHandle: try bytes.readParameter("Advertising_Handle"),
            operation: try bytes.readParameter("Operation"),
            fragmentPreference: try bytes.readParameter("Fragment_Preference"),
            data: try bytes.readCounted(limit: 251, "Advertising_Data")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.advertisingHandle, self.operation, self.fragmentPreference)
        bytes.writeCounted(self.data, limit: 251)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            advertisingHandle: try bytes.readParameter("Advertising_Handle"),
            operation: try bytes.readParameter("Operation"),
            fragmentPreference: try bytes.readParameter("Fragment_Preference"),
            data: try bytes.readCounted(limit: 251, "Scan_Response_Data")
        )
    }
}

/// Starts or stops advertising sets (Vol 4, Part E, 7.8.56).
public struct LESetExtendedAdvertisingEnable: HCICommand {
    /// A set and how long it advertises.
    public struct AdvertisingSet: HCIParameter {
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

        /// Reads the three parameters of a set.
        public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
            Self(
                handle: try bytes.readParameter("Advertising_Handle"),
                duration: try bytes.readParameter("Duration"),
                maximumEvents: try bytes.readParameter("Max_Extended_Advertising_Events")
            )
        }

        /// Writes the three parameters of a set.
        public func write(into bytes: inout ByteBuffer) {
            bytes.writeParameters(self.handle, self.duration, self.maximumEvents)
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        precondition(self.sets.count <= 63, "a command has room for 63 advertising sets")
        bytes.writeParameters(self.isEnabled, UInt8(self.sets.count))
        for set in self.sets { set.write(into: &bytes) }
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.isEnabled = try bytes.readParameter("Enable")
        let count: UInt8 = try bytes.readParameter("Num_Sets")
        guard count <= 63 else { throw MalformedBytes(.invalid, "Num_Sets") }
        self.sets = []
        for _ in 0..<count { self.sets.append(try bytes.readParameter("Sets")) }
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

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.status, self.length) }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 2),
                length: try bytes.readParameter("Max_Advertising_Data_Length")
            )
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

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.status, self.count) }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 1),
                count: try bytes.readParameter("Num_Supported_Advertising_Sets")
            )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.advertisingHandle.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            advertisingHandle: try bytes.readParameter("Advertising_Handle")
        )
    }
}

/// Removes all sets (Vol 4, Part E, 7.8.60).
public struct LEClearAdvertisingSets: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x003D)

    /// Creates the command.
    public init() {}
}
