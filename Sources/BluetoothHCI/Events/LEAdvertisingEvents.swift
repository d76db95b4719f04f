// Events of advertising and scanning other than reports (Vol 4, Part E, 7.7.65).

public import BluetoothTypes
public import NIOCore

/// Scanning has ended by its time limit (Vol 4, Part E, 7.7.65.17).
public struct LEScanTimeout: LEEventPayload {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.scanTimeout

    /// Creates the event.
    public init() {}

    /// Writes nothing.
    public func encode(into bytes: inout ByteBuffer) {}

    /// Reads nothing.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {}
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.status, self.advertisingHandle, self.handle, self.completedEvents)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            status: try bytes.readParameter("Status"),
            advertisingHandle: try bytes.readParameter("Advertising_Handle"),
            handle: try bytes.readParameter("Connection_Handle"),
            completedEvents: try bytes.readParameter("Num_Completed_Extended_Advertising_Events")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.advertisingHandle, self.scanner)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            advertisingHandle: try bytes.readParameter("Advertising_Handle"),
            scanner: try bytes.readParameter("Scanner_Address")
        )
    }
}
