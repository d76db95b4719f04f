// Events of advertising and scanning other than reports (Vol 4, Part E, 7.7.65).

public import BluetoothTypes

/// Scanning has ended by its time limit (Vol 4, Part E, 7.7.65.17).
public struct LEScanTimeout: LEEventPayload {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.scanTimeout

    /// Creates the event.
    public init() {}

    /// No parameters.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) { self.init() }
}

/// An advertising set has stopped by itself (Vol 4, Part E, 7.7.65.18).
public struct LEAdvertisingSetTerminated: LEEventPayload {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.advertisingSetTerminated

    /// Whether it succeeded.
    public var status: HCIErrorCode
    /// The advertising set.
    public var advertisingHandle: AdvertisingHandle
    /// The link that it has become.
    public var handle: ConnectionHandle
    /// How many advertising events there were.
    public var completedEvents: UInt8

    /// Creates the event.
    public init(
        status: HCIErrorCode = .success,
        advertisingHandle: AdvertisingHandle,
        handle: ConnectionHandle,
        completedEvents: UInt8
    ) {
        self.status = status
        self.advertisingHandle = advertisingHandle
        self.handle = handle
        self.completedEvents = completedEvents
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle)
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.completedEvents = try coder.field("Num_Completed_Extended_Advertising_Events", \.completedEvents)
    }
}

/// A scanner has asked an advertising set for more (Vol 4, Part E, 7.7.65.19).
public struct LEScanRequestReceived: LEEventPayload {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.scanRequestReceived

    /// The advertising set.
    public var advertisingHandle: AdvertisingHandle
    /// The scanner.
    public var scanner: DeviceAddress

    /// Creates the event.
    public init(advertisingHandle: AdvertisingHandle, scanner: DeviceAddress) {
        self.advertisingHandle = advertisingHandle
        self.scanner = scanner
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle)
        self.scanner = try coder.field("Scanner_Address", \.scanner)
    }
}
